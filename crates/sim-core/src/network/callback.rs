//! The interface for watching a network while it runs, and the reasons why a run returns.

#[cfg(doc)]
use super::Network;
use super::Overload;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Completion;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_engine::Interrupt;

/// Progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Flows handed to their hosts.
    pub started: u64,
    /// Flows that have ended.
    pub finished: u64,
    /// Payload bytes acknowledged.
    pub acknowledged: Bytes,
    /// Packets that crossed a link.
    pub packet_hops: u64,
}

/// Watches a run between epochs.
pub trait RunCallback: Send {
    /// Called every few hundred epochs. Return `false` to end the run, which can be continued
    /// later.
    fn proceed(&mut self, _progress: &Progress) -> bool {
        true
    }

    /// Called if flows have ended, with all completions that were not removed yet, in the order of
    /// (finish, flow). Completions left in `completions` are kept for
    /// [`Network::take_completions`].
    fn completed(&mut self, _completions: &mut Vec<Completion>) {}

    /// Returns the interrupt by which another thread can end the run immediately. Nodes have then
    /// reached different times, so the run cannot be continued; counters and completions cover the
    /// executed events.
    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}

/// A callback that does nothing.
impl RunCallback for () {}

/// The reason why a run has returned.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum Stop {
    /// All flows have ended and no more will start.
    Finished,
    /// The run has reached its end time.
    TimeReached,
    /// Flows are left, but there is no progress: no event is scheduled, or no byte was acknowledged
    /// during the stall time.
    Stalled,
    /// Switch ports have a cyclic buffer dependency (a PFC deadlock, see [`Network::deadlock`]), so
    /// the flows through them can never end.
    Deadlocked,
    /// All remaining events are later than [`Time::HORIZON`].
    Horizon,
    /// The run has exceeded a limit of memory; see [`Room`](super::Room).
    Overloaded(Overload),
    /// The callback has ended the run, or the run was interrupted.
    Interrupted,
}
