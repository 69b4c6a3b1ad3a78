//! A custom topology, workload, routing policy and queue discipline in one registry. Scenarios
//! select them in the same way as the built-in kinds.
//!
//! `cargo run --release -p fabricsim --example custom_kinds`

use fabricsim::flow::{FlowRequest, FlowSource, Priority};
use fabricsim::id::{ClassId, NodeId, PortId};
use fabricsim::input::{ConfigError, Key, Keys, ValueKind};
use fabricsim::plugin::{
    Aqm, AqmKind, AqmPacket, Arrival, Chooser, DisciplineContext, Expected, Link, NextHopChoice,
    NodeKind, PathStability, PolicyContext, PortStates, RoutingPolicy, Topology, TopologyKind,
    TopologySource, Verdict, Workload, WorkloadContext, WorkloadKind,
};
use fabricsim::units::{Bytes, Duration, Rate, Time};
use fabricsim::{Registry, Scenario, Simulation};
use serde::{Deserialize, Serialize};

/// Two switches with hosts, and several parallel switches between them.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Parallel {
    hosts_per_side: u32,
    middle: u32,
}

impl TopologyKind for Parallel {
    const NAME: &'static str = "parallel";
    const ABOUT: &'static str = "two switches with hosts and parallel switches between them";
    const KEYS: Keys = &[
        Key::new(
            "hosts_per_side",
            "hosts at each of the two switches (required)",
            ValueKind::COUNT,
        ),
        Key::new(
            "middle",
            "switches between the two (required)",
            ValueKind::COUNT,
        ),
    ];
}

impl TopologySource for Parallel {
    fn build(&self) -> Option<Result<Topology, ConfigError>> {
        let hosts = 2 * self.hosts_per_side;
        let [left, right] = [NodeId(hosts), NodeId(hosts + 1)];
        let link = |a, b| Link {
            a,
            b,
            rate: Rate::from_gbps(100),
            delay: Duration::from_us(1),
            loss: 0.0,
        };
        let to_hosts = (0..hosts).map(|host| {
            let switch = if host < self.hosts_per_side {
                left
            } else {
                right
            };
            link(NodeId(host), switch)
        });
        let middle = (0..self.middle).map(|index| NodeId(hosts + 2 + index));
        let between = middle.flat_map(|node| [link(left, node), link(node, right)]);
        let kinds = (0..hosts + 2 + self.middle)
            .map(|node| match node < hosts {
                true => NodeKind::Host,
                false => NodeKind::Switch,
            })
            .collect();
        let built = Topology::new(kinds, to_hosts.chain(between).collect());
        Some(built.map_err(|error| {
            ConfigError::new("middle", error.to_string(), "give fewer hosts or switches")
        }))
    }
}

/// Each host sends one flow to the host half the network away, all at once.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Across {
    size: Bytes,
    #[serde(default = "three")]
    priority: Priority,
}

const fn three() -> Priority {
    Priority::new(3)
}

impl WorkloadKind for Across {
    const NAME: &'static str = "across";
    const ABOUT: &'static str = "each host sends one flow to the host half the network away";
    const KEYS: Keys = &[
        Key::new("size", "payload of each flow (required)", ValueKind::SIZE),
        Key::new(
            "priority",
            "priority queue, 1 to 7 (default 3)",
            ValueKind::COUNT,
        ),
    ];
}

impl Workload for Across {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        let hosts = &context.hosts;
        let flows = (0..hosts.len()).map(|from| FlowRequest {
            src: hosts[from].id,
            dst: hosts[(from + hosts.len() / 2) % hosts.len()].id,
            size: self.size,
            start: Time::ZERO,
            class,
            priority: self.priority,
            src_port: None,
            dst_port: 100,
        });
        Ok(Box::new(Flows(flows.rev().collect())))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let flows = context.hosts.len() as f64;
        Ok(Expected {
            flows,
            bytes: flows * self.size.as_f64(),
        })
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        vec![(self.priority, own)]
    }

    fn set_priority(&mut self, priority: Priority) {
        self.priority = priority;
    }
}

