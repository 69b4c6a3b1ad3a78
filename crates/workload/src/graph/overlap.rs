//! Computations and messages that slow each other down.
//!
//! A kernel that sends or receives takes units and memory bandwidth from the kernels that compute
//! beside it. So while a message of a rank is under way, its computations make progress at a lower
//! speed. And while a rank computes, the ports of its host send at a lower rate.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_core::plugin::PortFactor;

/// Parts of a factor of 1: factors are exact to six digits after the point.
pub(super) const ONE: u32 = PortFactor::MILLIONTHS;

settings! {
    /// The effect of messages on the computations of the same rank, and of computations on the
    /// messages that its host sends.
    pub struct Overlap {
        /// Factor of the time of a computation while a message is under way, exact to six digits
        /// after the point.
        #[range(from 1.0, to 1000.0)]
        #[refused("a factor of {value} is outside the range 1 to 1000", "write for example 1.2")]
        #[note("(default 1)")]
        pub compute: Option<f64> = null,
        /// Factor of the time that a packet occupies a port of the host while the rank computes,
        /// exact to six digits after the point.
        #[range(from 1.0, to 1000.0)]
        #[refused("a factor of {value} is outside the range 1 to 1000", "write for example 1.3")]
        #[note("(default 1)")]
        pub communication: Option<f64> = null,
        /// For `compute`: whether a receipt whose message has not been delivered counts as a message
        /// under way.
        pub receipts: bool = true,
    }
}

/// The slowdown of computations by messages, and of ports by computations.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub(crate) struct Slowdown {
    /// The factor of computing times, in parts of [`ONE`].
    pub(super) factor: u32,
    /// Whether receipts count.
    pub(super) receipts: bool,
    /// The factor of transmission times while the rank computes.
    pub(super) ports: PortFactor,
}

/// Returns `factor` in parts of [`ONE`].
fn parts(factor: f64) -> Result<u32, ConfigError> {
    let parts = (factor * f64::from(ONE)).round();
    if ((parts / f64::from(ONE)) - factor).abs() > 1e-12 {
        return Err(ConfigError::new(
            "overlap",
            format!("the factor {factor} has more than six digits after the point"),
            "write for example 1.2",
        ));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range of the factor"
    )]
    let parts = parts as u32;
    Ok(parts)
}

impl Overlap {
    /// Returns computations that take `compute` times as long while a message is under way.
    #[must_use]
    pub fn of_compute(compute: f64) -> Self {
        Self {
            compute: Some(compute),
            ..Self::default()
        }
    }

    /// Returns `true` if computations slow messages down.
    pub(crate) fn slows_ports(&self) -> bool {
        self.communication.is_some_and(|factor| factor > 1.0)
    }

    /// Returns the slowdown, or `None` if both factors are 1. `computes` says if operations compute
    /// at all.
    ///
    /// # Errors
    /// Fails if there is no factor, if a factor is out of its range or has more than six digits
    /// after the point, if `receipts` has no effect, or if nothing computes.
    pub(crate) fn slowdown(&self, computes: bool) -> Result<Option<Slowdown>, ConfigError> {
        self.validate_ranges()
            .map_err(|error| ConfigError::new("overlap", error.message, error.help))?;
        if self.compute.is_none() && self.communication.is_none() {
            return Err(ConfigError::new(
                "overlap",
                "neither `compute` nor `communication` is given, so that the key would have no \
                 effect",
                "write for example { compute = 1.2, communication = 1.3 }",
            ));
        }
        if self.compute.is_none() && !self.receipts {
            return Err(ConfigError::new(
                "overlap",
                "`receipts` has no effect without `compute`",
                "leave `receipts` out, or add for example compute = 1.2",
            ));
        }
        let factor = parts(self.compute.unwrap_or(1.0))?;
        let ports = PortFactor::from_millionths(parts(self.communication.unwrap_or(1.0))?)
            .expect("factors in their range are at least 1");
        if !computes {
            return Err(ConfigError::new(
                "overlap",
                "no operation computes, so that the key would have no effect",
                "give computing times, or leave the key out",
            ));
        }
        let slowdown = Slowdown {
            factor,
            receipts: self.receipts,
            ports,
        };
        Ok((factor > ONE || ports > PortFactor::ONE).then_some(slowdown))
    }
}

impl Slowdown {
    /// Returns `true` if messages slow computations down.
    pub(super) const fn is_of_computations(&self) -> bool {
        self.factor > ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_of_one_slow_nothing() {
        let keys = Overlap {
            communication: Some(1.0),
            ..Overlap::of_compute(1.0)
        };
        assert_eq!(keys.slowdown(true).unwrap(), None);
        assert!(!keys.slows_ports());
        assert!(keys.slowdown(false).is_err());
    }

    #[test]
    fn factors_that_are_none_are_refused() {
        let refused = |factor, computes| {
            let of_ports = Overlap {
                communication: Some(factor),
                ..Overlap::default()
            };
            let of_ports = of_ports.slowdown(computes).unwrap_err();
            let error = Overlap::of_compute(factor).slowdown(computes).unwrap_err();
            assert_eq!([error.key, of_ports.key], ["overlap", "overlap"]);
            assert_eq!(error.message, of_ports.message);
            error.message
        };
        let error = Overlap::default().slowdown(true).unwrap_err();
        assert!(error.message.contains("neither"), "{}", error.message);
        let lonely = Overlap {
            receipts: false,
            communication: Some(1.3),
            ..Overlap::default()
        };
        let error = lonely.slowdown(true).unwrap_err();
        assert!(
            error.message.contains("without `compute`"),
            "{}",
            error.message
        );
        assert!(refused(0.9, true).contains("outside the range"));
        assert!(refused(f64::NAN, true).contains("outside the range"));
        assert!(refused(1.000_000_5, true).contains("six digits"));
        assert!(refused(1.2, false).contains("no operation computes"));
        assert!(Overlap::of_compute(1000.0).slowdown(true).is_ok());
        let exact = Overlap::of_compute(1.000_001);
        let exact = exact.slowdown(true).unwrap();
        assert_eq!(exact.map(|exact| exact.factor), Some(1_000_001));
    }
}
