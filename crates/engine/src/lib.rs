//! The engine: conservative epochs, one process at a time.
//!
//! A *process* is the unit of state and of scheduling. Processes talk over channels, one for each
//! direction of a link, and every message takes at least the *lookahead* to arrive. In the epoch
//! [t, t + lookahead) no process can therefore affect another one: each is run alone from the start
//! of the epoch to its end, with all its state hot in cache, on any thread. At the barrier the
//! halves of the channels are exchanged. Empty time is skipped: t is the least next event of all.
//! Where every channel leads from one of two sides to the other, the sides can take turns, each of
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
mod epochs;
mod exchange;
mod groups;
mod inbox;
mod interrupt;
mod mailboxes;
mod message;
mod order;
mod partition;
mod placement;
mod prefetching;
mod probe;
mod processes;
mod rank_epoch;
mod rounds;
mod sides;
mod span;
mod spare;
mod steered;
mod threads;
mod timers;

pub use arrival_order::{ArrivalOrder, ByChannel};
pub use channel::{Lane, SendBuffer};
pub use inbox::{Group, Grouped, Groups, Inbox};
pub use interrupt::Interrupt;
pub use message::Message;
pub use probe::Probe;
pub use processes::Processes;
pub use rounds::Rounds;
pub use steered::{SteeredDriver, Steps};
pub use threads::{Crew, MOST_THREADS, Threads, ThreadsError};
pub use timers::{Timer, Timers};

use std::sync::Arc;

use epochs::Partitions;
use exchange::Exchange;
use fabricsim_base::checkpoint::{Reader, Writer};
use fabricsim_base::ranks::Shares;
use fabricsim_base::units::{Duration, Time};
use mailboxes::Mailboxes;
use placement::Position;
use steered::Steered;

/// Partitions of processes for each thread. A partition is what a thread takes on at once: with more of
/// them threads could even out better what they cost, and more messages would go from one to another.
pub const PARTITIONS_PER_THREAD: usize = 2;

/// A part of the model that is run alone for the length of an epoch.
pub trait LogicalProcess: Send {
    /// Message that crosses the channels.
    type Message: Message;

    /// The order of messages that arrive at one instant.
    type Order: ArrivalOrder<Self::Message>;

    /// Returns when the process next has something to do by itself; [`Time::MAX`] for never.
    fn next_event(&self) -> Time;

    /// Executes everything due before `end`: the messages of `inbox` and the process's own events,
    /// in an order that depends on nothing else.
    fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Self::Message>,
        send_buffer: &mut SendBuffer<Self::Message>,
    );

    /// Looks at messages of one channel that are due, before [`run`](Self::run) reads the first of
    /// them, and may write into them what can be found out beforehand. It sees each message once.
    #[inline]
    fn prepare(&mut self, _messages: &mut [Self::Message]) {}

    /// Returns into how many groups the process would have its messages sorted; 0 for none. Asked for
    /// before the first message of an epoch is [prepared](Self::prepare); once prepared, each has a
    /// [group](Message::group) below that number.
    #[inline]
    fn groups(&self) -> usize {
        0
    }

    /// Returns whether the process can read the messages of this epoch, all of which have been prepared,
    /// group by group. Whether they are in groups then is what [`Inbox::has_groups`] says in
    /// [`run`](Self::run), which is called once with all of them; not all that is due can be.
    #[inline]
    fn reads_groups(&self) -> bool {
        false
    }

    /// Asks for the memory in which the process begins: see [`prefetch`](fabricsim_base::prefetch). Called a
    /// while before [`run`](Self::run), when nothing of it may be in the cache.
    #[inline]
    fn prefetch(&self) {}

    /// Asks for the memory of part number `part` of those that are needed when `messages` are due, and
    /// returns whether there is one. Called for 0, 1, 2 and so on, a while after
    /// [`prefetch`](Self::prefetch), until neither messages nor parts are left: from some number on it
    /// must return `false`.
    #[inline]
    fn prefetch_part(&self, _part: usize, _messages: usize) -> bool {
        false
    }

    /// Returns whether the process holds results that whoever drives the engine should collect.
    fn has_results(&self) -> bool {
        false
    }

    /// Returns the cost of an epoch of the process, relative to other processes.
    fn weight(&self) -> u64 {
        1
    }

    /// Returns whether the process may be run later than others when nobody can hear from it
    /// earlier. Results of such a process come late, too.
    fn may_run_lazily(&self) -> bool {
        false
    }

    /// Returns whether a steered run ([`Engine::run_steered`]) stops at the process. Such a process
    /// is not run lazily.
    fn is_steered(&self) -> bool {
        false
    }

    /// Returns when the process may next do something by itself that whoever steers has to see;
    /// [`Time::MAX`] for never.
    fn next_stop(&self) -> Time {
        Time::MAX
    }

    /// Adds the arrivals of those of `messages` that may make whoever steers react. None of them
    /// has been read yet; those of each channel are in the order of arrival.
    fn add_stops<'a>(
        &self,
        _messages: impl Iterator<Item = &'a Self::Message> + Clone,
        _stops: &mut Vec<Time>,
    ) where
        Self::Message: 'a,
    {
    }
}

