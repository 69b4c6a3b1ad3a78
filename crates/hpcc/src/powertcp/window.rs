//! Computes the next window from the power (PowerTCP paper, algorithm 1, `UpdateWindow`).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::FlowStart;

/// Constants of the rule. Windows are in bytes, times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowRule {
    /// Weight of a new window (γ).
    gamma: f64,
    /// Bytes added at each change (β).
    beta: f64,
    /// Base round-trip time (τ).
    pub(super) tau_ns: f64,
    least: f64,
    most: f64,
    line_rate: Rate,
}

impl WindowRule {
    /// Returns the rule of a flow with an additive increase of `increase` and a lowest rate of
    /// `least`.
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

/// The window of a flow, and the power that determines it.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct PowerWindow {
    pub(super) window: f64,
    /// Window one round trip ago, when the bytes acknowledged now were sent.
    pub(super) old: f64,
    /// Power, averaged over a round trip. Its initial value is 1.
    pub(super) power: f64,
    /// The `snd_nxt` at the start of the current round trip.
    #[checkpoint(sequence)]
    round_end: u64,
}

/// Minimum current of a link, relative to its rate.
///
/// Differs from the paper: if a queue drains and nothing arrives, the current and thus the power is
/// zero, which would open windows again. The simulator published by the authors has the same
/// minimum.
pub(super) const LEAST_CURRENT: f64 = 0.5;

/// Minimum divisor. An idle path has no power, so the limits of the window apply then.
const LEAST_POWER: f64 = 1e-6;

impl PowerWindow {
    /// Returns the state at the start of a flow: a window of one bandwidth-delay product.
    pub(super) const fn new(rule: &WindowRule) -> Self {
        Self {
            window: rule.most,
            old: rule.most,
            power: 1.0,
            round_end: 0,
        }
    }

    /// Includes `power`, measured over `interval` nanoseconds, in the average over a round trip of
    /// `tau`.
    #[inline]
    pub(super) fn observe(&mut self, power: f64, interval: f64, tau: f64) {
        let interval = interval.min(tau);
        self.power = (self.power * (tau - interval) + power * interval) / tau;
    }

    /// Sets the window according to the power.
    ///
    /// Differs from the paper: the retained share is of the old window, not of the current one,
    /// because the current one already followed the same power at each acknowledgement since. The
    /// simulator published by the authors does the same.
    #[inline]
    pub(super) fn follow(&mut self, rule: &WindowRule) {
        let target = self.old / self.power.max(LEAST_POWER) + rule.beta;
        let window = rule.gamma * target + (1.0 - rule.gamma) * self.old;
        self.window = window.clamp(rule.least, rule.most);
    }

    /// Returns `true` if an acknowledgement of all bytes below `cumulative` begins a round trip.
    /// The current window then becomes the old one.
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

    /// Returns the window for a base round-trip time of `share` times the rule's base round-trip
    /// time.
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

    /// Returns the rate: one window per base round-trip time.
    #[inline]
    pub(super) fn rate(&self, rule: &WindowRule) -> Rate {
        Rate::from_bps_f64(self.window * 8e9 / rule.tau_ns).min(rule.line_rate)
    }
}
