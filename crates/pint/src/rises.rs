//! Digests that are raised later than their packets leave, in the order in which they left.

use fabricsim_core::id::PortId;
use fabricsim_core::plugin::{Hop, Leaving};
use fabricsim_core::units::Time;

/// A digest that is to be raised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rise {
    /// When the packet leaves.
    at: Time,
    /// The utilization of its port, in steps of the code.
    pub(crate) steps: f64,
    /// Its place among those that leave through the port, unless the link loses it.
    pub(crate) place: Option<u32>,
    /// Its port.
    pub(crate) port: PortId,
}

/// The digests of one switch that are to be raised.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rises {
    /// Of packets that left at once because of an arrival: in order.
    passing: List,
    /// Of packets that left because the wire had become free: in order for each port.
    waiting: List,
}

/// A list to which an item can be added or not, without a branch.
#[derive(Clone, Debug, Default)]
struct List {
    items: Box<[Rise]>,
    /// Items of the list; those behind them are room.
    len: usize,
}

/// The room of a list that has any.
const LEAST_ROOM: usize = 16;

impl List {
    /// Adds `item` where `is_wanted` says so.
    #[inline(always)]
    fn push_if(&mut self, is_wanted: bool, item: Rise) {
        if self.len == self.items.len() {
            self.grow();
        }
        self.items[self.len] = item;
        self.len += usize::from(is_wanted);
    }

    /// Makes room.
    // Not with copies of an item, which would be put together in memory for that, and read back too
    // early for the processor.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut items = std::mem::take(&mut self.items).into_vec();
        let nothing = Rise {
            at: Time::ZERO,
            steps: 0.0,
            place: None,
            port: PortId(0),
        };
        items.resize((2 * items.len()).max(LEAST_ROOM), nothing);
        self.items = items.into_boxed_slice();
    }

    /// Takes the items out.
    #[inline]
    fn take(&mut self) -> &mut [Rise] {
        let len = std::mem::take(&mut self.len);
        &mut self.items[..len]
    }
}

impl Rises {
    /// Notes where `rises` says so that the digest of the packet that leaves as `hop` and `leaving`
    /// say is to be raised.
    #[inline(always)]
    pub(crate) fn note(&mut self, rises: bool, steps: f64, hop: &Hop, leaving: Leaving) {
        let list = if leaving.waited {
            &mut self.waiting
        } else {
            &mut self.passing
        };
        let rise = Rise {
            at: hop.now,
            steps,
            place: leaving.place,
            port: hop.port,
        };
        list.push_if(rises, rise);
    }

    /// Takes all of them out, in the order in which the packets left.
    #[inline]
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Rise> {
        let waiting = self.waiting.take();
        waiting.sort_unstable_by_key(|rise| (rise.at, rise.port));
        let mut waiting = waiting.iter().peekable();
        let mut passing = self.passing.take().iter().peekable();
        std::iter::from_fn(move || match (passing.peek(), waiting.peek()) {
            (Some(first), Some(second)) if second.at < first.at => waiting.next(),
            (Some(_), _) => passing.next(),
            (None, _) => waiting.next(),
        })
        .copied()
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::units::{Bytes, Rate};

    use super::*;

    fn note(rises: &mut Rises, ns: u64, port: u16, waited: bool, place: u32) {
        let hop = Hop {
            now: Time::from_ns(ns),
            arrived: Time::from_ns(ns),
            ingress: PortId(0),
            port: PortId(port),
            rate: Rate::from_gbps(100),
            queue: Bytes::ZERO,
            sent: Bytes::ZERO,
        };
        let leaving = Leaving {
            place: Some(place),
            waited,
        };
        rises.note(true, 1.0, &hop, leaving);
        // Room that is written and not used.
        rises.note(false, 2.0, &hop, leaving);
    }

    fn taken(rises: &mut Rises) -> Vec<Option<u32>> {
        rises.drain().map(|rise| rise.place).collect()
    }

    #[test]
    fn arrivals_come_first_and_then_ports_in_order() {
        let mut rises = Rises::default();
        // Port 7 is served late, after what has arrived at 30 ns.
        for (ns, port, place) in [(10, 3, 0), (10, 1, 1), (20, 2, 2), (30, 0, 3)] {
            note(&mut rises, ns, port, false, place);
        }
        for (ns, port, place) in [(10, 7, 4), (25, 7, 5), (9, 2, 6), (10, 2, 7), (40, 2, 8)] {
            note(&mut rises, ns, port, true, place);
        }
        let order = [6, 0, 1, 7, 4, 2, 5, 3, 8];
        assert_eq!(taken(&mut rises), order.map(Some));
        assert_eq!(taken(&mut rises), []);
    }

    proptest::proptest! {
        #[test]
        fn the_order_is_that_of_a_stable_sort(
            packets in proptest::collection::vec((0u64..40, 0u16..6, proptest::bool::ANY), 0..120),
        ) {
            let (mut passing, mut waiting): (Vec<_>, Vec<_>) =
                (0..).zip(packets).partition(|&(_, (_, _, waited))| !waited);
            passing.sort_by_key(|&(_, (ns, _, _))| ns);
            // A port sends one packet at a time.
            waiting.sort_by_key(|&(_, (ns, port, _))| (port, ns));
            waiting.dedup_by_key(|&mut (_, (ns, port, _))| (port, ns));
            let mut rises = Rises::default();
            for &(place, (ns, port, waited)) in passing.iter().chain(&waiting) {
                note(&mut rises, ns, port, waited, place);
            }
            let mut all: Vec<_> = passing.into_iter().chain(waiting).collect();
            all.sort_by_key(|&(_, (ns, port, waited))| (ns, waited, if waited { port } else { 0 }));
            let order: Vec<_> = all.into_iter().map(|(place, _)| Some(place)).collect();
            proptest::prop_assert_eq!(taken(&mut rises), order);
        }
    }
}
