//! Swift: AIMD around a target round-trip time (Kumar et al., "Swift: Delay is Simple and Effective
//! for Congestion Control in the Datacenter", SIGCOMM 2020, algorithm 1 and section 3.5).

mod target;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcConfig, Congestion, CongestionControl, ControllerFactory, FlowStart, Signal,
};

use target::TargetDelay;

settings! {
    /// The `[cc]` table of `kind = "swift"`.
    pub struct SwiftConfig {
        /// Target of a path without switches and of few flows.
        #[range(above "0s")]
        #[refused("nothing takes no time", "give a round-trip time, such as \"25us\"")]
        #[note("(default: T, the base round-trip time of `[rdma] base_rtt`); below the round-trip time of the idle network windows fall to `min_cwnd`")]
        pub base_target: Option<Duration> = none,
        /// Added to the target for each switch on the path.
        ///
        /// This is ħ in the paper.
        pub hop_scaling: Duration = "1us",
        /// Most that is added to the target of small windows.
        #[note("(default: five times `base_target`)")]
        pub fs_range: Option<Duration> = none,
        /// Window, in packets, up to which all of `fs_range` is added.
        #[range(above 0.0)]
        #[refused(
            "there is no window of {value} packets",
            "give a number of packets above zero, such as 0.1"
        )]
        pub fs_min_cwnd: f64 = 0.1,
        /// Window, in packets, from which nothing is added.
        #[range(above 0.0)]
        #[refused(
            "there is no window of {value} packets",
            "give a number of packets above zero, such as 100"
        )]
        pub fs_max_cwnd: f64 = 100.0,
        /// Packets added to the window in a round trip below the target.
        ///
        /// This is ai in the paper.
        #[range(above 0.0)]
        #[refused(
            "windows would never grow by {value} packets",
            "give a number of packets above zero, such as 1"
        )]
        pub additive_increase: f64 = 1.0,
        /// Strength of a decrease.
        ///
        /// This is β in the paper.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "a strength of {value} is not between 0 and 1",
            "give a number from 0 to 1, such as 0.8"
        )]
        pub beta: f64 = 0.8,
        /// Largest share of the window that one decrease takes.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "a share of {value} is not between 0 and 1",
            "give a number from 0 to 1, such as 0.5"
        )]
        pub max_mdf: f64 = 0.5,
        /// Timeouts in a row after which the window is the smallest.
        #[range(from 1)]
        #[refused("a window cannot fall before a timeout", "give a number from 1 upwards")]
        pub retx_reset_threshold: u32 = 5,
        /// Smallest window in packets.
        #[range(above 0.0)]
        #[refused(
            "with {value} packets no packet would ever be sent",
            "give a number of packets above zero, such as 0.001"
        )]
        pub min_cwnd: f64 = 0.001,
        /// Largest window in packets.
        #[range(from 1.0)]
        #[refused(
            "a largest window of {value} packets is less than one",
            "give a number of packets from 1 upwards"
        )]
        #[note("(default: the packets that the NIC sends in the longest target)")]
        pub max_cwnd: Option<f64> = none,
    }
}

impl CcConfig for SwiftConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        if self.fs_min_cwnd >= self.fs_max_cwnd {
            return Err(ConfigError::new(
                "fs_min_cwnd",
                format!(
                    "fs_min_cwnd ({}) is not below fs_max_cwnd ({})",
                    self.fs_min_cwnd, self.fs_max_cwnd
                ),
                "give a smaller fs_min_cwnd",
            ));
        }
        if let Some(most) = self.max_cwnd.filter(|&most| most < self.min_cwnd) {
            return Err(ConfigError::new(
                "max_cwnd",
                format!("max_cwnd ({most}) is below min_cwnd ({})", self.min_cwnd),
                "give a larger max_cwnd",
            ));
        }
        Ok(())
    }
}

impl<H> ControllerFactory<H> for SwiftConfig {
    type Controller = Swift;

    fn build(&self, start: &FlowStart<'_>) -> Swift {
        let target = TargetDelay::new(self, start);
        let packets = |bytes: Bytes| bytes.as_f64() / start.mtu.as_f64();
        let most = || packets(start.line_rate.bytes_in(target.longest())).max(1.0);
        let max_cwnd = self.max_cwnd.unwrap_or_else(most);
        let mut swift = Swift {
            target,
            additive_increase: self.additive_increase,
            beta: self.beta,
            max_mdf: self.max_mdf,
            retx_reset_threshold: self.retx_reset_threshold,
            min_cwnd: self.min_cwnd.min(max_cwnd),
            max_cwnd,
            mtu: start.mtu,
            wire: start.wire,
            line_rate: start.line_rate,
            cwnd: packets(start.bdp),
            rtt: start.base_rtt,
            last_decrease: None,
            timeouts: 0,
            window: start.mtu,
            rate: start.line_rate,
        };
        swift.set(start.now, swift.cwnd);
        swift
    }
}

