//! The CoDel algorithm, which decides which packets are dropped or marked.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::Ecn;

use crate::aqm::Verdict;
use crate::discipline::{EcnSelector, is_capable};

/// The properties of a departing packet that CoDel uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Time at which the packet was stored.
    pub(crate) arrival: Time,
    pub(crate) ecn: Ecn,
    /// Bytes that remain in the queue after it.
    pub(crate) left: Bytes,
    /// `true` if no other packet of its queue waits.
    pub(crate) is_last: bool,
}

/// Arithmetic of times and square roots.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Arithmetic {
    /// Times are in picoseconds, with exact square roots.
    Exact,
    /// Arithmetic of Linux: times in units of 1,024 ns, with 1/sqrt(count) in 16 bits. Each count
    /// gets one step of Newton's method, which starts too low.
    Newton,
}

impl Arithmetic {
    #[inline]
    const fn ticks(self, ps: u64) -> u64 {
        match self {
            Self::Exact => ps,
            Self::Newton => ps / 1_024_000,
        }
    }
}

/// The settings of the algorithm, in ticks of the arithmetic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodelParams {
    arithmetic: Arithmetic,
    target: u64,
    interval: u64,
    /// CoDel never acts on a backlog of up to this number of bytes.
    mtu: Bytes,
    ecn: bool,
    ce_threshold: Option<(u64, EcnSelector)>,
}

/// The settings of the algorithm, in the form of the disciplines that use it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodelSettings {
    pub(crate) target: Duration,
    pub(crate) interval: Duration,
    pub(crate) mtu: Bytes,
    pub(crate) ecn: bool,
    pub(crate) ce_threshold: Option<Duration>,
    pub(crate) ce_threshold_marks: EcnSelector,
    pub(crate) linux_newton: bool,
}

impl From<CodelSettings> for CodelParams {
    fn from(settings: CodelSettings) -> Self {
        let arithmetic = if settings.linux_newton {
            Arithmetic::Newton
        } else {
            Arithmetic::Exact
        };
        let threshold = settings.ce_threshold;
        let marks = settings.ce_threshold_marks;
        Self {
            arithmetic,
            target: arithmetic.ticks(settings.target.as_ps()),
            interval: arithmetic.ticks(settings.interval.as_ps()),
            mtu: settings.mtu,
            ecn: settings.ecn,
            ce_threshold: threshold.map(|time| (arithmetic.ticks(time.as_ps()), marks)),
        }
    }
}

/// The state of CoDel for one queue (RFC 8289), following Linux.
///
/// CoDel signals a queue if two conditions hold during a whole interval: packets waited for
/// `target` or longer, and each left more than one packet's bytes behind. The signal is a mark, or
/// a drop if the sender does not understand marks. While the conditions hold, the next signals
/// follow after interval / sqrt(count).
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(crate) struct Codel {
    /// Number of signals since dropping began.
    count: u32,
    /// Value of `count` when dropping began.
    last_count: u32,
    dropping: bool,
    /// 1 / sqrt(count) with 16 binary places.
    inverse_sqrt: u16,
    /// Time at which the queue will have been above the target for an interval, in ticks.
    first_above: Option<u64>,
    /// Time of the next signal, or of the last one, in ticks.
    drop_next: Option<u64>,
    /// Queueing time of the last examined packet, in ticks.
    sojourn: u64,
    /// The drop just before the next packet, at the same time.
    dropped: Dropped,
}

/// A drop that was just made and is followed immediately by the next packet of the queue.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
enum Dropped {
    /// There was no drop.
    #[default]
    None,
    /// The first drop of an episode.
    First,
    /// Another drop. The next signal follows immediately if the next packet has waited too long.
    Further,
}

impl Codel {
    /// Adds `packets` that were dropped because a limit was exceeded, so that the next signals
    /// follow sooner.
    pub(crate) const fn add_drops(&mut self, packets: u32) {
        self.count = self.count.wrapping_add(packets);
    }

    /// Handles the queue's turn when no packet waits.
    pub(crate) const fn on_empty(&mut self) {
        self.dropping = false;
    }

