//! CUBIC (RFC 9438), with the details of Linux if the RFC leaves a choice.

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcConfig, Congestion, CongestionControl, ControllerFactory, FlowStart, Growth, Signal,
    Transport,
};

use super::hystart::HyStart;
use super::reno_window::{RenoWindow, delegate_to_window};
use crate::switch::Switch;

settings! {
    /// The `[cc]` table of `kind = "cubic"`.
    pub struct CubicConfig {
        /// Growth in segments per cubic second.
        ///
        /// This is C in the RFC.
        #[range(above 0.0)]
        #[refused("a growth of {value} is not above zero", "give a number above 0, such as 0.4")]
        pub c: f64 = 0.4,
        /// Share of the window that is left after congestion.
        ///
        /// This is beta_cubic in the RFC.
        #[range(above 0.0, below 1.0)]
        #[refused(
            "a share of {value} is not between 0 and 1",
            "give a number above 0 and below 1, such as 0.7"
        )]
        pub beta: f64 = 0.7,
        /// Remember less when windows fall.
        ///
        /// This leaves room for new flows (section 4.7).
        pub fast_convergence: Switch = "on",
        /// Leave slow start early.
        ///
        /// This avoids losses at the end of slow start (Ha and Rhee 2011).
        pub hystart: Switch = "on",
    }
}

impl CcConfig for CubicConfig {
    const KEYS: Keys = Self::KEYS;

    const TRANSPORT: Transport = Transport::Tcp;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }
}

impl<H> ControllerFactory<H> for CubicConfig {
    type Controller = Cubic;

    fn build(&self, start: &FlowStart<'_>) -> Cubic {
        Cubic {
            window: RenoWindow::new(start),
            hystart: (self.hystart == Switch::On).then(|| HyStart::new(start.wire)),
            w_max: 0.0,
            prior: 0.0,
            epoch: None,
            config: self.clone(),
        }
    }
}

/// The curve since the last congestion.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Epoch {
    start: Time,
    /// The plateau of the curve (W_max or cwnd_epoch), and the time to reach it in seconds (K).
    origin: f64,
    k: f64,
    /// The window that Reno would have (W_est, section 4.3).
    estimate: f64,
}

/// CUBIC for one connection.
///
/// Differs from the paper: the target is one minimum round trip ahead instead of one smoothed round
/// trip. If the target is below the window, the window grows by a hundredth of a segment per round
/// trip. If W_max is unknown (before the first congestion and after a timeout), the window grows by
/// at least a twentieth of itself; section 4.8 continues from the plateau of the curve instead.
/// Linux does the same (`bictcp_update`).
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct Cubic {
    #[checkpoint(rebuilt)]
    config: CubicConfig,
    window: RenoWindow,
    hystart: Option<HyStart>,
    /// Plateau of the curve in segments (W_max): the window before the last congestion, or less if
    /// fast convergence leaves room. 0 before the first congestion and after a timeout.
    w_max: f64,
    /// The window when the threshold was last set (cwnd_prior), or 0 before that.
    prior: f64,
    epoch: Option<Epoch>,
}

/// If W_max is unknown (before the first congestion and after a timeout), the window grows by at
/// least one segment per this number of delivered segments, as in Linux.
const FIRST_GROWTH: f64 = 20.0;
/// Number of windows per segment of growth if the target is not above the window, as in Linux.
const FLAT_GROWTH: f64 = 100.0;

impl Cubic {
    /// Congestion avoidance (sections 4.2 to 4.5).
    fn avoid_congestion<H>(&mut self, ack: &Ack<'_, H>, delivered: f64) {
        let cwnd = self.window.cwnd;
        let (c, w_max, prior) = (self.config.c, self.w_max, self.prior);
        let epoch = self.epoch.get_or_insert_with(|| {
            let below = (w_max - cwnd).max(0.0);
            Epoch {
                start: ack.now,
                origin: w_max.max(cwnd),
                k: libm::cbrt(below / c),
                estimate: cwnd,
            }
        });
        // The curve one round trip ahead; Linux uses the minimum round-trip time.
        let t = (ack.now.since(epoch.start) + ack.least_rtt).as_secs_f64() - epoch.k;
        let target = epoch.origin + c * t * t * t;
        // Figure 4, and alpha = 1 after the loss is made up for. That is at cwnd_prior, which fast
        // convergence does not reduce, unlike W_max (section 4.3).
        let alpha = if epoch.estimate < prior {
            3.0 * (1.0 - self.config.beta) / (1.0 + self.config.beta)
        } else {
            1.0
        };
        epoch.estimate += alpha * delivered / cwnd;
        let mut growth = if target > cwnd {
            // At most half a window more per round trip (section 4.2).
            (target.min(1.5 * cwnd) - cwnd) / cwnd
        } else {
            1.0 / (FLAT_GROWTH * cwnd)
        };
        if w_max == 0.0 {
            growth = growth.max(1.0 / FIRST_GROWTH);
        }
        self.window.cwnd = (cwnd + growth * delivered).max(epoch.estimate);
    }
}

