//! From power to the next window (PowerTCP paper, algorithm 1, `UpdateWindow`).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::FlowStart;

/// Constants of the rule. Windows are bytes, times nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowRule {
    /// Weight of a new window (γ).
    gamma: f64,
    /// Added at each change (β).
    beta: f64,
    /// The base round-trip time (τ).
    pub(super) tau_ns: f64,
    least: f64,
    most: f64,
    line_rate: Rate,
}

impl WindowRule {
    /// The rule of a flow that gains `increase` at each change and goes down to the rate `least`.
    pub(super) fn new(start: &FlowStart<'_>, gamma: f64, increase: Rate, least: Rate) -> Self {
        let tau_ns = start.base_rtt.as_ps() as f64 / 1_000.0;
        let bytes = |rate: Rate| rate.as_bps_f64() * tau_ns / 8e9;
        let most = bytes(start.line_rate);
        Self {
            gamma,
            beta: bytes(increase),
            tau_ns,
            least: bytes(least).min(most),
            most,
            line_rate: start.line_rate,
        }
    }
}

/// The window of a flow, and the power that it follows.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct PowerWindow {
    pub(super) window: f64,
    /// The window a round trip ago, when what is acknowledged now was sent.
    pub(super) old: f64,
    /// The power, averaged over a round trip. It starts at 1.
    pub(super) power: f64,
    /// The `snd_nxt` when the running round trip began.
    round_end: u64,
}

/// Least current of a link, relative to its rate.
///
/// Differs from the paper: while a queue drains and nothing comes, its power is zero, and windows
/// would open again. As in the simulator that the authors published.
pub(super) const LEAST_CURRENT: f64 = 0.5;

/// Least power that is divided by: an idle path has none, and bounds of the window hold then.
const LEAST_POWER: f64 = 1e-6;

impl PowerWindow {
    /// A whole bandwidth-delay product: how a flow begins.
    pub(super) const fn new(rule: &WindowRule) -> Self {
        Self {
            window: rule.most,
            old: rule.most,
            power: 1.0,
            round_end: 0,
        }
    }

    /// Averages `power`, measured over `interval` nanoseconds, over a round trip of `tau`.
    #[inline]
    pub(super) fn observe(&mut self, power: f64, interval: f64, tau: f64) {
        let interval = interval.min(tau);
        self.power = (self.power * (tau - interval) + power * interval) / tau;
    }

    /// Moves the window to where the power wants it.
    ///
    /// Differs from the paper: what is left of the window is that of the old one, not of the current
    /// one, which has followed the same power at each acknowledgement since. As in the simulator that
    /// the authors published.
    #[inline]
    pub(super) fn follow(&mut self, rule: &WindowRule) {
        let target = self.old / self.power.max(LEAST_POWER) + rule.beta;
        let window = rule.gamma * target + (1.0 - rule.gamma) * self.old;
        self.window = window.clamp(rule.least, rule.most);
    }

    /// Returns whether an acknowledgement of all below `cumulative` begins a round trip; the window
    /// is then the old one of the next.
    #[inline]
    pub(super) fn close_round(&mut self, cumulative: u64, next_seq: u64) -> bool {
        let new = cumulative > self.round_end;
        if new {
            self.round_end = next_seq;
            self.old = self.window;
        }
        new
    }

    #[inline]
    pub(super) fn bytes(&self) -> Bytes {
        self.bytes_of(1.0)
    }

    /// The window of a base round-trip time that is `share` of the rule's.
    #[inline]
    pub(super) fn bytes_of(&self, share: f64) -> Bytes {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number, at most a bandwidth-delay product"
        )]
        let bytes = (self.window * share) as u64;
        Bytes::new(bytes.max(1))
    }

    /// The window in a base round-trip time.
    #[inline]
    pub(super) fn rate(&self, rule: &WindowRule) -> Rate {
        Rate::from_bps_f64(self.window * 8e9 / rule.tau_ns).min(rule.line_rate)
    }
}
