//! Random numbers for rounding.

use fabricsim_base::rng::Stream;

/// A sequence of random numbers that rounding draws from.
pub trait Draws {
    /// Returns a number with random low bits: at least the lowest 31.
    fn bits(&mut self) -> u64;

    /// Returns a number that is uniform in [0, 1).
    fn uniform(&mut self) -> f64;
}

impl Draws for Stream {
    #[inline]
    fn bits(&mut self) -> u64 {
        self.next_u64()
    }

    #[inline]
    fn uniform(&mut self) -> f64 {
        Self::uniform(self)
    }
}
