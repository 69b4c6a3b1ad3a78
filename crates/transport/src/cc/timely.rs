//! TIMELY: the rate follows the gradient of the round-trip time (Mittal et al., SIGCOMM 2015), as the
//! published HPCC simulator runs it.

use fabricsim_core::input::ConfigError;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{
    Ack, CongestionControl, Fidelity, FlowStart, LawConfig, LawContext, LawFactory,
    default_min_rate,
};
use fabricsim_core::units::{Bytes, Duration, Rate};
use serde::{Deserialize, Serialize};

use super::paced_rate::{PacedRate, Windowed, share_of};

/// Bytes of the timestamp that data packets carry and answers echo.
const TIMESTAMP: u16 = 8;
/// Increases in a row after which they become larger (N in the paper).
const HYPER_AFTER: u32 = 5;

/// Settings of [`Timely`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimelyConfig {
    /// Weight of a new difference of round-trip times in their average (α in the paper).
    pub alpha: f64,
    /// Strength of a decrease (β).
    pub beta: f64,
    /// Below this round-trip time the rate always grows (T_low).
    pub t_low: Duration,
    /// Above this round-trip time the rate always falls (T_high).
    pub t_high: Duration,
    /// What differences are measured in (minRTT).
    pub min_rtt: Duration,
    /// Additive increase (δ); absent means a thousandth of the NIC rate: 100 Mbps at 100 Gbps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additive_increase: Option<Rate>,
    /// Increase from the sixth one in a row on; absent means five times as much: 500 Mbps at
    /// 100 Gbps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hyper_increase: Option<Rate>,
    /// The lowest rate; absent means 1 Gbps, or a hundredth of the NIC rate where that is less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
    /// Limit what is in flight (TIMELY+w).
    pub window: bool,
}

impl Default for TimelyConfig {
    fn default() -> Self {
        Self {
            alpha: 0.875,
            beta: 0.8,
            t_low: Duration::from_us(50),
            t_high: Duration::from_us(500),
            min_rtt: Duration::from_us(20),
            additive_increase: None,
            hyper_increase: None,
            min_rate: None,
            window: false,
        }
    }
}

impl TimelyConfig {
    fn filled_in(&self, nic_rate: Rate, fidelity: Fidelity) -> Self {
        Self {
            additive_increase: self
                .additive_increase
                .or_else(|| Some(share_of(nic_rate, 1e-3))),
            hyper_increase: self
                .hyper_increase
                .or_else(|| Some(share_of(nic_rate, 5e-3))),
            min_rate: self
                .min_rate
                .or_else(|| Some(default_min_rate(nic_rate, fidelity))),
            ..self.clone()
        }
    }
}

impl LawConfig for TimelyConfig {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "alpha",
            "weight of a new difference of round-trip times, 0 to 1 (default 0.875)",
        ),
        ("beta", "strength of a decrease, 0 to 1 (default 0.8)"),
        (
            "t_low",
            "round-trip time below which the rate always grows (default \"50us\")",
        ),
        (
            "t_high",
            "round-trip time above which the rate always falls (default \"500us\")",
        ),
        (
            "min_rtt",
            "what differences are measured in (default \"20us\")",
        ),
        (
            "additive_increase",
            "added at each increase (default \"100Mbps\" for each 100 Gbps of NIC rate)",
        ),
        (
            "hyper_increase",
            "added from the sixth increase in a row on (default \"500Mbps\" for each 100 Gbps)",
        ),
        (
            "min_rate",
            "lowest rate (default \"1Gbps\", at most a hundredth of the NIC rate)",
        ),
        (
            "window",
            "limit what is in flight to a bandwidth-delay product, TIMELY+w (default false)",
        ),
    ];

    type Laws = TimelyLaws;

    fn validate(&self) -> Result<(), ConfigError> {
        for (key, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(ConfigError::new(
                    key,
                    format!("a weight of {value} is not between 0 and 1"),
                    "give a number from 0 to 1, such as 0.8",
                ));
            }
        }
        if self.t_low > self.t_high {
            return Err(ConfigError::new(
                "t_low",
                format!("t_low ({}) is above t_high ({})", self.t_low, self.t_high),
                "give a t_low no larger than t_high",
            ));
        }
        if self.min_rtt == Duration::ZERO {
            return Err(ConfigError::new(
                "min_rtt",
                "differences cannot be measured in zeros",
                "give a round-trip time, such as \"20us\"",
            ));
        }
        Ok(())
    }

    fn resolved(&self, context: &LawContext<'_>) -> Self {
        self.filled_in(context.nic_rate, context.fidelity)
    }

    fn telemetry_bytes(&self, _context: &LawContext<'_>) -> u16 {
        TIMESTAMP
    }

    fn answers_ignore_pause(&self) -> bool {
        true
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }

    fn laws(&self, context: &LawContext<'_>) -> TimelyLaws {
        TimelyLaws {
            config: self.clone(),
            nic_rate: context.nic_rate,
            fidelity: context.fidelity,
        }
    }
}

/// Makes the law of each flow.
#[derive(Clone, Debug)]
pub struct TimelyLaws {
    config: TimelyConfig,
    nic_rate: Rate,
    fidelity: Fidelity,
}

impl<H: Header> LawFactory<H> for TimelyLaws {
    type Law = Timely;

