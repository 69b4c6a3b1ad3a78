//! Next hops by address, for small networks.

use fabricsim_core::id::{NodeId, PortId};

use super::{Entry, Towards};

/// The most addresses of a table: then it is a part of the first cache.
const MOST_ADDRESSES: usize = 1 << 10;

/// Numbers from here on are those of sets.
const SETS: u16 = 1 << 15;
/// The number of an address that cannot be reached: there is no such set.
const NOWHERE: u16 = u16::MAX;

/// The next hops of each address, in one look-up; or nothing.
#[derive(Default)]
pub(super) struct Direct {
    /// For each address, the only next hop, or the number of a set.
    numbers: Box<[u16]>,
    /// Sets of several next hops.
    sets: Vec<Entry>,
}

impl Direct {
    /// A table of the set of each address, in order; `None` where there are too many addresses, ports
    /// or sets.
    pub(super) fn of(of_addresses: impl ExactSizeIterator<Item = Entry>) -> Option<Self> {
        if of_addresses.len() > MOST_ADDRESSES {
            return None;
        }
        let mut sets = Vec::new();
        let number_of = |set: Entry| match Towards::of(set) {
            None => Some(NOWHERE),
            Some(Towards::One(PortId(port))) => (port < SETS).then_some(port),
            Some(Towards::Several(set)) => {
                let known = sets.iter().position(|&known| known == set);
                let number = known.unwrap_or_else(|| {
                    sets.push(set);
                    sets.len() - 1
                });
                let number = u16::try_from(number).ok()? | SETS;
                (number < NOWHERE).then_some(number)
            }
        };
        let numbers = of_addresses.map(number_of).collect::<Option<_>>()?;
        Some(Self { numbers, sets })
    }

    /// The number of `address`, or `None` where there is no table.
    #[inline(always)]
    pub(super) fn number(&self, address: NodeId) -> Option<u16> {
        self.numbers.get(address.index()).copied()
    }

    /// The next hops of an address with this [number](Self::number).
    #[inline(always)]
    pub(super) fn towards(&self, number: u16) -> Option<Towards> {
        if number < SETS {
            return Some(Towards::One(PortId(number)));
        }
        let set = self.sets.get(usize::from(number - SETS))?;
        Some(Towards::Several(*set))
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
            let mut several = 0;
            for table in &*routes.tables {
                for (address, &slot) in (0..).zip(&*routes.slots) {
                    let set = if slot.is_host() {
                        table.set(slot)
                    } else {
                        None
                    };
                    let number = table.direct.number(NodeId(address)).unwrap();
                    let found = table.direct.towards(number);
                    assert!(found == set.and_then(Towards::of), "address {address}");
                    several += usize::from(matches!(found, Some(Towards::Several(_))));
                }
                assert!(table.direct.number(NodeId(10_000)).is_none());
            }
            assert!(several > 1_000, "{several}");
        }
    }

    #[test]
    fn a_large_network_has_no_such_table() {
        let set = |len, first| Entry {
            start: u32::from(first),
            len,
            first: PortId(first),
        };
        let table = |set, addresses| Direct::of(std::iter::repeat_n(set, addresses));
        assert!(table(set(2, 7), 1_024).is_some());
        assert!(table(set(2, 7), 1_025).is_none());
        assert!(table(set(1, SETS - 1), 10).is_some());
        assert!(table(set(1, SETS), 10).is_none());
    }
}
