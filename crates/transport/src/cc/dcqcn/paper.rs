//! DCQCN in the form of its paper (Zhu et al., SIGCOMM 2015, section 3).

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::super::paced_rate::PacedRate;
use super::config::{DcqcnConfig, Values};

/// The notification point: turns the marks of one flow into notifications.
///
/// A marked packet is notified immediately if there was no notification within N. Earlier marks are
/// notified together at the end of N.
///
/// Differs from the paper: the notification point is at the sender and uses the echoes of marks,
/// instead of at the receiver with marked packets. Let every ACK take the time d. Packets that
/// arrive at the receiver at t are then seen here at t + d, and each notification is issued d
/// later, exactly when it would have arrived. If ACKs queue, notifications are delayed by their
/// waiting time.
#[derive(Checkpointed, Clone, Copy, Debug)]
struct NotificationPoint {
    /// Shortest time between two notifications (N).
    #[checkpoint(rebuilt)]
    every: Duration,
    /// End of the interval in which marks are collected.
    #[checkpoint(deadline)]
    until: Time,
    /// `true` if marks have been collected.
    collected: bool,
}

impl NotificationPoint {
    const fn new(every: Duration) -> Self {
        Self {
            every,
            until: Time::ZERO,
            collected: false,
        }
    }

    /// Returns the time of the next notification if no other mark arrives.
    #[inline]
    const fn due(&self) -> Time {
        if self.collected {
            self.until
        } else {
            Time::MAX
        }
    }

    /// Records a mark at `now`. Returns `true` if a notification is due immediately.
    fn mark(&mut self, now: Time) -> bool {
        if now < self.until {
            self.collected = true;
            return false;
        }
        self.notify(now);
        true
    }

    fn notify(&mut self, now: Time) {
        self.collected = false;
        self.until = now.saturating_add(self.every);
    }
}

/// DCQCN for one flow in the paper's form: its notification point and its reaction point.
///
/// The state diagram of the reaction point counts T ticks of the timer and BC rounds of the byte
/// counter since the last notification. If both are at most F, the rate recovers (F iterations, as
/// in the text); if both are above F, it is in hyper increase; otherwise, it is in additive
/// increase. Hyper increase grows with each iteration, as in QCN, to which the paper refers.
///
/// The estimate is updated only when it is used. A flow at line rate has nothing to increase, and a
/// notification resets all counts, so its timer is stopped.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub struct PaperDcqcn {
    rate: PacedRate,
    /// Target rate (R_T), in bit/s.
    target: f64,
    /// Estimate of congestion (alpha), as of `alpha_since`.
    alpha: f64,
    alpha_since: Time,
    point: NotificationPoint,
    /// T: ticks of the increase timer since the last notification.
    ticks: u32,
    /// BC: rounds of the byte counter since the last notification.
    rounds: u32,
    /// Bytes sent in the current round.
    sent: u64,
    /// The next tick of the increase timer, or [`Time::MAX`] at line rate.
    next_tick: Time,
    #[checkpoint(rebuilt)]
    alpha_timer: Duration,
    #[checkpoint(rebuilt)]
    increase_timer: Duration,
    /// B, or 0 without a byte counter.
    #[checkpoint(rebuilt)]
    round: u64,
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

impl PaperDcqcn {
    pub(super) fn new(config: &DcqcnConfig, values: &Values, rate: PacedRate) -> Self {
        Self {
            target: rate.bps(),
            rate,
            alpha: config.initial_alpha,
            alpha_since: Time::MAX,
            point: NotificationPoint::new(values.decrease_timer),
            ticks: 0,
            rounds: 0,
            sent: 0,
            next_tick: Time::MAX,
            alpha_timer: values.alpha_timer,
            increase_timer: values.increase_timer,
            round: values.byte_counter.get(),
            g: config.g,
            fast_recovery: values.fast_recovery,
            additive_increase: values.additive_increase.as_bps_f64(),
            hyper_increase: values.hyper_increase.as_bps_f64(),
            clamp: values.clamp,
            min_rate: values.min_rate.as_bps_f64(),
        }
    }

    pub(super) const fn rate(&self) -> &PacedRate {
        &self.rate
    }

    /// Records the echo of a mark.
    pub(super) fn on_mark(&mut self, now: Time) {
        self.on_timer(now);
        if self.point.mark(now) {
            self.on_notification(now);
        }
    }

    /// Counts a sent packet of `wire` bytes.
    #[inline]
    pub(super) fn on_sent(&mut self, wire: Bytes) {
        // Before the first notification and at line rate, there is nothing to count.
        if self.next_tick == Time::MAX || self.round == 0 {
            return;
        }
        self.sent += wire.get();
        if self.sent >= self.round {
            self.sent -= self.round;
            self.rounds = self.rounds.saturating_add(1);
            self.increase();
        }
    }

    #[inline]
    pub(super) fn deadline(&self) -> Time {
        self.point.due().min(self.next_tick)
    }

    pub(super) fn on_timer(&mut self, now: Time) {
        loop {
            let at = self.deadline();
            if at > now || at == Time::MAX {
                return;
            }
            if self.point.due() == at {
                self.point.notify(at);
                self.on_notification(at);
            } else {
                self.ticks = self.ticks.saturating_add(1);
                self.next_tick = at.saturating_add(self.increase_timer);
                self.increase();
            }
        }
    }

    /// Reacts to a notification: equation 1 in its order, so the cut is before the new estimate.
    fn on_notification(&mut self, now: Time) {
        self.decay_alpha(now);
        if self.clamp || self.ticks > 0 || self.rounds > 0 {
            self.target = self.rate.bps();
        }
        let lower = self.rate.kept(self.rate.bps() * (1.0 - self.alpha / 2.0));
        self.rate.set(lower.max(self.min_rate));
        self.alpha = (1.0 - self.g) * self.alpha + self.g;
        self.alpha_since = now;
        self.ticks = 0;
        self.rounds = 0;
        self.sent = 0;
        self.next_tick = now.saturating_add(self.increase_timer);
    }

    /// Equation 2, once for each K without a notification.
    fn decay_alpha(&mut self, now: Time) {
        if self.alpha_since == Time::MAX {
            return;
        }
        let periods = now.since(self.alpha_since).as_ps() / self.alpha_timer.as_ps();
        for _ in 0..periods {
            if self.alpha == 0.0 {
                return;
            }
            self.alpha *= 1.0 - self.g;
        }
    }

    /// Equations 3 and 4, and hyper increase.
    fn increase(&mut self) {
        let (least, most) = (self.ticks.min(self.rounds), self.ticks.max(self.rounds));
        if least > self.fast_recovery {
            let iteration = f64::from(least - self.fast_recovery);
            self.target += iteration * self.hyper_increase;
        } else if most > self.fast_recovery {
            self.target += self.additive_increase;
        }
        let half = |bps: f64| self.rate.kept(bps / 2.0);
        self.rate.set(half(self.rate.bps()) + half(self.target));
        if self.rate.bps() >= self.rate.line_bps() {
            self.next_tick = Time::MAX;
        }
    }
}

#[cfg(test)]
mod tests;
