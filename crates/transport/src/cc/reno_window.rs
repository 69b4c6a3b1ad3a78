//! The window of Reno, which most congestion controls share in part (RFC 5681).

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::FlowStart;

/// A congestion window and its threshold, in fractional segments. Senders see them in bytes.
#[derive(Checkpointed, Clone, Copy, Debug)]
#[checkpoint(absolute)]
pub(super) struct RenoWindow {
    pub(super) cwnd: f64,
    /// Slow-start threshold. It is infinite before the first congestion.
    pub(super) ssthresh: f64,
    /// Payload bytes of a full segment.
    #[checkpoint(rebuilt)]
    mss: Bytes,
}

/// Implements window methods within the `impl CongestionControl` of a controller with a
/// [`RenoWindow`] in its field `window`.
macro_rules! delegate_to_window {
    () => {
        fn on_recovery_exit(&mut self, most: Option<Bytes>) {
            self.window.end_reduction(most);
        }

        fn counts_sends(&self) -> bool {
            false
        }

        #[inline]
        fn window(&self) -> Option<Bytes> {
            self.window.bytes()
        }

        #[inline]
        fn slow_start_threshold(&self) -> Option<Bytes> {
            self.window.threshold()
        }

        #[inline]
        fn in_slow_start(&self) -> bool {
            self.window.in_slow_start()
        }
    };
}
pub(super) use delegate_to_window;

/// The lowest threshold (RFC 5681, equation 4).
pub(super) const LEAST_THRESHOLD: f64 = 2.0;

impl RenoWindow {
    pub(super) fn new(start: &FlowStart<'_>) -> Self {
        Self {
            cwnd: segments(start.initial_window, start.mtu),
            ssthresh: f64::INFINITY,
            mss: start.mtu,
        }
    }

    /// Returns the window in bytes.
    #[inline]
    pub(super) fn bytes(&self) -> Option<Bytes> {
        Some(self.bytes_of(self.cwnd))
    }

    /// Returns the threshold in bytes.
    #[inline]
    pub(super) fn threshold(&self) -> Option<Bytes> {
        self.ssthresh
            .is_finite()
            .then(|| self.bytes_of(self.ssthresh))
    }

    /// Returns `size` in bytes, rounded down to whole segments.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive window; larger ones saturate"
    )]
    fn bytes_of(&self, size: f64) -> Bytes {
        let whole = size as u32;
        let rest = (size - f64::from(whole)) * self.mss.as_f64();
        let rest = u64::from(rest as u32).min(self.mss.get() - 1);
        Bytes::new(u64::from(whole) * self.mss.get() + rest)
    }

    /// Returns `size` in whole segments.
    pub(super) fn segments(&self, size: Bytes) -> f64 {
        segments(size, self.mss)
    }

    #[inline]
    pub(super) fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start: adds one segment per delivered segment, up to the threshold (RFC 5681, equation
    /// 2, with byte counting as in RFC 3465 but without its limit, as in Linux). Returns the
    /// remaining part of `delivered`.
    #[inline]
    pub(super) fn slow_start(&mut self, delivered: f64) -> f64 {
        let grown = (self.cwnd + delivered).min(self.ssthresh.max(self.cwnd));
        let left = delivered - (grown - self.cwnd);
        self.cwnd = grown;
        left
    }

    /// Congestion avoidance: adds `increase` segments per delivered window (RFC 5681, equation 3).
    #[inline]
    pub(super) fn avoid_congestion(&mut self, delivered: f64, increase: f64) {
        self.cwnd += increase * delivered / self.cwnd;
    }

    /// Sets the threshold and the window to `threshold`.
    pub(super) fn reduce_to(&mut self, threshold: f64) {
        self.ssthresh = threshold.max(LEAST_THRESHOLD);
        self.cwnd = self.ssthresh;
    }

    /// Sets the window to one segment after a timeout (RFC 5681, section 3.1).
    pub(super) fn restart_from_one(&mut self) {
        self.cwnd = 1.0;
    }

    /// Limits the window after idle time.
    pub(super) fn limit(&mut self, most: Option<Bytes>) {
        if let Some(most) = most {
            self.cwnd = self.cwnd.min(self.segments(most));
        }
    }

    /// Sets the window to the threshold at the end of a reduction, limited to `most`.
    pub(super) fn end_reduction(&mut self, most: Option<Bytes>) {
        self.cwnd = self.ssthresh;
        self.limit(most);
    }
}

fn segments(size: Bytes, mss: Bytes) -> f64 {
    (size.get() / mss.get()) as f64
}
