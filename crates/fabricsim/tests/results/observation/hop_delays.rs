//! The queueing delays of flows at each hop, computed by hand, and compared with an observer that
//! keeps every packet.

use crate::support;
use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{Hop, Observer};

use crate::observation::{HARSH, number, run, table};

fn whole(row: &BTreeMap<String, String>, column: &str) -> u64 {
    row[column].parse().unwrap()
}

/// Frames of 1,048 bytes take 83.84 ns at 100 Gbps. Frame k of both hosts arrives at the switch at
/// the same time, k x 83.84 ns after the first, and all 200 leave one after the other: one flow
/// waits k x 83.84 ns, the other one frame longer. The last frame of a flow waits longest, and this
/// wait is the delay of the whole flow, since acknowledgements do not wait.
#[test]
fn two_flows_over_a_star_wait_for_each_other() {
    const FRAME: f64 = 83.84;
    let text = r#"
        [topology]
        kind = "star"
        hosts = 3
        [[workload]]
        kind = "incast"
        fan_in = 2
        size = "100KB"
        receiver = 2
        at = "0s"
        [cc]
        kind = "none"
        window_bdp = 0
        [observe]
        hop_delays = true"#;
    let dir = tempfile::tempdir().unwrap();
    let summary = run(text, dir.path(), 1);
    assert_eq!(summary.observed[0].rows, 2);
    let rows = table(dir.path(), "hop_delays.csv");
    let mut longest: Vec<f64> = Vec::new();
    let mut flows = table(dir.path(), "fct.csv");
    flows.sort_by(|a, b| a["flow"].cmp(&b["flow"]));
    // The port to host 2 is the only one at which packets wait.
    for (row, flow) in rows.iter().zip(flows) {
        assert_eq!(
            (&row["flow"], &row["hop"]),
            (&flow["flow"], &"1".to_owned())
        );
        assert_eq!(
            (&row["name"], &row["peer"]),
            (&"switch0".to_owned(), &"host2".to_owned())
        );
        assert_eq!(
            (&row["node"], &row["port"], &row["packets"]),
            (&"3".to_owned(), &"2".to_owned(), &"100".to_owned())
        );
        let late = number(&flow, "fct_ns") - number(&flow, "ideal_fct_ns");
        assert!(
            (number(row, "max_ns") - late).abs() < 1e-3,
            "{row:?} {late}"
        );
        // The delays of a flow are one after the other, FRAME apart.
        let mean = number(row, "max_ns") - 99.0 * FRAME / 2.0;
        assert!((number(row, "mean_ns") - mean).abs() < 1e-3, "{row:?}");
        assert!(
            (number(row, "delay_ns") - 100.0 * mean).abs() < 1e-3,
            "{row:?}"
        );
        longest.push(number(row, "max_ns"));
    }
    longest.sort_by(f64::total_cmp);
    assert!((longest[0] - 99.0 * FRAME).abs() < 1e-3, "{longest:?}");
    assert!((longest[1] - 100.0 * FRAME).abs() < 1e-3, "{longest:?}");
}

/// Each data packet that has left a switch: its flow, its port, and its wait (ps).
#[derive(Debug, Default)]
struct Waits(Vec<(u32, PortId, u64)>);

impl Observer<()> for Waits {
    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, packet: &Packet<()>) {
        if packet.kind() == PacketKind::Data {
            let waited = hop.now.as_ps() - hop.arrived.as_ps();
            self.0.push((packet.flow.0, hop.port, waited));
        }
    }
}

#[test]
fn delays_are_those_of_every_packet() {
    let text = format!(
        r#"{HARSH}kind = "dctcp"
        [observe]
        hop_delays = true
    "#
    );
    let dir = tempfile::tempdir().unwrap();
    run(&text, dir.path(), 2);
    let rows = table(dir.path(), "hop_delays.csv");
    // An observer that keeps every packet is the reference.
    let mut simulation = support::simulation(&text, 1);
    simulation.observe(|_| Waits::default());
    simulation.run_until(Time::MAX);
    let mut waits: BTreeMap<(u32, NodeId, PortId), Vec<u64>> = BTreeMap::new();
    for (node, seen) in simulation.observers::<Waits>() {
        for &(flow, port, waited) in &seen.0 {
            waits.entry((flow, node, port)).or_default().push(waited);
        }
    }
    assert_eq!(rows.len(), waits.len());
    let mut waited = 0.0;
    for row in &rows {
        let whole = |column: &str| -> u32 { row[column].parse().unwrap() };
        let port = PortId(u16::try_from(whole("port")).unwrap());
        let own = &waits[&(whole("flow"), NodeId(whole("node")), port)];
        let sum: u64 = own.iter().sum();
        let most = own.iter().max().unwrap();
        assert_eq!(whole("packets") as usize, own.len());
        assert!(
            (number(row, "delay_ns") - sum as f64 / 1e3).abs() < 1e-3,
            "{row:?}"
        );
        assert!(
            (number(row, "max_ns") - *most as f64 / 1e3).abs() < 1e-3,
            "{row:?}"
        );
        let mean = sum as f64 / own.len() as f64 / 1e3;
        assert!((number(row, "mean_ns") - mean).abs() < 1e-3, "{row:?}");
        // Hosts are nodes 0 to 7, leaves 8 and 9, spines 10 and 11.
        let from_spine = number(row, "node") > 9.5;
        let hop = whole("hop");
        assert!(
            if from_spine {
                hop == 2
            } else {
                hop == 1 || hop == 3
            },
            "{row:?}"
        );
        let up = ["spine0", "spine1"].contains(&row["peer"].as_str());
        assert!(!up || hop == 1, "{row:?}");
        waited += number(row, "delay_ns");
    }
    assert!(waited > 1e6, "packets wait, and long: {waited}");
    assert!(rows.is_sorted_by_key(|row| (whole(row, "flow"), whole(row, "hop"))));
}

#[test]
fn flows_ports_and_time_are_chosen() {
    let base = format!(
        r#"{HARSH}kind = "dctcp"
        [observe]
        hop_delays = true
    "#
    );
    let read = |more: &str| {
        let dir = tempfile::tempdir().unwrap();
        run(&format!("{base}{more}"), dir.path(), 1);
        table(dir.path(), "hop_delays.csv")
    };
    let all = read("");
    let flows = read("flow_ids = [\"1..3\"]\n");
    let wanted: Vec<_> = all
        .iter()
        .filter(|row| [1, 2].contains(&whole(row, "flow")))
        .cloned()
        .collect();
    assert!(!wanted.is_empty() && flows == wanted);
    let incast = read(
        r#"classes = ["1"]
        min_size = "200KB"
    "#,
    );
    assert!(!incast.is_empty() && incast.iter().all(|row| all.contains(row)));
    assert!(incast.len() < all.len());
    // An incast has seven senders, each with one last hop to the same host.
    let last = read(
        r#"classes = ["1"]
        towards = "hosts"
    "#,
    );
    assert_eq!(last.len(), 7);
    // The simulator does not know if ports after the first one lead there.
    assert!(last.iter().all(|row| [0, 1].contains(&whole(row, "hop"))));
    let early = read("until = \"60us\"\n");
    let sum = |rows: &[BTreeMap<String, String>]| crate::observation::sum(rows, "packets");
    let late = read("from = \"60us\"\n");
    assert!(sum(&early) > 0.0 && sum(&late) > 0.0);
    assert!((sum(&early) + sum(&late) - sum(&all)).abs() < 0.5);
}
