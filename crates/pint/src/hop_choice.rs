//! Selection of the hop on a path that a packet's digest comes from.

use crate::hash::GlobalHash;

/// Reservoir sampling over the hops of a path (PINT, section 4.2, Baseline): the i-th hop writes
/// over the digest with a probability of 1/i, so that after any number of hops each is equally
/// likely to have been the last. A hash of packet and hop decides (g in the paper), so the sink
/// knows whose digest it has.
#[derive(Clone, Copy, Debug)]
pub struct HopChoice {
    hash: GlobalHash,
}

impl HopChoice {
    /// The choice of `seed`. Other decisions about a packet need other seeds.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self::of(GlobalHash::new(seed))
    }

    /// The choice by `hash`.
    #[inline]
    pub(crate) const fn of(hash: GlobalHash) -> Self {
        Self { hash }
    }

    /// Returns whether `hop`, from 1, writes over the digest of `packet`.
    #[inline]
    #[must_use]
    pub fn overwrites(self, packet: u64, hop: u8) -> bool {
        self.hash.uniform(packet, u64::from(hop)) < 1.0 / f64::from(hop)
    }

    /// The hop whose digest `packet` has after a path of `hops`; `None` where there are none.
    #[inline]
    #[must_use]
    pub fn survivor(self, packet: u64, hops: u8) -> Option<u8> {
        (1..=hops).rev().find(|&hop| self.overwrites(packet, hop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_writes_survives() {
        let choice = HopChoice::new(3);
        assert_eq!(choice.survivor(1, 0), None);
        for packet in 0..1_000 {
            assert!(choice.overwrites(packet, 1));
            let mut digest = None;
            for hop in 1..=40 {
                if choice.overwrites(packet, hop) {
                    digest = Some(hop);
                }
                assert_eq!(choice.survivor(packet, hop), digest);
            }
        }
    }

    /// Of z packets each of k hops has about z/k, with a variance of z/k (1 - 1/k).
    #[test]
    fn every_hop_has_its_share_of_the_packets() {
        let flows = 4_000u32;
        for (packets, hops) in [(500u32, 5u8), (1_000, 5), (500, 25)] {
            let share = 1.0 / f64::from(hops);
            let wanted = f64::from(packets) * share;
            let variance = wanted * (1.0 - share);
            let mut sums = vec![(0.0, 0.0); usize::from(hops)];
            for flow in 0..flows {
                let choice = HopChoice::new(u64::from(flow));
                let mut samples = vec![0u32; usize::from(hops)];
                for packet in 0..u64::from(packets) {
                    let hop = choice.survivor(packet, hops).expect("the first hop writes");
                    samples[usize::from(hop) - 1] += 1;
                }
                for ((sum, squares), count) in sums.iter_mut().zip(samples) {
                    let apart = f64::from(count) - wanted;
                    *sum += apart;
                    *squares += apart * apart;
                }
            }
            for (sum, squares) in sums {
                let mean = sum / f64::from(flows);
                let error = (variance / f64::from(flows)).sqrt();
                assert!(mean.abs() < 4.0 * error, "{hops} hops: {mean}");
                // A variance of 4,000 counts is known to 2%.
                let found = squares / f64::from(flows);
                assert!(
                    (found / variance - 1.0).abs() < 0.1,
                    "{hops} hops: {found} {variance}"
                );
            }
        }
    }
}
