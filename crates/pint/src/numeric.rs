//! Encodes numbers in few bits (PINT, Ben Basat et al., SIGCOMM 2020, section 4.3), for values that
//! do not fit in a digest.
//!
//! [`Multiplicative`] keeps a value up to a factor, [`Additive`] up to a difference. Both keep the
//! order: the larger value has the larger code, so you can take maxima and quantiles of codes and
//! decode only the result. [`Morris`] counts up to a factor, for sums along a path. A switch has no
//! random numbers that other nodes could know, so you pass one to the codes: a
//! [`GlobalHash`](crate::GlobalHash) of the packet and the hop.
//!
//! The utilizations of [`HpccPint`](crate::HpccPint) have their own code,
//! [`LogCode`](crate::LogCode).
//!
//! ```
//! use fabricsim_pint::GlobalHash;
//! use fabricsim_pint::numeric::{Multiplicative, StepRounding};
//!
//! // Up to 65,536 ns in 8 bits: within 2.2%.
//! let code = Multiplicative::for_range(65_536.0, 8, StepRounding::Nearest)?;
//! assert!(code.epsilon() < 0.022);
//! let (packet, hop) = (17, 3);
//! let uniform = GlobalHash::new(1).uniform(packet, hop);
//! let latency = code.decode(code.encode(12_345.0, uniform));
//! assert!((latency / 12_345.0).ln().abs() <= code.epsilon().ln_1p());
//! # Ok::<(), fabricsim_base::input::ConfigError>(())
//! ```

use fabricsim_base::choices;
use fabricsim_base::input::ConfigError;

mod additive;
mod morris;
mod multiplicative;

pub use additive::Additive;
pub use morris::Morris;
pub use multiplicative::Multiplicative;

choices! {
    /// Rounding of a value between two codes.
    pub enum StepRounding {
        /// To the nearest code.
        Nearest = "nearest" ("default"),
        /// To one of the two codes at random, so that the mean code is the value on the code's
        /// scale (PINT, section 4.3: `[.]_R`). A single code may be wrong by up to a whole step,
        /// but the mean of many codes has no systematic error.
        Random = "random" ("which keeps the mean code"),
    }
}

impl StepRounding {
    /// Returns the code (0 to `largest`) of `steps` (at least 0). If the rounding is random,
    /// `uniform` (in [0, 1)) decides it.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 0; larger numbers saturate"
    )]
    fn code(self, steps: f64, uniform: f64, largest: u16) -> u16 {
        let offset = match self {
            Self::Nearest => 0.5,
            // A fraction f reaches the next whole number with a probability of f.
            Self::Random => uniform,
        };
        ((steps + offset) as u16).min(largest)
    }
}

/// Returns the largest code of `bits`.
fn largest_code(bits: u32) -> Result<u16, ConfigError> {
    if !(1..=16).contains(&bits) {
        return Err(ConfigError::new(
            "bits",
            format!("a code of {bits} bits is not of 1 to 16"),
            "give the bits of a digest, such as 8",
        ));
    }
    Ok(u16::MAX >> (16 - bits))
}

/// Returns `value` if it is a number above `least`.
fn above(
    least: f64,
    key: &'static str,
    value: f64,
    example: &'static str,
) -> Result<f64, ConfigError> {
    if value > least && value.is_finite() {
        return Ok(value);
    }
    Err(ConfigError::new(
        key,
        format!("{value} is not a number above {least}"),
        format!("give one, such as {example}"),
    ))
}
