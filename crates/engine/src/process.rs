//! A part of the model in the form that the engine needs.

use super::arrival_order::ArrivalOrder;
use super::channel::SendBuffer;
use super::inbox::Inbox;
use super::message::Message;
use fabricsim_base::units::{Duration, Time};

/// A part of the model that runs alone for the length of an epoch.
pub trait LogicalProcess: Send {
    /// The type of messages on the channels.
    type Message: Message;

    /// The order of messages that arrive at the same time.
    type Order: ArrivalOrder<Self::Message>;

    /// Returns the time of the process's own next event; [`Time::MAX`] for never.
    fn next_event(&self) -> Time;

    /// Executes everything due before `end`: the messages of `inbox` and the process's own events.
    /// Their order must depend on nothing else.
    fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Self::Message>,
        send_buffer: &mut SendBuffer<Self::Message>,
    );

    /// Prepares due messages of one channel before [`run`](Self::run) reads the first of them. You
    /// may write results into the messages that `run` would otherwise compute one by one. Each
    /// message is prepared once.
    #[inline]
    fn prepare(&mut self, _messages: &mut [Self::Message]) {}

    /// Returns the number of groups by which the messages of this epoch should be sorted, or 0 for
    /// time order.
    ///
    /// All messages have been [prepared](Self::prepare), and have a [group](Message::group) below
    /// that number. Sorting is not always possible; [`Inbox::has_groups`] returns `true` in
    /// [`run`](Self::run) if the messages are sorted by group.
    #[inline]
    fn groups(&self) -> usize {
        0
    }

    /// Returns `true` if the process has results for the driver of the engine.
    fn has_results(&self) -> bool {
        false
    }

    /// Returns the cost of an epoch of the process, relative to other processes.
    fn weight(&self) -> u64 {
        1
    }

    /// Returns `true` if the process may run lazily: later than other processes, as long as it
    /// cannot affect them any earlier. Its results are then also delayed.
    fn may_run_lazily(&self) -> bool {
        false
    }

    /// Returns `true` if a steered run ([`Engine::run_steered`](crate::Engine::run_steered)) stops
    /// at the process. Such a process never runs lazily.
    fn is_steered(&self) -> bool {
        false
    }

    /// Returns the time of the process's own next event that the steering program must see, or
    /// [`Time::MAX`].
    fn next_stop(&self) -> Time {
        Time::MAX
    }

    /// Adds the arrival times of `messages` to which the steering program may react. No message has
    /// been read yet. The messages of each channel are in the order of arrival.
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
    /// The channel by which the far end receives from this process.
    pub channel: u32,
    /// The shortest time from sending to arrival.
    pub delay: Duration,
}
