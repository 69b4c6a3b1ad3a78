//! Linear network coding, for comparison with PINT.

use fabricsim_base::input::ConfigError;

use crate::hash::GlobalHash;

use super::choice::{Choice, Chosen};
use super::hop_set::HopSet;

/// Random linear network coding over GF(2) (PINT, section 4.2, "Comparison with linear network
/// coding"): each hop xors its whole number into the digest with a probability of 1/2, and the sink
/// solves a system of equations.
///
/// It needs the fewest packets, k + 1.6 for k hops on average. But a digest is as wide as a switch
/// number, and decoding is expensive: each of the k stored equations is subtracted up to k times
/// from other equations. This takes k^3 bit operations, here k^2 word operations for k up to 64.
#[derive(Clone, Debug)]
pub struct NetworkCoding {
    choice: GlobalHash,
    half: Chosen,
}

impl NetworkCoding {
    /// Returns the scheme with the hash function of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let half: Result<Chosen, ConfigError> = Choice::BitVectors { bits: 1 }.with(0.5);
        Self {
            choice: GlobalHash::new(seed),
            half: half.expect("a half is one binary digit"),
        }
    }

    /// Returns the digest of `packet` after it has passed `switch`, hop `hop` (from 1) of its path.
    /// `digest` is the previous value.
    ///
    /// # Panics
    /// Panics if `hop` is zero.
    #[must_use]
    pub fn encode(&self, digest: u64, packet: u64, hop: u8, switch: u64) -> u64 {
        assert!(hop > 0, "hops are counted from 1");
        if self.half.acts(self.choice, packet, hop) {
            digest ^ switch
        } else {
            digest
        }
    }

    /// Returns the digest of `packet` after it has passed all switches of `path`. This is
    /// equivalent to calling [`encode`](Self::encode) for each in turn.
    ///
    /// # Panics
    /// Panics if the path has more than 255 hops.
    #[must_use]
    pub fn digest_of(&self, packet: u64, path: &[u64]) -> u64 {
        let hops = u8::try_from(path.len()).expect("a path has at most 255 hops");
        let acting = self.half.acting(self.choice, packet, hops);
        let switches = acting.iter().map(|hop| path[usize::from(hop) - 1]);
        switches.fold(0, |digest, switch| digest ^ switch)
    }

    /// Returns the sink of one flow that passes `hops` switches.
    #[must_use]
    pub fn sink(&self, hops: u8) -> CodingSink {
        CodingSink {
            coding: self.clone(),
            rows: vec![None; usize::from(hops)],
            missing: usize::from(hops),
        }
    }
}

/// Solves for the path of one flow by Gaussian elimination as digests arrive.
#[derive(Clone, Debug)]
pub struct CodingSink {
    coding: NetworkCoding,
    /// For each hop, an equation with this hop as its first unknown.
    rows: Vec<Option<Equation>>,
    /// Number of hops without an equation.
    missing: usize,
}

/// The xor of the switches of `hops` is `value`.
#[derive(Clone, Copy, Debug)]
struct Equation {
    hops: HopSet,
    value: u64,
}

impl CodingSink {
    /// Records the `digest` of `packet`.
    pub fn record(&mut self, packet: u64, digest: u64) {
        let hops = u8::try_from(self.rows.len()).expect("as many as a path has");
        let mut equation = Equation {
            hops: self.coding.half.acting(self.coding.choice, packet, hops),
            value: digest,
        };
        while let Some(first) = equation.hops.first() {
            let row = &mut self.rows[usize::from(first) - 1];
            match row {
                Some(row) => equation = equation.minus(row),
                None => {
                    *row = Some(equation);
                    self.missing -= 1;
                    return;
                }
            }
        }
    }

    /// Returns the switches in path order, or `None` until there is an equation for each.
    #[must_use]
    pub fn path(&self) -> Option<Vec<u64>> {
        if self.missing > 0 {
            return None;
        }
        let mut rows: Vec<Equation> = self.rows.iter().copied().collect::<Option<_>>()?;
        // Substitute backwards: the last equation has one unknown, and all later ones are already
        // solved.
        for index in (0..rows.len()).rev() {
            let row = rows[index];
            let behind = row.hops.iter().skip(1);
            rows[index].value = behind.fold(row.value, |value, hop| {
                value ^ rows[usize::from(hop) - 1].value
            });
        }
        Some(rows.iter().map(|row| row.value).collect())
    }
}

impl Equation {
    fn minus(self, other: &Self) -> Self {
        Self {
            hops: self.hops.xor(other.hops),
            value: self.value ^ other.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_independent_digests_as_hops_give_the_path() {
        let coding = NetworkCoding::new(5);
        for hops in [1u8, 2, 7, 64, 65, 255] {
            let path: Vec<u64> = (1..=u64::from(hops)).map(|hop| hop * hop + 3).collect();
            let mut sink = coding.sink(hops);
            for packet in 0..u64::from(hops) + 30 {
                let digest = (1..=u8::MAX).zip(&path).fold(0, |digest, (hop, &switch)| {
                    coding.encode(digest, packet, hop, switch)
                });
                assert_eq!(coding.digest_of(packet, &path), digest);
                let rank = |sink: &CodingSink| sink.rows.iter().flatten().count();
                let before = rank(&sink);
                sink.record(packet, digest);
                assert!(rank(&sink) - before <= 1);
                assert_eq!(sink.path().is_some(), rank(&sink) == usize::from(hops));
            }
            assert_eq!(sink.path(), Some(path));
        }
    }
}
