//! Exact physical quantities: time in picoseconds, sizes in bytes, rates in bits per second.
//!
//! A byte lasts a whole number of picoseconds at every common link rate from 10 Gbps to 1.6 Tbps,
//! and a `u64` of picoseconds spans 213 days, so simulated time never rounds and never wraps.
//! Where a rate does not divide evenly the transmission time is rounded up.
//!
//! `+`, `-` and `*` are those of the numbers beneath: an overflow is a broken invariant, which
//! panics in builds with overflow checks (those of all tests) and wraps in others, where the packet
//! path cannot afford to look. What users give is held to the [`limits`](crate::limits), and
//! [`Time::HORIZON`] ends a run, so that it does not occur. A program that adds quantities of its
//! own uses `saturating_add`, `saturating_sub` and `saturating_mul`.

mod display;
mod ops;
mod parse;
#[cfg(feature = "serde")]
mod serde_impl;

use crate::checkpoint::Stored;
use std::num::NonZeroU64;

pub use parse::UnitError;

const PS_PER_NS: u64 = 1_000;
const PS_PER_US: u64 = 1_000_000;
const PS_PER_MS: u64 = 1_000_000_000;
const PS_PER_S: u64 = 1_000_000_000_000;

/// An instant of simulated time: picoseconds since the start of the simulation.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
pub struct Time(u64);

/// A span of simulated time in picoseconds.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
pub struct Duration(u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
pub struct Bytes(u64);

/// A rate in bits per second; never zero.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
pub struct Rate(NonZeroU64);

impl Time {
    /// The start of the simulation.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens: "never".
    pub const MAX: Self = Self(u64::MAX);
    /// The end of what can be simulated: 2^62 ps, 53 days. Beyond it sums of times could wrap.
    pub const HORIZON: Self = Self(1 << 62);

    /// The instant `ps` picoseconds after the start.
    #[inline]
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// The instant `ns` nanoseconds after the start.
    #[inline]
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * PS_PER_NS)
    }

    /// Picoseconds since the start.
    #[inline]
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Whole nanoseconds since the start, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PS_PER_NS
    }

    /// Seconds since the start, for display and statistics.
    #[inline]
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// The span from `earlier` to `self`; zero when `earlier` is later.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, or [`Time::MAX`] where that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The last instant before `self`; the start of the simulation has none and stays.
    #[inline]
    #[must_use]
    pub const fn just_before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of `ps` picoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// A span of `ns` nanoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * PS_PER_NS)
    }

    /// A span of `us` microseconds.
    #[inline]
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Self(us * PS_PER_US)
    }

    /// A span of `ms` milliseconds.
    #[inline]
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * PS_PER_MS)
    }

    /// The span of `secs` seconds rounded to the nearest picosecond; negative and not-a-number give
    /// zero.
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

    /// Picoseconds.
    #[inline]
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Whole nanoseconds, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PS_PER_NS
    }

    /// Seconds, for algorithms and statistics.
    #[inline]
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// `self - other`, or zero when `other` is longer.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self + other`, or [`Duration::MAX`] where that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self * factor`, or [`Duration::MAX`] where that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// A size of `bytes` bytes.
    #[inline]
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bytes as a float, for algorithms and statistics.
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

    /// `self + other`, or 2^64 - 1 bytes where that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self - other`, or zero when `other` is larger.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self * factor`, or 2^64 - 1 bytes where that overflows.
    #[inline]
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Rate {
    /// A rate in bits per second, or `None` for zero.
    #[inline]
    #[must_use]
    pub const fn from_bps(bps: u64) -> Option<Self> {
        match NonZeroU64::new(bps) {
            Some(bps) => Some(Self(bps)),
            None => None,
        }
    }

    /// A rate in Gbps (10^9 bits per second).
    ///
    /// # Panics
    /// When `gbps` is zero.
    #[must_use]
    pub const fn from_gbps(gbps: u64) -> Self {
        match Self::from_bps(gbps * 1_000_000_000) {
            Some(rate) => rate,
            None => panic!("a rate is never zero"),
        }
    }

    /// A rate in Mbps (10^6 bits per second).
    ///
    /// # Panics
    /// When `mbps` is zero.
    #[must_use]
    pub const fn from_mbps(mbps: u64) -> Self {
        match Self::from_bps(mbps * 1_000_000) {
            Some(rate) => rate,
            None => panic!("a rate is never zero"),
        }
    }

    /// The rate nearest below `bps` bits per second, at least 1 bit/s.
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

    /// Bits per second.
    #[inline]
    #[must_use]
    pub const fn as_bps(self) -> u64 {
        self.0.get()
    }

    /// Bits per second as a float, for algorithms and statistics.
    #[inline]
    #[must_use]
    pub fn as_bps_f64(self) -> f64 {
        self.0.get() as f64
    }

    /// The time that `size` takes on a wire of this rate, rounded up to a picosecond.
    #[inline]
    #[must_use]
    pub fn transmission(self, size: Bytes) -> Duration {
        const BYTE_PS: u64 = 8 * PS_PER_S;
        // Packets fit 64-bit arithmetic, which is several times faster than 128-bit division.
        if size.0 < 1 << 20 {
            return Duration((size.0 * BYTE_PS).div_ceil(self.0.get()));
        }
        let ps = (u128::from(size.0) * u128::from(BYTE_PS)).div_ceil(u128::from(self.0.get()));
        Duration(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// The time that `size` takes on a wire of this rate as ns-3.17 computes it: the quotient in
    /// double precision, converted to a 64.64 fixed-point number and truncated to nanoseconds. It
    /// is one less than the floor of the exact value where that is an integer and the double below
    /// it.
    #[inline]
    #[must_use]
    pub fn transmission_truncated_ns(self, size: Bytes) -> Duration {
        let seconds = size.0.saturating_mul(8) as f64 / self.0.get() as f64;
        Duration::from_ns(truncated_ns(seconds))
    }

    /// The bytes that this rate carries in `span`, rounded down: the bandwidth-delay product when
    /// `span` is a round-trip time.
    #[must_use]
    pub fn bytes_in(self, span: Duration) -> Bytes {
        let bytes = u128::from(self.0.get()) * u128::from(span.0) / (8 * u128::from(PS_PER_S));
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

/// Nanoseconds in `seconds`, truncated as ns-3.17 does: through a 64.64 fixed-point number.
///
/// Takes finite values from 0 to 2^33; others give 0.
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
