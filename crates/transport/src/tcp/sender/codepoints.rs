//! ECN codepoints of the segments that a sender sends.

use fabricsim_core::packet::Flags;
use fabricsim_core::plugin::Feedback;

use super::TcpSender;

impl TcpSender {
    /// The codepoint of what is sent for the first time.
    pub(super) fn codepoint(&self) -> Flags {
        match self.feedback {
            Feedback::None => Flags::NONE,
            _ => self.ecn.codepoint,
        }
    }

    /// RFC 3168, section 6.1.5: what is retransmitted is not ECN-capable; under L4S it is.
    pub(super) fn codepoint_of_copies(&self) -> Flags {
        match self.codepoint() {
            Flags::ECT0 => Flags::NONE,
            codepoint => codepoint,
        }
    }
}
