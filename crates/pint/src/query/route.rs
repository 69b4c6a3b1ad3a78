//! The path of one flow, as far as its sink knows it.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;

use super::probe::{PathHash, Probe};
use super::value::Value;
use crate::tracing::{PathDecoder, Progress, Scheme, TraceDigest, Universe};

/// Information about a flow's path during a period with a constant path.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct RoutePart {
    /// Number of the part, from 1. Each contradiction begins a new part.
    pub number: u32,
    /// Number of switches on the path.
    pub hops: u8,
    /// Number of packets with a digest. The packet that ended the part is included unless it begins
    /// the next part.
    pub packets: u64,
    /// Number of packets with a digest that were needed to decode all hops.
    pub decoded_after: Option<u64>,
    /// Time at which all hops were decoded.
    pub decoded_at: Option<Time>,
    /// Decoded value of each hop.
    pub path: Vec<u64>,
    /// `true` if the packet that completed the path took the decoded path. Absent if the query
    /// traces ports instead of switches.
    pub correct: Option<bool>,
    /// Number of packets that took a path other than the decoded one without causing a
    /// contradiction.
    pub unnoticed: u64,
    /// The contradiction that shows that the path changed.
    pub ended_by: Option<String>,
}

/// The decoder of a flow and its results.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(super) struct RouteRecord {
    decoder: PathDecoder,
    ended: Vec<RoutePart>,
    now: RoutePart,
    /// Hash of the decoded path; absent if the query traces ports.
    known: Option<PathHash>,
    #[checkpoint(rebuilt)]
    traced: Value,
}

/// Maximum number of stored parts per flow, so that a flow over many paths cannot fill the memory.
const MOST_PARTS: usize = 100;

impl RouteRecord {
    /// Returns the record of a flow with a first packet that passed `hops` switches.
    pub(super) fn new(
        traced: Value,
        scheme: &Arc<Scheme>,
        universe: &Arc<Universe>,
        hops: u8,
    ) -> Self {
        let decoder = PathDecoder::new(Arc::clone(scheme), Arc::clone(universe), hops);
        Self {
            decoder: decoder.expect("values are hashed, so all numbers fit"),
            ended: Vec::new(),
            now: RoutePart {
                number: 1,
                hops,
                ..RoutePart::default()
            },
            known: None,
            traced,
        }
    }

    /// Records the `digest` of packet `id`, which carries `probe`.
    pub(super) fn record(&mut self, now: Time, id: u64, digest: TraceDigest, probe: &Probe) {
        let progress = self.decoder.record(id, probe.hops, digest);
        if let Progress::Contradiction(contradiction) = progress {
            let next = RoutePart {
                number: self.now.number + 1,
                hops: probe.hops,
                ..RoutePart::default()
            };
            let mut ended = std::mem::replace(&mut self.now, next);
            ended.ended_by = Some(contradiction.to_string());
            if self.decoder.packets() == 0 {
                // The decoder forgot this packet, so it counts for the part that it ended.
                ended.packets += 1;
            }
            if self.ended.len() < MOST_PARTS {
                self.ended.push(ended);
            }
        }
        self.now.packets = self.decoder.packets();
        let Some(path) = self.decoder.path() else {
            return;
        };
        if self.now.decoded_after.is_none() {
            let switches = path.iter().map(|&switch| {
                NodeId(u32::try_from(switch).expect("numbers of switches are of 32 bits"))
            });
            self.known = match self.traced {
                Value::SwitchId => Some(PathHash::of(switches)),
                _ => None,
            };
            self.now.decoded_after = self.decoder.decoded_after();
            self.now.decoded_at = Some(now);
            self.now.path = path.to_vec();
            self.now.correct = self.known.map(|known| known == probe.path);
        } else if self.known.is_some_and(|known| known != probe.path) {
            self.now.unnoticed += 1;
        }
    }

    /// Returns all parts so far; the last one is still in progress.
    pub(super) fn parts(&self) -> impl Iterator<Item = &RoutePart> {
        self.ended.iter().chain([&self.now])
    }
}
