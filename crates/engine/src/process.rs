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

    /// Returns into how many groups the messages of this epoch are to be sorted, all of which have been
    /// [prepared](Self::prepare) and have a [group](Message::group) below that number; 0 to have them in
    /// the order of time. Not all that is due can be sorted by groups: [`Inbox::has_groups`] tells
    /// [`run`](Self::run) whether it is.
    #[inline]
    fn groups(&self) -> usize {
        0
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

    /// Returns whether a steered run ([`Engine::run_steered`](crate::Engine::run_steered)) stops at the process. Such a process
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
