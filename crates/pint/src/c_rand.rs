//! The random numbers of the C library.

use crate::draws::Draws;
use fabricsim_base::checkpoint::Stored;

/// Distances to the two earlier numbers that are added to give the next one.
const DEGREE: usize = 31;
const SEPARATION: usize = 3;
/// Numbers discarded after seeding.
const DISCARDED: usize = 10 * DEGREE;

/// `rand()` of the GNU C library in a program that never seeds it: the additive feedback generator
/// over `x^31 + x^3 + 1` (its TYPE_3) with seed 1.
#[derive(Clone, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(crate) struct CRand {
    /// The last `DEGREE` sums; the oldest is at index `oldest`.
    sums: [u32; DEGREE],
    oldest: usize,
}

impl CRand {
    /// Returns the generator in its state at program start.
    pub(crate) fn unseeded() -> Self {
        let mut sums = [1u32; DEGREE];
        for i in 1..DEGREE {
            // Lehmer's generator with the multiplier of Park and Miller.
            let product = u64::from(sums[i - 1]) * 16_807 % 0x7fff_ffff;
            sums[i] = u32::try_from(product).expect("below 2^31");
        }
        let mut generator = Self {
            sums,
            oldest: SEPARATION,
        };
        for _ in 0..DISCARDED {
            generator.draw();
        }
        generator
    }

    /// Returns the next number, of 31 bits.
    #[inline]
    pub(crate) fn draw(&mut self) -> u32 {
        let other = (self.oldest + DEGREE - SEPARATION) % DEGREE;
        let sum = self.sums[self.oldest].wrapping_add(self.sums[other]);
        self.sums[self.oldest] = sum;
        self.oldest = (self.oldest + 1) % DEGREE;
        sum >> 1
    }
}

impl Draws for CRand {
    #[inline]
    fn bits(&mut self) -> u64 {
        u64::from(self.draw())
    }

    /// Returns a multiple of 1/65536: the published simulator compares chances with
    /// `rand() % 65536`.
    #[inline]
    fn uniform(&mut self) -> f64 {
        f64::from(self.draw() % 65_536) * (1.0 / 65_536.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unseeded_program_draws_the_known_numbers() {
        let mut rand = CRand::unseeded();
        let first = [(); 5].map(|()| rand.draw());
        assert_eq!(
            first,
            [
                1_804_289_383,
                846_930_886,
                1_681_692_777,
                1_714_636_915,
                1_957_747_793
            ]
        );
    }

    #[test]
    fn a_chance_is_compared_with_the_sixteen_low_bits() {
        let mut rand = CRand::unseeded();
        let want = f64::from(1_804_289_383 % 65_536) / 65_536.0;
        assert!((rand.uniform() - want).abs() < f64::EPSILON);
        assert_eq!(rand.bits(), 846_930_886);
    }
}
