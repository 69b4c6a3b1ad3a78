//! Number of packets needed to decode a path.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_engine::{Crew, Threads};
use rayon::prelude::*;

use fabricsim_pint::tracing::{
    Marking, NetworkCoding, PathDecoder, Progress, Scheme, SchemeConfig, Traceback, TracebackSink,
    Universe,
};

/// Repeated decoding of paths (Figures 5 and 10). The same trials give the same result on any
/// number of threads.
///
/// Each trial has its own path and hash functions, which follow from the seed and the number of the
/// trial. Packets arrive one after the other, and none is lost.
#[derive(Clone, Debug)]
pub struct Trials {
    /// Switches of a path: k.
    pub hops: u8,
    /// Paths of the trials.
    pub paths: Paths,
    /// Number of trials.
    pub count: u32,
    /// A trial gives up after this many packets and counts with that number.
    pub packet_limit: u64,
    /// Seed of paths and hash functions.
    pub seed: u64,
    /// Threads that run the trials.
    pub threads: Threads,
}

/// The paths of trials, and the decoders' knowledge of the network.
#[derive(Clone, Debug)]
pub enum Paths {
    /// Distinct switches, all equally likely. Decoders know nothing else about the network.
    Random {
        /// Switches of the network, numbered from 0: |V|, at least the length of a path.
        switches: u32,
    },
    /// Consecutive switches of a walk, from a position that each trial draws.
    Along {
        /// The decoders' knowledge of the network.
        universe: Arc<Universe>,
        /// At least as long as a path.
        walk: Arc<[u64]>,
    },
}

/// Summary of trials. Packets count until all hops are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Mean of the packets.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Median of the packets.
    pub median: u64,
    /// 99th percentile of the packets.
    pub p99: u64,
    /// Trials that gave up.
    pub given_up: u32,
    /// Trials that decoded a wrong path.
    pub wrong: u32,
}

/// Outcome of a trial.
enum End {
    Right(u64),
    Wrong(u64),
    GivenUp,
}

impl Trials {
    /// Returns 2,000 trials of random paths with seed 1, which give up after a million packets, on
    /// the calling thread.
    #[must_use]
    pub const fn new(hops: u8, switches: u32) -> Self {
        Self::of(hops, Paths::Random { switches })
    }

    /// Returns trials of `paths`, with the same number and limit.
    #[must_use]
    pub const fn of(hops: u8, paths: Paths) -> Self {
        Self {
            hops,
            paths,
            count: 2_000,
            packet_limit: 1_000_000,
            seed: 1,
            threads: Threads::calling(),
        }
    }

    /// Runs trials of PINT. The hash functions follow from the trials' seed, not the scheme's.
    ///
    /// # Errors
    /// If the trials or the scheme are impossible.
    pub fn pint(&self, config: &SchemeConfig) -> Result<Summary, ConfigError> {
        let universe = self.universe()?;
        self.run(|path, seed| {
            let config = SchemeConfig {
                seed,
                ..config.clone()
            };
            let scheme = Arc::new(Scheme::new(config)?);
            let mut decoder =
                PathDecoder::new(Arc::clone(&scheme), Arc::clone(&universe), self.hops)?;
            Ok(self.packets_until(|packet| {
                let digest = scheme.digest_of(packet, path);
                match decoder.record(packet, self.hops, digest) {
                    Progress::Decoded => decoder.path().map(|found| found == path),
                    Progress::Undecided => None,
                    Progress::Contradiction(_) => Some(false),
                }
            }))
        })
    }

    /// Runs trials of a marking scheme for IP traceback, without knowledge of links.
    ///
    /// # Errors
    /// If the trials or the scheme are impossible.
    pub fn traceback(&self, marking: Marking) -> Result<Summary, ConfigError> {
        let universe = self.universe()?;
        self.run(|path, seed| {
            let scheme = Arc::new(Traceback::new(marking, seed)?);
            let mut sink =
                TracebackSink::new(Arc::clone(&scheme), Arc::clone(&universe), self.hops);
            Ok(self.packets_until(|packet| {
                sink.record(packet, scheme.mark_of(packet, path));
                sink.path().map(|found| found == path)
            }))
        })
    }