    fn build(&self, start: &FlowStart) -> Timely {
        let nic_rate = match self.fidelity {
            Fidelity::Exact => start.line_rate,
            Fidelity::Published => self.nic_rate,
        };
        let config = self.config.filled_in(nic_rate, self.fidelity);
        let bps = |rate: Option<Rate>| rate.map_or(0.0, Rate::as_bps_f64);
        Timely {
            rate: PacedRate::new(start, Windowed::from(config.window), self.fidelity),
            alpha: config.alpha,
            beta: config.beta,
            t_low: config.t_low,
            t_high: config.t_high,
            min_rtt: config.min_rtt.as_ps() as f64,
            additive_increase: bps(config.additive_increase),
            hyper_increase: bps(config.hyper_increase),
            min_rate: bps(config.min_rate),
            last_update_seq: 0,
            last_rtt: Duration::ZERO,
            rtt_difference: 0.0,
            increases: 0,
        }
    }
}

/// TIMELY for one flow.
///
/// Differs from the paper: the rate changes once per round trip rather than at every completion
/// event, and there is no burst of segments: packets are paced one by one. Both as in the published
/// HPCC simulator.
#[derive(Clone, Debug)]
pub struct Timely {
    rate: PacedRate,
    alpha: f64,
    beta: f64,
    t_low: Duration,
    t_high: Duration,
    /// Picoseconds.
    min_rtt: f64,
    additive_increase: f64,
    hyper_increase: f64,
    min_rate: f64,
    /// The `snd_nxt` at the last update; 0 before the first acknowledgement.
    last_update_seq: u64,
    last_rtt: Duration,
    /// Average difference of consecutive round-trip times (rtt_diff), picoseconds.
    rtt_difference: f64,
    /// Increases in a row.
    increases: u32,
}

impl Timely {
    /// What the rate is multiplied by, or `None` when it grows (paper, algorithm 1).
    fn decrease(&self, rtt: Duration) -> Option<f64> {
        let gradient = self.rtt_difference / self.min_rtt;
        if rtt < self.t_low {
            None
        } else if rtt > self.t_high {
            let excess = 1.0 - self.t_high.as_ps() as f64 / rtt.as_ps() as f64;
            Some(1.0 - self.beta * excess)
        } else if gradient <= 0.0 {
            None
        } else {
            Some((1.0 - self.beta * gradient).max(0.0))
        }
    }

    fn update(&mut self, rtt: Duration) {
        let difference = rtt.as_ps() as f64 - self.last_rtt.as_ps() as f64;
        self.rtt_difference = (1.0 - self.alpha) * self.rtt_difference + self.alpha * difference;
        if let Some(factor) = self.decrease(rtt) {
            let lower = self.rate.kept(self.rate.bps() * factor);
            self.rate.set(lower.max(self.min_rate));
            self.increases = 0;
        } else {
            let step = if self.increases < HYPER_AFTER {
                self.additive_increase
            } else {
                self.hyper_increase
            };
            self.rate.set(self.rate.bps() + step);
            self.increases += 1;
        }
    }
}

impl<H: Header> CongestionControl<H> for Timely {
    #[inline]
    fn prepare(&mut self, _header: &mut H) -> u16 {
        TIMESTAMP
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        if ack.cumulative <= self.last_update_seq {
            return;
        }
        if self.last_update_seq != 0 {
            self.update(ack.rtt);
        }
        if ack.next_seq > self.last_update_seq {
            self.last_update_seq = ack.next_seq;
            self.last_rtt = ack.rtt;
        }
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        self.rate.window()
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate.rate())
    }

    /// A new rate holds from the next packet on, as in the published simulator.
    #[inline]
    fn retimes(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::harness::{ack, law, mbps};
    use super::*;

    /// The rates in Mbps after round trips of so many microseconds, one update each.
    fn rates(law: &mut Timely, rtts_us: &[u64]) -> Vec<u64> {
        let mut rates = Vec::new();
        for &us in rtts_us {
            let cumulative = law.last_update_seq + 1_000;
            let rtt = Duration::from_us(us);
            law.on_ack(&ack(0, cumulative, cumulative + 100_000, rtt, false));
            rates.push(mbps(law));
        }
        rates
    }

    #[test]
    fn rising_round_trips_slow_the_flow_down_and_falling_ones_let_it_go() {
        let mut law: Timely = law(&TimelyConfig::default(), Fidelity::Published);
        // The first only sets the reference; from 60 to 70 us the gradient is .875 x 10 / 20 = .4375,
        // and the rate falls by .8 of that; then the average difference turns negative.
        assert_eq!(
            rates(&mut law, &[60, 70, 60, 55]),
            [100_000, 65_000, 65_100, 65_200]
        );
    }

    #[test]
    fn short_round_trips_always_speed_up_and_faster_from_the_sixth_on() {
        let mut law: Timely = law(&TimelyConfig::default(), Fidelity::Published);
        rates(&mut law, &[60, 75]);
        let start = mbps(&law);
        let steps: Vec<u64> = rates(&mut law, &[10, 20, 30, 40, 49, 20, 20])
            .iter()
            .map(|rate| rate - start)
            .collect();
        assert_eq!(steps, [100, 200, 300, 400, 500, 1_000, 1_500]);
    }

    #[test]
    fn long_round_trips_always_slow_down() {
        let mut law: Timely = law(&TimelyConfig::default(), Fidelity::Published);
        // 1 - .8 (1 - 500/1000) = .6, although the round trips fall.
        assert_eq!(
            rates(&mut law, &[2_000, 1_000, 1_000]),
            [100_000, 60_000, 36_000]
        );
        rates(&mut law, &[1_000_000; 10]);
        assert_eq!(mbps(&law), 1_000);
    }

    #[test]
    fn the_rate_changes_once_per_round_trip() {
        let mut law: Timely = law(&TimelyConfig::default(), Fidelity::Exact);
        rates(&mut law, &[60, 70]);
        let before = mbps(&law);
        let old = law.last_update_seq;
        law.on_ack(&ack(0, old, old + 100_000, Duration::from_us(400), false));
        assert_eq!(mbps(&law), before);
    }
}
