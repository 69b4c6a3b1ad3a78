//! ECN marking by queue length, as in datacenter switches.

use crate::mrg32k3a::PublishedDraws;
use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::settings;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::MarkingThresholds;

settings! {
    /// Thresholds of one port: no marks up to `kmin`, a probability that grows linearly to `pmax`
    /// at `kmax`, always above. With `kmin = kmax` it is a step.
    ///
    /// Source: DCQCN (SIGCOMM 2015) fig. 5, on the instantaneous queue.
    pub struct EcnConfig {
        /// Bytes up to which nothing is marked.
        pub kmin: Bytes = required,
        /// Bytes above which everything is marked.
        pub kmax: Bytes = required,
        /// Probability of a mark at `kmax`.
        #[range(from 0.0, to 1.0)]
        pub pmax: f64 = required,
    }
}

impl From<MarkingThresholds> for EcnConfig {
    fn from(wanted: MarkingThresholds) -> Self {
        Self {
            kmin: wanted.kmin,
            kmax: wanted.kmax,
            pmax: wanted.pmax,
        }
    }
}

/// The marker of one port.
#[derive(Checkpointed, Clone, Debug)]
pub struct RedEcn {
    #[checkpoint(rebuilt)]
    kmin: u64,
    #[checkpoint(rebuilt)]
    kmax: u64,
    #[checkpoint(rebuilt)]
    slope: f64,
    draws: Draws,
}

/// Source of the random numbers that decide about marks.
#[derive(Clone, Debug)]
enum Draws {
    /// The port's own stream.
    Own(Stream),
    /// The sequence of the published simulator.
    Published(Box<PublishedDraws>),
}

impl Checkpointed for Draws {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::Own(stream) => stream.save(out),
            Self::Published(draws) => draws.save(out),
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        match self {
            Self::Own(stream) => stream.load(input),
            Self::Published(draws) => draws.load(input),
        }
    }
}

impl RedEcn {
    /// Returns a marker with the thresholds of `config`. `entity` is the number of the port in the
    /// simulation, so that each port draws from its own stream.
    #[must_use]
    pub fn new(config: &EcnConfig, seed: u64, entity: u64) -> Self {
        let span = config.kmax.saturating_sub(config.kmin).as_f64();
        Self {
            kmin: config.kmin.get(),
            kmax: config.kmax.get(),
            slope: if span > 0.0 { config.pmax / span } else { 0.0 },
            draws: Draws::Own(Stream::new(seed, entity, Purpose::Marking)),
        }
    }

    /// Returns a marker that uses the draws of the published simulator.
    ///
    /// In that simulator, all ports of all switches share one sequence, in the order of its event
    /// list, which a parallel run cannot reproduce. Here each port runs through that sequence on
    /// its own, so its marks are the published ones as long as no other port marks.
    #[must_use]
    pub fn published(config: &EcnConfig, draws: &PublishedDraws) -> Self {
        Self {
            draws: Draws::Published(Box::new(draws.clone())),
            ..Self::new(config, 0, 0)
        }
    }

    /// Returns `true` if a packet that leaves `queue` bytes behind must be marked, provided that it
    /// [takes a mark](fabricsim_core::packet::Packet::takes_mark). Every packet draws, as in the
    /// published simulator.
    #[inline]
    pub fn marks(&mut self, queue: Bytes) -> bool {
        let queue = queue.get();
        if queue <= self.kmin {
            false
        } else if queue > self.kmax {
            true
        } else {
            let chance = (queue - self.kmin) as f64 * self.slope;
            match &mut self.draws {
                Draws::Own(stream) => stream.chance(chance),
                Draws::Published(draws) => draws.draw() < chance,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probability_is_linear_between_the_thresholds() {
        let config = EcnConfig {
            kmin: Bytes::new(400_000),
            kmax: Bytes::new(1_600_000),
            pmax: 0.2,
        };
        let mut marker = RedEcn::new(&config, 1, 0);
        let mut share = |queue| {
            (0..100_000)
                .filter(|_| marker.marks(Bytes::new(queue)))
                .count() as f64
                / 1e5
        };
        assert!(share(400_000) == 0.0);
        assert!((share(1_000_000) - 0.1).abs() < 0.005);
        assert!((share(1_600_000) - 0.2).abs() < 0.006);
        assert!((share(1_600_001) - 1.0).abs() < f64::EPSILON);
    }
}
