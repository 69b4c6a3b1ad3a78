//! Opening a connection (RFC 9293, section 3.5): SYN, SYN-ACK, their timers and the negotiation.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;

use super::config::TcpParameters;
use super::timers::backed_off;
use fabricsim_core::plugin::Feedback;

/// Progress in opening a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(super) enum State {
    /// The SYN has been sent.
    SynSent,
    /// A SYN has arrived and the SYN-ACK has been sent.
    SynReceived,
    /// Data may flow.
    Open,
}

/// The opening of one connection.
// The state is first, because each packet needs it. The other fields are used only during opening.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
#[repr(C)]
pub(super) struct Handshake {
    pub(super) state: State,
    /// Number of SYNs or SYN-ACKs sent.
    pub(super) sent: u32,
    /// Time to send the next SYN or SYN-ACK; [`Time::MAX`] if the connection is open.
    pub(super) resend_at: Time,
    /// Time at which the last SYN or SYN-ACK was sent.
    pub(super) sent_at: Time,
}

impl Handshake {
    /// A connection without handshake, or after it.
    pub(super) const OPEN: Self = Self {
        state: State::Open,
        sent: 0,
        sent_at: Time::ZERO,
        resend_at: Time::MAX,
    };

    /// Returns the state before the first call of [`Self::on_send`].
    pub(super) const fn new(state: State) -> Self {
        Self {
            state,
            sent: 0,
            sent_at: Time::ZERO,
            resend_at: Time::MAX,
        }
    }

    /// Records a sent SYN or SYN-ACK. The next one is due after the initial timeout, doubled each
    /// time (RFC 6298, rules 2.1 and 5.5).
    pub(super) fn on_send(&mut self, now: Time, parameters: &TcpParameters) {
        let wait = backed_off(parameters.initial_rto, self.sent, parameters);
        self.sent += 1;
        self.sent_at = now;
        self.resend_at = now.saturating_add(wait);
    }

    /// Opens the connection, because the other side has replied.
    pub(super) fn open(&mut self) {
        self.state = State::Open;
        self.resend_at = Time::MAX;
    }
}

/// Returns the negotiated feedback if one host requests `asked` and the other one agrees to at most
/// `accepted` (RFC 9768, section 3.1.2; RFC 3168, section 6.1.1).
pub(super) const fn agree(asked: Feedback, accepted: Feedback) -> Feedback {
    match (asked, accepted) {
        (Feedback::None, _) | (_, Feedback::None) => Feedback::None,
        (_, Feedback::Accurate) => asked,
        (Feedback::Dctcp, Feedback::Dctcp) => Feedback::Dctcp,
        (Feedback::Accurate | Feedback::Classic, _) => Feedback::Classic,
        (Feedback::Dctcp, Feedback::Classic) => Feedback::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;
    use fabricsim_base::units::Duration;

    #[test]
    fn syns_are_repeated_after_one_two_and_four_seconds() {
        let parameters = TcpConfig::default().parameters();
        let mut handshake = Handshake::new(State::SynSent);
        let mut now = Time::ZERO;
        let mut waits = Vec::new();
        for _ in 0..4 {
            handshake.on_send(now, &parameters);
            waits.push(handshake.resend_at.since(now));
            now = handshake.resend_at;
        }
        assert_eq!(waits, [1, 2, 4, 8].map(|s| Duration::from_ms(s * 1_000)));
        handshake.open();
        assert_eq!(handshake.resend_at, Time::MAX);
    }

    #[test]
    fn a_host_agrees_to_no_more_than_it_accepts() {
        use Feedback::{Accurate, Classic, Dctcp, None};
        for asked in [None, Classic, Dctcp, Accurate] {
            assert_eq!(agree(asked, Accurate), asked);
            assert_eq!(agree(asked, None), None);
        }
        assert_eq!(agree(Accurate, Classic), Classic);
        assert_eq!(agree(Dctcp, Classic), None);
        assert_eq!(agree(Classic, Dctcp), Classic);
        assert_eq!(agree(Dctcp, Dctcp), Dctcp);
    }
}
