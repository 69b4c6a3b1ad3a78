//! Proportional rate reduction: limits sending while the window shrinks (RFC 6937).

use fabricsim_base::checkpoint::Stored;

/// An episode that reduces the data in flight to the slow-start threshold, in segments.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct ProportionalReduction {
    /// Segments in flight at the beginning of the episode (RecoverFS).
    flight: u32,
    /// Segments delivered since then (prr_delivered).
    delivered: u32,
    /// Segments sent since then (prr_out).
    sent: u32,
    /// Segments that may be in flight now.
    pub(super) window: u32,
}

impl ProportionalReduction {
    /// Returns an episode that begins with `flight` segments in flight, including any now known as
    /// lost.
    pub(super) fn new(flight: u32) -> Self {
        Self {
            flight: flight.max(1),
            delivered: 0,
            sent: 0,
            window: 0,
        }
    }

    /// Updates the window after an acknowledgement that delivers `delivered` segments and leaves
    /// `in_flight` (RFC 6937, section 3, with the slow-start reduction bound). `safe` means that
    /// the cumulative acknowledgement advanced and no loss was found.
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
            // The first retransmission always leaves.
            quota = quota.max(1);
        }
        self.window = in_flight + quota;
    }

    #[inline]
    pub(super) const fn on_send(&mut self) {
        self.sent += 1;
    }
}

/// Judgment of an acknowledgement in recovery: it is safe if retransmissions arrive and no other
/// segment is lost.
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
        // Ten of twenty are lost, so the data in flight is immediately below the threshold.
        prr.on_ack(1, 4, 10, Safe::No);
        assert_eq!(prr.window, 5);
        prr.on_send();
        prr.on_ack(1, 4, 10, Safe::Yes);
        assert_eq!(prr.window, 6);
        prr.on_ack(1, 9, 10, Safe::Yes);
        assert_eq!(prr.window, 10);
    }
}
