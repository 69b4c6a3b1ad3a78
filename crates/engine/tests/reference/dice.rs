//! Choices determined by a seed.

use fabricsim_base::rng::mix;

/// A source of choices.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % below
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[index(self.roll(from.len() as u64))]
    }
}

pub(crate) fn index(number: u64) -> usize {
    usize::try_from(number).expect("a small number")
}

pub(crate) fn small(number: usize) -> u32 {
    u32::try_from(number).expect("a small number")
}
