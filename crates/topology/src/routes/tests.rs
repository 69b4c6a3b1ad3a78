//! Routes of small networks, described in words.

use std::collections::BTreeSet;

use fabricsim_base::id::FlowId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{PortStates, Quirks, Routing};

use super::*;
use crate::{
    Arrival, ChainConfig, Chooser, DumbbellConfig, FatTreeConfig, LeafSpineConfig, NextHopChoice,
    Preset, StarConfig, parse_hpcc,
};

const MTU: Bytes = Bytes::new(1_000);

fn ascending(topology: &Topology) -> Routes {
    Routes::compute(topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1))
}

fn key(src: u32, dst: u32, src_port: u16) -> FlowKey {
    FlowKey {
        src: NodeId(src),
        dst: NodeId(dst),
        src_port,
        dst_port: 100,
    }
}

fn hops(routes: &Routes, node: u32, dst: u32) -> Vec<(u32, u16)> {
    routes
        .next_hops(NodeId(node), NodeId(dst))
        .iter()
        .map(|(n, p)| (n.0, p.0))
        .collect()
}

#[test]
fn equal_next_hops_come_in_the_order_of_node_ids() {
    let fabric = LeafSpineConfig {
        hosts_per_leaf: 2,
        leaves: 2,
        spines: 3,
        ..Default::default()
    };
    let fabric = fabric.build().unwrap();
    assert_eq!(hops(&ascending(&fabric), 4, 2), [(6, 2), (7, 3), (8, 4)]);
    let descending = Routes::compute(&fabric, NextHopOrder::DescendingNode, EcmpHash::Ns3);
    assert_eq!(hops(&descending, 4, 2), [(8, 4), (7, 3), (6, 2)]);
    assert_eq!(hops(&descending, 4, 1), [(1, 1)]);
    assert_eq!(hops(&descending, 7, 3), [(5, 1)]);
    assert_eq!(hops(&descending, 0, 3), [(4, 0)]);
    assert_eq!(hops(&descending, 3, 3), []);
}

#[test]
fn parallel_links_are_separate_next_hops_in_the_order_of_ports() {
    let text = "4 2 5 2 3 0 2 1Gbps 1us 0 2 3 1Gbps 1us 0 2 3 1Gbps 1us 0
                1 3 1Gbps 1us 0 1 3 1Gbps 1us 0";
    let topology = parse_hpcc(text).unwrap();
    for order in [NextHopOrder::AscendingNode, NextHopOrder::DescendingNode] {
        let routes = Routes::compute(&topology, order, EcmpHash::Ns3);
        assert_eq!(hops(&routes, 2, 1), [(3, 1), (3, 2)]);
        assert_eq!(hops(&routes, 3, 1), [(1, 2), (1, 3)]);
        assert_eq!(hops(&routes, 1, 0), [(3, 0), (3, 1)]);
        let taken: Vec<_> = (0..64)
            .map(|port| routes.switch(NodeId(2)).next_hop(&key(0, 1, port)))
            .collect();
        assert!(taken.contains(&Some(PortId(1))) && taken.contains(&Some(PortId(2))));
    }
}

/// From host 0, a search reaches 2, then 4 and 3, and then 5 through 4 before 6 through 3.
#[test]
fn descending_next_hops_come_in_the_order_of_a_search_from_the_destination() {
    let text = "8 6 9 2 3 4 5 6 7 0 2 1Gbps 1us 0 2 3 1Gbps 1us 0 2 4 1Gbps 1us 0
                4 5 1Gbps 1us 0 3 6 1Gbps 1us 0 5 7 1Gbps 1us 0 6 7 1Gbps 1us 0
                1 6 1Gbps 1us 0 1 5 1Gbps 1us 0";
    let topology = parse_hpcc(text).unwrap();
    let routes = Routes::compute(&topology, NextHopOrder::DescendingNode, EcmpHash::Ns3);
    assert_eq!(hops(&routes, 7, 0), [(5, 0), (6, 1)]);
    assert_eq!(hops(&routes, 1, 0), [(5, 1), (6, 0)]);
    assert_eq!(hops(&ascending(&topology), 1, 0), [(5, 1), (6, 0)]);
    assert_eq!(hops(&routes, 7, 1), [(6, 1), (5, 0)]);
}