/// Flows in reverse order of their starts, so that `pop` returns the next one.
struct Flows(Vec<FlowRequest>);

impl FlowSource for Flows {
    fn next_start(&self) -> Option<Time> {
        self.0.last().map(|flow| flow.start)
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        self.0.pop()
    }
}

/// Sends each packet to the next hop with the shortest queue. The search starts at another hop each
/// time, so that equal queues take turns.
#[derive(Debug)]
struct ShortestQueue;

impl RoutingPolicy for ShortestQueue {
    fn name(&self) -> &'static str {
        "shortest-in-turn"
    }

    fn about(&self) -> &'static str {
        "each packet takes the next hop with the shortest queue"
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
    fn choose(&mut self, _: &Arrival<'_>, hops: &[PortId], ports: &dyn PortStates) -> usize {
        self.0 += 1;
        let positions = (0..hops.len()).map(|turn| (self.0 + turn) % hops.len());
        let up = positions.filter(|&position| ports.is_up(hops[position]));
        up.min_by_key(|&position| ports.queued(hops[position]))
            .unwrap_or(0)
    }
}

/// Marks packets that leave many bytes behind, and drops packets that arrive at a full queue.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct MarkAbove {
    bytes: Bytes,
    limit: u32,
}

impl AqmKind for MarkAbove {
    const NAME: &'static str = "mark-above";
    const ABOUT: &'static str = "marks packets that leave more than some bytes behind";
    const KEYS: Keys = &[
        Key::new(
            "bytes",
            "bytes up to which nothing is marked (required)",
            ValueKind::SIZE,
        ),
        Key::new(
            "limit",
            "packets that the queue holds (required)",
            ValueKind::COUNT,
        ),
    ];

    fn validate(&self) -> Result<(), ConfigError> {
        if self.limit > 0 {
            return Ok(());
        }
        Err(ConfigError::new(
            "limit",
            "nothing fits the queue",
            "give at least 1",
        ))
    }

    fn rule(&self, _: &DisciplineContext) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }
}

impl Aqm for MarkAbove {
    fn on_arrival(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        match packet.others < self.limit as usize {
            true => Verdict::Pass,
            false => Verdict::DropTail,
        }
    }

    fn on_departure(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        match packet.other_bytes > self.bytes {
            true => Verdict::Mark,
            false => Verdict::Pass,
        }
    }

    fn boxed_clone(&self) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }
}

const NETWORK: &str = r#"
[topology]
kind = "parallel"
hosts_per_side = 8
middle = 8
[[workload]]
kind = "across"
size = "5MB"
"#;

fn main() -> Result<(), fabricsim::Error> {
    let mut registry = Registry::default();
    registry.add_topology::<Parallel>();
    registry.add_workload::<Across>();
    registry.add_discipline::<MarkAbove>();
    registry.add_routing_policy(ShortestQueue);

    let recovery = "[rdma]\nrecovery = \"selective\"\n[cc]\nkind = \"hpcc\"";
    let spread = format!("[routing]\npolicy = \"shortest-in-turn\"\n{recovery}");
    let tcp = "[[queue]]\ndiscipline = { kind = \"mark-above\", bytes = \"60KB\", limit = 1000 }\n\
               [cc]\nkind = \"tcp-dctcp\"";
    println!("scenario                    flows   last ends   retransmitted");
    for (name, rest) in [
        ("ecmp", recovery),
        ("shortest queue", &spread),
        ("dctcp over mark-above", tcp),
    ] {
        let scenario = Scenario::from_toml_with(&format!("{NETWORK}{rest}"), &registry)?;
        let mut simulation = Simulation::new(&scenario, 2)?;
        simulation.run_until(Time::ZERO + Duration::from_ms(1_000));
        let done = simulation.take_completions();
        let last = done.iter().map(|flow| flow.fct()).max().unwrap_or_default();
        let again: u64 = done.iter().map(|flow| flow.retransmitted.get()).sum();
        println!("{name:<26} {:>6} {last:>11} {again:>6} bytes", done.len());
    }
    Ok(())
}
