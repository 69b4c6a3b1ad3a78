//! Exact physical quantities: time in picoseconds, sizes in bytes, rates in bits per second.
//!
//! At every common link rate from 10 Gbps to 1.6 Tbps, a byte takes a whole number of picoseconds,
//! and a `u64` of picoseconds covers 213 days. So simulated time never rounds and never wraps. If a
//! rate does not divide evenly, the transmission time is rounded up.
//!
//! `+`, `-` and `*` behave like the underlying integers. An overflow is a broken invariant: it
//! panics in builds with overflow checks (all tests), and wraps otherwise, because the packet path
//! cannot afford a check. It does not occur, because user input is limited by
//! [`limits`](crate::limits), and a run ends at [`Time::HORIZON`]. A program that adds its own
//! quantities should use `saturating_add`, `saturating_sub` and `saturating_mul`.

mod display;
mod ops;
mod parse;
#[cfg(feature = "serde")]
mod serde_impl;

use crate::checkpoint::{LoadError, Reader, Stored, Writer};
use std::num::NonZeroU64;

pub use parse::UnitError;

const PS_PER_NS: u64 = 1_000;
const PS_PER_US: u64 = 1_000_000;
const PS_PER_MS: u64 = 1_000_000_000;
const PS_PER_S: u64 = 1_000_000_000_000;

/// A point in simulated time: picoseconds since the start of the simulation.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Time(u64);

/// A span of simulated time in picoseconds.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Duration(u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Bytes(u64);

impl Stored for Time {
    fn store(&self, out: &mut Writer) {
        out.time(self.0);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        input.integer().map(Self)
    }
}

macro_rules! quantity {
    ($($type:ident)*) => {$(
        impl Stored for $type {
            fn store(&self, out: &mut Writer) {
                out.quantity(self.0);
            }

            fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
                input.integer().map(Self)
            }
        }
    )*};
}

quantity!(Duration Bytes);

/// A rate in bits per second; never zero.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
pub struct Rate(NonZeroU64);

impl Time {
    /// The start of the simulation.
    pub const ZERO: Self = Self(0);
    /// Later than every event: "never".
    pub const MAX: Self = Self(u64::MAX);
    /// The latest simulated time: 2^62 ps, 53 days. Beyond it, sums of times could wrap.
    pub const HORIZON: Self = Self(1 << 62);