#[test]
fn the_reference_simulator_uses_the_last_of_parallel_links() {
    let text = "4 2 6 2 3 0 2 1Gbps 1us 0 2 3 1Gbps 1us 0 3 2 1Gbps 1us 0
                1 3 1Gbps 1us 0 0 3 1Gbps 1us 0 1 3 1Gbps 1us 0";
    let topology = parse_hpcc(text).unwrap();
    let routes = Routes::compute(&topology, NextHopOrder::DescendingNode, EcmpHash::Ns3);
    let routes = routes.with_quirks(&Quirks::PUBLISHED);
    assert_eq!(hops(&routes, 2, 1), [(3, 2)]);
    assert_eq!(hops(&routes, 3, 1), [(1, 4)]);
    assert_eq!(hops(&routes, 1, 0), [(3, 1)]);
    assert_eq!(routes.nic_port(&key(1, 0, 7)), Some(PortId(1)));
    assert_eq!(topology.ports(NodeId(3)).len(), 5);
    // After the link with the traffic has failed, the other one does not replace it.
    let mut down = DownLinks::none(&topology);
    down.insert(topology.ports(NodeId(1))[1].link);
    let cut = routes.without(&down);
    assert_eq!(cut.nic_port(&key(1, 0, 7)), None);
    assert_eq!(*cut.avoided(), down);
}

/// The published script adds whole nanoseconds of each hop: 256 bytes take 20.48 ns at 100 Gbps and
/// 81.92 at 25.
#[test]
fn the_reference_simulator_cuts_the_time_of_each_hop() {
    let text = "3 1 2 2 0 2 100Gbps 1us 0 1 2 25Gbps 1us 0";
    let exact = ascending(&parse_hpcc(text).unwrap());
    let cut = exact.clone().with_quirks(&Quirks::PUBLISHED);
    let rtt = |routes: &Routes| {
        let stats = routes.path_stats(Bytes::new(256));
        let path = routes.path_info(NodeId(0), NodeId(1), Bytes::new(256));
        assert_eq!(path.unwrap().base_rtt, stats.base_rtt);
        stats.base_rtt
    };
    assert_eq!(rtt(&exact), Duration::from_ps(4_102_400));
    assert_eq!(rtt(&cut), Duration::from_ns(4_101));
}

#[test]
fn hosts_with_a_direct_link_use_it() {
    let text = "3 1 3 2 0 1 1Gbps 1us 0 0 2 1Gbps 1us 0 1 2 1Gbps 1us 0";
    let routes = ascending(&parse_hpcc(text).unwrap());
    assert_eq!(routes.nic_port(&key(0, 1, 1)), Some(PortId(0)));
    assert_eq!(routes.trace(&key(0, 1, 1)), [NodeId(0), NodeId(1)]);
    let alone = ascending(&parse_hpcc("2 0 1 0 1 1Gbps 1us 0").unwrap());
    assert_eq!(alone.trace(&key(1, 0, 1)), [NodeId(1), NodeId(0)]);
    let path = alone.path_info(NodeId(0), NodeId(1), MTU).unwrap();
    assert_eq!((path.base_rtt, path.switches), (Duration::from_us(10), 0));
    assert_eq!(alone.path_stats(MTU).base_rtt, Duration::from_us(10));
}

#[test]
fn a_host_on_two_switches_takes_the_nearer_one_and_spreads_when_equal() {
    // Host 0 is on switches 3 and 4, host 1 on 4, host 2 on 5; both 3 and 4 are linked to 5.
    let text = "6 3 6 3 4 5 0 3 1Gbps 1us 0 0 4 1Gbps 1us 0 1 4 1Gbps 1us 0 2 5 1Gbps 1us 0
                3 5 1Gbps 1us 0 4 5 1Gbps 1us 0";
    let routes = ascending(&parse_hpcc(text).unwrap());
    assert_eq!(hops(&routes, 0, 1), [(4, 1)]);
    assert_eq!(hops(&routes, 0, 2), [(3, 0), (4, 1)]);
    assert_eq!(hops(&routes, 5, 0), [(3, 1), (4, 2)]);
    let nics: Vec<_> = (0..64)
        .map(|port| routes.nic_port(&key(0, 2, port)))
        .collect();
    assert!(nics.contains(&Some(PortId(0))) && nics.contains(&Some(PortId(1))));
}

