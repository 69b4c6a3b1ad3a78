//! The random numbers with which the published simulator decides about marks.

use fabricsim_base::checkpoint::Checkpointed;

/// The two moduli of MRG32k3a.
const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;
/// 1 / (M1 + 1).
const NORM: f64 = 1.0 / (M1 + 1) as f64;

type Vector = [u64; 3];
type Matrix = [[u64; 3]; 3];

/// One step of each component.
const A1: Matrix = [[0, 1, 0], [0, 0, 1], [M1 - 810_728, 1_403_580, 0]];
const A2: Matrix = [[0, 1, 0], [0, 0, 1], [M2 - 1_370_589, 0, 527_612]];

fn apply(matrix: &Matrix, vector: &Vector, modulus: u64) -> Vector {
    matrix.map(|row| {
        row.iter()
            .zip(vector)
            .fold(0, |sum, (a, b)| (sum + a * b % modulus) % modulus)
    })
}

fn product(a: &Matrix, b: &Matrix, modulus: u64) -> Matrix {
    let column = |j: usize| apply(a, &[b[0][j], b[1][j], b[2][j]], modulus);
    let columns = [column(0), column(1), column(2)];
    [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i]])
}

/// Returns `matrix` to the power of 2^`doublings`.
fn raised(matrix: &Matrix, doublings: u32, modulus: u64) -> Matrix {
    (0..doublings).fold(*matrix, |power, _| product(&power, &power, modulus))
}

/// Returns `matrix` to the power of `exponent`.
fn power(matrix: &Matrix, exponent: u64, modulus: u64) -> Matrix {
    const IDENTITY: Matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut square = *matrix;
    let mut result = IDENTITY;
    for bit in 0..u64::BITS - exponent.leading_zeros() {
        if exponent >> bit & 1 != 0 {
            result = product(&result, &square, modulus);
        }
        square = product(&square, &square, modulus);
    }
    result
}

/// The first numbers of consecutive streams of the generator MRG32k3a (L'Ecuyer 1999; streams are
/// 2^127 steps apart, L'Ecuyer et al. 2002).
///
/// The published simulator creates a new variable for every decision about a mark, and each new
/// variable gets the next stream of ns-3 (seed 1; its run is the substream, of 2^76 steps each).
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct PublishedDraws {
    first: Vector,
    second: Vector,
    #[checkpoint(rebuilt)]
    jump_first: Matrix,
    #[checkpoint(rebuilt)]
    jump_second: Matrix,
}

impl PublishedDraws {
    /// Returns the source of the draws that decide about marks in a network of `nodes` nodes, as in
    /// the published simulator's run `run` (1 by default).
    #[must_use]
    pub fn new(nodes: u64, run: u64) -> Self {
        // By then, ns-3 has assigned six streams to each node and two to its loss model.
        let stream = 6 * nodes + 2;
        let (jump_first, jump_second) = (raised(&A1, 127, M1), raised(&A2, 127, M2));
        let start = |step: &Matrix, jump: &Matrix, modulus| {
            let substream = power(&raised(step, 76, modulus), run, modulus);
            let streams = power(jump, stream, modulus);
            apply(&substream, &apply(&streams, &[1; 3], modulus), modulus)
        };
        Self {
            first: start(&A1, &jump_first, M1),
            second: start(&A2, &jump_second, M2),
            jump_first,
            jump_second,
        }
    }

    fn advance(&mut self) {
        self.first = apply(&self.jump_first, &self.first, M1);
        self.second = apply(&self.jump_second, &self.second, M2);
    }

    /// Returns the first number of the current stream, between 0 and 1, and moves to the next
    /// stream.
    pub(crate) fn draw(&mut self) -> f64 {
        let [.., p1] = apply(&A1, &self.first, M1);
        let [.., p2] = apply(&A2, &self.second, M2);
        let difference = if p1 > p2 { p1 - p2 } else { p1 + M1 - p2 };
        self.advance();
        difference as f64 * NORM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_known_numbers() {
        // L'Ecuyer's reference implementation with all seeds 12345 begins with 0.127011122...
        let (s1, s2) = ([12_345; 3], [12_345; 3]);
        let [.., p1] = apply(&A1, &s1, M1);
        let [.., p2] = apply(&A2, &s2, M2);
        let u = if p1 > p2 { p1 - p2 } else { p1 + M1 - p2 } as f64 * NORM;
        assert!((u - 0.127_011_122).abs() < 1e-9, "{u}");
    }

    #[test]
    fn streams_begin_at_the_known_states() {
        // The second stream of the package of 2002 begins with these values.
        let seed = [12_345; 3];
        let first = apply(&raised(&A1, 127, M1), &seed, M1);
        assert_eq!(first, [3_692_455_944, 1_366_884_236, 2_968_912_127]);
        let second = apply(&raised(&A2, 127, M2), &seed, M2);
        assert_eq!(second, [335_948_734, 4_161_675_175, 475_798_818]);
    }
}
