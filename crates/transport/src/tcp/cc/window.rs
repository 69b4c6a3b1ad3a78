//! The window of Reno, which all algorithms share in parts (RFC 5681).

/// A congestion window and its threshold, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) cwnd: f64,
    pub(super) ssthresh: f64,
}

/// The least threshold (RFC 5681, equation 4).
pub(super) const LEAST_THRESHOLD: f64 = 2.0;

impl Window {
    pub(super) fn new(initial: u32) -> Self {
        Self {
            cwnd: f64::from(initial),
            ssthresh: f64::INFINITY,
        }
    }

    #[inline]
    pub(super) fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start: a segment for each delivered one, up to the threshold (RFC 5681, equation 2, with
    /// bytes counted as in RFC 3465 without limit, as Linux does). Returns what is left of
    /// `delivered`.
    #[inline]
    pub(super) fn slow_start(&mut self, delivered: f64) -> f64 {
        let grown = (self.cwnd + delivered).min(self.ssthresh.max(self.cwnd));
        let left = delivered - (grown - self.cwnd);
        self.cwnd = grown;
        left
    }

    /// Congestion avoidance: `increase` segments for each window delivered (RFC 5681, equation 3).
    #[inline]
    pub(super) fn avoid_congestion(&mut self, delivered: f64, increase: f64) {
        self.cwnd += increase * delivered / self.cwnd;
    }

    /// The threshold is `threshold`, and the window as well.
    pub(super) fn reduce_to(&mut self, threshold: f64) {
        self.ssthresh = threshold.max(LEAST_THRESHOLD);
        self.cwnd = self.ssthresh;
    }

    /// A timeout: one segment (RFC 5681, section 3.1).
    pub(super) fn restart_from_one(&mut self) {
        self.cwnd = 1.0;
    }

    /// After an idle time.
    pub(super) fn limit(&mut self, most: Option<f64>) {
        if let Some(most) = most {
            self.cwnd = self.cwnd.min(most);
        }
    }
}