#[test]
fn there_is_no_way_to_oneself_to_a_switch_or_to_nowhere() {
    let routes = ascending(
        &StarConfig {
            hosts: 3,
            ..Default::default()
        }
        .build()
        .unwrap(),
    );
    for (src, dst) in [(0, 0), (0, 3), (3, 0), (0, 99), (99, 0)] {
        assert_eq!(routes.nic_port(&key(src, dst, 1)), None);
        assert_eq!(routes.path_info(NodeId(src), NodeId(dst), MTU), None);
        assert_eq!(routes.trace(&key(src, dst, 1)), []);
    }
    assert_eq!(routes.switch(NodeId(3)).next_hop(&key(0, 3, 1)), None);
    assert_eq!(routes.switch(NodeId(3)).next_hop(&key(0, 99, 1)), None);
}

#[test]
fn base_rtt_counts_propagation_twice_and_each_hops_transmission_once() {
    let config = DumbbellConfig {
        bottleneck_rate: Rate::from_gbps(10),
        bottleneck_delay: Duration::from_us(5),
        ..Default::default()
    };
    let routes = ascending(&config.build().unwrap());
    let path = routes.path_info(NodeId(0), NodeId(2), MTU).unwrap();
    assert_eq!(path.base_rtt, Duration::from_ns(2 * 7_000 + 80 + 800 + 80));
    assert_eq!((path.bottleneck, path.switches), (Rate::from_gbps(10), 2));
    let path_stats = routes.path_stats(MTU);
    assert_eq!(
        (path_stats.base_rtt, path_stats.switches),
        (path.base_rtt, 2)
    );
    let local = routes.path_info(NodeId(0), NodeId(1), MTU).unwrap();
    assert_eq!(
        path_stats.bdp,
        local.bdp(),
        "the pair on one switch has the higher bottleneck"
    );
}

#[test]
fn the_papers_fabric_has_the_papers_base_rtt_and_bdp() {
    let config = FatTreeConfig {
        preset: Some(Preset::HpccFat320),
        ..Default::default()
    };
    let path_stats = ascending(&config.build().unwrap()).path_stats(MTU);
    let expected = PathStats {
        base_rtt: Duration::from_ns(12_240),
        bdp: Bytes::new(153_000),
        switches: 5,
    };
    assert_eq!(path_stats, expected);
}

#[test]
fn extremes_see_the_pair_at_the_ends_of_a_chain() {
    let chain = ChainConfig {
        switches: 70,
        hosts_per_switch: 1,
        ..Default::default()
    };
    let routes = ascending(&chain.build().unwrap());
    assert_eq!(routes.path_stats(MTU).switches, 70);
    assert_eq!(routes.trace(&key(69, 0, 1)).len(), 72);
}

#[test]
fn a_switch_with_more_than_a_word_of_next_hops() {
    let fabric = LeafSpineConfig {
        hosts_per_leaf: 1,
        leaves: 3,
        spines: 200,
        ..Default::default()
    };
    let routes = ascending(&fabric.build().unwrap());
    let all: Vec<(u32, u16)> = (0..200)
        .map(|spine| (6 + u32::from(spine), 1 + spine))
        .collect();
    assert_eq!(hops(&routes, 3, 2), all);
}

#[test]
fn routes_are_shared_between_threads_and_say_little_when_printed() {
    fn shareable<T: fmt::Debug + Send + Sync>(value: &T) -> String {
        format!("{value:?}")
    }
    let routes = ascending(&StarConfig::default().build().unwrap());
    assert!(shareable(&routes.clone()).len() < 200);
    assert!(shareable(&routes.switch(NodeId(16))).len() < 200);
}

/// Takes the next hops in turn.
#[derive(Debug)]
struct InTurns;

