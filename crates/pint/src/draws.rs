//! Random numbers to round with.

use fabricsim_base::rng::Stream;

/// A sequence of random numbers that rounding draws from.
pub trait Draws {
    /// A number whose low bits are random: at least the lowest 31.
    fn bits(&mut self) -> u64;

    /// Uniform in [0, 1).
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
