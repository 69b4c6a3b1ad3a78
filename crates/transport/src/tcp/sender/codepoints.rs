//! ECN codepoints of the sender's segments.

use fabricsim_core::packet::Flags;
use fabricsim_core::plugin::Feedback;

use super::TcpSender;

impl TcpSender {
    /// Returns the codepoint of first transmissions.
    pub(super) fn codepoint(&self) -> Flags {
        match self.feedback {
            Feedback::None => Flags::NONE,
            _ => self.ecn.codepoint,
        }
    }

    /// Returns the codepoint of retransmissions. They are not ECN-capable (RFC 3168, section
    /// 6.1.5), except under L4S.
    pub(super) fn codepoint_of_copies(&self) -> Flags {
        match self.codepoint() {
            Flags::ECT0 => Flags::NONE,
            codepoint => codepoint,
        }
    }
}
