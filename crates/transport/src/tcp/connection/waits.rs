//! The reason why a connection waits.

use fabricsim_base::units::Time;
use fabricsim_core::plugin::Wait;

use super::{Connection, Task};
use crate::tcp::handshake::State;

impl Connection {
    /// Returns the reason why the connection does not send its flow at `now`; `None` if it carries
    /// messages or requests, or receives.
    pub(in crate::tcp) fn wait(&self, now: Time) -> Option<Wait> {
        if !matches!(self.task, Task::Send(_)) {
            return None;
        }
        Some(if self.handshake.state != State::Open {
            Wait::Handshake
        } else if self.sender.may_send() {
            if self.sender.paced > now {
                Wait::Pacing(self.sender.paced)
            } else {
                Wait::Port
            }
        } else if self.sender.has_unsent() {
            Wait::Window
        } else {
            Wait::Acknowledgement
        })
    }

    /// Returns a description of the event that the connection waits for.
    pub(in crate::tcp) fn waits_for(&self) -> String {
        if self.handshake.state != State::Open {
            return format!(
                "a reply to its SYN, which was sent {} times",
                self.handshake.sent
            );
        }
        match &self.task {
            Task::Fetch(_) if self.sender.is_done() => "the response".to_owned(),
            _ => self.sender.waits_for(),
        }
    }
}
