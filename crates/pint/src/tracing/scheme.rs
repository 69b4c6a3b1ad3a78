//! Parameters shared by switches and sinks, and the update of a digest by a switch.

use fabricsim_base::input::ConfigError;

use crate::hash::GlobalHash;
use crate::hop_choice::HopChoice;

use super::choice::{Choice, Chosen};
use super::hop_set::HopSet;
use super::layers::Layers;

/// Representation of a switch number in a digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Values {
    /// A hash of the number and the packet, as wide as the digest (PINT, section 4.2, "Improving
    /// performance via hashing").
    Hashed,
    /// The number itself, if the digest is wide enough for all numbers.
    Whole,
}

/// Parameters of a scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeConfig {
    /// Division of packets between overwriting and xor.
    pub layers: Layers,
    /// Bits of the digest of one instance: b in the paper's figures, 1 to 64.
    pub digest_bits: u32,
    /// Number of instances. Each has its own hashes, and their digests share a packet (section
    /// 4.2, "Multiple instantiations"): `2 x (b = 4)` means two of 4 bits. At most 64 bits in
    /// total.
    pub instances: u32,
    /// Representation of switch numbers.
    pub values: Values,
    /// Selection of the acting hops in xor layers.
    pub choice: Choice,
    /// Seed of all hash functions.
    pub seed: u64,
}

impl SchemeConfig {
    /// Returns one instance of 8 bits with hashed values and a hash for each hop.
    #[must_use]
    pub const fn new(layers: Layers) -> Self {
        Self {
            layers,
            digest_bits: 8,
            instances: 1,
            values: Values::Hashed,
            choice: Choice::EachHop,
            seed: 1,
        }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        self.layers.validate()?;
        if !(1..=64).contains(&self.digest_bits) {
            return Err(ConfigError::new(
                "digest_bits",
                format!("a digest of {} bits is not of 1 to 64", self.digest_bits),
                "give the bits of one instance, such as 8",
            ));
        }
        let most = 64 / self.digest_bits;
        if !(1..=most).contains(&self.instances) {
            return Err(ConfigError::new(
                "instances",
                format!(
                    "{} instances of {} bits do not fit a packet's 64 bits",
                    self.instances, self.digest_bits
                ),
                format!("give 1 to {most}"),
            ));
        }
        Ok(())
    }
}

/// Digests of all instances in a packet, the first one in the lowest bits. A source sends zero.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TraceDigest(pub u64);

/// The hash functions of an instance. They are independent of each other and of other instances.
#[derive(Clone, Debug)]
struct Hashes {
    /// H: selects the layer of a packet.
    layer: GlobalHash,
    /// g: decides if a hop acts.
    choice: GlobalHash,
    /// h: the value that a hop writes.
    value: GlobalHash,
}

impl Hashes {
    fn new(seed: u64, instance: u32) -> Self {
        let seeds = GlobalHash::new(seed);
        let hash = |function| GlobalHash::new(seeds.value(u64::from(instance), function));
        Self {
            layer: hash(0),
            choice: hash(1),
            value: hash(2),
        }
    }
}

/// A path tracing scheme (PINT, section 4.2). All switches and sinks of a network share it.
#[derive(Clone, Debug)]
pub struct Scheme {
    config: SchemeConfig,
    /// One for each xor layer.
    chosen: Vec<Chosen>,
    instances: Vec<Hashes>,
}

impl Scheme {
    /// Returns the scheme of `config`.
    ///
    /// # Errors
    /// Returns an error if a value is outside of its documented range.
    pub fn new(config: SchemeConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        let chances = config.layers.xor.iter();
        Ok(Self {
            chosen: chances
                .map(|&chance| config.choice.with(chance))
                .collect::<Result<_, _>>()?,
            instances: (0..config.instances)
                .map(|instance| Hashes::new(config.seed, instance))
                .collect(),
            config,
        })
    }

    /// Returns the parameters of the scheme.
    #[must_use]
    pub const fn config(&self) -> &SchemeConfig {
        &self.config
    }

