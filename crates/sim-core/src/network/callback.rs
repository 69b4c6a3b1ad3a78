//! Observation of a network while it runs, and the reasons why a run returns.

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

/// Observes a run between epochs.
pub trait RunCallback: Send {
    /// Called every few hundred epochs; `false` ends the run, which can go on later.
    fn proceed(&mut self, _progress: &Progress) -> bool {
        true
    }

    /// Called when flows have ended, with all completions that nobody has taken yet, in the order
    /// of (finish, flow). What is left in `completions` is kept for [`Network::take_completions`].
    fn completed(&mut self, _completions: &mut Vec<Completion>) {}

    /// Returns the interrupt that ends the run at once when another thread raises it. Nodes have
    /// then reached different times, so the run cannot go on; counts and completions are those of
    /// what has happened.
    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}

/// Nobody looks on.
impl RunCallback for () {}

/// Why a run has come back.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum Stop {
    /// All flows have ended and no more will start.
    Finished,
    /// The time that was asked for has come.
    TimeReached,
    /// Flows are left, but nothing moves: nothing is scheduled, or no byte has been acknowledged
    /// for the stall time.
    Stalled,
    /// Switch ports have a cyclic buffer dependency (a PFC deadlock, see [`Network::deadlock`]):
    /// the flows through them can never end.
    Deadlocked,
    /// All remaining events lie beyond [`Time::HORIZON`].
    Horizon,
    /// There is more to remember than a run keeps; see [`Room`](super::Room).
    Overloaded(Overload),
    /// The watcher wanted to stop, or the run was interrupted.
    Interrupted,
}