/// One direction of a link between two processes.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    /// The process at the far end.
    pub process: u32,
    /// The channel on which the far end hears this one.
    pub channel: u32,
    /// The least time that a message takes.
    pub delay: Duration,
}

/// Processes, their channels and the threads that run them.
///
/// Which partition a process is in has no effect on results.
#[derive(Debug)]
pub struct Engine<D: LogicalProcess> {
    partitions: Partitions<D>,
    /// Position of each process.
    positions: Vec<Position>,
    mailboxes: Arc<Mailboxes<D::Message>>,
    /// Some processes are run lazily.
    lazy: bool,
    lookahead: Duration,
    /// The longest epoch: more than the lookahead where processes have two sides that take turns.
    longest: Duration,
    now: Time,
    epochs: u64,
    /// Times that all partitions have been run: once in each epoch, and more often in long ones. A turn of
    /// each side counts as two.
    rounds: u64,
    /// In long epochs the two sides of the processes take turns.
    takes_turns: bool,
    threads: Threads,
    interrupt: Interrupt,
    /// An epoch was left half done.
    broken: bool,
    /// The epoch that a steered run is in.
    steered: Option<Steered>,
    /// The first so many partitions hold the processes with a channel to another rank.
    borders: usize,
    /// What other ranks are sent, when there are any.
    exchange: Option<Exchange<D::Message>>,
}

/// A driver that controls the engine from epoch to epoch.
pub trait Driver<D: LogicalProcess> {
    /// Called before each epoch. `next` is the least next event of all processes, [`Time::MAX`]
    /// when nothing is left to happen. Here events from outside are put into the processes. Returns
    /// the epoch to run, or `None` to stop; it must begin no later than any event, and be no longer
    /// than [`Processes::longest_epoch`].
    fn before(&mut self, processes: &mut Processes<'_, D>, next: Time) -> Option<Epoch>;

    /// Called after an epoch when some process has results.
    fn collect(&mut self, processes: &mut Processes<'_, D>);

    /// Called after each epoch of a run over several ranks, in place of [`Self::collect`]: writes
    /// what the processes of this rank have for the drivers of all ranks. By default nothing.
    fn report(&mut self, _processes: &mut Processes<'_, D>, _out: &mut Writer) {}

    /// Takes over what the drivers of all ranks have reported, by rank. `has_results` says whether
    /// some process has results.
    fn take_reports(&mut self, _reports: &mut [Reader<'_>], _has_results: bool) {}
}

/// A span of simulated time that is run between two barriers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Epoch {
    /// The first instant.
    pub start: Time,
    /// The first instant that is not in the epoch.
    pub end: Time,
    /// Whether processes may be run lazily.
    pub execution: Execution,
}

/// Whether some processes may be left behind at the end of an epoch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Execution {
    /// Those that nobody can hear from in the next epoch, for the sake of speed.
    Lazy,
    /// None: everything before the end of the epoch happens, because somebody will look.
    Eager,
}

impl<D: LogicalProcess> Engine<D> {
    /// The ranks of a run over several of them.
    #[must_use]
    pub fn shares(&self) -> Option<&Shares> {
        self.exchange.as_ref().map(|exchange| &exchange.shares)
    }

    /// The end of the last epoch: everything before it has happened.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Epochs run so far.
    #[must_use]
    pub const fn epochs(&self) -> u64 {
        self.epochs
    }

    /// Returns how many processes there are, on all ranks.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.positions.len()
    }

    /// The processes of this rank with their numbers, in their order.
    pub fn processes(&self) -> impl Iterator<Item = (usize, &D)> {
        let positions = self.positions.iter().enumerate();
        positions
            .filter(|(_, at)| at.is_here())
            .map(|(index, at)| (index, at.of(&self.partitions)))
    }

    /// LogicalProcess `index`, unless another rank holds it.
    #[must_use]
    pub fn process(&self, index: usize) -> Option<&D> {
        let at = self.positions[index];
        at.is_here().then(|| at.of(&self.partitions))
    }

    /// Changes process `index` between two runs, which may move its next event. Does nothing where
    /// another rank holds it.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> Option<R> {
        self.between().update(index, change)
    }

    /// Lets `interrupt` end the runs to come.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// Returns whether a run was interrupted, or ended in a panic. An epoch may have been left half done,
    /// so nothing more is run.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.broken
    }

    /// The half of mailboxes that the next round writes.
    const fn parity(&self) -> usize {
        (self.rounds % 2) as usize
    }

    /// The half of mailboxes that the last round has written.
    const fn unread(&self) -> usize {
        self.parity() ^ 1
    }

    /// The processes between two runs.
    pub fn between(&mut self) -> Processes<'_, D> {
        let unread = self.unread();
        Processes {
            partitions: &mut self.partitions,
            mailboxes: &self.mailboxes,
            unread,
            positions: &self.positions,
            lazy: self.lazy,
            lookahead: self.lookahead,
            longest: self.lookahead,
            recalled: false,
            exchange: self.exchange.as_mut(),
        }
    }
}
