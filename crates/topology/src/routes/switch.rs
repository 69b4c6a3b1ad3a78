//! The table of one switch, and the forwarding decision read from it.

use std::fmt;
use std::sync::Arc;

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::plugin::{FlowKey, Routing};
use rustc_hash::FxHashMap;

use super::groups::{Local, Slot};
use super::hops::{Distances, Hop};
use crate::ecmp::{EcmpHash, NodeHash};

/// The next hops of one switch: for each group of hosts the number of a set of ports.
///
/// Few sets serve many groups, so the ports of each are kept once. For a group whose hosts hang on
/// this very switch there is one set for each member instead.
pub(super) struct SwitchTable {
    /// For each group.
    by_group: Vec<Entry>,
    /// Sets for members of local groups, by rank.
    members: Vec<Entry>,
    /// The ports of all sets.
    ports: Vec<PortId>,
}

/// Where to go: a set of equal next hops, `ports[start..start + len]`, with the first at hand; for a
/// local group (`len` is [`LOCAL`]) the place in `members` where its own sets start; or, with a `len`
/// of 0, nowhere.
#[derive(Clone, Copy)]
struct Entry {
    start: u32,
    len: u16,
    first: PortId,
}

impl Entry {
    const NOWHERE: Self = Self {
        start: 0,
        len: 0,
        first: PortId(0),
    };
}

/// The `len` of an entry that points to members.
const LOCAL: u16 = u16::MAX;

/// Bits of a word of the map of next hops.
const WORD: usize = u64::BITS as usize;

impl SwitchTable {
    /// The table of the switch with index `switch`, its `hops` to other switches in order, and the
    /// hosts on it.
    pub(super) fn new(hops: &[Hop], local: &[Local], distances: &Distances, switch: usize) -> Self {
        let own = distances.row(switch);
        let mut table = Self {
            by_group: vec![Entry::NOWHERE; own.len()],
            members: Vec::new(),
            ports: Vec::new(),
        };
        table.add_remote(hops, own, distances);
        for group in local {
            table.by_group[group.group as usize] = Entry {
                start: small(table.members.len()),
                len: LOCAL,
                first: PortId(0),
            };
            for ports in &group.ports {
                let set = table.add_set(ports.iter().copied());
                table.members.push(set);
            }
        }
        table
    }

    /// Next hops towards groups on other switches.
    ///
    /// Neighbour by neighbour, a bit for each group tells whether the neighbour is one hop nearer;
    /// then each pattern of bits that occurs becomes a set.
    fn add_remote(&mut self, hops: &[Hop], own: &[u32], distances: &Distances) {
        let width = own.len();
        let words = hops.len().div_ceil(WORD);
        let mut nearer = vec![0u64; words * width];
        for (index, hop) in hops.iter().enumerate() {
            let bits = &mut nearer[index / WORD * width..(index / WORD + 1) * width];
            let row = distances.row(hop.to as usize);
            for ((bits, &there), &here) in bits.iter_mut().zip(row).zip(own) {
                *bits |= u64::from(there.wrapping_add(1) == here) << (index % WORD);
            }
        }
        let mut known: FxHashMap<Vec<u64>, Entry> = FxHashMap::default();
        let mut pattern = vec![0u64; words];
        for group in 0..width {
            if own[group] == 0 || own[group] == Distances::UNREACHABLE {
                continue;
            }
            for (word, bits) in pattern.iter_mut().enumerate() {
                *bits = nearer[word * width + group];
            }
            let set = if let Some(&set) = known.get(&pattern) {
                set
            } else {
                let chosen = (0..hops.len()).filter(|i| pattern[i / WORD] >> (i % WORD) & 1 == 1);
                let set = self.add_set(chosen.map(|i| hops[i].port));
                known.insert(pattern.clone(), set);
                set
            };
            self.by_group[group] = set;
        }
    }

    fn add_set(&mut self, ports: impl Iterator<Item = PortId>) -> Entry {
        let start = self.ports.len();
        self.ports.extend(ports);
        let len = u16::try_from(self.ports.len() - start).ok();
        Entry {
            start: small(start),
            len: len
                .filter(|&len| len != LOCAL)
                .expect("a node has fewer than 65,535 ports"),
            first: self.ports.get(start).copied().unwrap_or_default(),
        }
    }

    #[inline]
    fn set(&self, slot: Slot) -> Option<Entry> {
        let mut entry = *self.by_group.get(slot.group as usize)?;
        if entry.len == LOCAL {
            entry = self.members[(entry.start + slot.rank) as usize];
        }
        (entry.len > 0).then_some(entry)
    }

    /// The first of the equal next hops towards a host.
    #[inline]
    pub(super) fn first(&self, slot: Slot) -> Option<PortId> {
        self.set(slot).map(|set| set.first)
    }

    /// The equal next hops towards a host, in order.
    pub(super) fn next_hops(&self, slot: Slot) -> &[PortId] {
        self.set(slot).map_or(&[], |set| {
            &self.ports[set.start as usize..][..set.len.into()]
        })
    }
}

/// A position in a table as the entries hold it.
fn small(index: usize) -> u32 {
    u32::try_from(index).expect("a switch has fewer than 2^32 next hops in all")
}

/// The forwarding decision of one switch. Cheap to clone and to send: the tables are shared.
#[derive(Clone)]
pub struct SwitchRoutes {
    hash: NodeHash,
    slots: Arc<[Slot]>,
    table: Arc<SwitchTable>,
}

impl SwitchRoutes {
    pub(super) fn new(
        switch: NodeId,
        hash: EcmpHash,
        slots: Arc<[Slot]>,
        table: Arc<SwitchTable>,
    ) -> Self {
        Self {
            hash: hash.at(switch),
            slots,
            table,
        }
    }
}

impl Routing for SwitchRoutes {
    #[inline]
    fn pick(&self, key: &FlowKey) -> Option<PortId> {
        let slot = *self.slots.get(key.dst.index())?;
        let set = self.table.set(slot)?;
        if set.len == 1 {
            return Some(set.first);
        }
        let choice = self.hash.choose(key, set.len.into());
        self.table.ports.get((set.start + choice) as usize).copied()
    }
}

impl fmt::Debug for SwitchRoutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SwitchRoutes")
            .field("hash", &self.hash)
            .field("groups", &self.table.by_group.len())
            .finish_non_exhaustive()
    }
}
