//! Digests that are raised after their packets have left, in order of departure.

use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_core::plugin::{Hop, Leaving};

/// A digest to raise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rise {
    /// Departure time of the packet.
    at: Time,
    /// Utilization of the port, in steps of the code.
    pub(crate) steps: f64,
    /// Index of the packet among all packets sent through the port; `None` if the link loses it.
    pub(crate) place: Option<u32>,
    /// Egress port of the packet.
    pub(crate) port: PortId,
    /// Order among simultaneous departures. Packets that leave upon arrival are first, by ingress
    /// port; then packets that leave because the wire has become free, by egress port.
    rank: u32,
}

/// The digests of one switch to raise. Each port adds its packets in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rises {
    items: Box<[Rise]>,
    /// Number of items in use. Slots beyond are spare room.
    len: usize,
    /// Scratch space for sorting.
    keys: Vec<u64>,
}

/// Initial number of slots.
const LEAST_ROOM: usize = 16;

/// Rank offset of packets that have waited.
const WAITED: u32 = 1 << 16;

/// A key contains the time since the first item, the rank and the index of the item.
const NUMBER_BITS: u32 = 16;
const RANK_BITS: u32 = 17;
const TIME_BITS: u32 = u64::BITS - RANK_BITS - NUMBER_BITS;

impl Rises {
    /// Adds the digest of the packet that leaves at `hop` if `rises` is `true`.
    // Always writes the item and then counts it or not, because a branch on `rises` would be
    // unpredictable.
    #[inline(always)]
    pub(crate) fn note(&mut self, rises: bool, steps: f64, hop: &Hop, leaving: Leaving) {
        if self.len == self.items.len() {
            self.grow();
        }
        self.items[self.len] = Rise {
            at: hop.now,
            steps,
            place: leaving.place,
            port: hop.port,
            rank: match leaving.by {
                Some(by) => u32::from(by.0),
                None => WAITED | u32::from(hop.port.0),
            },
        };
        self.len += usize::from(rises);
    }

    /// Doubles the room.
    // Fills the room with constants. A copy of the new item would first be assembled in memory and
    // then be read back too early, which stalls the processor.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut items = std::mem::take(&mut self.items).into_vec();
        let nothing = Rise {
            at: Time::ZERO,
            steps: 0.0,
            place: None,
            port: PortId(0),
            rank: 0,
        };
        items.resize((2 * items.len()).max(LEAST_ROOM), nothing);
        self.items = items.into_boxed_slice();
    }

    /// Removes and returns all items, in the order in which the packets left.
    #[inline]
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Rise> {
        let len = std::mem::take(&mut self.len);
        let items = &mut self.items[..len];
        let first = items.iter().map(|rise| rise.at).min().unwrap_or_default();
        let last = items.iter().map(|rise| rise.at).max().unwrap_or_default();
        self.keys.clear();
        let mask = if last.since(first).as_ps() >> TIME_BITS == 0 && len <= 1 << NUMBER_BITS {
            // Sorting packed keys is faster than sorting the items.
            self.keys
                .extend(items.iter().zip(0u64..).map(|(rise, number)| {
                    let time = rise.at.since(first).as_ps();
                    (time << RANK_BITS | u64::from(rise.rank)) << NUMBER_BITS | number
                }));
            self.keys.sort_unstable();
            (1 << NUMBER_BITS) - 1
        } else {
            items.sort_unstable_by_key(|rise| (rise.at, rise.rank));
            self.keys.extend(0..len as u64);
            u64::MAX
        };
        let items = &*items;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the number of an item in memory"
        )]
        self.keys
            .iter()
            .map(move |key| items[(key & mask) as usize])
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::{Bytes, Rate};

    use super::*;

    fn note(rises: &mut Rises, ns: u64, (by, port): (u16, u16), waited: bool, place: u32) {
        let hop = Hop {
            now: Time::from_ns(ns),
            arrived: Time::from_ns(ns),
            ingress: PortId(9),
            port: PortId(port),
            rate: Rate::from_gbps(100),
            queue: Bytes::ZERO,
            sent: Bytes::ZERO,
        };
        let leaving = Leaving {
            place: Some(place),
            by: (!waited).then_some(PortId(by)),
        };
        rises.note(true, 1.0, &hop, leaving);
        // A slot that is written but not counted.
        rises.note(false, 2.0, &hop, leaving);
    }

    fn taken(rises: &mut Rises) -> Vec<Option<u32>> {
        rises.drain().map(|rise| rise.place).collect()
    }

    #[test]
    fn arrivals_come_first_and_then_ports_in_order() {
        let mut rises = Rises::default();
        // Ports are served one after the other; port 7 is late, after an arrival at 30 ns.
        for (ns, way, place) in [
            (10, (4, 1), 1),
            (20, (0, 2), 2),
            (10, (3, 2), 0),
            (30, (0, 0), 3),
        ] {
            note(&mut rises, ns, way, false, place);
        }
        for (ns, port, place) in [(10, 7, 4), (25, 7, 5), (9, 2, 6), (10, 2, 7), (40, 2, 8)] {
            note(&mut rises, ns, (0, port), true, place);
        }
        let order = [6, 0, 1, 7, 4, 2, 5, 3, 8];
        assert_eq!(taken(&mut rises), order.map(Some));
        assert_eq!(taken(&mut rises), []);
    }

    proptest::proptest! {
        // Some of the times are too far apart for the keys.
        #[test]
        fn they_are_ordered_by_time_and_rank(
            packets in proptest::collection::vec((0u64..40, 0u16..6, 0u16..6, proptest::bool::ANY), 0..120),
            far in proptest::option::weighted(0.2, 2_000_000u64..5_000_000),
        ) {
            let mut all: Vec<_> = packets
                .into_iter()
                .zip(0..)
                .map(|((ns, ingress, port, waited), place)| {
                    let way = if waited { (0, port) } else { (ingress, port) };
                    (ns + if ns > 30 { far.unwrap_or(0) } else { 0 }, way, waited, place)
                })
                .collect();
            // A port receives and sends one packet at a time.
            let rank = |&(ns, (ingress, port), waited, _): &(u64, (u16, u16), bool, u32)| {
                (ns, waited, if waited { port } else { ingress })
            };
            all.sort_by_key(|packet| (packet.1.1, rank(packet)));
            let mut seen = std::collections::BTreeSet::new();
            all.retain(|packet| seen.insert(rank(packet)));
            let mut rises = Rises::default();
            for &(ns, way, waited, place) in &all {
                note(&mut rises, ns, way, waited, place);
            }
            all.sort_by_key(rank);
            let order: Vec<_> = all.into_iter().map(|packet| Some(packet.3)).collect();
            proptest::prop_assert_eq!(taken(&mut rises), order);
        }
    }
}