    /// Returns the time `ps` picoseconds after the start.
    #[inline]
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns the time `ns` nanoseconds after the start.
    #[inline]
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * PS_PER_NS)
    }

    /// Returns the picoseconds since the start.
    #[inline]
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the whole nanoseconds since the start, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PS_PER_NS
    }

    /// Returns the seconds since the start, for display and statistics.
    #[inline]
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// Returns the span from `earlier` to `self`; zero if `earlier` is later.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// Returns `self + span`, or [`Time::MAX`] if that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// Returns the latest time before `self`; the start of the simulation stays unchanged.
    #[inline]
    #[must_use]
    pub const fn just_before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl Duration {
    /// A span of zero.
    pub const ZERO: Self = Self(0);
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// Returns a span of `ps` picoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns a span of `ns` nanoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * PS_PER_NS)
    }

    /// Returns a span of `us` microseconds.
    #[inline]
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Self(us * PS_PER_US)
    }

    /// Returns a span of `ms` milliseconds.
    #[inline]
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * PS_PER_MS)
    }

    /// Returns a span of `secs` seconds, rounded to the nearest picosecond; zero for negative
    /// numbers and not-a-number.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float-to-integer cast saturates, which is the documented behavior"
    )]
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * PS_PER_S as f64 + 0.5) as u64)
    }

    /// Returns the picoseconds.
    #[inline]
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the whole nanoseconds, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PS_PER_NS
    }

    /// Returns the seconds, for algorithms and statistics.
    #[inline]
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// Returns `self - other`, or zero if `other` is longer.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns `self + other`, or [`Duration::MAX`] if that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns `self * factor`, or [`Duration::MAX`] if that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Bytes {
    /// A size of zero.
    pub const ZERO: Self = Self(0);

    /// Returns a size of `bytes` bytes.
    #[inline]
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Returns the number of bytes.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the number of bytes as a float, for algorithms and statistics.
    #[inline]
    #[must_use]
    pub fn as_f64(self) -> f64 {
        // A signed number takes one instruction to convert, an unsigned one six.
        if self.0 >> 63 == 0 {
            self.0.cast_signed() as f64
        } else {
            self.0 as f64
        }
    }

    /// Returns `self + other`, or 2^64 - 1 bytes if that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns `self - other`, or zero if `other` is larger.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns `self * factor`, or 2^64 - 1 bytes if that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Rate {
    /// Returns a rate in bits per second, or `None` for zero.
    #[inline]
    #[must_use]
    pub const fn from_bps(bps: u64) -> Option<Self> {
        match NonZeroU64::new(bps) {
            Some(bps) => Some(Self(bps)),
            None => None,
        }
    }

    /// Returns a rate in Gbps (10^9 bits per second).
    ///
    /// # Panics
    /// Panics if `gbps` is zero.
    #[must_use]
    pub const fn from_gbps(gbps: u64) -> Self {
        match Self::from_bps(gbps * 1_000_000_000) {
            Some(rate) => rate,
            None => panic!("a rate is never zero"),
        }
    }

    /// Returns a rate in Mbps (10^6 bits per second).
    ///
    /// # Panics
    /// Panics if `mbps` is zero.
    #[must_use]
    pub const fn from_mbps(mbps: u64) -> Self {
        match Self::from_bps(mbps * 1_000_000) {
            Some(rate) => rate,
            None => panic!("a rate is never zero"),
        }
    }

    /// Returns `bps` rounded down to whole bits per second, at least 1 bit/s.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float-to-integer cast saturates, which is the documented behavior"
    )]
    pub fn from_bps_f64(bps: f64) -> Self {
        Self(NonZeroU64::new(bps as u64).unwrap_or(NonZeroU64::MIN))
    }

    /// Returns the bits per second.
    #[inline]
    #[must_use]
    pub const fn as_bps(self) -> u64 {
        self.0.get()
    }

    /// Returns the bits per second as a float, for algorithms and statistics.
    #[inline]
    #[must_use]
    pub fn as_bps_f64(self) -> f64 {
        self.0.get() as f64
    }

    /// Returns the transmission time of `size` at this rate, rounded up to a picosecond.
    #[inline]
    #[must_use]
    pub fn transmission(self, size: Bytes) -> Duration {
        const BYTE_PS: u64 = 8 * PS_PER_S;
        // Sizes of packets fit 64-bit arithmetic, which is several times faster than 128-bit
        // division.
        if size.0 < 1 << 20 {
            return Duration((size.0 * BYTE_PS).div_ceil(self.0.get()));
        }
        let ps = (u128::from(size.0) * u128::from(BYTE_PS)).div_ceil(u128::from(self.0.get()));
        Duration(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Returns the transmission time of `size` as ns-3.17 computes it: the quotient in double
    /// precision, converted to a 64.64 fixed-point number and truncated to nanoseconds. If the
    /// exact value is an integer and the double is below it, the result is one less.
    #[inline]
    #[must_use]
    pub fn transmission_truncated_ns(self, size: Bytes) -> Duration {
        let seconds = size.0.saturating_mul(8) as f64 / self.0.get() as f64;
        Duration::from_ns(truncated_ns(seconds))
    }

    /// Returns the bytes that this rate carries in `span`, rounded down: the bandwidth-delay
    /// product if `span` is a round-trip time.
    #[must_use]
    pub fn bytes_in(self, span: Duration) -> Bytes {
        let bytes = u128::from(self.0.get()) * u128::from(span.0) / (8 * u128::from(PS_PER_S));
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

/// Returns the nanoseconds in `seconds`, truncated as in ns-3.17: through a 64.64 fixed-point
/// number.
///
/// `seconds` must be finite and from 0 to 2^33; otherwise the result is 0.
#[inline]
#[must_use]
pub fn truncated_ns(seconds: f64) -> u64 {
    let bits = seconds.to_bits();
    let exponent = (bits >> 52) & 0x7ff;
    let mantissa = u128::from((bits & ((1 << 52) - 1)) | (1 << 52));
    // seconds = mantissa x 2^(exponent - 1075); the fixed-point number is that times 2^64.
    let fixed = match exponent {
        0 => 0,
        1..1011 => mantissa >> (1011 - exponent).min(127),
        1011..1056 => mantissa << (exponent - 1011),
        _ => return 0,
    };
    u64::try_from(
        (fixed >> 64) * u128::from(PS_PER_S / PS_PER_NS)
            + (((fixed & u128::from(u64::MAX)) * u128::from(PS_PER_S / PS_PER_NS)) >> 64),
    )
    .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
