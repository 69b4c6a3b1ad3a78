//! The rate of a rate-based algorithm, and the window that it derives from the rate.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::quirks::RateUnit;
use fabricsim_core::plugin::{FlowStart, scaled_window};

/// The window settings of an algorithm that computes a rate: one bandwidth-delay product that
/// shrinks with the rate ("+w" in the HPCC paper's figures), unless it is fixed.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowKeys {
    pub(super) window: bool,
    pub(super) fixed_window: bool,
}

impl WindowKeys {
    /// Rejects a fixed window without a window.
    pub(super) fn validate(self) -> Result<(), ConfigError> {
        match (self.window, self.fixed_window) {
            (false, true) => Err(ConfigError::new(
                "fixed_window",
                "there is no window that could stay as it is",
                "add `window = true`, or leave `fixed_window` out",
            )),
            _ => Ok(()),
        }
    }
}

/// The pacing rate of a flow, and its window.
#[derive(Checkpointed, Clone, Copy, Debug)]
pub(super) struct PacedRate {
    /// The rate in bit/s, with its fraction.
    bps: f64,
    rate: Rate,
    window: Option<Bytes>,
    #[checkpoint(rebuilt)]
    line_rate: Rate,
    /// Window at line rate, if the window follows the rate.
    #[checkpoint(rebuilt)]
    full_window: Option<Bytes>,
    #[checkpoint(rebuilt)]
    unit: RateUnit,
}

impl PacedRate {
    /// Returns the initial state of a flow: line rate and a full window.
    pub(super) fn new(start: &FlowStart<'_>, keys: WindowKeys) -> Self {
        let window = keys.window.then_some(start.bdp);
        Self {
            bps: start.line_rate.as_bps_f64(),
            rate: start.line_rate,
            window,
            line_rate: start.line_rate,
            full_window: window.filter(|_| !keys.fixed_window),
            unit: start.network.quirks.rates,
        }
    }

    /// Returns the rate in bit/s.
    #[inline]
    pub(super) const fn bps(&self) -> f64 {
        self.bps
    }

    /// Returns `bps` at the resolution of rates in this model.
    #[inline]
    pub(super) fn kept(&self, bps: f64) -> f64 {
        self.unit.cut(bps)
    }

    /// Changes the rate to `bps`, limited to line rate.
    #[inline]
    pub(super) fn set(&mut self, bps: f64) {
        self.bps = self.kept(bps).min(self.line_rate.as_bps_f64());
        self.rate = Rate::from_bps_f64(self.bps);
        if let Some(full) = self.full_window {
            self.window = Some(scaled_window(full, self.rate, self.line_rate));
        }
    }

    #[inline]
    pub(super) const fn rate(&self) -> Rate {
        self.rate
    }

    #[inline]
    pub(super) const fn window(&self) -> Option<Bytes> {
        self.window
    }

    /// Returns line rate in bit/s.
    #[inline]
    pub(super) fn line_bps(&self) -> f64 {
        self.line_rate.as_bps_f64()
    }
}

/// Returns a share of the NIC rate.
pub(super) fn share_of(nic_rate: Rate, share: f64) -> Rate {
    Rate::from_bps_f64((nic_rate.as_bps_f64() * share).round())
}

/// Returns the number of bytes that a port at `nic_rate` sends in `nanoseconds`.
pub(super) fn bytes_at(nic_rate: Rate, nanoseconds: u64) -> Bytes {
    nic_rate.bytes_in(fabricsim_base::units::Duration::from_ns(nanoseconds))
}
