//! Samples of all ports, as data of the page of a fabric and as the files that a run writes.

use std::fmt::Write;

use fabricsim::Scenario;
use fabricsim::id::{NodeId, PortId};
use fabricsim::report::FctRecord;
use fabricsim::simulation::PortSample;
use fabricsim::units::{Bytes, Duration, Time};
use fabricsim_report::FctWriter;
use fabricsim_report::observed::{DelayedFlow, FabricPort, LinkSample, QueueSample};
use fabricsim_report::view::{FORMAT, Fabric, flow_rows, series};
use fabricsim_scenario::schema::event::{EventKind, LinkName};
use fabricsim_topology::{Tiers, Topology};
use serde_json::{Value, json};

/// Most steps in time of the page.
const STEPS: usize = 100;
/// Most flows of the page, those with the largest slowdown.
const FLOWS: usize = 500;
/// Most rows that a file has, as memory is limited.
const ROWS: usize = 2_000_000;

/// Samples of the ports over time.
#[derive(Default)]
pub(crate) struct Recording {
    last: Option<(Time, Vec<PortSample>)>,
    links: Vec<LinkSample>,
    queues: Vec<QueueSample>,
    is_cut: bool,
}

impl Recording {
    /// Adds a sample of all ports.
    pub(crate) fn sample(&mut self, now: Time, ports: Vec<PortSample>, topology: &Topology) {
        self.is_cut |= self.links.len() + ports.len() > ROWS;
        if self.is_cut {
            return;
        }
        let since = self.last.as_ref().map_or(Time::ZERO, |(time, _)| *time);
        if now <= since {
            return;
        }
        for (place, own) in ports.iter().enumerate() {
            let before = self.last.as_ref().map(|(_, last)| &last[place]);
            let was = |of: fn(&PortSample) -> u64| before.map_or(0, of);
            let idle = PortSample {
                busy: Duration::ZERO,
                ..*own
            };
            self.links.push(LinkSample {
                at: now,
                node: own.node,
                port: own.port,
                sent: Bytes::new(own.sent.get() - was(|last| last.sent.get())),
                utilization: rounded(
                    own.utilization_since(before.unwrap_or(&idle), now.since(since)),
                ),
                marked_packets: own.marked - was(|last| last.marked),
                dropped_packets: own.dropped - was(|last| last.dropped),
                paused: own
                    .paused
                    .saturating_sub(before.map_or(Duration::ZERO, |last| last.paused)),
            });
            if !topology.is_host(own.node) {
                self.queues.push(QueueSample {
                    at: now,
                    node: own.node,
                    port: own.port,
                    queue: own.queue,
                });
            }
        }
        self.last = Some((now, ports));
    }

    /// Returns the data of the page, and the texts of files.
    pub(crate) fn results(&self, scenario: &Scenario, records: &[FctRecord]) -> Value {
        let topology = scenario.topology();
        let names = Names::new(topology);
        let ports = names.ports(topology);
        let fabric = Fabric::new(ports.clone());
        let steps = series(
            &fabric,
            Time::ZERO,
            Some(&self.links),
            Some(&self.queues),
            STEPS,
        );
        let mut slowest: Vec<DelayedFlow> = records.iter().map(DelayedFlow::from).collect();
        slowest.sort_by_key(|own| own.flow);
        slowest.sort_by(|a, b| b.slowdown().total_cmp(&a.slowdown()));
        slowest.truncate(FLOWS);
        let rows = flow_rows(&fabric, "fct.csv", &slowest);
        let mut notes = vec![
            "The playground does not take completion times apart: `fabricsim run` with `[observe] delays = \
             true` does."
                .to_owned(),
        ];
        if self.is_cut {
            notes.push(format!(
                "The first {} samples of ports are shown.",
                self.links.len()
            ));
        }
        let data = json!({
            "format": FORMAT,
            "title": scenario.name(),
            "end_ns": self.last.as_ref().map(|(time, _)| time.as_ps() as f64 / 1e3),
            "fabric": fabric.data(),
            "series": steps.expect("samples are of ports of the fabric"),
            "flows": {
                "from": "fct.csv",
                "all": records.len(),
                "rows": rows.expect("flows are of hosts of the fabric"),
                "classes": {},
            },
            "events": events(scenario, &fabric, &names),
            "notes": notes,
        });
        json!({ "data": data, "files": self.files(&ports, records) })
    }