/// Swift for one flow.
///
/// Differs from the paper: there is no second window for endpoint delays, because hosts in this
/// model acknowledge a packet in no time, so that window would never be the smaller one. A flow
/// starts with a window of one bandwidth-delay product, because the paper does not state the first
/// window. The last line of algorithm 1 treats an unchanged window as decreased, and would then
/// never decrease it again. Like the public simulator htsim, we require a smaller window.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub struct Swift {
    #[checkpoint(rebuilt)]
    target: TargetDelay,
    #[checkpoint(rebuilt)]
    additive_increase: f64,
    #[checkpoint(rebuilt)]
    beta: f64,
    #[checkpoint(rebuilt)]
    max_mdf: f64,
    #[checkpoint(rebuilt)]
    retx_reset_threshold: u32,
    #[checkpoint(rebuilt)]
    min_cwnd: f64,
    #[checkpoint(rebuilt)]
    max_cwnd: f64,
    /// Payload bytes of a full packet.
    #[checkpoint(rebuilt)]
    mtu: Bytes,
    /// Bytes of a full packet on the wire.
    #[checkpoint(rebuilt)]
    wire: Bytes,
    #[checkpoint(rebuilt)]
    line_rate: Rate,
    /// The window in fractional packets.
    cwnd: f64,
    /// The last round-trip time.
    rtt: Duration,
    last_decrease: Option<Time>,
    /// Retransmission timeouts since the last acknowledgement (retransmit_cnt).
    timeouts: u32,
    window: Bytes,
    rate: Rate,
}

impl Swift {
    /// Returns `true` if the last decrease was at least one round trip ago.
    fn can_decrease(&self, now: Time) -> bool {
        (self.last_decrease).is_none_or(|then| now.since(then) >= self.rtt)
    }

    /// Sets the window within its limits. Whole packets of it may be in flight; a window below one
    /// packet means one packet per `rtt / cwnd` (`pacing_delay`).
    fn set(&mut self, now: Time, cwnd: f64) {
        let before = self.cwnd;
        self.cwnd = cwnd.clamp(self.min_cwnd, self.max_cwnd);
        if self.cwnd < before {
            self.last_decrease = Some(now);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of packets; larger ones saturate"
        )]
        let whole = (self.cwnd as u64).max(1);
        self.window = Bytes::new(whole.saturating_mul(self.mtu.get()));
        self.rate = if self.cwnd < 1.0 {
            let bits = self.wire.as_f64() * 8.0 * self.cwnd;
            let bps = bits / self.rtt.as_secs_f64();
            Rate::from_bps_f64(bps.max(1.0)).min(self.line_rate)
        } else {
            self.line_rate
        };
    }

    /// Decreases after a loss by the maximum share, if a decrease is due.
    fn lose(&mut self, now: Time) {
        if self.can_decrease(now) {
            self.set(now, self.cwnd * (1.0 - self.max_mdf));
        }
    }
}

impl<H> CongestionControl<H> for Swift {
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let Some(delay) = ack.rtt.filter(|&rtt| rtt > Duration::ZERO) else {
            return;
        };
        self.rtt = delay;
        self.timeouts = 0;
        let target = self.target.at(self.cwnd);
        let delay = delay.as_ps() as f64;
        if delay < target {
            let acknowledged = ack.newly_acked.as_f64() / self.mtu.as_f64();
            let increase = self.additive_increase * acknowledged / self.cwnd.max(1.0);
            self.set(ack.now, self.cwnd + increase);
        } else if self.can_decrease(ack.now) {
            let excess = (delay - target) / delay;
            let factor = (1.0 - self.beta * excess).max(1.0 - self.max_mdf);
            self.set(ack.now, self.cwnd * factor);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Loss => {
                self.timeouts = 0;
                self.lose(congestion.now);
            }
            Signal::Timeout | Signal::RepeatedTimeout => {
                self.timeouts += 1;
                if self.timeouts >= self.retx_reset_threshold {
                    self.set(congestion.now, self.min_cwnd);
                } else {
                    self.lose(congestion.now);
                }
            }
            Signal::Mark => {}
        }
    }

    fn reads_rounds(&self) -> bool {
        false
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        Some(self.window)
    }

    /// Returns line rate for windows of one packet or more, because acknowledgements clock packets
    /// then.
    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