impl RoutingPolicy for InTurns {
    fn name(&self) -> &'static str {
        "in-turns"
    }

    fn about(&self) -> &'static str {
        "each packet takes the next of the equal next hops"
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::new(Turn(at.switch.index()))
    }
}

#[derive(Debug)]
struct Turn(usize);

impl NextHopChoice for Turn {
    fn choose(&mut self, _: &Arrival<'_>, hops: &[PortId], _: &dyn PortStates) -> usize {
        self.0 += 1;
        self.0 % hops.len()
    }
}

#[test]
fn a_policy_has_a_state_at_each_switch_that_outlives_its_routes() {
    let fabric = LeafSpineConfig {
        spines: 3,
        ..LeafSpineConfig::default()
    };
    let routes = ascending(&fabric.build().unwrap());
    assert_eq!(routes.path_stability(), PathStability::PerFlow);
    let routes = routes.with_policy(Arc::new(InTurns), 1);
    assert_eq!(routes.path_stability(), PathStability::PerPacket);
    let leaf = NodeId(64);
    let ports: Vec<u16> = (16..19).collect();
    let mut switch = routes.switch(leaf);
    let next = |switch: &mut SwitchRoutes| switch.next_hop(&key(0, 20, 1)).unwrap().0;
    assert_eq!(
        [(); 4].map(|()| next(&mut switch)),
        [ports[2], ports[0], ports[1], ports[2]]
    );
    Routing::<()>::update(&mut switch, routes.switch(leaf));
    assert_eq!(next(&mut switch), ports[0]);
}

#[test]
fn the_port_of_a_packet_is_fixed_where_a_hash_chooses_it_and_not_where_a_policy_does() {
    let fabric = LeafSpineConfig::default();
    let routes = ascending(&fabric.build().unwrap());
    let leaf = NodeId(64);
    let fixed = |routes: &Routes, key: FlowKey| {
        let packet: Packet<()> = Packet::new(PacketKind::Data, Priority::new(3), key, FlowId(0));
        routes.switch(leaf).fixed(&packet)
    };
    let mut seen = BTreeSet::new();
    for (dst, port) in [(1, 1), (20, 1), (20, 2), (20, 3), (40, 9), (63, 5)] {
        let key = key(0, dst, port);
        let port = fixed(&routes, key);
        assert_eq!(port, routes.switch(leaf).next_hop(&key));
        seen.insert(port.expect("all hosts can be reached"));
    }
    assert!(seen.len() > 2, "{seen:?}");
    assert_eq!(fixed(&routes, key(0, 64, 1)), None, "no host");
    let by_turns = routes.with_policy(Arc::new(InTurns), 1);
    assert_eq!(fixed(&by_turns, key(0, 20, 1)), None);
}

/// The first aggregation switch of another pod has lost one of its two cores, so a sender's
/// top-of-rack switch can send half as much through its own first aggregation switch.
#[test]
fn next_hops_are_weighted_by_what_is_left_beyond_them() {
    let fabric = FatTreeConfig {
        k: 4,
        ..Default::default()
    };
    let fabric = fabric.build().unwrap();
    let routes = ascending(&fabric);
    let weighted = routes.clone().with_weights(Weights::Capacity);
    let shares = |routes: &Routes| {
        let mut first = routes.switch(NodeId(16));
        let ports = (0..6_000).filter_map(|port| first.next_hop(&key(0, 15, port)));
        ports.fold([0; 4], |mut counts, port| {
            counts[port.index()] += 1;
            counts
        })
    };
    assert_eq!(shares(&routes), shares(&weighted));
    let agg = hops(&routes, 16, 15)[0].0;
    let core = hops(&routes, agg, 15)[0];
    let mut down = DownLinks::none(&fabric);
    down.insert(fabric.ports(NodeId(agg))[usize::from(core.1)].link);
    let [_, _, left, right] = shares(&routes.without(&down));
    assert!((2_800..3_200).contains(&left), "{left} and {right}");
    let weighted = weighted.without(&down);
    let [_, _, left, right] = shares(&weighted);
    assert!((1_800..2_200).contains(&left), "{left} and {right}");
    assert_eq!(left + right, 6_000);
    assert_eq!(hops(&weighted, 16, 15), hops(&routes, 16, 15));
}
