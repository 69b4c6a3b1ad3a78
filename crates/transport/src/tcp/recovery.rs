//! Proportional rate reduction: how much may be sent while the window shrinks (RFC 6937).

use fabricsim_base::checkpoint::Stored;

/// An episode in which what is in flight comes down to the slow-start threshold, in segments.
#[derive(Clone, Debug, Default, Stored)]
pub(super) struct ProportionalReduction {
    /// In flight when the episode began (RecoverFS).
    flight: u32,
    /// Delivered since (prr_delivered).
    delivered: u32,
    /// Sent since (prr_out).
    sent: u32,
    /// Segments that may be in flight now.
    pub(super) window: u32,
}

impl ProportionalReduction {
    /// An episode begins with `flight` segments in flight, some of which may now be known as lost.
    pub(super) fn new(flight: u32) -> Self {
        Self {
            flight: flight.max(1),
            delivered: 0,
            sent: 0,
            window: 0,
        }
    }

    /// An acknowledgement delivers `delivered` segments and leaves `in_flight` (RFC 6937, section
    /// 3, with the slow-start reduction bound). `safe`: the cumulative acknowledgement moved on and
    /// no loss was found.
    pub(super) fn on_ack(&mut self, delivered: u32, in_flight: u32, ssthresh: u32, safe: Safe) {
        self.delivered += delivered;
        let mut quota = if in_flight > ssthresh {
            let target = u64::from(self.delivered) * u64::from(ssthresh);
            let target = target.div_ceil(u64::from(self.flight));
            u32::try_from(target)
                .unwrap_or(u32::MAX)
                .saturating_sub(self.sent)
        } else {
            let owed = self.delivered.saturating_sub(self.sent);
            let limit = match safe {
                Safe::Yes => owed.max(delivered) + 1,
                Safe::No => owed.max(delivered),
            };
            (ssthresh - in_flight).min(limit)
        };
        if self.sent == 0 {
            // The first retransmission is not held back.
            quota = quota.max(1);
        }
        self.window = in_flight + quota;
    }

    #[inline]
    pub(super) const fn on_send(&mut self) {
        self.sent += 1;
    }
}

/// Whether an acknowledgement in recovery shows that retransmissions arrive and nothing more is
/// lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Safe {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One loss in a window of 20 segments: RFC 6937, section 4, figure 1 (ssthresh 10 of 20).
    #[test]
    fn one_loss_halves_the_flight_evenly() {
        let mut prr = ProportionalReduction::new(20);
        let mut in_flight = 20 - 3 - 1;
        let mut sent = 0;
        prr.on_ack(3, in_flight, 10, Safe::No);
        loop {
            while in_flight < prr.window {
                prr.on_send();
                in_flight += 1;
                sent += 1;
            }
            if prr.delivered >= 19 {
                break;
            }
            in_flight -= 1;
            prr.on_ack(1, in_flight, 10, Safe::No);
        }
        assert_eq!((sent, in_flight), (10, 10));
    }

    #[test]
    fn after_many_losses_sending_follows_delivery() {
        let mut prr = ProportionalReduction::new(20);
        // Ten of twenty are lost: in flight is below the threshold at once.
        prr.on_ack(1, 4, 10, Safe::No);
        assert_eq!(prr.window, 5);
        prr.on_send();
        prr.on_ack(1, 4, 10, Safe::Yes);
        assert_eq!(prr.window, 6);
        prr.on_ack(1, 9, 10, Safe::Yes);
        assert_eq!(prr.window, 10);
    }
}
