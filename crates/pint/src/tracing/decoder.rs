//! The sink's side: decodes a path from digests.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::input::ConfigError;

use super::candidates::{Candidates, NoneLeft};
use super::hop_set::HopSet;
use super::scheme::{Scheme, TraceDigest, Values};
use super::universe::Universe;

/// Progress in decoding a flow's path after a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Progress {
    /// Some hops have more than one possible switch.
    Undecided,
    /// Every hop has one possible switch, and all packets so far agree with it.
    Decoded,
    /// No path explains all packets since the decoder last started, so it has restarted.
    Contradiction(Contradiction),
}

/// Reason why packets cannot have taken the same path: the path changed, or a digest was damaged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Contradiction {
    /// Packets passed different numbers of switches.
    Length {
        /// Number of switches of the previous packets.
        before: u8,
        /// Number of switches of this packet.
        now: u8,
    },
    /// No switch fits the digests of a hop.
    NoCandidate {
        /// Number of the hop, from 1.
        hop: u8,
    },
    /// The digest of a packet does not fit the known switches.
    Digest {
        /// Identifier of the packet.
        packet: u64,
    },
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { before, now } => {
                write!(f, "a packet passed {now} switches, those before {before}")
            }
            Self::NoCandidate { hop } => write!(f, "no switch fits the digests of hop {hop}"),
            Self::Digest { packet } => {
                write!(
                    f,
                    "the digest of packet {packet} does not fit the path known"
                )
            }
        }
    }
}

/// A digest after removing the values of known hops.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Residual {
    packet: u64,
    instance: usize,
    /// Remaining hops in the digest; empty after the digest has been used.
    hops: HopSet,
    /// Xor of the remaining hops' values.
    value: u64,
}

/// Finds the path of one flow from the digests of its packets (PINT, section 4.2: the inference
/// module).
///
/// The decoder removes the values of known hops from each digest. If the value of one hop remains,
/// it eliminates the switches with another value. A hop is known as soon as one switch is left;
/// then the digests that waited for it are checked again (peeling). If no hop remains, the value
/// must be zero; otherwise, the path has changed. If the universe has links, switches without a
/// neighbor at an adjacent hop are also eliminated.
///
/// A digest takes as many steps as hops act on it, after finding these hops. Until the path is
/// known, the decoder stores digests with several unknown hops; afterwards it stores none.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct PathDecoder {
    #[checkpoint(rebuilt)]
    scheme: Arc<Scheme>,
    hops: u8,
    unknown: HopSet,
    /// The switch of each known hop.
    known: Vec<u64>,
    candidates: Candidates,
    waiting: Vec<Residual>,
    /// For each hop, the indices in `waiting` of digests that contain its value.
    waiting_for: Vec<Vec<u32>>,
    /// Newly known hops and their switches, before the digests that wait for them are checked.
    solved: Vec<(u8, u64)>,
    packets: u64,
    decoded_after: Option<u64>,
    restarts: u64,
}

impl PathDecoder {
    /// Returns a decoder for packets that pass `hops` switches of `universe`.
    ///
    /// # Errors
    /// Returns an error if digests contain whole numbers and are too narrow for the universe.
    pub fn new(
        scheme: Arc<Scheme>,
        universe: Arc<Universe>,
        hops: u8,
    ) -> Result<Self, ConfigError> {
        let largest = universe.largest();
        if scheme.config().values == Values::Whole && largest > scheme.mask() {
            return Err(ConfigError::new(
                "digest_bits",
                format!(
                    "the number {largest} of a switch does not fit {} bits",
                    scheme.config().digest_bits
                ),
                format!(
                    "give {} bits, or hash the numbers",
                    64 - largest.leading_zeros()
                ),
            ));
        }
        let mut decoder = Self {
            scheme,
            hops,
            unknown: HopSet::default(),
            known: Vec::new(),
            candidates: Candidates::new(universe),
            waiting: Vec::new(),
            waiting_for: Vec::new(),
            solved: Vec::new(),
            packets: 0,
            decoded_after: None,
            restarts: 0,
        };
        decoder.begin(hops);
        Ok(decoder)
    }

    /// Records the `digest` of `packet`, which passed `hops` switches (the sink knows this from the
    /// TTL).
    ///
    /// After a contradiction, the decoder also discards this packet, unless it is the first one on
    /// a path of another length.
    pub fn record(&mut self, packet: u64, hops: u8, digest: TraceDigest) -> Progress {
        let before = self.hops;
        if hops != before {
            self.restarts += 1;
            self.begin(hops);
        }
        self.packets += 1;
        for instance in 0..self.scheme.config().instances as usize {
            let residual = Residual {
                packet,
                instance,
                hops: self.scheme.acting(instance, packet, hops),
                value: self.scheme.part(instance, digest),
            };
            if let Err(contradiction) = self.take_in(residual) {
                self.restarts += 1;
                self.begin(hops);
                return Progress::Contradiction(contradiction);
            }
        }
        if hops != before {
            return Progress::Contradiction(Contradiction::Length { before, now: hops });
        }
        if self.unknown.is_empty() {
            Progress::Decoded
        } else {
            Progress::Undecided
        }
    }

