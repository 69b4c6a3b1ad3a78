//! PowerTCP on in-band telemetry (Addanki, Michel and Schmid, "PowerTCP: Pushing the Performance
//! Limits of Datacenter Networks", NSDI 2022, algorithm 1) and theta-PowerTCP, which needs only
//! round-trip times (algorithm 2).
//!
//! The power of a link is its current (the rate at which bytes arrive) times its voltage (the bytes
//! in its queue and on the path). In units of its base power, a fully used link without a queue has
//! power 1. The window follows the power of the busiest link.

mod config;
mod theta;
mod window;

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{Ack, CongestionControl, ControllerFactory, FlowStart, PathStability};

pub use config::{PowerTcpConfig, ThetaPowerTcpConfig};
pub use theta::ThetaPowerTcp;
use window::{LEAST_CURRENT, PowerWindow, WindowRule};

use crate::config::int_bytes;
use crate::controller::OtherPaths;
use crate::scale::IntScale;
use crate::slot::HasInt;
use crate::stack::IntHeader;

/// Constants shared by all flows from NICs of the same rate.
#[derive(Clone, Debug)]
struct Constants {
    scale: IntScale,
    rule: WindowRule,
    line_rate: Rate,
    base_rtt: Duration,
    full_window: Bytes,
    telemetry_bytes: u16,
}

impl Constants {
    fn new(config: &PowerTcpConfig, start: &FlowStart<'_>) -> Self {
        Self {
            scale: IntScale::new(start.network),
            rule: WindowRule::new(
                start,
                config.gamma,
                config.increase(start),
                config.least(start),
            ),
            line_rate: start.line_rate,
            base_rtt: start.base_rtt,
            full_window: start.bdp,
            telemetry_bytes: int_bytes(start.network.longest_path),
        }
    }

    fn serves(&self, start: &FlowStart<'_>) -> bool {
        (self.line_rate, self.base_rtt, self.full_window)
            == (start.line_rate, start.base_rtt, start.bdp)
    }
}

/// PowerTCP for one flow.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
#[checkpoint(bound(S: Stored))]
pub struct PowerTcp<S> {
    #[checkpoint(rebuilt)]
    constants: Arc<Constants>,
    window: PowerWindow,
    previous: S,
    /// Telemetry of all paths except `previous`, if packets take several paths.
    other_paths: Option<Box<OtherPaths<S>>>,
    /// `true` after the first acknowledgement.
    begun: bool,
}

impl<H: HasInt> ControllerFactory<H> for PowerTcpConfig {
    type Controller = PowerTcp<H::Int>;

    fn build(&self, start: &FlowStart<'_>) -> PowerTcp<H::Int> {
        let constants = start.shared(
            |first: &Constants| first.serves(start),
            || Constants::new(self, start),
        );
        PowerTcp {
            window: PowerWindow::new(&constants.rule),
            constants,
            previous: H::Int::default(),
            other_paths: match start.paths {
                PathStability::PerFlow => None,
                PathStability::PerPacket => Some(Box::default()),
            },
            begun: false,
        }
    }
}

impl<S: IntHeader> PowerTcp<S> {
    /// Returns the power of the busiest link, averaged over a round trip (Γ smooth in the paper).
    #[must_use]
    pub const fn power(&self) -> f64 {
        self.window.power
    }

    /// Returns the power of the link of hop `index` and the nanoseconds over which it was measured,
    /// or `None` if no time has passed.
    #[inline]
    fn link_power(&self, stack: &S, index: usize) -> Option<(f64, f64)> {
        let scale = &self.constants.scale;
        let interval = stack.interval_ns(index, &self.previous);
        if interval <= 0.0 {
            return None;
        }
        // In bytes per nanosecond.
        let capacity = scale.rate_bps(stack.rate_code(index)) / 8e9;
        let queue = stack.queue(index, scale).as_f64();
        let growth = queue - self.previous.queue(index, scale).as_f64();
        let sent = stack.sent_since(index, &self.previous, scale) as f64;
        let current = (growth + sent) / (capacity * interval);
        let voltage = queue / (capacity * self.constants.rule.tau_ns) + 1.0;
        Some((current.max(LEAST_CURRENT) * voltage, interval))
    }

    /// Includes the power of the busiest link in the average. Returns `false` if there is no
    /// sample.
    fn observe(&mut self, now: Time, stack: &S) -> bool {
        let samples = (0..stack.hops()).filter_map(|index| self.link_power(stack, index));
        let Some((power, mut interval)) = samples.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return false;
        };
        if let Some(others) = &mut self.other_paths {
            interval = others.weight_ns(now, interval);
        }
        self.window
            .observe(power, interval, self.constants.rule.tau_ns);
        true
    }

    /// Returns `true` if there is earlier telemetry of the path of `stack`. Entries of different
    /// paths cannot be compared.
    fn has_previous(&mut self, stack: &S) -> bool {
        if !self.begun || stack.same_path(&self.previous) {
            return self.begun;
        }
        match &mut self.other_paths {
            Some(others) => others.swap_in(&mut self.previous, stack),
            None => false,
        }
    }
}

impl<S: IntHeader, H: HasInt<Int = S>> CongestionControl<H> for PowerTcp<S> {
    #[inline]
    fn prepare(&mut self, _header: &mut H) -> u16 {
        self.constants.telemetry_bytes
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let stack = ack.telemetry.int();
        if stack.hops() <= S::CAPACITY {
            if self.has_previous(stack) && self.observe(ack.now, stack) {
                self.window.follow(&self.constants.rule);
            }
            self.previous = *stack;
            self.begun = true;
        }
        self.window.close_round(ack.cumulative, ack.next_seq);
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        Some(self.window.bytes())
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.window.rate(&self.constants.rule))
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
