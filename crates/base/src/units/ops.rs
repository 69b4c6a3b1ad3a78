//! Sums, differences and products. They overflow like the underlying integers; see [`super`].

use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use super::{Bytes, Duration, Time};

impl Add<Duration> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Duration) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        self.0 += span.0;
    }
}

impl Add for Duration {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Duration {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    #[inline]
    fn mul(self, factor: u64) -> Self {
        Self(self.0 * factor)
    }
}

impl Add for Bytes {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl std::iter::Sum for Bytes {
    /// Returns the sum, or 2^64 - 1 bytes if that overflows.
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Self::saturating_add)
    }
}
