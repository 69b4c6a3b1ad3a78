//! Random numbers of a mutant. They depend only on its number.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

pub(crate) struct Draw(Pcg64Mcg);

impl Draw {
    /// Returns the random numbers of mutant `number`.
    pub(crate) fn of(number: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(number))
    }

    /// Returns a number below `end`, which is at least 1.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a length");
        usize::try_from(self.0.next_u64() % end).expect("below a length")
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.0.next_u64().to_le_bytes()[0]
    }

    /// Returns one of `all`.
    pub(crate) fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