    /// Decides about the departing packet. After a drop, the caller must pass the next packet of
    /// the queue, if there is one, at the same time.
    pub(crate) fn decide(
        &mut self,
        params: &CodelParams,
        now: Time,
        candidate: &Candidate,
    ) -> Verdict {
        let now = params.arithmetic.ticks(now.as_ps());
        let above = self.is_above(params, now, candidate);
        let dropped = std::mem::take(&mut self.dropped);
        let begins = above && !self.dropping;
        let signals = match (self.dropping, above) {
            (false, false) => false,
            (false, true) => self.begin(params, now),
            // An episode begins with only one drop, no matter how long the next packet has waited.
            (true, _) if dropped == Dropped::First => false,
            (true, false) => self.end(),
            (true, true) => self.is_due(params, now, dropped),
        };
        if signals && !(params.ecn && is_capable(candidate.ecn)) {
            if candidate.is_last {
                // An empty queue is short, so only an episode that has just begun continues.
                self.first_above = None;
                self.dropping = begins;
            } else if begins {
                self.dropped = Dropped::First;
            } else {
                self.dropped = Dropped::Further;
            }
            return Verdict::DropEarly;
        }
        if signals && !begins {
            self.schedule_next(params);
        }
        let late = params.ce_threshold.is_some_and(|(threshold, marks)| {
            self.sojourn > threshold && marks.takes(candidate.ecn)
        });
        if signals || late {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    /// Returns `true` if `candidate` and the packets before it have waited too long during a whole
    /// interval.
    #[inline]
    fn is_above(&mut self, params: &CodelParams, now: u64, candidate: &Candidate) -> bool {
        self.sojourn = now - params.arithmetic.ticks(candidate.arrival.as_ps());
        if self.sojourn < params.target || candidate.left <= params.mtu {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            None => {
                self.first_above = Some(now + params.interval);
                false
            }
            Some(time) => now > time,
        }
    }

    /// Ends an episode, because the queue is short again. Returns `false`: no signal.
    const fn end(&mut self) -> bool {
        self.dropping = false;
        false
    }

    /// Begins an episode with its first signal.
    fn begin(&mut self, params: &CodelParams, now: u64) -> bool {
        self.dropping = true;
        // If the last episode ended recently, its last rate is a good start value.
        let last_signals = self.count.wrapping_sub(self.last_count);
        let recent = self
            .drop_next
            .is_some_and(|time| now < time + 16 * params.interval);
        if last_signals > 1 && recent {
            self.count = last_signals;
            self.newton_step();
        } else {
            self.count = 1;
            self.inverse_sqrt = u16::MAX;
        }
        self.last_count = self.count;
        self.schedule(params, now);
        true
    }

    /// Returns `true` if a signal is due during an episode, after the drop `dropped`. Several may
    /// be due at the same time.
    fn is_due(&mut self, params: &CodelParams, now: u64, dropped: Dropped) -> bool {
        if dropped == Dropped::Further {
            self.schedule_next(params);
        }
        let due = self.drop_next.is_some_and(|due| due <= now);
        if due {
            self.count = self.count.wrapping_add(1);
            self.newton_step();
        }
        due
    }

    /// [`Self::schedule`] from the time at which the last signal was due.
    fn schedule_next(&mut self, params: &CodelParams) {
        if let Some(due) = self.drop_next {
            self.schedule(params, due);
        }
    }

    /// Schedules the next signal at interval / sqrt(count) after `from`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most the interval"
    )]
    fn schedule(&mut self, params: &CodelParams, from: u64) {
        let gap = match params.arithmetic {
            Arithmetic::Exact => (params.interval as f64 / f64::from(self.count).sqrt()) as u64,
            Arithmetic::Newton => (params.interval * u64::from(self.inverse_sqrt)) >> 16,
        };
        self.drop_next = Some(from + gap);
    }

    /// Computes x (3 - count x^2) / 2 for x = 1 / sqrt(count), with the bit widths of Linux.
    const fn newton_step(&mut self) {
        let x = (self.inverse_sqrt as u64) << 16;
        let square = (x * x) >> 32;
        let term = (3u64 << 32).wrapping_sub(self.count as u64 * square) >> 2;
        self.inverse_sqrt = ((term.wrapping_mul(x) >> 31) >> 16) as u16;
    }
}
