//! TIMELY: the rate follows the gradient of the round-trip time (Mittal et al., SIGCOMM 2015), as
//! in the published HPCC simulator.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_base::{choices, settings};
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, FlowStart, Quirks,
    default_min_rate,
};

use super::paced_rate::{PacedRate, WindowKeys, share_of};

/// Bytes of the timestamp that data packets carry and ACKs echo.
const TIMESTAMP: u16 = 8;
/// Number of consecutive events after which increases become larger.
const HYPER_AFTER: u32 = 5;

choices! {
    /// Events that lead to hyper increase.
    pub enum HyperCounts {
        /// Five consecutive increases, including those below T_low; the sixth is the first larger
        /// one. This is the rule of the published HPCC simulator.
        Increases = "increases",
        /// Five consecutive decreases of the round-trip time; increases below T_low are never
        /// larger. This is the rule of the paper.
        Gradients = "gradients" ("negative ones; the paper"),
    }
}

settings! {
    /// The `[cc]` table of `kind = "timely"`.
    pub struct TimelyConfig {
        /// Weight of a new difference of round-trip times.
        ///
        /// This is α in the paper.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number from 0 to 1, such as 0.8"
        )]
        pub alpha: f64 = 0.875,
        /// Strength of a decrease.
        ///
        /// This is β in the paper.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number from 0 to 1, such as 0.8"
        )]
        pub beta: f64 = 0.8,
        /// Round-trip time below which the rate always grows.
        pub t_low: Duration = "50us",
        /// Round-trip time above which the rate always falls.
        pub t_high: Duration = "500us",
        /// Unit in which differences of round-trip times are measured.
        ///
        /// This is minRTT in the paper.
        #[range(above "0s")]
        #[refused("differences cannot be measured in zeros", "give a round-trip time, such as \"20us\"")]
        pub min_rtt: Duration = "20us",
        /// Added at each increase.
        ///
        /// This is δ in the paper.
        #[note("(default \"100Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Added in hyper increase.
        ///
        /// This is N δ in the paper.
        #[note("(default \"500Mbps\" for each 100 Gbps of NIC rate)")]
        pub hyper_increase: Option<Rate> = none,
        /// Events that must occur five times before hyper increase.
        pub hyper_counts: HyperCounts = "increases",
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
        /// Limit the bytes in flight to a bandwidth-delay product, TIMELY+w.
        pub window: bool = false,
        /// Keep that window as it is when the rate changes.
        pub fixed_window: bool = false,
    }
}

impl TimelyConfig {
    const fn window_keys(&self) -> WindowKeys {
        WindowKeys {
            window: self.window,
            fixed_window: self.fixed_window,
        }
    }

    fn additive_increase(&self, nic_rate: Rate) -> Rate {
        let share = || share_of(nic_rate, 1e-3);
        self.additive_increase.unwrap_or_else(share)
    }

    fn hyper_increase(&self, nic_rate: Rate) -> Rate {
        let share = || share_of(nic_rate, 5e-3);
        self.hyper_increase.unwrap_or_else(share)
    }

    fn min_rate(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let least = || default_min_rate(nic_rate, quirks);
        self.min_rate.unwrap_or_else(least)
    }
}

impl CcConfig for TimelyConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        self.window_keys().validate()?;
        if self.t_low > self.t_high {
            return Err(ConfigError::new(
                "t_low",
                format!("t_low ({}) is above t_high ({})", self.t_low, self.t_high),
                "give a t_low no larger than t_high",
            ));
        }
        Ok(())
    }

    fn resolved(&self, network: &CcContext) -> Self {
        let nic_rate = network.nic_rate;
        Self {
            additive_increase: Some(self.additive_increase(nic_rate)),
            hyper_increase: Some(self.hyper_increase(nic_rate)),
            min_rate: Some(self.min_rate(nic_rate, &network.quirks)),
            ..self.clone()
        }
    }

    fn telemetry_bytes(&self, _network: &CcContext) -> u16 {
        TIMESTAMP
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}

impl<H> ControllerFactory<H> for TimelyConfig {
    type Controller = Timely;

    fn build(&self, start: &FlowStart<'_>) -> Timely {
        let nic_rate = start.default_nic_rate();
        let quirks = &start.network.quirks;
        Timely {
            rate: PacedRate::new(start, self.window_keys()),
            alpha: self.alpha,
            beta: self.beta,
            t_low: self.t_low,
            t_high: self.t_high,
            min_rtt: self.min_rtt.as_ps() as f64,
            additive_increase: self.additive_increase(nic_rate).as_bps_f64(),
            hyper_increase: self.hyper_increase(nic_rate).as_bps_f64(),
            hyper_counts: self.hyper_counts,
            min_rate: self.min_rate(nic_rate, quirks).as_bps_f64(),
            last_update_seq: 0,
            last_rtt: Duration::ZERO,
            rtt_difference: 0.0,
            in_a_row: 0,
        }
    }
}

/// TIMELY for one flow.
///
/// Differs from the paper: the rate changes once per round trip instead of at every completion
/// event, and packets are paced one by one instead of in bursts of a segment. Unless
/// [`HyperCounts::Gradients`] is set, hyper increase counts all increases. The published HPCC
/// simulator does the same.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub struct Timely {
    rate: PacedRate,
    #[checkpoint(rebuilt)]
    alpha: f64,
    #[checkpoint(rebuilt)]
    beta: f64,
    #[checkpoint(rebuilt)]
    t_low: Duration,
    #[checkpoint(rebuilt)]
    t_high: Duration,
    /// Base round-trip time, in picoseconds.
    #[checkpoint(rebuilt)]
    min_rtt: f64,
    #[checkpoint(rebuilt)]
    additive_increase: f64,
    #[checkpoint(rebuilt)]
    hyper_increase: f64,
    #[checkpoint(rebuilt)]
    hyper_counts: HyperCounts,
    #[checkpoint(rebuilt)]
    min_rate: f64,
    /// The `snd_nxt` at the last update, or 0 before the first acknowledgement.
    #[checkpoint(sequence)]
    last_update_seq: u64,
    last_rtt: Duration,
    /// Average difference of consecutive round-trip times in picoseconds (rtt_diff).
    rtt_difference: f64,
    /// Number of consecutive events that lead to hyper increase, up to [`HYPER_AFTER`].
    in_a_row: u32,
}

impl Timely {
    /// Returns the factor that reduces the rate, or `None` if the rate grows (paper, algorithm 1).
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
                (self.in_a_row + 1).min(HYPER_AFTER)
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
                self.in_a_row = (self.in_a_row + 1).min(HYPER_AFTER);
            }
        }
    }

    /// Returns `true` if an increase at this round-trip time is a large one.
    fn is_hyper(&self, rtt: Duration) -> bool {
        let enough = self.in_a_row >= HYPER_AFTER;
        match self.hyper_counts {
            HyperCounts::Increases => enough,
            // The fifth event itself counts, as in the code snippet published by the authors.
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

    /// A new rate applies from the next packet on, as in the published simulator.
    #[inline]
    fn reschedules(&self) -> bool {
        false
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
