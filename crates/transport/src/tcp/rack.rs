//! Recent acknowledgement: transmissions are overdue if a later transmission has already arrived
//! (RFC 8985, section 6).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Duration, Time};

use super::rtt::RttEstimator;
use super::segment::Segment;
use fabricsim_core::plugin::Recovering;

/// Number of duplicates or reported segments that indicate a loss, as long as no reordering has
/// been observed (DupThresh).
pub(super) const DUP_THRESHOLD: u32 = 3;
/// Number of recoveries for which a widened reordering window is kept.
const PERSISTENCE: u32 = 16;

/// The state of RFC 8985, section 5.3.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Rack {
    /// Time of the latest delivered transmission (RACK.xmit_ts); `end` is its last byte.
    sent_at: Time,
    end: u64,
    /// Round-trip time of the latest delivered transmission.
    pub(super) rtt: Duration,
    /// The highest delivered byte (RACK.fack).
    highest: u64,
    reordering_seen: bool,
    /// RACK.reo_wnd_mult minus one.
    widened: u32,
    persists: u32,
    /// Below this byte, another report of a duplicate belongs to the same round trip.
    widened_until: u64,
    /// Data of the acknowledgement being processed.
    now: Time,
    echo: Option<Time>,
    least_rtt: Duration,
}

impl Rack {
    /// Begins to process an acknowledgement with the echoed timestamp `echo`.
    #[inline]
    pub(super) const fn begin(&mut self, now: Time, echo: Option<Time>, least_rtt: Duration) {
        self.now = now;
        self.echo = echo;
        self.least_rtt = least_rtt;
    }

    /// Records that `segment` is newly acknowledged or reported (section 6.2, steps 2 and 3).
    #[inline]
    pub(super) fn on_delivered(&mut self, segment: &Segment) {
        let end = segment.end();
        if end > self.highest {
            self.highest = end;
        } else if end < self.highest && !segment.again {
            self.reordering_seen = true;
        }
        let rtt = self.now.since(segment.sent_at);
        if segment.again {
            // The original may have arrived instead of the retransmission.
            let earlier = self.echo.is_some_and(|echo| echo < segment.sent_at);
            if earlier || rtt < self.least_rtt {
                return;
            }
        }
        if (segment.sent_at, end) > (self.sent_at, self.end) {
            self.sent_at = segment.sent_at;
            self.end = end;
            self.rtt = rtt;
        }
    }

    /// Same as [`Self::on_delivered`] for each of several newly acknowledged segments that were
    /// sent once, in byte order. The first one ends at `first_end`; the last one was sent at
    /// `sent_at` and ends at `end`.
    #[inline]
    pub(super) fn on_delivered_in_order(&mut self, first_end: u64, sent_at: Time, end: u64) {
        self.reordering_seen |= first_end < self.highest;
        self.highest = self.highest.max(end);
        if (sent_at, end) > (self.sent_at, self.end) {
            self.sent_at = sent_at;
            self.end = end;
            self.rtt = self.now.since(sent_at);
        }
    }

    /// Returns `true` if the latest delivered transmission was sent after `segment`.
    #[inline]
    pub(super) const fn is_after(&self, segment: &Segment) -> bool {
        let (ours, other) = (self.sent_at.as_ps(), segment.sent_at.as_ps());
        ours > other || ours == other && self.end > segment.end()
    }

    /// Handles a report of a second copy, which means that a retransmission was unnecessary. Widens
    /// the window, once per round trip (step 4).
    pub(super) fn on_duplicate(&mut self, una: u64, next: u64) {
        if una >= self.widened_until {
            self.widened_until = next;
            self.widened += 1;
        }
        self.persists = PERSISTENCE;
    }

    /// Handles the end of a recovery.
    pub(super) fn on_recovery_exit(&mut self) {
        self.persists = self.persists.saturating_sub(1);
        if self.persists == 0 {
            self.widened = 0;
        }
    }

    /// Returns the reordering window (step 4): a quarter of the minimum round-trip time, more after
    /// unnecessary retransmissions. It is zero if three segments beyond a gap are reported and no
    /// segment was ever late.
    pub(super) fn window(
        &self,
        rtt: &RttEstimator,
        sacked: u32,
        recovering: Recovering,
    ) -> Duration {
        if !self.reordering_seen && (recovering == Recovering::Yes || sacked >= DUP_THRESHOLD) {
            return Duration::ZERO;
        }
        let quarter = Duration::from_ps(rtt.least.as_ps() / 4);
        let window = quarter.saturating_mul(u64::from(self.widened) + 1);
        window.min(rtt.smoothed.unwrap_or(window))
    }
}
