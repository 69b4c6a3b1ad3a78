//! A part of the model, as the engine sees it.

use super::arrival_order::ArrivalOrder;
use super::channel::SendBuffer;
use super::inbox::Inbox;
use super::message::Message;
use fabricsim_base::units::{Duration, Time};

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

    /// Returns the number of groups into which the messages of this epoch are sorted, or 0 for the order
    /// of time. All messages have been [prepared](Self::prepare), and have a [group](Message::group)
    /// below that number. [`Inbox::has_groups`] returns `true` in [`run`](Self::run) if they are sorted
    /// so, because not all messages can be.
    #[inline]
    fn groups(&self) -> usize {
        0
    }

    /// Returns `true` if the process holds results for the driver of the engine.
    fn has_results(&self) -> bool {
        false
    }

    /// Returns the cost of an epoch of the process, relative to other processes.
    fn weight(&self) -> u64 {
        1
    }

    /// Returns `true` if the process may be run later than others when it cannot reach any
    /// earlier. Results of such a process come late, too.
    fn may_run_lazily(&self) -> bool {
        false
    }

    /// Returns whether a steered run ([`Engine::run_steered`](crate::Engine::run_steered)) stops at the process. Such a process
    /// is not run lazily.
    fn is_steered(&self) -> bool {
        false
    }

    /// Returns when the process may next do something by itself that the steering program has to see, or
    /// [`Time::MAX`].
    fn next_stop(&self) -> Time {
        Time::MAX
    }

    /// Adds the arrivals of `messages` to which the steering program may react. None of the messages has
    /// been read yet. Each channel has them in the order of arrival.
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
