//! theta-PowerTCP: estimates the power of the path from round-trip times (PowerTCP paper, algorithm
//! 2).
//!
//! If only the queue changes the round-trip time θ, the current of the bottleneck is 1 + dθ/dt and
//! its voltage θ / τ, in units of its base power.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{Ack, CongestionControl, ControllerFactory, FlowStart};

use super::config::ThetaPowerTcpConfig;
use super::window::{LEAST_CURRENT, PowerWindow, WindowRule};
use crate::config::Reaction;

/// theta-PowerTCP for one flow.
///
/// Differs from the paper: τ, also for the window, is the smallest round-trip time so far, limited
/// to the given base round-trip time (an alternative in section 3.3), with an allowance of 5%. A
/// current below one half counts as one half, and γ is 0.7. The simulator published by the authors
/// does the same.
#[derive(Checkpointed, Clone, Debug)]
pub struct ThetaPowerTcp {
    #[checkpoint(rebuilt)]
    rule: WindowRule,
    window: PowerWindow,
    #[checkpoint(rebuilt)]
    reaction: Reaction,
    #[checkpoint(rebuilt)]
    allowance: f64,
    /// τ as a share of the given base round-trip time.
    tau: f64,
    /// Time and round-trip time of the last acknowledgement.
    previous: Option<(Time, Duration)>,
}

impl<H> ControllerFactory<H> for ThetaPowerTcpConfig {
    type Controller = ThetaPowerTcp;

    fn build(&self, start: &FlowStart<'_>) -> ThetaPowerTcp {
        let rule = WindowRule::new(start, self.gamma, self.increase(start), self.least(start));
        ThetaPowerTcp {
            window: PowerWindow::new(&rule),
            rule,
            reaction: self.reaction,
            allowance: self.rtt_allowance,
            tau: 1.0,
            previous: None,
        }
    }
}

impl ThetaPowerTcp {
    /// Returns the power of the path, averaged over a round trip (Γ smooth in the paper).
    #[must_use]
    pub const fn power(&self) -> f64 {
        self.window.power
    }

    /// Includes the power indicated by the round-trip time `rtt` in the average.
    fn observe(&mut self, now: Time, rtt: Duration, least: Duration) {
        let rtt_ns = rtt.as_ps() as f64 / 1_000.0;
        let tau = self.rule.tau_ns.min(least.as_ps() as f64 / 1_000.0);
        self.tau = tau / self.rule.tau_ns;
        if let Some((then, before)) = self.previous {
            let interval = now.since(then).as_ps() as f64 / 1_000.0;
            if interval <= 0.0 {
                return;
            }
            let growth = rtt_ns - before.as_ps() as f64 / 1_000.0;
            let current = (growth / interval + 1.0).max(LEAST_CURRENT);
            let voltage = rtt_ns / (self.allowance * tau);
            self.window.observe(current * voltage, interval, tau);
        }
        self.previous = Some((now, rtt));
    }
}

impl<H> CongestionControl<H> for ThetaPowerTcp {
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let Some(rtt) = ack.rtt.filter(|&rtt| rtt > Duration::ZERO) else {
            return;
        };
        let least = ack.least_rtt.min(rtt);
        let measures = self.previous.is_some();
        self.observe(ack.now, rtt, least);
        match self.reaction {
            Reaction::PerAck => {
                if measures {
                    self.window.follow(&self.rule);
                }
                self.window.close_round(ack.cumulative, ack.next_seq);
            }
            Reaction::PerRtt => {
                if self.window.close_round(ack.cumulative, ack.next_seq) && measures {
                    self.window.follow(&self.rule);
                }
            }
        }
    }

    /// Returns the bytes that the flow sends at its rate in τ.
    #[inline]
    fn window(&self) -> Option<Bytes> {
        Some(self.window.bytes_of(self.tau))
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.window.rate(&self.rule))
    }

    fabricsim_base::saves_state!();
}
