//! Logarithms and powers by table, like in a switch (PINT, appendix B; matching of leading bits as
//! in Sharma et al., NSDI 2017).

use crate::draws::Draws;

/// Treatment of the excess low-order bits of a number.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LowBits {
    /// Round up at random, with a probability of the dropped fraction, which keeps the mean.
    Random,
    /// Round to the nearest.
    Nearest,
}

impl LowBits {
    /// Returns `x` without its `count` lowest bits, rounded.
    #[inline]
    fn dropped(self, x: u64, count: u32, draws: &mut impl Draws) -> u64 {
        if count == 0 {
            return x;
        }
        let mask = (1u64 << count) - 1;
        let up = match self {
            Self::Random => (draws.bits() & mask) < (x & mask),
            Self::Nearest => x & mask > mask >> 1,
        };
        (x >> count) + u64::from(up)
    }

    /// Returns `x` (at least 0), rounded to a whole number.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 0; larger numbers saturate"
    )]
    pub(crate) fn whole(self, x: f64, draws: &mut impl Draws) -> u64 {
        match self {
            Self::Random => (x + draws.uniform()) as u64,
            Self::Nearest => (x + 0.5) as u64,
        }
    }
}

/// Rounding of the logarithms in a table to its resolution.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogRounding {
    /// Rounded down.
    Floor,
    /// Rounded to the nearest value.
    Nearest,
}

/// Binary logarithms of integers, looked up by the position of the leading bit and the bits after
/// it.
#[derive(Clone, Debug)]
pub struct LogTable {
    significant_bits: u32,
    fraction_bits: u32,
    low_bits: LowBits,
    /// Logarithm of each number of up to `significant_bits` bits, and of the next number. The entry
    /// of 0 is unused.
    values: Vec<u32>,
}

impl LogTable {
    /// Returns the table for `significant_bits` leading bits (1 to 24), with `fraction_bits` (at
    /// most 24) in each result.
    ///
    /// # Panics
    /// Panics if a parameter is out of range.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 24 in units of 2^-24"
    )]
    pub fn new(
        significant_bits: u32,
        fraction_bits: u32,
        rounding: LogRounding,
        low_bits: LowBits,
    ) -> Self {
        assert!(
            (1..=24).contains(&significant_bits) && fraction_bits <= 24,
            "a table that memory holds"
        );
        let unit = f64::from(1u32 << fraction_bits);
        let half = match rounding {
            LogRounding::Floor => 0.0,
            LogRounding::Nearest => 0.5,
        };
        let logs =
            (1..=1u32 << significant_bits).map(|x| (libm::log2(f64::from(x)) * unit + half) as u32);
        Self {
            significant_bits,
            fraction_bits,
            low_bits,
            values: std::iter::once(0).chain(logs).collect(),
        }
    }

    /// Returns the logarithm of `x` (at least 1), in units of the last fraction bit. A number with
    /// more than the significant bits is first rounded to them.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number of the significant bits"
    )]
    pub fn log2(&self, x: u64, draws: &mut impl Draws) -> u64 {
        let width = u64::BITS - x.leading_zeros();
        let shift = width.saturating_sub(self.significant_bits);
        let kept = self.low_bits.dropped(x, shift, draws);
        u64::from(self.values[kept as usize]) + (u64::from(shift) << self.fraction_bits)
    }

    /// Returns the value of one unit of a result.
    #[must_use]
    pub fn unit(&self) -> f64 {
        1.0 / f64::from(1u32 << self.fraction_bits)
    }

    /// Returns the number of rules that a switch needs for numbers of up to `input_bits`. Each
    /// number of up to the significant bits has one rule. Each additional bit adds one rule for
    /// each number with the leading bit set.
    #[must_use]
    pub const fn rules(&self, input_bits: u32) -> u64 {
        let wider = input_bits.saturating_sub(self.significant_bits) as u64;
        (1 << self.significant_bits) - 1 + (wider << (self.significant_bits - 1))
    }
}

/// Fraction bits of the powers in a table, which are below 2.
const POWER_BITS: i32 = 31;

/// Powers of two: a table for the fraction of the exponent, a shift for the rest.
#[derive(Clone, Debug)]
pub struct ExpTable {
    low_bits: LowBits,
    values: Vec<u32>,
}

impl ExpTable {
    /// Returns a table of 2^`index_bits` powers (1 to 24 bits).
    ///
    /// # Panics
    /// Panics if `index_bits` is out of range.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below 2 in units of 2^-31"
    )]
    pub fn new(index_bits: u32, low_bits: LowBits) -> Self {
        assert!((1..=24).contains(&index_bits), "a table that memory holds");
        let entries = 1u32 << index_bits;
        let unit = f64::from(1u32 << POWER_BITS);
        Self {
            low_bits,
            values: (0..entries)
                .map(|i| (libm::exp2(f64::from(i) / f64::from(entries)) * unit + 0.5) as u32)
                .collect(),
        }
    }

    /// Returns 2 to the power of `exponent`.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an index has at most 24 bits, an exponent of products few more than 6"
    )]
    pub fn exp2(&self, exponent: f64, draws: &mut impl Draws) -> f64 {
        let floor = exponent.floor();
        let entries = self.values.len() as u64;
        let index = self
            .low_bits
            .whole((exponent - floor) * entries as f64, draws);
        // The entry after the last one is twice the first entry.
        let (index, carry) = if index < entries { (index, 0) } else { (0, 1) };
        libm::scalbn(
            f64::from(self.values[index as usize]),
            floor as i32 + carry - POWER_BITS,
        )
    }
}

#[cfg(test)]
mod tests;
