//! How many packets it takes to know a path.

use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_core::rng::{Purpose, Stream};

use super::decoder::{PathDecoder, Progress};
use super::network_coding::NetworkCoding;
use super::scheme::{Scheme, SchemeConfig, TraceDigest};
use super::traceback::{Marking, Traceback, TracebackSink};
use super::universe::Universe;

/// Repeated decoding of random paths (Figures 5 and 10). The same trials give the same result.
///
/// Each trial has a path of distinct switches, all equally likely, and hash functions of its own. Packets
/// come one after the other, and none is lost.
#[derive(Clone, Copy, Debug)]
pub struct Trials {
    /// Switches of a path: k.
    pub hops: u8,
    /// Switches of the network: |V|, at least as many.
    pub switches: u32,
    /// How many trials.
    pub count: u32,
    /// After so many packets a trial is given up; it counts with as many.
    pub packet_limit: u64,
    /// Of paths and hash functions.
    pub seed: u64,
}

/// What trials came to. Packets are those until all hops are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Mean of the packets.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Half of the trials took at most about so many.
    pub median: u64,
    /// One trial in a hundred took at least so many.
    pub p99: u64,
    /// Trials that were given up.
    pub given_up: u32,
    /// Trials with another path than the packets took.
    pub wrong: u32,
}

/// How a trial ended.
enum End {
    Right(u64),
    Wrong(u64),
    GivenUp,
}

impl Trials {
    /// 2,000 trials with the seed 1, given up after a million packets.
    #[must_use]
    pub const fn new(hops: u8, switches: u32) -> Self {
        Self {
            hops,
            switches,
            count: 2_000,
            packet_limit: 1_000_000,
            seed: 1,
        }
    }

    /// Trials of PINT. The hash functions follow from the trials' seed, not the scheme's.
    ///
    /// # Errors
    /// Where trials or scheme are not possible.
    pub fn pint(&self, config: &SchemeConfig) -> Result<Summary, ConfigError> {
        self.validate()?;
        let universe = Arc::new(Universe::new((0..u64::from(self.switches)).collect())?);
        self.run(|path, seed| {
            let config = SchemeConfig {
                seed,
                ..config.clone()
            };
            let scheme = Arc::new(Scheme::new(config)?);
            let mut decoder =
                PathDecoder::new(Arc::clone(&scheme), Arc::clone(&universe), self.hops)?;
            Ok(self.packets_until(path, |packet| {
                let mut digest = TraceDigest::default();
                for (hop, &switch) in (1..=u8::MAX).zip(path) {
                    digest = scheme.encode(digest, packet, hop, switch);
                }
                let progress = decoder.record(packet, self.hops, digest);
                (progress == Progress::Decoded)
                    .then(|| decoder.path())
                    .flatten()
                    .map(<[u64]>::to_vec)
            }))
        })
    }

    /// Trials of a marking scheme for IP traceback.
    ///
    /// # Errors
    /// Where trials or scheme are not possible.
    pub fn traceback(&self, marking: Marking) -> Result<Summary, ConfigError> {
        self.validate()?;
        let universe = Arc::new(Universe::new((0..u64::from(self.switches)).collect())?);
        self.run(|path, seed| {
            let scheme = Arc::new(Traceback::new(marking, seed)?);
            let mut sink =
                TracebackSink::new(Arc::clone(&scheme), Arc::clone(&universe), self.hops);
            Ok(self.packets_until(path, |packet| {
                let mut mark = 0;
                for (hop, &switch) in (1..=u8::MAX).zip(path) {
                    mark = scheme.mark(mark, packet, hop, switch);
                }
                sink.record(packet, mark);
                sink.path()
            }))
        })
    }

    /// Trials of linear network coding.
    ///
    /// # Errors
    /// Where trials are not possible.
    pub fn network_coding(&self) -> Result<Summary, ConfigError> {
        self.validate()?;
        self.run(|path, seed| {
            let coding = NetworkCoding::new(seed);
            let mut sink = coding.sink(self.hops);
            Ok(self.packets_until(path, |packet| {
                let mut digest = 0;
                for (hop, &switch) in (1..=u8::MAX).zip(path) {
                    digest = coding.encode(digest, packet, hop, switch);
                }
                sink.record(packet, digest);
                sink.path()
            }))
        })
    }

    fn validate(&self) -> Result<(), ConfigError> {
        if u32::from(self.hops) > self.switches || self.hops == 0 {
            return Err(ConfigError::new(
                "hops",
                format!(
                    "a path of {} distinct switches cannot be taken from {}",
                    self.hops, self.switches
                ),
                "give at least 1 and at most `switches`",
            ));
        }
        if self.count == 0 {
            return Err(ConfigError::new(
                "count",
                "no trials have no mean",
                "give the number of trials, such as 2000",
            ));
        }
        Ok(())
    }

    /// Gives `packet` 0, 1, ... to `record` until it has a path.
    fn packets_until(&self, path: &[u64], mut record: impl FnMut(u64) -> Option<Vec<u64>>) -> End {
        for packet in 0..self.packet_limit {
            match record(packet) {
                Some(found) if found == path => return End::Right(packet + 1),
                Some(_) => return End::Wrong(packet + 1),
                None => {}
            }
        }
        End::GivenUp
    }

    /// Runs `trial` with a path and a seed for each.
    fn run(
        &self,
        mut trial: impl FnMut(&[u64], u64) -> Result<End, ConfigError>,
    ) -> Result<Summary, ConfigError> {
        let mut packets = Vec::new();
        let (mut given_up, mut wrong) = (0, 0);
        for number in 0..self.count {
            let mut stream = Stream::new(self.seed, u64::from(number), Purpose::Sampling);
            let path = self.random_path(&mut stream);
            packets.push(match trial(&path, stream.next_u64())? {
                End::Right(packets) => packets,
                End::Wrong(packets) => {
                    wrong += 1;
                    packets
                }
                End::GivenUp => {
                    given_up += 1;
                    self.packet_limit
                }
            });
        }
        Ok(Summary {
            given_up,
            wrong,
            ..Summary::of(packets)
        })
    }

    /// Distinct switches: the first of a shuffle.
    fn random_path(&self, stream: &mut Stream) -> Vec<u64> {
        let mut switches: Vec<u64> = (0..u64::from(self.switches)).collect();
        let hops = usize::from(self.hops);
        for index in 0..hops {
            let left = (switches.len() - index) as u64;
            let other = usize::try_from(stream.below(left)).expect("below the length");
            switches.swap(index, index + other);
        }
        switches.truncate(hops);
        switches
    }
}

impl Summary {
    /// Of one or more trials that took `packets`.
    fn of(mut packets: Vec<u64>) -> Self {
        packets.sort_unstable();
        let count = packets.len();
        let mean = packets.iter().sum::<u64>() as f64 / count as f64;
        let squares: f64 = packets.iter().map(|&n| (n as f64 - mean).powi(2)).sum();
        let variance = squares / (count.max(2) - 1) as f64;
        Self {
            mean,
            standard_error: (variance / count as f64).sqrt(),
            median: packets[count / 2],
            p99: packets[count * 99 / 100],
            given_up: 0,
            wrong: 0,
        }
    }
}

#[cfg(test)]
mod tests;
