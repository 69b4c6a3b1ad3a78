//! Next hops by address, for small networks.

use fabricsim_core::id::NodeId;

use super::Entry;

/// The most addresses of a table: then it is a part of the first cache.
const MOST_ADDRESSES: usize = 1 << 10;
/// Sets are numbered by a byte.
const SETS: usize = 1 << u8::BITS;

/// The set of next hops of each address, in one look-up; or nothing.
#[derive(Default)]
pub(super) struct Direct {
    numbers: Box<[u8]>,
    /// The sets by number.
    sets: Option<Box<[Entry; SETS]>>,
}

impl Direct {
    /// A table of the set of each address, in order; `None` where there are too many addresses or
    /// sets.
    pub(super) fn of(of_addresses: impl ExactSizeIterator<Item = Entry>) -> Option<Self> {
        if of_addresses.len() > MOST_ADDRESSES {
            return None;
        }
        let mut sets = Vec::new();
        let mut numbers = Vec::with_capacity(of_addresses.len());
        for set in of_addresses {
            let known = sets.iter().position(|&known| known == set);
            let number = known.unwrap_or_else(|| {
                sets.push(set);
                sets.len() - 1
            });
            numbers.push(u8::try_from(number).ok()?);
        }
        sets.resize(SETS, Entry::NOWHERE);
        Some(Self {
            numbers: numbers.into(),
            sets: <Box<[Entry; SETS]>>::try_from(sets).ok(),
        })
    }

    /// The set of `address`, or `None` where there is no table.
    #[inline(always)]
    pub(super) fn get(&self, address: NodeId) -> Option<Entry> {
        let number = *self.numbers.get(address.index())?;
        let sets = self.sets.as_deref()?;
        Some(sets[usize::from(number)])
    }
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
            let mut found = 0;
            for table in &*routes.tables {
                for (address, &slot) in (0..).zip(&*routes.slots) {
                    let set = if slot.is_host() {
                        table.set(slot)
                    } else {
                        None
                    };
                    let direct = table.direct.get(NodeId(address)).unwrap();
                    assert!((direct.len > 0).then_some(direct) == set);
                    found += usize::from(direct.len > 1);
                }
                assert!(table.direct.get(NodeId(10_000)).is_none());
            }
            assert!(found > 1_000, "{found} choices");
        }
    }

    #[test]
    fn a_large_network_has_no_such_table() {
        let sets = |sets: usize, addresses: usize| {
            let set = move |address: usize| Entry {
                start: u32::try_from(address % sets).unwrap(),
                ..Entry::NOWHERE
            };
            Direct::of((0..addresses).map(set)).is_some()
        };
        assert!(sets(256, 1_024) && !sets(257, 1_024) && !sets(256, 1_025));
    }
}
