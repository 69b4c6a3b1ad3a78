//! TIMELY: the rate follows the gradient of the round-trip time (Mittal et al., SIGCOMM 2015), as the
//! published HPCC simulator runs it.

use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, Fidelity, FlowStart,
    default_min_rate,
};
use fabricsim_core::units::{Bytes, Duration, Rate};
use serde::{Deserialize, Serialize};

use super::paced_rate::{PacedRate, Windowed, share_of};

/// Bytes of the timestamp that data packets carry and answers echo.
const TIMESTAMP: u16 = 8;
/// Events in a row after which increases become larger.
const HYPER_AFTER: u32 = 5;

/// What leads to hyper increase.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HyperCounts {
    /// Five increases in a row, below T_low too; the sixth is the first larger one: the published
    /// HPCC simulator.
    Increases,
    /// Round-trip times that fall five times in a row; increases below T_low are never larger: the
    /// paper.
    Gradients,
}

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
    /// Hyper increase (N δ); absent means five times as much: 500 Mbps at 100 Gbps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hyper_increase: Option<Rate>,
    /// What leads to hyper increase.
    pub hyper_counts: HyperCounts,
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
            hyper_counts: HyperCounts::Increases,
            min_rate: None,
            window: false,
        }
    }
}

impl TimelyConfig {
    fn additive_increase(&self, nic_rate: Rate) -> Rate {
        let share = || share_of(nic_rate, 1e-3);
        self.additive_increase.unwrap_or_else(share)
    }

    fn hyper_increase(&self, nic_rate: Rate) -> Rate {
        let share = || share_of(nic_rate, 5e-3);
        self.hyper_increase.unwrap_or_else(share)
    }

    fn min_rate(&self, nic_rate: Rate, fidelity: Fidelity) -> Rate {
        let least = || default_min_rate(nic_rate, fidelity);
        self.min_rate.unwrap_or_else(least)
    }
}

impl CcConfig for TimelyConfig {
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
            "added in hyper increase (default \"500Mbps\" for each 100 Gbps of NIC rate)",
        ),
        (
            "hyper_counts",
            "hyper increase after five \"increases\" (default) or negative \"gradients\" (the paper)",
        ),
        (
            "min_rate",
            "lowest rate (default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up",
        ),
        (
            "window",
            "limit what is in flight to a bandwidth-delay product, TIMELY+w (default false)",
        ),
    ];

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

    fn resolved(&self, network: &CcContext) -> Self {
        let nic_rate = network.nic_rate;
        Self {
            additive_increase: Some(self.additive_increase(nic_rate)),
            hyper_increase: Some(self.hyper_increase(nic_rate)),
            min_rate: Some(self.min_rate(nic_rate, network.fidelity)),
            ..self.clone()
        }
    }

    fn telemetry_bytes(&self, _network: &CcContext) -> u16 {
        TIMESTAMP
    }

    fn ack_high_priority(&self) -> bool {
        true
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}

impl<H> ControllerFactory<H> for TimelyConfig {
    type Controller = Timely;

    fn build(&self, start: &FlowStart<'_>) -> Timely {
        let nic_rate = start.default_nic_rate();
        let fidelity = start.network.fidelity;
        Timely {
            rate: PacedRate::new(start, Windowed::from(self.window)),
            alpha: self.alpha,
            beta: self.beta,
            t_low: self.t_low,
            t_high: self.t_high,
            min_rtt: self.min_rtt.as_ps() as f64,
            additive_increase: self.additive_increase(nic_rate).as_bps_f64(),
            hyper_increase: self.hyper_increase(nic_rate).as_bps_f64(),
            hyper_counts: self.hyper_counts,
            min_rate: self.min_rate(nic_rate, fidelity).as_bps_f64(),
            last_update_seq: 0,
            last_rtt: Duration::ZERO,
            rtt_difference: 0.0,
            in_a_row: 0,
        }
    }
}

/// TIMELY for one flow.
///
/// Differs from the paper: the rate changes once per round trip rather than at every completion
/// event, there is no burst of segments (packets are paced one by one), and unless
/// [`HyperCounts::Gradients`] is set hyper increase counts increases of every kind. All as in the
/// published HPCC simulator.
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
    hyper_counts: HyperCounts,
    min_rate: f64,
    /// The `snd_nxt` at the last update; 0 before the first acknowledgement.
    last_update_seq: u64,
    last_rtt: Duration,
    /// Average difference of consecutive round-trip times (rtt_diff), picoseconds.
    rtt_difference: f64,
    /// What leads to hyper increase, in a row.
    in_a_row: u32,
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
        if self.hyper_counts == HyperCounts::Gradients {
            let falls = difference < 0.0;
            self.in_a_row = if falls {
                self.in_a_row.saturating_add(1)
            } else {
                0
            };
        }
        if let Some(factor) = self.decrease(rtt) {
            let lower = self.rate.kept(self.rate.bps() * factor);
            self.rate.set(lower.max(self.min_rate));
            if self.hyper_counts == HyperCounts::Increases {
                self.in_a_row = 0;
            }
        } else {
            let step = if self.is_hyper(rtt) {
                self.hyper_increase
            } else {
                self.additive_increase
            };
            self.rate.set(self.rate.bps() + step);
            if self.hyper_counts == HyperCounts::Increases {
                self.in_a_row = self.in_a_row.saturating_add(1);
            }
        }
    }

    /// Whether an increase at this round-trip time is a large one.
    fn is_hyper(&self, rtt: Duration) -> bool {
        let enough = self.in_a_row >= HYPER_AFTER;
        match self.hyper_counts {
            HyperCounts::Increases => enough,
            // The event that is the fifth counts, as in the snippet that the authors published.
            HyperCounts::Gradients => enough && rtt >= self.t_low,
        }
    }
}

impl<H> CongestionControl<H> for Timely {
    #[inline]
    fn prepare(&mut self, _header: &mut H) -> u16 {
        TIMESTAMP
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let Some(rtt) = ack.rtt.filter(|_| ack.cumulative > self.last_update_seq) else {
            return;
        };
        if self.last_update_seq != 0 {
            self.update(rtt);
        }
        if ack.next_seq > self.last_update_seq {
            self.last_update_seq = ack.next_seq;
            self.last_rtt = rtt;
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
mod tests;
