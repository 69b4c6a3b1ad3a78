//! The algorithm of CoDel: which packets are dropped or marked.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::Ecn;

use crate::aqm::Verdict;
use crate::discipline::{EcnSelector, is_capable};

/// Properties that CoDel needs to know of the packet that would leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Time at which the packet was stored.
    pub(crate) arrival: Time,
    pub(crate) ecn: Ecn,
    /// Bytes that it leaves behind.
    pub(crate) left: Bytes,
    /// No other packet of its queue waits.
    pub(crate) is_last: bool,
}

/// Arithmetic of times and square roots.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Arithmetic {
    /// In picoseconds, with the square root itself.
    Exact,
    /// As Linux does: in units of 1,024 ns, 1/sqrt(count) in 16 bits with one step of Newton's
    /// method for each count, which begins too low.
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

/// The settings that decide, in ticks of the arithmetic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodelParams {
    arithmetic: Arithmetic,
    target: u64,
    interval: u64,
    /// A backlog of this many bytes is never touched.
    mtu: Bytes,
    ecn: bool,
    ce_threshold: Option<(u64, EcnSelector)>,
}

/// The settings of the algorithm, as the disciplines that use it have them.
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

/// The state of CoDel for one queue (RFC 8289), by the rules of Linux.
///
/// A queue whose packets have waited for `target` or longer during a whole interval, with more than
/// one packet's bytes left behind, gets a signal: a mark, or a drop where the sender does not
/// understand marks. While it stays so the next signals come after interval / sqrt(count).
#[derive(Clone, Debug, Default, Stored)]
pub(crate) struct Codel {
    /// Signals since dropping began.
    count: u32,
    /// `count` when dropping began.
    last_count: u32,
    dropping: bool,
    /// 1 / sqrt(count) with 16 binary places.
    inverse_sqrt: u16,
    /// Time at which the queue will have been above the target for an interval, in ticks of the
    /// arithmetic.
    first_above: Option<u64>,
    /// Time at which the next signal is due, or at which the last one was due, in ticks of the
    /// arithmetic.
    drop_next: Option<u64>,
    /// Time that the last packet examined has waited, in ticks of the arithmetic.
    sojourn: u64,
    /// The drop of the packet before the next one, at the same instant.
    dropped: Dropped,
}

/// A drop that the next packet of the queue follows at once.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
enum Dropped {
    /// There was none.
    #[default]
    None,
    /// The first one of an episode.
    First,
    /// A further one, which the next signal follows if the next packet has waited for too long.
    Further,
}

impl Codel {
    /// `packets` were dropped because a limit was exceeded, which the next signals take into
    /// account.
    pub(crate) const fn add_drops(&mut self, packets: u32) {
        self.count = self.count.wrapping_add(packets);
    }

    /// It is the queue's turn, and no packet waits.
    pub(crate) const fn on_empty(&mut self) {
        self.dropping = false;
    }

    /// Decides about the packet that would leave. After a drop it decides about the next one of the
    /// queue, if there is one, at the same instant.
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
            // An episode begins with one drop, however long the next packet has waited.
            (true, _) if dropped == Dropped::First => false,
            (true, false) => self.end(),
            (true, true) => self.is_due(params, now, dropped),
        };
        if signals && !(params.ecn && is_capable(candidate.ecn)) {
            if candidate.is_last {
                // An empty queue is short: only an episode that has just begun goes on.
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

    /// Returns whether `candidate` and those before it have waited for too long during an interval.
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

    /// The queue is short again. Never a signal.
    const fn end(&mut self) -> bool {
        self.dropping = false;
        false
    }

    /// The first signal.
    fn begin(&mut self, params: &CodelParams, now: u64) -> bool {
        self.dropping = true;
        // When the last episode ended a short while ago, its last rate is a good one to begin with.
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

    /// Returns `true` if a signal is due during an episode, after the drop `dropped`. Several may be due
    /// at once.
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

    /// The next signal is due interval / sqrt(count) after `from`.
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

    /// x (3 - count x^2) / 2 for x = 1 / sqrt(count), in the widths of Linux.
    const fn newton_step(&mut self) {
        let x = (self.inverse_sqrt as u64) << 16;
        let square = (x * x) >> 32;
        let term = (3u64 << 32).wrapping_sub(self.count as u64 * square) >> 2;
        self.inverse_sqrt = ((term.wrapping_mul(x) >> 31) >> 16) as u16;
    }
}
