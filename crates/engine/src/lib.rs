//! The engine: conservative epochs, one process at a time.
//!
//! A *process* is the unit of state and of scheduling. Processes talk over channels, one for each
//! direction of a link, and every message takes at least the *lookahead* to arrive. In the epoch
//! [t, t + lookahead) no process can therefore affect another one: each is run alone from the start
//! of the epoch to its end, with all its state hot in cache, on any thread. At the barrier the
//! halves of the channels are exchanged. Empty time is skipped: t is the least next event of all.
//! If every channel leads from one of two sides to the other, the sides can take turns, each of
//! which is as long as two such epochs.
//!
//! The engine knows nothing of networks. What is executed when depends on times, channels and the
//! order that processes give their own events, never on threads: results are the same for any
//! number.

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
