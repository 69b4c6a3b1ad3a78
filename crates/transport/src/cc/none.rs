//! No congestion control: constant line rate, with a fixed window.
//!
//! This is the baseline that shows the behavior of the network alone, and the cheapest algorithm
//! for measuring the network with.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{Ack, CcConfig, CongestionControl, ControllerFactory, FlowStart};

settings! {
    /// The `[cc]` table of `kind = "none"`.
    pub struct NoneConfig {
        /// Window in bandwidth-delay products, 0 for none.
        #[range(from 0.0)]
        #[refused(
            "a window of {value} bandwidth-delay products is impossible",
            "give a number from 0 (no window) upwards, such as 1.0"
        )]
        pub window_bdp: f64 = 1.0,
    }
}

impl CcConfig for NoneConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }
}

impl<H> ControllerFactory<H> for NoneConfig {
    type Controller = NoControl;

    fn build(&self, start: &FlowStart<'_>) -> NoControl {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a finite, positive size; larger ones saturate"
        )]
        let window = (start.bdp.as_f64() * self.window_bdp) as u64;
        NoControl {
            rate: start.line_rate,
            window: (self.window_bdp > 0.0).then_some(Bytes::new(window.max(1))),
        }
    }
}

/// A flow that never slows down.
#[derive(Checkpointed, Clone, Debug)]
pub struct NoControl {
    #[checkpoint(rebuilt)]
    rate: Rate,
    #[checkpoint(rebuilt)]
    window: Option<Bytes>,
}

impl<H> CongestionControl<H> for NoControl {
    #[inline]
    fn on_ack(&mut self, _ack: &Ack<'_, H>) {}

    fn reads_rounds(&self) -> bool {
        false
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        self.window
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fabricsim_base::saves_state!();
}
