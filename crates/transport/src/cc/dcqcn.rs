//! DCQCN: marks make the rate fall, timers make it recover (Zhu et al., SIGCOMM 2015), as NIC vendors
//! build it and the published HPCC simulator runs it.

use fabricsim_core::input::ConfigError;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{
    Ack, CongestionControl, Fidelity, FlowStart, LawConfig, LawContext, LawFactory,
    MarkingThresholds, default_min_rate,
};
use fabricsim_core::units::{Bytes, Duration, Rate, Time};
use serde::{Deserialize, Serialize};

use super::paced_rate::{PacedRate, Windowed, bytes_at, share_of};

/// A timer of less would do more work than the packets.
const LEAST_TIMER: Duration = Duration::from_ns(100);

/// Which times a DCQCN that sets none runs with.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterSet {
    /// The vendor's: alpha 1 us, decrease 4 us, increase 300 us (HPCC paper, section 5.1).
    Vendor,
    /// The DCQCN paper's: 50 us, 50 us, 55 us.
    Paper,
}

impl ParameterSet {
    /// Alpha, decrease and increase timer.
    const fn timers(self) -> [Duration; 3] {
        match self {
            Self::Vendor => [
                Duration::from_us(1),
                Duration::from_us(4),
                Duration::from_us(300),
            ],
            Self::Paper => [
                Duration::from_us(50),
                Duration::from_us(50),
                Duration::from_us(55),
            ],
        }
    }
}

/// Settings of [`Dcqcn`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct DcqcnConfig {
    /// Where the timers come from that are not set.
    pub parameters: ParameterSet,
    /// How often the estimate of congestion is updated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha_timer: Option<Duration>,
    /// How often the rate may fall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decrease_timer: Option<Duration>,
    /// How often the rate grows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increase_timer: Option<Duration>,
    /// Weight of a new observation in the estimate of congestion (g in the paper).
    pub g: f64,
    /// Increases towards the target before the target itself grows (F).
    pub fast_recovery: u32,
    /// Growth of the target at the increase after fast recovery (R_AI); absent means 20 Mbps for
    /// each 100 Gbps of NIC rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additive_increase: Option<Rate>,
    /// Growth of the target at later increases (R_HAI); absent means 200 Mbps for each 100 Gbps of
    /// NIC rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hyper_increase: Option<Rate>,
    /// Lower the target to the rate at every decrease, not only at the first one after an increase.
    pub clamp: bool,
    /// The lowest rate; absent means 1 Gbps, or a hundredth of the NIC rate where that is less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
    /// Limit what is in flight (DCQCN+w).
    pub window: bool,
}

impl Default for DcqcnConfig {
    fn default() -> Self {
        Self {
            parameters: ParameterSet::Vendor,
            alpha_timer: None,
            decrease_timer: None,
            increase_timer: None,
            g: 1.0 / 256.0,
            fast_recovery: 1,
            additive_increase: None,
            hyper_increase: None,
            clamp: false,
            min_rate: None,
            window: false,
        }
    }
}

impl DcqcnConfig {
    fn filled_in(&self, nic_rate: Rate, fidelity: Fidelity) -> Self {
        let [alpha, decrease, increase] = self.parameters.timers();
        Self {
            alpha_timer: self.alpha_timer.or(Some(alpha)),
            decrease_timer: self.decrease_timer.or(Some(decrease)),
            increase_timer: self.increase_timer.or(Some(increase)),
            additive_increase: self
                .additive_increase
                .or_else(|| Some(share_of(nic_rate, 2e-4))),
            hyper_increase: self
                .hyper_increase
                .or_else(|| Some(share_of(nic_rate, 2e-3))),
            min_rate: self
                .min_rate
                .or_else(|| Some(default_min_rate(nic_rate, fidelity))),
            ..self.clone()
        }
    }
}

