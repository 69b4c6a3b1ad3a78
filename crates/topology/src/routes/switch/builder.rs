//! Construction of a switch's table: next hops towards many groups of hosts at a time.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Direct, Entry, NO_GROUP, SharedRows, SwitchTable};
use crate::routes::groups::Local;
use crate::routes::hop::Hop;

/// A table under construction, to which next hops are added for up to [`BATCH`] groups at a time.
pub(in crate::routes) struct TableBuilder<'a> {
    /// The table, without its entries.
    table: SwitchTable,
    by_group: Vec<Entry>,
    /// The switch's hops to other switches, in order.
    hops: &'a [Hop],
    /// The sets with a single hop.
    single: FxHashMap<u32, Entry>,
    /// The sets with several hops, by their positions in `hops`.
    several: FxHashMap<Box<[u32]>, Entry>,
}

/// Scratch memory, shared by all tables.
#[derive(Default)]
pub(in crate::routes) struct Scratch {
    /// For each hop that leads closer to some group: its position, and a bit for each such group.
    nearer: Vec<(u32, u64)>,
    /// Groups that have had the same next hops so far.
    parts: Vec<u64>,
    pattern: Vec<u32>,
}

impl<'a> TableBuilder<'a> {
    /// Creates a table for `groups` groups, without a path to any of them.
    pub(in crate::routes) fn new(groups: usize, hops: &'a [Hop]) -> Self {
        Self {
            by_group: vec![Entry::NOWHERE; groups],
            table: SwitchTable {
                direct: Direct::default(),
                by_group: Arc::default(),
                local: NO_GROUP,
                more_local: Box::default(),
                local_from: NO_GROUP.0,
                local_span: 0,
                members: Vec::new(),
                ports: Vec::new(),
            },
            hops,
            single: FxHashMap::default(),
            several: FxHashMap::default(),
        }
    }

    /// Adds the next hops towards the groups in `reached`, with bit 0 for group `first`. The next
    /// hops of a group are the switches with its bit in `nearer`, which has a word for each switch.
    pub(in crate::routes) fn add(
        &mut self,
        first: usize,
        reached: u64,
        nearer: &[u64],
        scratch: &mut Scratch,
    ) {
        let Scratch {
            nearer: masks,
            parts,
            pattern,
        } = scratch;
        masks.clear();
        let words = self
            .hops
            .iter()
            .map(|hop| nearer[hop.to as usize] & reached);
        masks.extend((0u32..).zip(words).filter(|&(_, mask)| mask != 0));
        parts.clear();
        parts.push(reached);
        if masks.len() > 1 {
            for &(_, mask) in &*masks {
                for place in 0..parts.len() {
                    let (inside, outside) = (parts[place] & mask, parts[place] & !mask);
                    if inside != 0 && outside != 0 {
                        parts[place] = inside;
                        parts.push(outside);
                    }
                }
            }
        }
        for part in parts.drain(..) {
            let one = part & part.wrapping_neg();
            pattern.clear();
            let through = masks.iter().filter(|&&(_, mask)| mask & one != 0);
            pattern.extend(through.map(|&(hop, _)| hop));
            let set = self.set_of(pattern);
            let mut left = part;
            while left != 0 {
                self.by_group[first + left.trailing_zeros() as usize] = set;
                left &= left - 1;
            }
        }
    }

    fn set_of(&mut self, pattern: &[u32]) -> Entry {
        let known = match *pattern {
            [only] => self.single.get(&only),
            _ => self.several.get(pattern),
        };
        if let Some(&set) = known {
            return set;
        }
        let ports = pattern.iter().map(|&hop| self.hops[hop as usize].port);
        let set = self.table.add_set(ports);
        match *pattern {
            [only] => self.single.insert(only, set),
            _ => self.several.insert(pattern.into(), set),
        };
        set
    }

    /// Completes the table with the hosts on the switch itself. `rows` lets tables with equal
    /// entries share their memory.
    pub(in crate::routes) fn finish(
        mut self,
        local: &[Local],
        rows: &mut SharedRows,
    ) -> SwitchTable {
        self.table.add_local(local);
        // Entries of groups on the switch itself are unused; copying another entry makes more rows
        // equal.
        let is_local = |group: usize| local.iter().any(|own| own.group as usize == group);
        let other = (0..self.by_group.len()).find(|&group| !is_local(group));
        let other = other.map_or(Entry::NOWHERE, |group| self.by_group[group]);
        for own in local {
            self.by_group[own.group as usize] = other;
        }
        self.table.by_group = rows.share(self.by_group);
        self.table
    }
}
