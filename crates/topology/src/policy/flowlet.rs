//! Flowlet switching: a flow may change its path after a gap.

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::PortId;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::rng::Stream;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::{PathStability, PortStates};
use rustc_hash::FxHashMap;

use super::{Arrival, Chooser, NextHopChoice, PolicyContext, PolicyKind, position_below};

settings! {
    /// Keeps the packets of a flow on one path until the flow pauses for longer than a gap; the
    /// next packet then takes a random path (LetFlow: Vanini et al., NSDI 2017, section 3).
    ///
    /// Each direction of a flow has its own flowlets, so ACKs are switched like data. Every switch
    /// with several next hops decides for itself.
    ///
    /// Differs from the paper: LetFlow indexes its table of flowlets by a hash, so flows may share
    /// an entry, and one bit tells its age in steps of the timeout. Here, each flow has its own
    /// entry and the gap is measured exactly.
    pub struct Flowlet {
        /// Time without a packet of the flow after which it may take another path.
        #[range(above "0s")]
        #[refused(
            "without a gap every packet is a flowlet",
            "give a time such as \"100us\", or set policy = \"random\""
        )]
        pub gap: Duration = "100us",
    }
}

impl PolicyKind for Flowlet {
    const NAME: &'static str = "flowlet";
    const ABOUT: &'static str =
        "a flow draws a next hop at random, and again after each gap (LetFlow)";
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    /// Packets before and after a gap may overtake one another if paths differ in delay by more
    /// than the gap.
    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::new(Flowlets {
            gap: self.gap,
            running: FxHashMap::default(),
            room: LEAST_ROOM,
            draws: at.stream(),
        })
    }
}

/// Number of flowlets to keep before first removing finished ones.
const LEAST_ROOM: usize = 1_024;

/// The last packet of a flowlet.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Last {
    at: Time,
    position: usize,
    port: PortId,
}

#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
struct Flowlets {
    #[checkpoint(rebuilt)]
    gap: Duration,
    /// Flowlets by flow. A finished one may be in the map or not: in both cases, the next packet
    /// draws.
    running: FxHashMap<FlowKey, Last>,
    /// Number of flowlets at which to remove finished ones again.
    room: usize,
    draws: Stream,
}

impl Flowlets {
    /// Removes flowlets that are finished at `now`, so that memory grows only with the number of
    /// active flows.
    #[cold]
    fn make_room(&mut self, now: Time) {
        let gap = self.gap;
        self.running.retain(|_, last| now.since(last.at) <= gap);
        self.room = (2 * self.running.len()).max(LEAST_ROOM);
    }
}

impl NextHopChoice for Flowlets {
    fn choose(&mut self, packet: &Arrival<'_>, hops: &[PortId], _: &dyn PortStates) -> usize {
        let now = packet.now;
        if let Some(last) = self.running.get_mut(packet.key)
            && now.since(last.at) <= self.gap
            && hops.get(last.position) == Some(&last.port)
        {
            last.at = now;
            return last.position;
        }
        if self.running.len() >= self.room {
            self.make_room(now);
        }
        let position = position_below(&mut self.draws, hops.len());
        let last = Last {
            at: now,
            position,
            port: hops[position],
        };
        self.running.insert(*packet.key, last);
        position
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::policy::testing::{Ports, chooser, data_at};

    use super::*;

    #[test]
    fn a_flow_keeps_its_path_until_it_pauses_for_longer_than_the_gap() {
        let mut choice = chooser(&Flowlet::default(), 1);
        let mut now = Time::ZERO;
        let mut paths = BTreeSet::new();
        for _ in 0..20 {
            let first = choice.at(&data_at(now, 5), 16, &Ports::default());
            for _ in 0..10 {
                now += Duration::from_us(100);
                let next = choice.at(&data_at(now, 5), 16, &Ports::default());
                assert_eq!(next, first, "{now:?}");
            }
            paths.insert(first);
            now += Duration::from_us(100) + Duration::from_ps(1);
        }
        assert!(paths.len() > 5, "{paths:?}");
    }

    #[test]
    fn flows_are_apart() {
        let mut choice = chooser(&Flowlet::default(), 1);
        let mut take = |port| choice.at(&data_at(Time::ZERO, port), 16, &Ports::default());
        let paths: Vec<usize> = (0..2_000).map(&mut take).collect();
        assert_eq!((0..2_000).map(take).collect::<Vec<_>>(), paths);
        let taken: BTreeSet<usize> = paths.into_iter().collect();
        assert_eq!(taken.len(), 16);
    }

    #[test]
    fn a_path_that_is_gone_is_drawn_anew() {
        let mut choice = chooser(&Flowlet::default(), 1);
        let of_sixteen: Vec<usize> = (0..50)
            .map(|port| choice.at(&data_at(Time::ZERO, port), 16, &Ports::default()))
            .collect();
        assert!(of_sixteen.iter().any(|&position| position >= 2));
        for port in 0..50 {
            assert!(choice.at(&data_at(Time::ZERO, port), 2, &Ports::default()) < 2);
        }
    }

    #[test]
    fn memory_follows_the_flows_that_send() {
        let mut flowlets = Flowlets {
            gap: Duration::from_us(1),
            running: FxHashMap::default(),
            room: LEAST_ROOM,
            draws: PolicyContext::stream(&crate::policy::testing::context(1)),
        };
        let hops = [PortId(0), PortId(1)];
        for number in 0..50_000u64 {
            let now = Time::from_ns(number * 100);
            let port = u16::try_from(number).unwrap();
            data_at(now, port).show(|arrival| {
                flowlets.choose(arrival, &hops, &Ports::default());
            });
        }
        assert!(flowlets.running.len() <= 2 * LEAST_ROOM);
    }
}
