//! Networks with links that fail at particular times.

use std::fmt::Write as _;

use fabricsim_base::id::NodeId;
use fabricsim_base::rng::mix;
use fabricsim_base::units::{Duration, Time};
use fabricsim_scenario::schema::event::{Event, EventKind, LinkName};

use crate::epochs::cases::{Case, Dice, REPAIRED, flow};

/// A switch that has paused host 0 drops its stored packets because the link of host 1 fails. The
/// resume frame for host 0 is lost with the link of host 0 at that instant, at which packets for
/// host 0 arrive.
pub(crate) fn lost_resume() -> Case {
    let at = Time::from_ns(30_000);
    // A full packet of 1,048 bytes takes 83,840 ps, and its link a microsecond.
    let start = Time::from_ps(at.as_ps() - 1_083_840);
    let event = |host, kind: fn(LinkName) -> EventKind| Event {
        at,
        kind: kind(LinkName {
            ends: [NodeId(host), NodeId(5)],
            index: None,
        }),
    };
    let mut topology = "6 1 5\n5\n".to_owned();
    for host in 0..5 {
        writeln!(topology, "{host} 5 100Gbps 1us 0").unwrap();
    }
    // A threshold of almost zero pauses host 0 as soon as packets wait for host 1.
    Case {
        scenario: r#"
            [topology]
            kind = "file"
            path = "topology.txt"
            [switch]
            pfc = true
            buffer = "64MiB"
            alpha = 0.0001220703125
            [cc]
            kind = "none"
            [rdma]
            rto_min = "20us"
            [routing]
            convergence = "20us"
            [output]
            pauses = true
            [[workload]]
            kind = "incast"
            fan_in = 1
            size = "1B"
            at = "20s"
        "#
        .to_owned(),
        topology,
        flows: vec![
            flow(0, 1, 400_000, Time::ZERO),
            flow(4, 1, 400_000, Time::ZERO),
            flow(2, 0, 9_000, start),
            flow(3, 0, 9_000, start),
        ],
        events: vec![
            event(1, EventKind::LinkDown),
            event(0, EventKind::LinkDown),
            event(0, EventKind::LinkUp),
            Event {
                at: REPAIRED,
                ..event(1, EventKind::LinkUp)
            },
        ],
        looks: vec![at, at + Duration::from_us(3), REPAIRED],
        lookahead: Duration::from_us(1),
    }
}

/// Two hosts send to a third. The link of the third fails again and again, for less time than a
/// packet takes.
pub(crate) fn flaps(seed: u64) -> Case {
    let mut dice = Dice(mix(seed));
    let link = LinkName {
        ends: [NodeId(0), NodeId(3)],
        index: None,
    };
    let mut events = Vec::new();
    let mut at = Time::from_ns(5_000);
    while at < REPAIRED {
        let kind = EventKind::LinkDown(link);
        events.push(Event { at, kind });
        at += Duration::from_ns(1 + dice.roll(200));
        let kind = EventKind::LinkUp(link);
        events.push(Event { at, kind });
        at += Duration::from_ns(5_000 + dice.roll(20_000));
    }
    Case {
        scenario: r#"
            [topology]
            kind = "file"
            path = "topology.txt"
            [switch]
            pfc = false
            [cc]
            kind = "none"
            [rdma]
            rto_min = "20us"
            recovery = "selective"
            [routing]
            convergence = "20us"
            [[workload]]
            kind = "incast"
            fan_in = 1
            size = "1B"
            at = "20s"
        "#
        .to_owned(),
        topology: "4 1 3\n3\n0 3 10Gbps 2us 0\n1 3 10Gbps 2us 0\n2 3 10Gbps 2us 0\n".to_owned(),
        flows: vec![
            flow(1, 0, 90_000, Time::ZERO),
            flow(2, 0, 50_000, Time::ZERO),
        ],
        events,
        looks: vec![REPAIRED],
        lookahead: Duration::from_us(2),
    }
}
