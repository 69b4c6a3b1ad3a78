//! The receiver's side of explicit congestion notification: feedback of marks to the sender.

use fabricsim_base::checkpoint::Stored;
use fabricsim_core::plugin::Feedback;

/// Acknowledgements that an arriving packet makes urgent: delayed ones before it is processed, and
/// its own.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Urgency {
    pub(super) before: bool,
    pub(super) at_once: bool,
}

/// The echo of one receiver.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Echo {
    pub(super) feedback: Feedback,
    /// Classic: the echo is set. DCTCP and accurate: the last packet was marked (DCTCP.CE).
    latched: bool,
    /// Packets that have arrived with a mark.
    pub(super) ce_count: u32,
}

impl Echo {
    pub(super) const fn new(feedback: Feedback) -> Self {
        Self {
            feedback,
            latched: false,
            ce_count: 0,
        }
    }

    /// Returns how urgently to acknowledge a packet, given that it is `marked` or not. Call this
    /// before the packet is processed with [`Self::take`].
    #[inline]
    pub(super) const fn urgency(&self, marked: bool) -> Urgency {
        let changes = marked != self.latched;
        match self.feedback {
            Feedback::None | Feedback::Classic => Urgency {
                before: false,
                at_once: false,
            },
            // RFC 8257, section 3.2, figure 1.
            Feedback::Dctcp => Urgency {
                before: changes,
                at_once: changes,
            },
            // RFC 9768, section 3.2.2.5.1: a change to marked is reported immediately.
            Feedback::Accurate => Urgency {
                before: false,
                at_once: changes && marked,
            },
        }
    }

    /// Records a data packet, with its mark and with the CWR of its sender.
    #[inline]
    pub(super) const fn take(&mut self, marked: bool, cwr: bool) {
        match self.feedback {
            Feedback::None => return,
            // RFC 3168, section 6.1.3: the CWR is for earlier marks.
            Feedback::Classic => self.latched = marked || (self.latched && !cwr),
            Feedback::Dctcp | Feedback::Accurate => self.latched = marked,
        }
        if marked {
            self.ce_count = self.ce_count.wrapping_add(1);
        }
    }

    /// Returns `true` if acknowledgements carry ECE now.
    #[inline]
    pub(super) const fn ece(&self) -> bool {
        self.latched && matches!(self.feedback, Feedback::Classic | Feedback::Dctcp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the echo after each packet of `arrivals` (marked, with CWR).
    fn echoes(feedback: Feedback, arrivals: &[(bool, bool)]) -> Vec<bool> {
        let mut echo = Echo::new(feedback);
        let mut seen = Vec::new();
        for &(marked, cwr) in arrivals {
            echo.take(marked, cwr);
            seen.push(echo.ece());
        }
        seen
    }

    #[test]
    fn the_classic_echo_stays_until_it_was_heard() {
        let arrivals = [
            (false, false),
            (true, false),
            (false, false),
            (false, true),
            (false, false),
            (true, true),
        ];
        assert_eq!(
            echoes(Feedback::Classic, &arrivals),
            [false, true, true, false, false, true]
        );
        assert_eq!(echoes(Feedback::None, &arrivals), [false; 6]);
    }

    #[test]
    fn the_echo_of_dctcp_is_the_last_packet_and_changes_are_told_at_once() {
        let mut echo = Echo::new(Feedback::Dctcp);
        let changed = Urgency {
            before: true,
            at_once: true,
        };
        for (marked, urgency) in [
            (false, Urgency::default()),
            (true, changed),
            (true, Urgency::default()),
            (false, changed),
        ] {
            assert_eq!(echo.urgency(marked), urgency);
            echo.take(marked, false);
            assert_eq!(echo.ece(), marked);
        }
    }

    #[test]
    fn the_accurate_count_sets_no_echo() {
        let mut echo = Echo::new(Feedback::Accurate);
        assert!(echo.urgency(true).at_once && !echo.urgency(true).before);
        for marked in [true, true, false, true] {
            echo.take(marked, false);
        }
        assert_eq!((echo.ce_count, echo.ece()), (3, false));
        assert!(!echo.urgency(false).at_once);
    }
}
