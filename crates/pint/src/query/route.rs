//! The path of one flow as its sink learns it.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;

use super::probe::{PathHash, Probe};
use super::value::Value;
use crate::tracing::{PathDecoder, Progress, Scheme, TraceDigest, Universe};

/// Information about a flow's path during a period in which the path did not change.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
pub struct RoutePart {
    /// From 1; a new part begins with each contradiction.
    pub number: u32,
    /// Switches on the path.
    pub hops: u8,
    /// Packets with a digest; the last of them may be the one that ended it.
    pub packets: u64,
    /// Number of packets with a digest that it took to know all hops.
    pub decoded_after: Option<u64>,
    /// Time at which all hops were known.
    pub decoded_at: Option<Time>,
    /// Value found for each hop.
    pub path: Vec<u64>,
    /// Whether it is the path of the packet that completed it, where the switches are what is
    /// traced.
    pub correct: Option<bool>,
    /// Packets that took another path than the one known, and nothing was noticed.
    pub unnoticed: u64,
    /// Why the path cannot have been the same any longer.
    pub ended_by: Option<String>,
}

/// The decoder of a flow and what it has found.
#[derive(Checkpointed, Clone, Debug)]
pub(super) struct RouteRecord {
    decoder: PathDecoder,
    ended: Vec<RoutePart>,
    now: RoutePart,
    /// The hash of the path that is known; none where ports are traced.
    known: Option<PathHash>,
    #[checkpoint(rebuilt)]
    traced: Value,
}

/// The most parts of a flow that are kept, so that packets of many paths do not fill the memory.
const MOST_PARTS: usize = 100;

impl RouteRecord {
    /// A flow whose first packet has passed `hops` switches.
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

    /// Takes in the `digest` of packet `id`, which carries `probe`.
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
                // The packet is in neither of the two; it ended the one.
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

    /// The parts so far, the one that goes on last.
    pub(super) fn parts(&self) -> impl Iterator<Item = &RoutePart> {
        self.ended.iter().chain([&self.now])
    }
}