    /// Returns the texts of files as `fabricsim run` writes them.
    fn files(&self, ports: &[FabricPort<'_>], records: &[FctRecord]) -> Value {
        let mut rows = FctWriter::new(Vec::new()).expect("memory takes everything");
        for record in records {
            rows.write(record).expect("memory takes everything");
        }
        let (fct, _) = rows.finish().expect("memory takes everything");
        let begin = |text: &mut String, at: Time, node: NodeId, port: PortId| {
            let place = ports.partition_point(|own| (own.node, own.port) < (node, port));
            let own = &ports[place];
            let peer = &ports[ports.partition_point(|other| other.node < own.peer)];
            let at = ns(at.as_ps());
            let (node, port) = (node.0, port.0);
            let (name, tier, peer) = (own.name, own.tier, peer.name);
            write!(text, "{at},{node},{port},{name},{tier},{peer},")
        };
        let mut links = "time_ns,node,port,name,tier,peer,sent_bytes,utilization,marked_packets,\
                         dropped_packets,paused_ns\n"
            .to_owned();
        for own in &self.links {
            begin(&mut links, own.at, own.node, own.port).expect("a string takes everything");
            let paused = ns(own.paused.as_ps());
            let (sent, utilization) = (own.sent.get(), own.utilization);
            let (marked, dropped) = (own.marked_packets, own.dropped_packets);
            writeln!(links, "{sent},{utilization:.6},{marked},{dropped},{paused}")
                .expect("a string takes everything");
        }
        let mut queues = "time_ns,node,port,name,tier,peer,queue_bytes\n".to_owned();
        for own in &self.queues {
            begin(&mut queues, own.at, own.node, own.port).expect("a string takes everything");
            writeln!(queues, "{}", own.queue.get()).expect("a string takes everything");
        }
        json!({
            "fct.csv": String::from_utf8_lossy(&fct),
            "links.csv": links,
            "queues.csv": queues,
        })
    }
}

/// Rounds a share half up to six decimals, as the command does.
fn rounded(share: f64) -> f64 {
    (share * 1e6 + 0.5).floor() / 1e6
}

/// Returns picoseconds as nanoseconds with up to three decimals.
fn ns(ps: u64) -> String {
    match ps % 1_000 {
        0 => (ps / 1_000).to_string(),
        rest => format!("{}.{rest:03}", ps / 1_000),
    }
}

/// The words of a network, which its ports share.
struct Names {
    nodes: Vec<String>,
    tiers: Vec<String>,
}

impl Names {
    fn new(topology: &Topology) -> Self {
        let tiers = Tiers::of(topology);
        let nodes = || (0..topology.len()).map(NodeId::from_index);
        let of_links = nodes().flat_map(|node| {
            let ports = topology.ports(node).iter();
            ports
                .map(|port| tiers.of_link(node, port.peer))
                .collect::<Vec<_>>()
        });
        Self {
            tiers: of_links.collect(),
            nodes: nodes().map(|node| topology.name(node).to_owned()).collect(),
        }
    }

    fn ports(&self, topology: &Topology) -> Vec<FabricPort<'_>> {
        let mut ports = Vec::with_capacity(self.tiers.len());
        for node in (0..topology.len()).map(NodeId::from_index) {
            for (own, number) in topology.ports(node).iter().zip(0..) {
                ports.push(FabricPort {
                    node,
                    name: &self.nodes[node.index()],
                    is_host: topology.is_host(node),
                    tier: &self.tiers[ports.len()],
                    port: PortId(number),
                    peer: own.peer,
                    peer_port: own.peer_port,
                    rate_bps: own.rate.as_bps(),
                    delay: own.delay,
                });
            }
        }
        ports
    }
}

/// Returns the failures and changes of the scenario, as `fabricsim view` does.
fn events(scenario: &Scenario, fabric: &Fabric<'_>, names: &Names) -> Vec<Value> {
    let name = |node: NodeId| names.nodes[node.index()].as_str();
    let of_link = |link: &LinkName, kind: &str, what: &str| {
        let [a, b] = link.ends;
        let ports = fabric.links(a, b, link.index.map(u64::from));
        let words = format!("link {} - {} {what}", name(a), name(b));
        json!({ "kind": kind, "words": words, "ports": ports, "node": null })
    };
    let of_switch = |node: NodeId, kind: &str, what: &str| {
        let words = format!("switch {} {what}", name(node));
        json!({ "kind": kind, "words": words, "ports": [], "node": fabric.node(node) })
    };
    let all = scenario.events().iter().map(|event| {
        let mut data = match &event.kind {
            EventKind::LinkDown(link) => of_link(link, "link-down", "down"),
            EventKind::LinkUp(link) => of_link(link, "link-up", "up"),
            EventKind::LinkRate(link, rate) => of_link(link, "link-rate", &format!("at {rate}")),
            EventKind::LinkLoss(link, loss) => of_link(link, "link-loss", &format!("loses {loss}")),
            EventKind::SwitchDown(node) => of_switch(*node, "switch-down", "down"),
            EventKind::SwitchUp(node) => of_switch(*node, "switch-up", "up"),
        };
        data["at_ns"] = json!(event.at.as_ps() as f64 / 1e3);
        data
    });
    all.collect()
}