impl LawConfig for DcqcnConfig {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "parameters",
            "times that are not set: \"vendor\" (default) or \"paper\" (50, 50 and 55 us)",
        ),
        (
            "alpha_timer",
            "how often the estimate of congestion is updated (default \"1us\")",
        ),
        (
            "decrease_timer",
            "how often the rate may fall (default \"4us\")",
        ),
        (
            "increase_timer",
            "how often the rate grows (default \"300us\")",
        ),
        (
            "g",
            "weight of a new observation of congestion, 0 to 1 (default 0.00390625)",
        ),
        (
            "fast_recovery",
            "increases towards the target before the target grows (default 1)",
        ),
        (
            "additive_increase",
            "growth of the target after fast recovery (default \"20Mbps\" for each 100 Gbps)",
        ),
        (
            "hyper_increase",
            "growth of the target after that (default \"200Mbps\" for each 100 Gbps of NIC rate)",
        ),
        (
            "clamp",
            "lower the target at every decrease (default false)",
        ),
        (
            "min_rate",
            "lowest rate (default \"1Gbps\", at most a hundredth of the NIC rate)",
        ),
        (
            "window",
            "limit what is in flight to a bandwidth-delay product, DCQCN+w (default false)",
        ),
    ];

    type Laws = DcqcnLaws;

    fn validate(&self) -> Result<(), ConfigError> {
        if !(self.g > 0.0 && self.g <= 1.0) {
            return Err(ConfigError::new(
                "g",
                format!("a weight of {} is not between 0 and 1", self.g),
                "give a number above 0 and up to 1, such as 0.00390625",
            ));
        }
        for (key, timer) in [
            ("alpha_timer", self.alpha_timer),
            ("decrease_timer", self.decrease_timer),
            ("increase_timer", self.increase_timer),
        ] {
            if timer.is_some_and(|timer| timer < LEAST_TIMER) {
                return Err(ConfigError::new(
                    key,
                    format!(
                        "a timer that comes up more often than every {LEAST_TIMER} is no timer"
                    ),
                    "give a longer time, such as \"50us\"",
                ));
            }
        }
        Ok(())
    }

    fn resolved(&self, context: &LawContext<'_>) -> Self {
        self.filled_in(context.nic_rate, context.fidelity)
    }

    /// Without a window, as the published script has it.
    fn answers_ignore_pause(&self) -> bool {
        !self.window
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }

    fn laws(&self, context: &LawContext<'_>) -> DcqcnLaws {
        DcqcnLaws {
            config: self.clone(),
            nic_rate: context.nic_rate,
            fidelity: context.fidelity,
        }
    }

    /// From 100 to 400 KB for each 25 Gbps up to a fifth of the packets (HPCC paper, section 5.1).
    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds> {
        Some(MarkingThresholds {
            kmin: bytes_at(nic_rate, 32_000),
            kmax: bytes_at(nic_rate, 128_000),
            pmax: 0.2,
        })
    }
}

/// Makes the law of each flow.
#[derive(Clone, Debug)]
pub struct DcqcnLaws {
    config: DcqcnConfig,
    nic_rate: Rate,
    fidelity: Fidelity,
}

impl<H: Header> LawFactory<H> for DcqcnLaws {
    type Law = Dcqcn;

    fn build(&self, start: &FlowStart) -> Dcqcn {
        let nic_rate = match self.fidelity {
            Fidelity::Exact => start.line_rate,
            Fidelity::Published => self.nic_rate,
        };
        let config = self.config.filled_in(nic_rate, self.fidelity);
        let bps = |rate: Option<Rate>| rate.map_or(0.0, Rate::as_bps_f64);
        let [alpha, decrease, increase] = config.parameters.timers();
        let rate = PacedRate::new(start, Windowed::from(config.window), self.fidelity);
        Dcqcn {
            g: config.g,
            fast_recovery: config.fast_recovery,
            additive_increase: bps(config.additive_increase),
            hyper_increase: bps(config.hyper_increase),
            clamp: config.clamp,
            min_rate: bps(config.min_rate),
            target: rate.bps(),
            rate,
            alpha: 1.0,
            increases: 0,
            marked_since_alpha: false,
            marked_since_decrease: false,
            alpha_ticks: Ticks::stopped(config.alpha_timer.unwrap_or(alpha)),
            decrease_ticks: Ticks::stopped(config.decrease_timer.unwrap_or(decrease)),
            increase_ticks: Ticks::stopped(config.increase_timer.unwrap_or(increase)),
        }
    }
}

/// A timer that comes up every `every`.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    next: Time,
    /// When `next` was set: of timers that are due at one instant the older one goes first.
    set: Time,
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

/// DCQCN for one flow: the reaction point of the paper (section 3.3).
///
/// Differs from the paper: the rate grows by a timer alone, without a byte counter, and the echo of
/// a mark on an acknowledgement stands for a congestion notification packet, whose rate is limited
/// by the decrease timer at the sender. Both as in the published HPCC simulator.
///
/// Ticks of the alpha timer are caught up with when the estimate is used, and ticks of the decrease
/// timer without a mark are skipped, so that flows without marks cost no events.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    rate: PacedRate,
    /// R_T, bit/s.
    target: f64,
    /// Estimate of congestion.
    alpha: f64,
    /// Increases since the last decrease.
    increases: u32,
    marked_since_alpha: bool,
    marked_since_decrease: bool,
    alpha_ticks: Ticks,
    decrease_ticks: Ticks,
    increase_ticks: Ticks,
    g: f64,
    fast_recovery: u32,
    additive_increase: f64,
    hyper_increase: f64,
    clamp: bool,
    min_rate: f64,
}

impl Dcqcn {
    /// A packet of this flow was marked (a congestion notification has come).
    fn on_mark(&mut self, now: Time) {
        if self.alpha_ticks.next == Time::MAX {
            // The first mark.
            self.alpha_ticks.start(now, self.alpha_ticks.every);
            // A nanosecond later, so that a decrease sees the new estimate.
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

    /// The next tick at which the rate falls.
    fn next_decrease(&self) -> Time {
        if self.marked_since_decrease {
            self.decrease_ticks.next
        } else {
            Time::MAX
        }
    }

    /// Brings the estimate of congestion up to `now`.
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

    /// Fast recovery, then additive, then hyper increase.
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
        self.increases = self.increases.saturating_add(1);
    }
}

impl<H: Header> CongestionControl<H> for Dcqcn {
    #[inline]
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        if ack.congestion {
            self.on_mark(ack.now);
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

    #[inline]
    fn deadline(&self) -> Time {
        self.next_decrease().min(self.increase_ticks.next)
    }

    fn on_timer(&mut self, now: Time) {
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
