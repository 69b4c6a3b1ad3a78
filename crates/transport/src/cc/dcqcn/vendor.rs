//! DCQCN in the form of NIC vendors, which the published HPCC simulator uses.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Duration, Time};

use super::super::paced_rate::PacedRate;
use super::config::{DcqcnConfig, Values};

/// A timer with a period of `every`.
#[derive(Checkpointed, Clone, Copy, Debug)]
struct Ticks {
    #[checkpoint(deadline)]
    next: Time,
    /// Time at which `next` was set. If several timers are due at the same time, the older one
    /// fires first.
    #[checkpoint(record)]
    set: Time,
    #[checkpoint(rebuilt)]
    every: Duration,
}

impl Ticks {
    fn stopped(every: Duration) -> Self {
        Self {
            next: Time::MAX,
            set: Time::MAX,
            every,
        }
    }

    fn start(&mut self, now: Time, first: Duration) {
        self.set = now;
        self.next = now + first;
    }

    fn advance(&mut self) {
        self.start(self.next, self.every);
    }

    /// Skips the ticks up to and at `now`.
    fn skip_to(&mut self, now: Time) {
        if self.next <= now {
            let missed = now.since(self.next).as_ps() / self.every.as_ps();
            self.next += self.every.saturating_mul(missed);
            self.advance();
        }
    }
}

/// DCQCN for one flow in the vendors' form.
///
/// Differs from the paper: the rate falls at the ticks of a timer at the sender instead of at
/// notifications, only the first decrease after an increase lowers the target, and only a timer
/// increases the rate, without a byte counter. The published HPCC simulator does the same.
///
/// The estimate catches up with the ticks of the alpha timer only when it is used, and ticks of the
/// decrease timer without a mark are skipped, so flows without marks cost no events.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub struct VendorDcqcn {
    rate: PacedRate,
    /// Target rate (R_T), in bit/s.
    target: f64,
    /// Estimate of congestion (alpha), from 0 to 1.
    alpha: f64,
    /// Increases since the last decrease.
    increases: u32,
    marked_since_alpha: bool,
    marked_since_decrease: bool,
    alpha_ticks: Ticks,
    decrease_ticks: Ticks,
    increase_ticks: Ticks,
    #[checkpoint(rebuilt)]
    g: f64,
    #[checkpoint(rebuilt)]
    fast_recovery: u32,
    #[checkpoint(rebuilt)]
    additive_increase: f64,
    #[checkpoint(rebuilt)]
    hyper_increase: f64,
    #[checkpoint(rebuilt)]
    clamp: bool,
    #[checkpoint(rebuilt)]
    min_rate: f64,
}

impl VendorDcqcn {
    pub(super) fn new(config: &DcqcnConfig, values: &Values, rate: PacedRate) -> Self {
        Self {
            g: config.g,
            fast_recovery: values.fast_recovery,
            additive_increase: values.additive_increase.as_bps_f64(),
            hyper_increase: values.hyper_increase.as_bps_f64(),
            clamp: values.clamp,
            min_rate: values.min_rate.as_bps_f64(),
            target: rate.bps(),
            rate,
            alpha: config.initial_alpha,
            increases: 0,
            marked_since_alpha: false,
            marked_since_decrease: false,
            alpha_ticks: Ticks::stopped(values.alpha_timer),
            decrease_ticks: Ticks::stopped(values.decrease_timer),
            increase_ticks: Ticks::stopped(values.increase_timer),
        }
    }

    pub(super) const fn rate(&self) -> &PacedRate {
        &self.rate
    }

    /// Records that a packet of this flow was marked (a congestion notification arrived).
    pub(super) fn on_mark(&mut self, now: Time) {
        if self.alpha_ticks.next == Time::MAX {
            // The first mark.
            self.alpha_ticks.start(now, self.alpha_ticks.every);
            // One nanosecond later, so that a decrease uses the new estimate.
            let first = self.decrease_ticks.every + Duration::from_ns(1);
            self.decrease_ticks.start(now, first);
            self.target = self.rate.bps();
        } else {
            self.update_alpha(now);
            if !self.marked_since_decrease {
                self.decrease_ticks.skip_to(now);
            }
            self.marked_since_alpha = true;
        }
        self.marked_since_decrease = true;
    }

    /// Returns the next tick at which the rate falls.
    fn next_decrease(&self) -> Time {
        if self.marked_since_decrease {
            self.decrease_ticks.next
        } else {
            Time::MAX
        }
    }

    /// Updates the estimate of congestion to `now`.
    fn update_alpha(&mut self, now: Time) {
        while self.alpha_ticks.next <= now {
            let seen = if self.marked_since_alpha { self.g } else { 0.0 };
            self.alpha = (1.0 - self.g) * self.alpha + seen;
            self.marked_since_alpha = false;
            self.alpha_ticks.advance();
        }
    }

    fn decrease(&mut self, now: Time) {
        self.decrease_ticks.advance();
        self.update_alpha(now);
        if self.clamp || self.increases > 0 {
            self.target = self.rate.bps();
        }
        let lower = self.rate.kept(self.rate.bps() * (1.0 - self.alpha / 2.0));
        self.rate.set(lower.max(self.min_rate));
        self.increases = 0;
        self.marked_since_decrease = false;
        self.increase_ticks.start(now, self.increase_ticks.every);
    }

    /// Fast recovery, then additive increase, then hyper increase.
    fn increase(&mut self) {
        self.increase_ticks.advance();
        let step = match self.increases.cmp(&self.fast_recovery) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => self.additive_increase,
            std::cmp::Ordering::Greater => self.hyper_increase,
        };
        self.target = (self.target + step).min(self.rate.line_bps());
        let half = |bps: f64| self.rate.kept(bps / 2.0);
        self.rate.set(half(self.rate.bps()) + half(self.target));
        // Further increases make no difference, and the state should not change without need.
        self.increases = (self.increases + 1).min(self.fast_recovery.saturating_add(1));
    }

    #[inline]
    pub(super) fn deadline(&self) -> Time {
        self.next_decrease().min(self.increase_ticks.next)
    }

    pub(super) fn on_timer(&mut self, now: Time) {
        loop {
            let (decrease, increase) = (self.next_decrease(), self.increase_ticks.next);
            if decrease.min(increase) > now {
                return;
            }
            let older = self.increase_ticks.set < self.decrease_ticks.set;
            if increase < decrease || (increase == decrease && older) {
                self.increase();
            } else {
                self.decrease(decrease);
            }
        }
    }
}

#[cfg(test)]
mod tests;
