//! The engine: conservative parallel simulation in epochs, one process at a time.
//!
//! A *process* is the unit of state and of scheduling. Processes send messages over channels, one
//! for each direction of a link, and every message takes at least the *lookahead* to arrive. In the
//! epoch [t, t + lookahead), processes therefore cannot affect one another: the engine runs each
//! alone from the start of the epoch to its end, with all its state hot in cache, on any thread. At
//! the barrier it exchanges the halves of the channels. It skips empty time: t is the earliest next
//! event of all processes. If every channel connects two sides, the sides can take turns in longer
//! phases; each phase is as long as two epochs.
//!
//! The engine knows nothing of networks. The order of execution depends on times, on channels and
//! on the order that processes give their own events, but never on threads: results are the same
//! for any number of threads.

mod address_space;
mod arrival_order;
mod batch;
mod calendar;
mod channel;
mod checkpoint;
mod construction;
mod driver;
mod engine;
mod epoch;
mod epochs;
mod exchange;
mod groups;
mod inbox;
mod interrupt;
mod mailboxes;
mod member;
mod message;
mod order;
mod partition;
mod partitions;
mod placement;
mod position;
mod probe;
mod process;
mod processes;
mod rank_epoch;
mod rounds;
mod schedule;
mod sides;
mod spare;
mod steered;
mod steps;
mod threads;
mod timers;

pub use arrival_order::{ArrivalOrder, ByChannel};
pub use channel::{Lane, SendBuffer};
pub use driver::Driver;
pub use engine::Engine;
pub use epoch::{Epoch, Execution};
pub use inbox::{Group, Grouped, Groups, Inbox};
pub use interrupt::Interrupt;
pub use message::Message;
pub use placement::PARTITIONS_PER_THREAD;
pub use probe::Probe;
pub use process::{LogicalProcess, Wiring};
pub use processes::Processes;
pub use rounds::Rounds;
pub use steered::SteeredDriver;
pub use steps::Steps;
pub use threads::{Crew, MOST_THREADS, Threads, ThreadsError};
pub use timers::{Timer, Timers};