impl<H> CongestionControl<H> for Cubic {
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        if self.window.in_slow_start()
            && let Some(hystart) = &mut self.hystart
            && hystart.on_ack(ack, self.window.cwnd)
        {
            self.window.ssthresh = self.window.cwnd;
            self.prior = self.window.cwnd;
        }
        if ack.growth != Growth::Allowed {
            return;
        }
        let mut delivered = f64::from(ack.delivered);
        if self.window.in_slow_start() {
            delivered = self.window.slow_start(delivered);
        }
        if delivered > 0.0 {
            self.avoid_congestion(ack, delivered);
        }
    }

    /// Reduces the window (RFC 9438, sections 4.6 to 4.8).
    fn on_congestion(&mut self, congestion: &Congestion) {
        let cwnd = self.window.cwnd;
        let beta = self.config.beta;
        self.epoch = None;
        if congestion.signal != Signal::RepeatedTimeout {
            self.prior = cwnd;
        }
        match congestion.signal {
            Signal::Loss | Signal::Mark => {
                let converge = self.config.fast_convergence == Switch::On && cwnd < self.w_max;
                self.w_max = if converge {
                    cwnd * (1.0 + beta) / 2.0
                } else {
                    cwnd
                };
                self.window.reduce_to(beta * cwnd);
            }
            Signal::Timeout => {
                self.w_max = 0.0;
                self.window.reduce_to(beta * cwnd);
                self.window.restart_from_one();
            }
            Signal::RepeatedTimeout => {
                self.w_max = 0.0;
                self.window.restart_from_one();
            }
        }
        if let Some(hystart) = &mut self.hystart {
            hystart.restart();
        }
    }

    /// Section 5.8: idle time does not count on the curve.
    fn on_idle(&mut self, idle: Duration, restart: Option<Bytes>) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += idle;
        }
        self.window.limit(restart);
    }

    delegate_to_window!();

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use super::super::tcp_harness::{ack, cc, congestion};
    use super::*;

    /// Returns CUBIC after a loss at a window of `most`.
    fn reduced(most: f64) -> Cubic {
        let mut cubic = cc(&CubicConfig {
            hystart: Switch::Off,
            ..CubicConfig::default()
        });
        cubic.window.cwnd = most;
        congestion(&mut cubic, Time::ZERO, Signal::Loss);
        cubic
    }

    /// Runs `cubic` for `seconds` from time zero, with one window per round trip of `rtt`.
    fn run(cubic: &mut Cubic, from: f64, seconds: f64, rtt: f64) {
        let rtt_time = Duration::from_secs_f64(rtt);
        let mut now = from;
        while now < seconds {
            cubic.on_ack(&ack(Time::ZERO + Duration::from_secs_f64(now), rtt_time));
            now += rtt / cubic.window.cwnd;
        }
    }

    #[test]
    fn the_plateau_comes_after_k_seconds() {
        for (most, k) in [
            (10.0, 1.957),
            (50.0, 3.347),
            (100.0, 4.217),
            (500.0, 7.211),
            (1_000.0, 9.086),
        ] {
            let mut cubic = reduced(most);
            cubic.on_ack(&ack(Time::ZERO, Duration::from_ms(100)));
            let epoch = cubic.epoch.expect("it has begun");
            assert!((epoch.k - k).abs() < 0.001, "{} and {k}", epoch.k);
        }
    }

    #[test]
    fn the_window_follows_the_curve() {
        // 0.7 W at 0, W at K, 1.3 W at 2 K; the target is one round trip ahead.
        let k = 9.086;
        let mut cubic = reduced(1_000.0);
        assert!((cubic.window.cwnd - 700.0).abs() < 1e-9);
        run(&mut cubic, 0.0, k, 0.1);
        assert!(
            (cubic.window.cwnd / 1_000.0 - 1.0).abs() < 0.005,
            "{}",
            cubic.window.cwnd
        );
        run(&mut cubic, k, 2.0 * k, 0.1);
        assert!(
            (cubic.window.cwnd / 1_300.0 - 1.0).abs() < 0.01,
            "{}",
            cubic.window.cwnd
        );
    }

    #[test]
    fn a_second_loss_below_remembers_less() {
        let mut cubic = reduced(100.0);
        congestion(&mut cubic, Time::ZERO, Signal::Loss);
        assert!((cubic.w_max - 0.85 * 70.0).abs() < 1e-9, "{}", cubic.w_max);
        assert!((cubic.window.cwnd - 49.0).abs() < 1e-9);
        let mut stubborn = cc(&CubicConfig {
            fast_convergence: Switch::Off,
            ..CubicConfig::default()
        });
        stubborn.w_max = 100.0;
        stubborn.window.cwnd = 70.0;
        congestion(&mut stubborn, Time::ZERO, Signal::Loss);
        assert!((stubborn.w_max - 70.0).abs() < 1e-9);
    }

    #[test]
    fn on_short_paths_it_grows_like_reno_with_its_share() {
        // 5 ms, a window of 20: the curve is slower than 0.5294 segments per round trip.
        let mut cubic = reduced(40.0);
        let start = cubic.window.cwnd;
        run(&mut cubic, 0.0, 0.05, 0.005);
        let per_round = (cubic.window.cwnd - start) / 10.0;
        assert!((per_round / 0.5294 - 1.0).abs() < 0.1, "{per_round}");
    }

    #[test]
    fn values_without_a_meaning_are_refused_by_their_key() {
        let wrong = |c, beta| {
            let config = CubicConfig {
                c,
                beta,
                ..CubicConfig::default()
            };
            config.validate().map_err(|error| error.key)
        };
        assert_eq!(wrong(0.4, 0.7), Ok(()));
        assert_eq!(wrong(0.0, 0.7), Err("c"));
        assert_eq!(wrong(0.4, 1.0), Err("beta"));
    }
}
