//! The PI controller of DualPI2.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Duration, Time};

use super::config::{ControlledDelay, DualPi2Config};

/// Arrival times of the first packets in both queues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    pub(super) low: Option<Time>,
    pub(super) classic: Option<Time>,
}

/// The proportional-integral controller of the base probability p' (RFC 9332 appendix A.1, figure
/// 3).
///
/// It has no timer: before each change of the queues, the caller runs all due steps. The heads have
/// not changed since the last call, so each step uses the delay at its own time.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(super) struct Controller {
    #[checkpoint(rebuilt)]
    target: f64,
    #[checkpoint(rebuilt)]
    interval: Duration,
    #[checkpoint(rebuilt)]
    alpha: f64,
    #[checkpoint(rebuilt)]
    beta: f64,
    #[checkpoint(rebuilt)]
    delay: ControlledDelay,
    /// The highest base probability.
    #[checkpoint(rebuilt)]
    most: f64,
    /// The base probability, 0 to 1.
    base: f64,
    /// The delay at the last step, in seconds.
    last: f64,
    next: Time,
}

impl Controller {
    pub(super) fn new(config: &DualPi2Config) -> Self {
        Self {
            target: config.target.as_secs_f64(),
            interval: config.tupdate,
            alpha: config.alpha,
            beta: config.beta,
            delay: config.delay,
            most: if config.drop_overload {
                1.0
            } else {
                1.0 / config.coupling
            },
            base: 0.0,
            last: 0.0,
            next: Time::ZERO + config.tupdate,
        }
    }

    /// Returns the base probability p'.
    #[inline]
    pub(super) const fn base(&self) -> f64 {
        self.base
    }

    #[cfg(test)]
    pub(super) const fn set_base(&mut self, base: f64) {
        self.base = base;
    }

    /// Runs all steps that are due at `now`. The queues must not have changed since the last call.
    #[inline]
    pub(super) fn advance_to(&mut self, now: Time, heads: Heads) {
        while self.next <= now {
            self.step(heads);
            let at_rest = self.base <= 0.0 && self.last <= 0.0;
            if at_rest && heads.low.is_none() && heads.classic.is_none() && self.next <= now {
                let steps = now.since(self.next).as_ps() / self.interval.as_ps() + 1;
                self.next += self.interval * steps;
            }
        }
    }

    fn step(&mut self, heads: Heads) {
        let wait =
            |head: Option<Time>| head.map_or(Duration::ZERO, |arrival| self.next.since(arrival));
        let delay = match self.delay {
            ControlledDelay::Longest => wait(heads.low).max(wait(heads.classic)),
            ControlledDelay::Classic => wait(heads.classic),
        };
        let delay = delay.as_secs_f64();
        let change = self.alpha * (delay - self.target) + self.beta * (delay - self.last);
        self.base = (self.base + change).clamp(0.0, self.most);
        self.last = delay;
        self.next += self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Heads = Heads {
        low: None,
        classic: None,
    };

    #[test]
    fn steps_are_those_of_a_timer() {
        let config = DualPi2Config::default();
        let head = Heads {
            classic: Some(Time::from_ns(5_000_000)),
            low: None,
        };
        let mut late = Controller::new(&config);
        late.advance_to(Time::from_ns(100_000_000), head);
        let mut punctual = Controller::new(&config);
        for ms in 0..=100 {
            punctual.advance_to(Time::from_ns(ms * 1_000_000), head);
        }
        // By hand: steps at 16, 32, ... 96 ms, delays of 11, 27, ... 91 ms.
        let (mut base, mut last) = (0.0f64, 0.0);
        for step in 1..=6 {
            let delay = f64::from(16 * step - 5) / 1e3;
            base = (base + 0.16 * (delay - 0.015) + 3.2 * (delay - last)).max(0.0);
            last = delay;
        }
        assert!((late.base() - base).abs() < 1e-12);
        assert!((punctual.base() - base).abs() < 1e-12);
        assert_eq!(late.next, Time::from_ns(112_000_000));
    }

    #[test]
    fn a_long_rest_is_skipped_in_step() {
        let config = DualPi2Config::default();
        let head = Heads {
            low: Some(Time::ZERO),
            classic: None,
        };
        let mut resting = Controller::new(&config);
        resting.advance_to(Time::from_ns(40_000_000), head);
        assert!(resting.base() > 0.0);
        // 11 days later, and still at multiples of 16 ms.
        resting.advance_to(Time::from_ns(1_000_000_000_000_000), NOBODY);
        assert!(resting.base() <= 0.0);
        assert_eq!(resting.next, Time::from_ns(1_000_000_016_000_000));
        let classic = DualPi2Config {
            delay: ControlledDelay::Classic,
            ..config
        };
        let mut classic = Controller::new(&classic);
        classic.advance_to(Time::from_ns(400_000_000), head);
        assert!(classic.base() <= 0.0);
    }

    #[test]
    fn without_drops_the_coupled_probability_ends_at_one() {
        let head = Heads {
            low: None,
            classic: Some(Time::ZERO),
        };
        let most = |drop_overload| {
            let mut controller = Controller::new(&DualPi2Config {
                drop_overload,
                ..DualPi2Config::default()
            });
            controller.advance_to(Time::from_ns(10_000_000_000), head);
            controller.base()
        };
        assert!((most(true) - 1.0).abs() < f64::EPSILON);
        assert!((most(false) - 0.5).abs() < f64::EPSILON);
    }
}
