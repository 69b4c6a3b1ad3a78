//! Fabrics that lose packets, without PFC: every algorithm of RDMA completes every flow, with
//! go-back-N or by resending only lost packets.

use std::fmt::Write as _;
use std::fs;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::network::{Counters, Stop};
use fabricsim_core::plugin::EndpointCounters;
use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, CcEntry, Transport};

const HOSTS: u32 = 8;
const SWITCHES: u32 = 4;
/// Payload of all flows: a megabyte from each host and an incast of seven.
const ASKED: Bytes = Bytes::new(HOSTS as u64 * 1_000_000 + 7 * 100_000);

/// Two leaves with four hosts each and two spines, as a list of links. The links between switches
/// lose a share `loss` of their packets.
fn leaf_spine(loss: &str) -> String {
    let mut links = String::new();
    for host in 0..HOSTS {
        let leaf = HOSTS + host / 4;
        writeln!(links, "{host} {leaf} 100Gbps 1us 0").unwrap();
    }
    for leaf in [8, 9] {
        for spine in [10, 11] {
            writeln!(links, "{leaf} {spine} 400Gbps 1us {loss}").unwrap();
        }
    }
    let counts = (HOSTS + SWITCHES, SWITCHES, links.lines().count());
    let (nodes, switches, links_count) = counts;
    format!("{nodes} {switches} {links_count}\n8 9 10 11\n{links}")
}

fn rdma_congestion_controls() -> impl Iterator<Item = &'static CcEntry> {
    CONGESTION_CONTROLS
        .iter()
        .filter(|cc| cc.transport == Transport::Rdma)
}

#[derive(Debug, PartialEq)]
struct Outcome {
    /// Each flow with its completion time and its retransmitted bytes.
    flows: Vec<(FlowId, Time, Bytes)>,
    ends: EndpointCounters,
    network: Counters,
}

fn run(cc: &str, recovery: &str, loss: &str, threads: usize) -> Outcome {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("topology.txt"), leaf_spine(loss)).unwrap();
    let text = format!(
        r#"
            [topology]
            kind = "file"
            path = "topology.txt"
            [switch]
            pfc = false
            [rdma]
            recovery = "{recovery}"
            rto_min = "200us"
            nack_interval = "20us"
            [cc]
            kind = "{cc}"
            [[workload]]
            kind = "permutation"
            size = "1MB"
            [[workload]]
            kind = "incast"
            fan_in = 7
            size = "100KB"
            at = "20us"
        "#
    );
    let scenario = Scenario::from_text("lossy", &text, dir.path(), &[]).unwrap();
    let mut simulation = Simulation::new(&scenario, threads).unwrap();
    let stop = simulation.run_until(Time::MAX);
    assert_eq!(stop, Stop::Finished, "{cc}, {recovery}, {loss}");
    assert!(simulation.unfinished().is_empty());
    let flow = |done: &Completion| (done.flow.id, done.finish, done.retransmitted);
    Outcome {
        flows: simulation.take_completions().iter().map(flow).collect(),
        ends: simulation.endpoint_counters(),
        network: simulation.counters(),
    }
}

/// Checks that all counters add up, and returns the retransmitted bytes.
fn sent_again(outcome: &Outcome) -> u64 {
    let ends = &outcome.ends;
    assert_eq!(outcome.flows.len() as u64, u64::from(HOSTS) + 7);
    assert_eq!((ends.acknowledged, ends.delivered), (ASKED, ASKED));
    assert_eq!(ends.sent, ASKED + ends.retransmitted);
    assert!(ends.arrived >= ends.delivered && ends.arrived <= ends.sent);
    // Only data carries payload that can be lost: the ACKs that report a gap carry none.
    assert!(ends.arrived.get() + outcome.network.lost_payload.get() <= ends.sent.get());
    let of_flows = outcome.flows.iter().map(|(.., again)| again.get());
    assert_eq!(of_flows.sum::<u64>(), ends.retransmitted.get());
    assert!(outcome.network.link_losses > 0);
    ends.retransmitted.get()
}

#[test]
fn every_algorithm_gets_every_flow_through_and_selectively_for_much_less() {
    for cc in rdma_congestion_controls() {
        for loss in ["0.001", "0.01"] {
            let selective = run(cc.name, "selective", loss, 1);
            let going_back = run(cc.name, "go-back-n", loss, 1);
            let (few, many) = (sent_again(&selective), sent_again(&going_back));
            let last = |outcome: &Outcome| outcome.flows.last().unwrap().1;
            eprintln!(
                "{}, loss {loss}: {few} bytes retransmitted and {} timeouts until {}, going back {many} \
                 and {} until {}",
                cc.name,
                selective.ends.timeouts,
                last(&selective),
                going_back.ends.timeouts,
                last(&going_back)
            );
            assert!(few > 0 && few * 3 < many, "{}, {loss}", cc.name);
        }
    }
}

#[test]
fn threads_do_not_change_what_is_lost_and_sent_again() {
    for recovery in ["selective", "go-back-n", "any-order"] {
        for cc in rdma_congestion_controls() {
            let one = run(cc.name, recovery, "0.01", 1);
            for threads in [2, 3] {
                let more = run(cc.name, recovery, "0.01", threads);
                assert_eq!(more, one, "{}, {recovery}, {threads} threads", cc.name);
            }
        }
    }
}
