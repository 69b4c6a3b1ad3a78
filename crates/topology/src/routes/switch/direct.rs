//! Next hops by address, for small networks.

use fabricsim_base::id::{NodeId, PortId};
use rustc_hash::FxHashMap;

use super::{Entry, Towards};

/// Maximum number of addresses of a table, including unused ones of switches. With this limit, the
/// part of the table in use fits into the first-level cache.
const MOST_ADDRESSES: usize = 1 << 10;

/// This number and higher ones denote sets; lower ones denote ports.
const SETS: u8 = 1 << 7;
/// The number of an unreachable address; no set has this number.
const NOWHERE: u8 = u8::MAX;

/// The next hops of each address, in one look-up; or empty if the network is too large.
#[derive(Default)]
pub(super) struct Direct {
    /// For each address up to the last reachable one, the only next hop, or the number of a set.
    numbers: Box<[u8]>,
    /// Sets of several next hops.
    sets: Vec<Entry>,
}

impl Direct {
    /// Builds a table from the set of each address, in order; `None` if there are too many
    /// addresses, ports or sets.
    pub(super) fn of(of_addresses: impl ExactSizeIterator<Item = Entry>) -> Option<Self> {
        if of_addresses.len() > MOST_ADDRESSES {
            return None;
        }
        let mut sets = Vec::new();
        let mut known = FxHashMap::default();
        let number_of = |set: Entry| match Towards::of(set) {
            None => Some(NOWHERE),
            Some(Towards::One(port)) => number_below(SETS, port.index()),
            Some(Towards::Several(set)) => {
                let number = *known.entry(set).or_insert_with(|| {
                    sets.push(set);
                    sets.len() - 1
                });
                number_below(NOWHERE - SETS, number).map(|number| SETS + number)
            }
        };
        let mut numbers: Vec<u8> = of_addresses.map(number_of).collect::<Option<_>>()?;
        let last = numbers.iter().rposition(|&number| number != NOWHERE);
        numbers.truncate(last.map_or(0, |last| last + 1));
        Some(Self {
            numbers: numbers.into(),
            sets,
        })
    }

    /// Returns the number of `address`, or `None` if it is not in the table.
    #[inline(always)]
    pub(super) fn number(&self, address: NodeId) -> Option<u8> {
        self.numbers.get(address.index()).copied()
    }

    /// Returns the next hops of an address with this [number](Self::number).
    #[inline(always)]
    pub(super) fn towards(&self, number: u8) -> Option<Towards> {
        if number < SETS {
            return Some(Towards::One(PortId(number.into())));
        }
        let set = self.sets.get(usize::from(number - SETS))?;
        Some(Towards::Several(*set))
    }
}

/// Returns `number` if it is below `limit`.
fn number_below(limit: u8, number: usize) -> Option<u8> {
    let number = u8::try_from(number).ok()?;
    (number < limit).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DownLinks, EcmpHash, FatTreeConfig, NextHopOrder, Routes, Weights};

    #[test]
    fn a_look_up_by_address_finds_what_the_groups_say() {
        let fabric = FatTreeConfig {
            k: 6,
            ..FatTreeConfig::default()
        };
        let fabric = fabric.build().unwrap();
        let whole = Routes::compute(&fabric, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        let mut down = DownLinks::none(&fabric);
        for link in [3, 60, 100] {
            down.insert(link);
        }
        let torn = whole.without(&down);
        let weighed = torn.clone().with_weights(Weights::Capacity);
        for routes in [whole, torn, weighed] {
            let mut several = 0;
            for table in &*routes.tables {
                for (address, &slot) in (0..).zip(&*routes.slots) {
                    let set = table.set(slot);
                    assert!(slot.is_host() || set.is_none(), "switch {address}");
                    let found = match table.direct.number(NodeId(address)) {
                        Some(number) => table.direct.towards(number),
                        None => None,
                    };
                    assert!(found == set.and_then(Towards::of), "address {address}");
                    several += usize::from(matches!(found, Some(Towards::Several(_))));
                }
                assert!(table.direct.number(NodeId(10_000)).is_none());
            }
            assert!(several > 1_000, "{several}");
        }
    }

    #[test]
    fn large_networks_and_switches_have_no_such_table() {
        let set = |len, first| Entry {
            start: u32::from(first),
            len,
            first: PortId(first),
        };
        let table = |set, addresses| Direct::of(std::iter::repeat_n(set, addresses));
        assert!(table(set(2, 7), 1_024).is_some());
        assert!(table(set(2, 7), 1_025).is_none());
        assert!(table(set(1, 127), 10).is_some());
        assert!(table(set(1, 128), 10).is_none());
        let sets = |count| (0..count).map(|first| set(2, first)).collect::<Vec<_>>();
        assert!(Direct::of(sets(127).into_iter()).is_some());
        assert!(Direct::of(sets(128).into_iter()).is_none());
    }
}
