use super::*;
use NodeKind::{Host, Switch};

fn link(a: u32, b: u32) -> Link {
    Link {
        a: NodeId(a),
        b: NodeId(b),
        rate: Rate::from_gbps(100),
        delay: Duration::from_us(1),
        loss: 0.0,
    }
}

#[test]
fn ports_are_numbered_in_the_order_of_links() {
    let t = Topology::new(
        vec![Host, Host, Switch],
        vec![link(1, 2), link(2, 0), link(0, 2)],
    )
    .unwrap();
    let peers: Vec<_> = t
        .ports(NodeId(2))
        .iter()
        .map(|p| (p.peer.0, p.peer_port.0))
        .collect();
    assert_eq!(peers, [(1, 0), (0, 0), (0, 1)]);
    assert_eq!(t.ports(NodeId(0))[1].link, 2);
    assert_eq!(t.hosts(), [NodeId(0), NodeId(1)]);
    assert_eq!(t.switches().collect::<Vec<_>>(), [NodeId(2)]);
}

#[test]
fn stacks_lengthen_the_links_of_hosts() {
    let topology = Topology::new(
        vec![Host, Host, Switch, Switch],
        vec![link(0, 2), link(2, 3), link(3, 1), link(0, 1)],
    )
    .unwrap();
    let delayed = topology.with_stack_delay(Duration::from_us(3)).unwrap();
    let delays: Vec<u64> = delayed.links().iter().map(|l| l.delay.as_ns()).collect();
    assert_eq!(delays, [4_000, 1_000, 4_000, 7_000]);
    assert_eq!(delayed.ports(NodeId(0))[0].delay, Duration::from_us(4));
    let error = topology.with_stack_delay(Duration::from_ms(20_000));
    assert!(matches!(
        error,
        Err(TopologyError::LongDelay { link: 0, .. })
    ));
}

#[test]
fn every_port_is_its_peers_peer() {
    let t = Topology::new(
        vec![Host, Host, Switch],
        vec![link(0, 2), link(1, 2), link(1, 2)],
    )
    .unwrap();
    for node in (0..t.len()).map(NodeId::from_index) {
        for (index, port) in t.ports(node).iter().enumerate() {
            let back = t.ports(port.peer)[port.peer_port.index()];
            assert_eq!(
                (back.peer, back.peer_port),
                (node, PortId::from_index(index))
            );
        }
    }
}

#[test]
fn faulty_links_are_refused() {
    let refused =
        |kinds: &[NodeKind], links: Vec<Link>| Topology::new(kinds.to_vec(), links).unwrap_err();
    let two = [Host, Host];
    assert_eq!(refused(&[Switch], vec![]), TopologyError::NoHosts);
    assert_eq!(
        refused(&two, vec![link(0, 2)]),
        TopologyError::UnknownNode {
            link: 0,
            node: NodeId(2)
        }
    );
    assert_eq!(
        refused(&two, vec![link(1, 1)]),
        TopologyError::SelfLoop {
            link: 0,
            node: NodeId(1)
        }
    );
    assert_eq!(
        refused(&[Host, Host, Host], vec![link(0, 1)]),
        TopologyError::Isolated { node: NodeId(2) }
    );
    for loss in [-0.1, 1.5, f64::NAN] {
        let error = refused(&two, vec![Link { loss, ..link(0, 1) }]);
        assert!(
            matches!(error, TopologyError::Loss { link: 0, .. }),
            "{error}"
        );
    }
    let error = refused(
        &two,
        vec![Link {
            delay: Duration::ZERO,
            ..link(0, 1)
        }],
    );
    assert!(
        error
            .to_string()
            .contains("the window engine needs a delay of at least 1ps")
    );
}
