//! Selects the hop on a path that writes the digest of a packet.

use crate::hash::GlobalHash;

/// Reservoir sampling over the hops of a path (PINT, section 4.2, Baseline). The i-th hop
/// overwrites the digest with a probability of 1/i, so after any number of hops, each is equally
/// likely to have written last. A hash of packet and hop decides (g in the paper), so the sink
/// knows the hop that wrote the digest.
#[derive(Clone, Copy, Debug)]
pub struct HopChoice {
    hash: GlobalHash,
}

impl HopChoice {
    /// Returns the choice for `seed`. Other decisions about a packet need other seeds.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self::of(GlobalHash::new(seed))
    }

    /// Returns the choice based on `hash`.
    #[inline]
    pub(crate) const fn of(hash: GlobalHash) -> Self {
        Self { hash }
    }

    /// Returns `true` if `hop` (from 1) overwrites the digest of `packet`.
    #[inline]
    #[must_use]
    pub fn overwrites(self, packet: u64, hop: u8) -> bool {
        self.hash.uniform(packet, u64::from(hop)) < 1.0 / f64::from(hop)
    }

    /// Returns the hop that wrote the digest of `packet` on a path of `hops`, or `None` if the path
    /// is empty.
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

    /// Of z packets, each of k hops gets about z/k, with a variance of z/k (1 - 1/k).
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
                // The variance of 4,000 counts has a standard error of 2%.
                let found = squares / f64::from(flows);
                assert!(
                    (found / variance - 1.0).abs() < 0.1,
                    "{hops} hops: {found} {variance}"
                );
            }
        }
    }
}