    /// Returns the switches in path order, or `None` until all are known.
    #[must_use]
    pub fn path(&self) -> Option<&[u64]> {
        self.unknown.is_empty().then_some(&self.known)
    }

    /// Returns the switch of `hop` (from 1) if it is known.
    #[must_use]
    pub fn switch_at(&self, hop: u8) -> Option<u64> {
        let known = (1..=self.hops).contains(&hop) && !self.unknown.contains(hop);
        known.then(|| self.known[usize::from(hop) - 1])
    }

    /// Returns the number of unknown hops (Figure 5: the progress of decoding).
    #[must_use]
    pub fn missing(&self) -> u32 {
        self.unknown.len()
    }

    /// Returns the number of packets recorded since the decoder last started.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// Returns the number of packets after which the path was known; `None` while it is unknown.
    #[must_use]
    pub const fn decoded_after(&self) -> Option<u64> {
        self.decoded_after
    }

    /// Returns how often the decoder started again after a [contradiction](Contradiction).
    #[must_use]
    pub const fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Discards all packets and starts with a path of `hops`.
    fn begin(&mut self, hops: u8) {
        let count = usize::from(hops);
        self.hops = hops;
        self.unknown = HopSet::all(hops);
        self.known = vec![0; count];
        self.candidates.begin(hops);
        self.waiting.clear();
        self.waiting_for = vec![Vec::new(); count];
        self.solved.clear();
        self.packets = 0;
        self.decoded_after = None;
    }

    fn take_in(&mut self, mut residual: Residual) -> Result<(), Contradiction> {
        for hop in residual.hops.iter() {
            if !self.unknown.contains(hop) {
                self.take_out(hop, &mut residual);
            }
        }
        if residual.hops.is_empty() {
            let packet = residual.packet;
            return if residual.value == 0 {
                Ok(())
            } else {
                Err(Contradiction::Digest { packet })
            };
        }
        let Some(hop) = residual.hops.only() else {
            let index = u32::try_from(self.waiting.len()).expect("fewer digests than 2^32");
            for hop in residual.hops.iter() {
                self.waiting_for[usize::from(hop) - 1].push(index);
            }
            self.waiting.push(residual);
            return Ok(());
        };
        self.strike_out(hop, &residual)?;
        self.peel()
    }

    /// Checks the digests that waited for the newly known hops.
    fn peel(&mut self) -> Result<(), Contradiction> {
        while let Some((hop, _)) = self.solved.pop() {
            for index in std::mem::take(&mut self.waiting_for[usize::from(hop) - 1]) {
                let index = index as usize;
                let mut residual = self.waiting[index];
                if !residual.hops.contains(hop) {
                    continue;
                }
                self.take_out(hop, &mut residual);
                let last = residual.hops.only();
                if last.is_some() {
                    self.waiting[index].hops = HopSet::default();
                } else {
                    self.waiting[index] = residual;
                }
                if let Some(last) = last {
                    self.strike_out(last, &residual)?;
                }
            }
        }
        if self.unknown.is_empty() && self.decoded_after.is_none() {
            self.decoded_after = Some(self.packets);
            self.waiting = Vec::new();
        }
        Ok(())
    }

    /// Removes the value of a known `hop` from `residual`.
    fn take_out(&self, hop: u8, residual: &mut Residual) {
        let switch = self.known[usize::from(hop) - 1];
        residual.value ^= self
            .scheme
            .value(residual.instance, residual.packet, switch);
        residual.hops.remove(hop);
    }

    /// Eliminates the candidates of `hop` that do not match `residual`. The residual contains no
    /// other hop.
    fn strike_out(&mut self, hop: u8, residual: &Residual) -> Result<(), Contradiction> {
        let fits = self
            .scheme
            .writes(residual.instance, residual.packet, residual.value);
        let before = self.solved.len();
        self.candidates
            .strike_out(hop, fits, &mut self.solved)
            .map_err(|NoneLeft(hop)| Contradiction::NoCandidate { hop })?;
        for &(hop, switch) in &self.solved[before..] {
            self.known[usize::from(hop) - 1] = switch;
            self.unknown.remove(hop);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
