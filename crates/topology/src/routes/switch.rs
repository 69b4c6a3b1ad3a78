//! The table of one switch, and the forwarding decisions based on it.

mod builder;
mod direct;
mod idle;

use std::fmt;
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::plugin::{PortStates, Routing};
use rustc_hash::FxHashSet;

use super::groups::{Local, Slot};
use crate::policy::{Arrival, Choice, Chooser, NextHopChoice};
pub(super) use builder::{Scratch, TableBuilder};
use direct::Direct;
use idle::Idle;

/// The next hops of one switch: a set of ports for each group of hosts.
///
/// Few different sets serve many groups, so the ports of each set are stored once. A group with
/// hosts on this very switch has one set for each member instead.
pub(super) struct SwitchTable {
    /// In small networks, the set of each address, so that one look-up replaces the rest of the
    /// table.
    direct: Direct,
    /// One entry for each group, unused for groups on this switch. Switches with equal entries
    /// share them.
    by_group: Arc<[Entry]>,
    /// The first group on this switch, and the start of its sets in `members`.
    local: (u32, u32),
    /// Additional groups on this switch, if some of its hosts are also linked to other switches.
    more_local: Box<[(u32, u32)]>,
    /// The lowest group in `local` and `more_local`, and the distance from it to the highest one.
    local_from: u32,
    local_span: u32,
    /// Sets for members of local groups, by rank.
    members: Vec<Entry>,
    /// The ports of all sets.
    ports: Vec<PortId>,
}

/// Next hops of a destination: the set of equal next hops `ports[start..start + len]`, with a copy
/// of the first one. If `len` is 0, there is no next hop.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
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

/// The next hops of a reachable destination.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Towards {
    /// The only next hop.
    One(PortId),
    /// A set of several next hops.
    Several(Entry),
}

impl Towards {
    #[inline(always)]
    const fn of(set: Entry) -> Option<Self> {
        match set.len {
            0 => None,
            1 => Some(Self::One(set.first)),
            _ => Some(Self::Several(set)),
        }
    }
}

/// Marks a switch without local groups. It differs from the mark of a switch in the slots.
const NO_GROUP: (u32, u32) = (u32::MAX - 1, 0);

const _: () = assert!(NO_GROUP.0 != Slot::SWITCH, "a switch is in no group");

/// Rows of entries that tables share.
#[derive(Default)]
pub(super) struct SharedRows(FxHashSet<Arc<[Entry]>>);

impl SharedRows {
    /// Returns `entries` in memory that all tables with equal entries share.
    fn share(&mut self, entries: Vec<Entry>) -> Arc<[Entry]> {
        if let Some(known) = self.0.get(&entries[..]) {
            return Arc::clone(known);
        }
        let entries: Arc<[Entry]> = entries.into();
        self.0.insert(Arc::clone(&entries));
        entries
    }
}

impl SwitchTable {
    /// Memory of an entry, in bytes.
    pub(super) const ENTRY_BYTES: usize = size_of::<Entry>();

    /// Adds the sets of the hosts on this switch to the table.
    fn add_local(&mut self, local: &[Local]) {
        let mut places = Vec::with_capacity(local.len());
        for group in local {
            places.push((group.group, small(self.members.len())));
            for ports in &group.ports {
                let set = self.add_set(ports.iter().copied());
                self.members.push(set);
            }
        }
        self.local = places.first().copied().unwrap_or(NO_GROUP);
        let groups = places.iter().map(|place| place.0);
        self.local_from = groups.clone().min().unwrap_or(NO_GROUP.0);
        self.local_span = groups.max().unwrap_or(NO_GROUP.0) - self.local_from;
        self.more_local = places.into_iter().skip(1).collect();
    }

    /// Returns the start in `members` of the sets of `group`, if it is on this switch.
    #[inline]
    fn local(&self, group: u32) -> Option<u32> {
        if group.wrapping_sub(self.local_from) > self.local_span {
            return None;
        }
        if self.local.0 == group {
            return Some(self.local.1);
        }
        let more = self.more_local.iter().find(|more| more.0 == group)?;
        Some(more.1)
    }

    fn add_set(&mut self, ports: impl Iterator<Item = PortId>) -> Entry {
        let start = self.ports.len();
        self.ports.extend(ports);
        let len = u16::try_from(self.ports.len() - start).ok();
        Entry {
            start: small(start),
            len: len.expect("a node has fewer than 65,536 ports"),
            first: self.ports.get(start).copied().unwrap_or_default(),
        }
    }

    #[inline]
    fn set(&self, slot: Slot) -> Option<Entry> {
        let entry = match self.local(slot.group) {
            Some(start) => self.members[(start + slot.rank) as usize],
            None => *self.by_group.get(slot.group as usize)?,
        };
        (entry.len > 0).then_some(entry)
    }

    /// Returns the equal next hops towards `dst`, a host with a slot in `slots`.
    #[inline(always)]
    fn towards(&self, dst: NodeId, slots: &[Slot]) -> Option<Towards> {
        match self.direct.number(dst) {
            Some(number) => self.direct.towards(number),
            None => Towards::of(self.set(*slots.get(dst.index())?)?),
        }
    }

    /// Builds the direct index of each address, node or NIC, in `slots`, if there are few of them.
    /// The table must not change afterwards.
    pub(super) fn index(&mut self, slots: &[Slot]) {
        let sets = slots
            .iter()
            .map(|&slot| self.set(slot).unwrap_or(Entry::NOWHERE));
        self.direct = Direct::of(sets).unwrap_or_default();
    }