    /// Runs trials of linear network coding, without knowledge of switches.
    ///
    /// # Errors
    /// If the trials are impossible.
    pub fn network_coding(&self) -> Result<Summary, ConfigError> {
        self.universe()?;
        self.run(|path, seed| {
            let coding = NetworkCoding::new(seed);
            let mut sink = coding.sink(self.hops);
            Ok(self.packets_until(|packet| {
                sink.record(packet, coding.digest_of(packet, path));
                sink.path().map(|found| found == path)
            }))
        })
    }

    /// Returns the decoders' knowledge of the network, after checking that the trials are possible.
    fn universe(&self) -> Result<Arc<Universe>, ConfigError> {
        if self.count == 0 {
            return Err(ConfigError::new(
                "count",
                "no trials have no mean",
                "give the number of trials, such as 2000",
            ));
        }
        let (most, what) = match &self.paths {
            Paths::Random { switches } => (*switches as usize, "distinct switches of"),
            Paths::Along { walk, .. } => (walk.len(), "switches of a walk over"),
        };
        if self.hops == 0 || usize::from(self.hops) > most {
            return Err(ConfigError::new(
                "hops",
                format!("there is no path of {} {what} {most}", self.hops),
                format!("give 1 to {most}"),
            ));
        }
        match &self.paths {
            Paths::Random { switches } => {
                Universe::new((0..u64::from(*switches)).collect()).map(Arc::new)
            }
            Paths::Along { universe, .. } => Ok(Arc::clone(universe)),
        }
    }

    /// Passes packets 0, 1, ... to `record` until it decodes a path. `Some(true)` is the right
    /// path.
    fn packets_until(&self, mut record: impl FnMut(u64) -> Option<bool>) -> End {
        let ends = (0..self.packet_limit).find_map(|packet| Some((packet + 1, record(packet)?)));
        match ends {
            Some((packets, true)) => End::Right(packets),
            Some((packets, false)) => End::Wrong(packets),
            None => End::GivenUp,
        }
    }

    /// Runs `trial` with a path and a seed for each trial.
    fn run(
        &self,
        trial: impl Fn(&[u64], u64) -> Result<End, ConfigError> + Sync,
    ) -> Result<Summary, ConfigError> {
        let end_of = |number: u32| {
            let mut stream = Stream::new(self.seed, u64::from(number), Purpose::Sampling);
            let path = self.path(&mut stream);
            trial(&path, stream.next_u64())
        };
        let ends: Result<Vec<End>, ConfigError> = self.threads.run(|crew| match crew {
            Crew::Alone => (0..self.count).map(end_of).collect(),
            Crew::Pool => (0..self.count).into_par_iter().map(end_of).collect(),
        });
        let ends = ends?;
        let (mut given_up, mut wrong) = (0, 0);
        let packets = ends.into_iter().map(|end| match end {
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
        let summary = Summary::of(packets.collect());
        Ok(Summary {
            given_up,
            wrong,
            ..summary
        })
    }

    fn path(&self, stream: &mut Stream) -> Vec<u64> {
        let hops = usize::from(self.hops);
        match &self.paths {
            Paths::Random { switches } => {
                // The first of a shuffle.
                let mut switches: Vec<u64> = (0..u64::from(*switches)).collect();
                for index in 0..hops {
                    let left = (switches.len() - index) as u64;
                    let other = usize::try_from(stream.below(left)).expect("below the length");
                    switches.swap(index, index + other);
                }
                switches.truncate(hops);
                switches
            }
            Paths::Along { walk, .. } => {
                let places = (walk.len() - hops + 1) as u64;
                let start = usize::try_from(stream.below(places)).expect("below the length");
                walk[start..start + hops].to_vec()
            }
        }
    }
}

impl Summary {
    /// Summarizes one or more trials that took `packets`.
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
