//! The factor by which an application slows the ports of its host.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Duration;

/// A factor of transmission times: at least 1, in millionths.
///
/// A packet that takes 80,000 ps on the wire takes 104,000 ps with a factor of 1.3.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub struct PortFactor(u32);

impl PortFactor {
    /// Millionths in a factor of 1.
    pub const MILLIONTHS: u32 = 1_000_000;

    /// The factor of ports that are not slowed.
    pub const ONE: Self = Self(Self::MILLIONTHS);

    /// Returns a factor of so many millionths, or `None` if it is below 1.
    #[must_use]
    pub const fn from_millionths(millionths: u32) -> Option<Self> {
        match millionths {
            0..Self::MILLIONTHS => None,
            _ => Some(Self(millionths)),
        }
    }

    /// Returns the factor in millionths.
    #[must_use]
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// Returns `time` multiplied by the factor, rounded up to a picosecond.
    #[must_use]
    pub fn times(self, time: Duration) -> Duration {
        if self == Self::ONE {
            return time;
        }
        let product = u128::from(time.as_ps()) * u128::from(self.0);
        let ps = product.div_ceil(u128::from(Self::MILLIONTHS));
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

impl Default for PortFactor {
    fn default() -> Self {
        Self::ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_rounded_up() {
        let times = |millionths, ps| {
            let factor = PortFactor::from_millionths(millionths).unwrap();
            factor.times(Duration::from_ps(ps)).as_ps()
        };
        assert_eq!(times(1_300_000, 80_000), 104_000);
        // 1.000001 * 999,999 = 999,999.999999.
        assert_eq!(times(1_000_001, 999_999), 1_000_000);
        assert_eq!(times(1_000_001, 1), 2);
        assert_eq!(times(1_000_000, u64::MAX), u64::MAX);
        assert_eq!(times(2_000_000, u64::MAX), u64::MAX);
        assert_eq!(PortFactor::from_millionths(999_999), None);
    }
}
