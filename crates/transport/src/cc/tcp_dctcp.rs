//! DCTCP: the window falls in proportion to the share of marked segments (RFC 8257).

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_core::plugin::{
    Ack, CcConfig, Congestion, CongestionControl, ControllerFactory, Feedback, FlowStart, Growth,
    MarkingThresholds, Round, Signal, Transport,
};

use super::reno_window::{RenoWindow, delegate_to_window};

settings! {
    /// The `[cc]` table of `kind = "tcp-dctcp"`.
    pub struct TcpDctcpConfig {
        /// Weight of a new share of marks.
        ///
        /// This is g in the RFC.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.0625"
        )]
        pub g: f64 = 0.0625,
    }
}

/// Returns the threshold K of DCTCP: 30 KB at 10 Gbps and in proportion at other rates, like RDMA's
/// `dctcp` (SIGCOMM 2010, section 4, has 20 and 65 packets at 1 and 10 Gbps).
pub(super) fn step(rate: Rate) -> MarkingThresholds {
    let step = rate.bytes_in(Duration::from_us(24));
    MarkingThresholds {
        kmin: step,
        kmax: step,
        pmax: 1.0,
    }
}

impl CcConfig for TcpDctcpConfig {
    const KEYS: Keys = Self::KEYS;

    const TRANSPORT: Transport = Transport::Tcp;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn feedback(&self) -> Feedback {
        Feedback::Dctcp
    }

    fn marking(&self, rate: Rate) -> Option<MarkingThresholds> {
        Some(step(rate))
    }
}

impl<H> ControllerFactory<H> for TcpDctcpConfig {
    type Controller = TcpDctcp;

    fn build(&self, start: &FlowStart<'_>) -> TcpDctcp {
        TcpDctcp {
            window: RenoWindow::new(start),
            g: self.g,
            alpha: 1.0,
            delivered: 0,
            marked: 0,
        }
    }
}

/// DCTCP for one connection.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct TcpDctcp {
    window: RenoWindow,
    #[checkpoint(rebuilt)]
    g: f64,
    /// DCTCP.Alpha (section 3.3), initially 1 (section 4.2).
    alpha: f64,
    /// Segments delivered and marked in this round trip.
    delivered: u32,
    marked: u32,
}

impl<H> CongestionControl<H> for TcpDctcp {
    #[inline]
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        if ack.round == Round::New && self.delivered > 0 {
            // Section 3.3, steps 5 to 9.
            let share = f64::from(self.marked.min(self.delivered)) / f64::from(self.delivered);
            self.alpha = (1.0 - self.g) * self.alpha + self.g * share;
            self.delivered = 0;
            self.marked = 0;
        }
        self.delivered += ack.delivered;
        self.marked += ack.marked;
        if ack.growth != Growth::Allowed {
            return;
        }
        let mut delivered = f64::from(ack.delivered);
        if self.window.in_slow_start() {
            delivered = self.window.slow_start(delivered);
        }
        if delivered > 0.0 {
            self.window.avoid_congestion(delivered, 1.0);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            // Section 3.3, step 10.
            Signal::Mark => self
                .window
                .reduce_to(self.window.cwnd * (1.0 - self.alpha / 2.0)),
            // Section 3.5: losses are handled as in conventional TCP.
            Signal::Loss => self.window.reduce_to(self.window.cwnd / 2.0),
            Signal::Timeout => {
                self.window.reduce_to(self.window.cwnd / 2.0);
                self.window.restart_from_one();
            }
            Signal::RepeatedTimeout => self.window.restart_from_one(),
        }
    }

    fn on_idle(&mut self, _idle: Duration, restart: Option<Bytes>) {
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
    use super::super::tcp_harness::{Stream, ack, cc, congestion};
    use super::*;
    use fabricsim_base::units::Time;

    const RTT: Duration = Duration::from_us(100);

    /// Returns the average after `rounds` round trips with a share of `marked`, at a constant
    /// window.
    fn alpha_after(rounds: u32, marked: f64) -> f64 {
        let mut dctcp = cc(&TcpDctcpConfig::default());
        dctcp.window.cwnd = 100.0;
        dctcp.window.ssthresh = 100.0;
        for _ in 0..rounds {
            dctcp.window.cwnd = 100.0;
            Stream::default().round(&mut dctcp, Time::ZERO, RTT, marked);
        }
        // The last round is averaged when the next one begins.
        let mut next = ack(Time::ZERO, RTT);
        next.round = Round::New;
        dctcp.on_ack(&next);
        dctcp.alpha
    }

    #[test]
    fn the_average_converges_as_fifteen_sixteenths_to_the_power_of_rounds() {
        for (rounds, alpha) in [
            (1, 0.9375),
            (8, 0.5967),
            (16, 0.3561),
            (32, 0.1268),
            (64, 0.0161),
        ] {
            let measured = alpha_after(rounds, 0.0);
            assert!((measured - alpha).abs() < 1e-4, "{rounds}: {measured}");
        }
        let steady = alpha_after(200, 0.25);
        assert!((steady - 0.25).abs() < 1e-4, "{steady}");
    }

    #[test]
    fn marks_reduce_by_half_of_the_average_and_losses_by_half() {
        let mut dctcp = cc(&TcpDctcpConfig::default());
        dctcp.window.cwnd = 100.0;
        dctcp.alpha = 0.2;
        congestion(&mut dctcp, Time::ZERO, Signal::Mark);
        assert!((dctcp.window.cwnd - 90.0).abs() < 1e-9);
        congestion(&mut dctcp, Time::ZERO, Signal::Loss);
        assert!((dctcp.window.cwnd - 45.0).abs() < 1e-9);
    }

    #[test]
    fn a_weight_that_is_none_is_refused() {
        let refused = |g| TcpDctcpConfig { g }.validate().is_err();
        assert!(refused(0.0) && refused(1.1) && !refused(0.0625));
    }
}