    /// Returns the first of the equal next hops towards a host.
    #[inline]
    pub(super) fn first(&self, slot: Slot) -> Option<PortId> {
        self.set(slot).map(|set| set.first)
    }

    /// Returns the equal next hops towards a host, in order.
    pub(super) fn next_hops(&self, slot: Slot) -> &[PortId] {
        self.set(slot).map_or(&[], |set| self.ports_of(set))
    }

    /// Returns the equal next hops towards a group; empty if its hosts are on this switch.
    pub(super) fn beyond(&self, group: u32) -> &[PortId] {
        match self.local(group) {
            Some(_) => &[],
            None => self.ports_of(self.by_group[group as usize]),
        }
    }

    /// Replaces the equal next hops towards a group if `weigh` returns other ones.
    pub(super) fn weigh(
        &mut self,
        group: u32,
        weigh: impl FnOnce(&[PortId]) -> Option<Vec<PortId>>,
    ) {
        if let Some(weighed) = weigh(self.beyond(group)) {
            let set = self.add_set(weighed.into_iter());
            Arc::make_mut(&mut self.by_group)[group as usize] = set;
        }
    }

    /// Returns the port at `position` of a set.
    #[inline]
    fn port(&self, set: Entry, position: u32) -> Option<PortId> {
        self.ports.get((set.start + position) as usize).copied()
    }

    fn ports_of(&self, set: Entry) -> &[PortId] {
        &self.ports[set.start as usize..][..set.len.into()]
    }
}

/// Converts a position in a table to the type that entries store.
fn small(index: usize) -> u32 {
    u32::try_from(index).expect("a switch has fewer than 2^32 next hops in all")
}

/// The forwarding decisions of one switch. Sending it to another thread is cheap because the tables
/// are shared.
pub struct SwitchRoutes {
    choice: Choice,
    slots: Arc<[Slot]>,
    table: Arc<SwitchTable>,
}

impl SwitchRoutes {
    pub(super) fn new(chooser: Chooser, slots: Arc<[Slot]>, table: Arc<SwitchTable>) -> Self {
        Self {
            choice: chooser.0,
            slots,
            table,
        }
    }

    /// Returns the egress port of the first packet of a flow with `key`, with empty queues
    /// everywhere.
    ///
    /// This updates the policy's state as if it had routed the packet.
    pub fn next_hop(&mut self, key: &FlowKey) -> Option<PortId> {
        let packet: Packet<()> = Packet::new(PacketKind::Data, Priority::new(3), *key, FlowId(0));
        self.pick(Time::ZERO, &packet, Idle)
    }
}

/// A checkpoint has only the state of the policy, because the tables follow from the failed links.
impl Checkpointed for SwitchRoutes {
    fn save(&self, out: &mut Writer) {
        let Self {
            choice,
            slots: _,
            table: _,
        } = self;
        choice.save(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.choice.load(input)
    }
}

impl<H: Header> Routing<H> for SwitchRoutes {
    #[inline]
    fn pick(&mut self, now: Time, packet: &Packet<H>, ports: impl PortStates) -> Option<PortId> {
        let Choice::Own(choice) = &mut self.choice else {
            return self.fixed(packet);
        };
        let set = match self.table.towards(packet.key.dst, &self.slots)? {
            Towards::One(port) => return Some(port),
            Towards::Several(set) => set,
        };
        let position = choose(&mut **choice, now, packet, (&*self.table, set), ports);
        self.table.port(set, position)
    }

    /// Routes packets by the hash, which needs no state. A policy may count packets, so all of its
    /// packets use [`pick`](Self::pick).
    // Without the attribute, the compiler emits a call for every packet.
    #[inline(always)]
    fn fixed(&self, packet: &Packet<H>) -> Option<PortId> {
        let Choice::Hash(hash) = &self.choice else {
            return None;
        };
        let set = match self.table.towards(packet.key.dst, &self.slots)? {
            Towards::One(port) => return Some(port),
            Towards::Several(set) => set,
        };
        let position = hash.choose(&packet.key, set.len.into());
        self.table.port(set, position)
    }

    #[inline]
    fn reads_ports(&self) -> bool {
        matches!(self.choice, Choice::Own(_))
    }

    /// Replaces the tables but keeps the state of the policy.
    fn update(&mut self, update: Self) {
        self.slots = update.slots;
        self.table = update.table;
    }

    fabricsim_base::saves_state!();
}

/// Returns the position in `set`, one of `table`, that `choice` selects.
// Kept out of line so that the code for most packets needs no stack space for the views.
#[cold]
#[inline(never)]
fn choose<H: Header>(
    choice: &mut dyn NextHopChoice,
    now: Time,
    packet: &Packet<H>,
    (table, set): (&SwitchTable, Entry),
    ports: impl PortStates,
) -> u32 {
    let hops = table.ports_of(set);
    let arrival = Arrival {
        now,
        key: &packet.key,
        flow: packet.flow,
        kind: packet.kind(),
        priority: packet.priority(),
        size: packet.size(),
        seq: first_byte(packet),
    };
    small(choice.choose(&arrival, hops, &ports).min(hops.len() - 1))
}

/// Returns the first payload byte of `packet`; 0 for TCP acknowledgements, which use the field for
/// other data, except for returning probes.
fn first_byte<H: Header>(packet: &Packet<H>) -> u64 {
    let is_probe = packet.flags.has(Flags::PROBE);
    if packet.is(PacketKind::Ack) && packet.telemetry.is_probed() && !is_probe {
        return 0;
    }
    packet.seq
}

impl fmt::Debug for SwitchRoutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SwitchRoutes")
            .field("choice", &self.choice)
            .field("groups", &self.table.by_group.len())
            .finish_non_exhaustive()
    }
}