    /// Returns the total bits of the digests of all instances.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.config.digest_bits * self.config.instances
    }

    /// Returns the digest of `packet` after it has passed `switch`, hop `hop` (from 1) of its path.
    /// `digest` is the previous value.
    ///
    /// `packet` identifies the packet within its flow. All hops must pass the same number. A packet
    /// that is retransmitted under the same identifier carries no new information.
    ///
    /// # Panics
    /// Panics if `hop` is zero.
    #[inline]
    #[must_use]
    pub fn encode(&self, digest: TraceDigest, packet: u64, hop: u8, switch: u64) -> TraceDigest {
        assert!(hop > 0, "hops are counted from 1");
        let mut word = digest.0;
        for (instance, hashes) in self.instances.iter().enumerate() {
            let shift = self.shift(instance);
            match self.config.layers.of(hashes.layer.uniform(packet, 0)) {
                None if HopChoice::of(hashes.choice).overwrites(packet, hop) => {
                    word &= !(self.mask() << shift);
                    word |= self.value(instance, packet, switch) << shift;
                }
                Some(layer) if self.chosen[layer].acts(hashes.choice, packet, hop) => {
                    word ^= self.value(instance, packet, switch) << shift;
                }
                None | Some(_) => {}
            }
        }
        TraceDigest(word)
    }

    /// Returns the digest of `packet` after it has passed all switches of `path`. This is
    /// equivalent to calling [`encode`](Self::encode) for each in turn, but takes steps only for
    /// the acting hops.
    ///
    /// # Panics
    /// Panics if the path has more than 255 hops.
    #[must_use]
    pub fn digest_of(&self, packet: u64, path: &[u64]) -> TraceDigest {
        let hops = u8::try_from(path.len()).expect("a path has at most 255 hops");
        let mut word = 0;
        for instance in 0..self.instances.len() {
            for hop in self.acting(instance, packet, hops).iter() {
                let switch = path[usize::from(hop) - 1];
                word ^= self.value(instance, packet, switch) << self.shift(instance);
            }
        }
        TraceDigest(word)
    }

    /// Returns the hops that contribute to the digest of `packet` in `instance` after a path of
    /// `hops`. The digest is the xor of their values.
    #[inline]
    #[must_use]
    pub fn acting(&self, instance: usize, packet: u64, hops: u8) -> HopSet {
        let hashes = &self.instances[instance];
        if let Some(layer) = self.config.layers.of(hashes.layer.uniform(packet, 0)) {
            return self.chosen[layer].acting(hashes.choice, packet, hops);
        }
        let mut last = HopSet::default();
        if let Some(hop) = HopChoice::of(hashes.choice).survivor(packet, hops) {
            last.insert(hop);
        }
        last
    }

    /// Returns the value that `switch` writes into the digest of `packet` in `instance` if it acts
    /// on the packet.
    #[inline]
    #[must_use]
    pub fn value(&self, instance: usize, packet: u64, switch: u64) -> u64 {
        match self.config.values {
            Values::Hashed => {
                let hash = self.instances[instance].value;
                hash.bits(self.config.digest_bits, packet, switch)
            }
            Values::Whole => switch & self.mask(),
        }
    }

    /// Returns a function that returns `true` if a switch that acts on `packet` writes `wanted` in
    /// `instance`. For many switches, this is faster than [`value`](Self::value).
    #[inline]
    pub(super) fn writes(
        &self,
        instance: usize,
        packet: u64,
        wanted: u64,
    ) -> impl Fn(u64) -> bool + use<> {
        let half = self.instances[instance].value.with(packet);
        let (unused, mask, values) = (
            64 - self.config.digest_bits,
            self.mask(),
            self.config.values,
        );
        move |switch| {
            wanted
                == match values {
                    Values::Hashed => half.value(switch) >> unused,
                    Values::Whole => switch & mask,
                }
        }
    }

    /// Returns the digest of `instance` alone.
    #[inline]
    #[must_use]
    pub fn part(&self, instance: usize, digest: TraceDigest) -> u64 {
        digest.0 >> self.shift(instance) & self.mask()
    }

    /// Returns a digest of one instance with all bits set.
    #[inline]
    pub(super) const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.config.digest_bits)
    }

    #[inline]
    fn shift(&self, instance: usize) -> usize {
        instance * self.config.digest_bits as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reservoir sampling: 99.9% of chi-square values are below these limits, for the given degrees
    /// of freedom.
    #[test]
    fn every_hop_is_equally_likely_to_survive() {
        let scheme = Scheme::new(SchemeConfig::new(Layers::baseline())).unwrap();
        for (hops, limit) in [(2u8, 10.83), (5, 18.47), (36, 66.62), (59, 97.04)] {
            let mut times = vec![0u32; usize::from(hops)];
            for packet in 0..60_000 {
                let last = scheme.acting(0, packet, hops).only().expect("hop 1 writes");
                times[usize::from(last) - 1] += 1;
            }
            let mean = 60_000.0 / f64::from(hops);
            let squares = times.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean);
            let chi_square: f64 = squares.sum();
            assert!(chi_square < limit, "{hops} hops: {chi_square}");
        }
    }

    #[test]
    fn a_digest_is_the_xor_of_the_acting_hops() {
        for (digest_bits, instances, values, choice) in [
            (1, 1, Values::Hashed, Choice::EachHop),
            (4, 2, Values::Hashed, Choice::EachHop),
            (8, 8, Values::Hashed, Choice::BitVectors { bits: 5 }),
            (64, 1, Values::Hashed, Choice::EachHop),
            (16, 3, Values::Whole, Choice::EachHop),
        ] {
            let scheme = Scheme::new(SchemeConfig {
                digest_bits,
                instances,
                values,
                choice,
                ..SchemeConfig::new(Layers::multilayer(25).unwrap())
            })
            .unwrap();
            assert_eq!(scheme.bits(), digest_bits * instances);
            for (packet, hops) in (0..2_000).zip([5, 25, 70, 255].into_iter().cycle()) {
                let path = |hop: u8| 1_000 + u64::from(hop) * 7;
                let digest = (1..=hops).fold(TraceDigest::default(), |digest, hop| {
                    scheme.encode(digest, packet, hop, path(hop))
                });
                let switches: Vec<u64> = (1..=hops).map(path).collect();
                assert_eq!(scheme.digest_of(packet, &switches), digest);
                for instance in 0..instances as usize {
                    let acting = scheme.acting(instance, packet, hops);
                    let values = acting
                        .iter()
                        .map(|hop| scheme.value(instance, packet, path(hop)));
                    let wanted = values.fold(0, |xor, value| xor ^ value);
                    assert_eq!(scheme.part(instance, digest), wanted);
                }
                let beyond = digest.0.checked_shr(scheme.bits()).unwrap_or(0);
                assert_eq!(beyond, 0, "bits that are no one's");
            }
        }
    }

    #[test]
    fn instances_and_functions_are_independent() {
        let scheme = Scheme::new(SchemeConfig {
            digest_bits: 16,
            instances: 4,
            ..SchemeConfig::new(Layers::mininet())
        })
        .unwrap();
        let mut values: Vec<u64> = scheme
            .instances
            .iter()
            .flat_map(|hashes| [&hashes.layer, &hashes.choice, &hashes.value])
            .map(|hash| hash.value(1, 2))
            .collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 12);
        let same = (0..10_000).filter(|&packet| {
            let baseline = |instance: usize| {
                let uniform = scheme.instances[instance].layer.uniform(packet, 0);
                scheme.config.layers.of(uniform).is_none()
            };
            baseline(0) == baseline(1)
        });
        // 5,000 with a standard deviation of 50.
        assert!(same.count().abs_diff(5_000) < 200);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let key = |digest_bits, instances| {
            let config = SchemeConfig {
                digest_bits,
                instances,
                ..SchemeConfig::new(Layers::mininet())
            };
            Scheme::new(config).map_err(|refused| refused.key).err()
        };
        assert_eq!(key(0, 1), Some("digest_bits"));
        assert_eq!(key(65, 1), Some("digest_bits"));
        assert_eq!(key(8, 0), Some("instances"));
        assert_eq!(key(8, 9), Some("instances"));
        assert_eq!(key(64, 1), None);
        assert_eq!(key(1, 64), None);
    }
}
