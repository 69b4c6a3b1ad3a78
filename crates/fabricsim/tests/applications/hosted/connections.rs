//! Many messages at once on connections: each arrives once and in order, even if the network loses
//! packets.

use std::collections::BTreeMap;

use fabricsim::Simulation;
use fabricsim_base::flow::Connection;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::{AppContext, AppFlow, Application, StartError};
use proptest::prelude::*;

use crate::hosted::player::{CLASS, silent};

/// Opens connections to all other hosts and sends bursts of messages of random sizes on them.
/// Replies to some of the messages on its peers' connections. The tag of a message is its number in
/// its stream.
#[derive(Debug)]
struct Gossip {
    hosts: u32,
    priority: Priority,
    /// Messages that it may still send.
    left: u32,
    own: Vec<Connection>,
    sent: BTreeMap<FlowId, u64>,
    bytes: u64,
    acknowledged: u64,
    /// Received messages by connection and sender.
    received: BTreeMap<(FlowId, NodeId), u64>,
    ends: Vec<(FlowId, Time)>,
}

impl Gossip {
    fn new(hosts: u32, left: u32, priority: Priority) -> Self {
        Self {
            hosts,
            priority,
            left,
            own: Vec::new(),
            sent: BTreeMap::new(),
            bytes: 0,
            acknowledged: 0,
            received: BTreeMap::new(),
            ends: Vec::new(),
        }
    }

    fn say(&mut self, context: &mut AppContext<'_>, connection: &Connection) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let size = match context.random().below(3) {
            0 => 1 + context.random().below(100),
            1 => 1 + context.random().below(5_000),
            _ => 1_000 * (1 + context.random().below(20)),
        };
        let number = self.sent.entry(connection.id).or_default();
        let message = AppFlow::on(connection, Bytes::new(size)).with_tag(*number);
        *number += 1;
        self.bytes += size;
        context.start_flow(&message).unwrap();
    }

    fn burst(&mut self, context: &mut AppContext<'_>) {
        let below = u64::try_from(self.own.len()).unwrap();
        let connection = self.own[usize::try_from(context.random().below(below)).unwrap()];
        for _ in 0..=context.random().below(6) {
            self.say(context, &connection);
        }
    }
}

impl Application for Gossip {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        let me = context.host();
        for peer in (0..self.hosts).map(NodeId).filter(|&peer| peer != me) {
            let connection = context.connect(peer, CLASS, self.priority, 100).unwrap();
            assert_eq!((connection.host(), connection.peer()), (me, peer));
            self.own.push(connection);
        }
        for _ in 0..4 {
            self.burst(context);
        }
    }

    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        self.acknowledged += 1;
        self.ends.push((completion.flow.id, completion.finish));
        if context.random().chance(0.2) {
            let pause = Duration::from_ps(context.random().below(20_000_000));
            context.set_timer(pause, 1);
        }
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        let connection = flow.reply_connection().unwrap();
        let next = self
            .received
            .entry((connection.id, flow.request.src))
            .or_default();
        assert_eq!(tag, *next, "each message comes once, in order");
        *next += 1;
        if context.random().chance(0.4) {
            self.say(context, &connection);
        }
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, _token: u64) {
        self.burst(context);
    }
}

/// Returns the gossips of all hosts after a run.
fn gossip(
    scenario: &fabricsim::Scenario,
    threads: usize,
    left: u32,
    priority: Priority,
) -> Vec<Vec<(FlowId, Time)>> {
    let mut simulation = Simulation::new(scenario, threads).unwrap();
    for host in 0..4 {
        let gossip = Gossip::new(4, left, priority);
        simulation.add_application(NodeId(host), gossip).unwrap();
    }
    let stop = simulation.run_until(Time::MAX);
    let first = simulation
        .unfinished()
        .first()
        .map(|flow| flow.reason.clone());
    assert_eq!((stop, first), (Stop::Finished, None));
    let counters = simulation.endpoint_counters();
    let all: Vec<&Gossip> = simulation
        .applications::<Gossip>()
        .map(|(_, gossip)| gossip)
        .collect();
    let bytes: u64 = all.iter().map(|gossip| gossip.bytes).sum();
    assert_eq!(counters.delivered, Bytes::new(bytes));
    assert_eq!(counters.acknowledged, counters.delivered);
    let sent: u64 = all.iter().flat_map(|gossip| gossip.sent.values()).sum();
    let received: u64 = all.iter().flat_map(|gossip| gossip.received.values()).sum();
    let acknowledged: u64 = all.iter().map(|gossip| gossip.acknowledged).sum();
    assert_eq!((received, acknowledged), (sent, sent));
    assert!(sent > 0);
    all.iter().map(|gossip| gossip.ends.clone()).collect()
}

const SPINES: &str = r#"kind = "leaf-spine"
    leaves = 2
    hosts_per_leaf = 2
    spines = 2
    host_rate = "10Gbps""#;

fn harsh() -> impl Strategy<Value = String> {
    let loss = prop_oneof![Just(0.0), 0.001f64..0.1];
    let flap = prop::option::of((1u64..300, 1u64..300, 4u32..6, 6u32..8));
    (loss, flap, any::<bool>()).prop_map(|(loss, flap, pfc)| {
        let mut text = if pfc {
            String::new()
        } else {
            r#"
                [switch]
                pfc = false
                buffer = "100KB"
            "#
            .to_owned()
        };
        if loss > 0.0 {
            for spine in [6, 7] {
                text += &format!(
                    r#"
                        [[event]]
                        kind = "link-loss"
                        at = "0s"
                        link = [4, {spine}]
                        loss = {loss}
                    "#
                );
            }
        }
        if let Some((at, span, leaf, spine)) = flap {
            for (at, kind) in [(at, "link-down"), (at + span, "link-up")] {
                text += &format!(
                    r#"
                        [[event]]
                        kind = "{kind}"
                        at = "{at}us"
                        link = [{leaf}, {spine}]
                    "#
                );
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn each_message_is_delivered_once_and_in_order(
        cc in prop::sample::select(vec!["hpcc", "dcqcn", "dctcp", "timely", "none", "cubic", "newreno", "prague", "tcp-dctcp"]),
        recovery in prop::sample::select(vec!["go-back-n", "selective", "any-order"]),
        harsh in harsh(),
        seed in 0u64..1_000,
        left in 1u32..60,
        threads in 2usize..9,
    ) {
        let tcp = ["cubic", "newreno", "prague", "tcp-dctcp"].contains(&cc);
        let more = if tcp {
            format!(r#"
                [cc]
                kind = "{cc}"
                {}"#, harsh.replace("pfc = true\n", "").replace("pfc = false\n", ""))
        } else {
            format!(r#"
                [cc]
                kind = "{cc}"
                [rdma]
                recovery = "{recovery}"
                {harsh}"#)
        };
        let scenario = silent(SPINES, &more).with_seed(seed).unwrap();
        let priority = Priority::new(if tcp { 1 } else { 3 });
        let one = gossip(&scenario, 1, left, priority);
        prop_assert_eq!(gossip(&scenario, threads, left, priority), one);
    }
}

/// Tries to send impossible messages on a connection.
#[derive(Debug, Default)]
struct Wrong {
    errors: Vec<StartError>,
}

impl Application for Wrong {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        let priority = Priority::new(3);
        let connection = context.connect(NodeId(1), CLASS, priority, 100).unwrap();
        let message = AppFlow::on(&connection, Bytes::new(1));
        let other = AppFlow {
            dst: NodeId(2),
            ..message
        };
        let foreign = AppFlow::on(&connection.reversed(), Bytes::new(1));
        let long = AppFlow::on(&connection, Bytes::new(1_000_000_000_000_000));
        for flow in [other, foreign] {
            self.errors.push(context.start_flow(&flow).unwrap_err());
        }
        context
            .start_flow_after(Duration::from_us(1), &message)
            .unwrap();
        self.errors.push(
            context
                .start_flow_after(Duration::from_us(1), &long)
                .unwrap_err(),
        );
        self.errors
            .push(context.connect(NodeId(0), CLASS, priority, 1).unwrap_err());
        self.errors.push(
            context
                .connect(NodeId(1), CLASS, Priority::CONTROL, 1)
                .unwrap_err(),
        );
    }
}

#[test]
fn messages_that_do_not_fit_their_connection_are_refused_in_words() {
    let scenario = silent(
        r#"kind = "star"
        hosts = 4"#,
        r#"
        [cc]
        kind = "dcqcn""#,
    );
    let mut simulation = Simulation::new(&scenario, 1).unwrap();
    simulation
        .add_application(NodeId(0), Wrong::default())
        .unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let (_, wrong) = simulation.applications::<Wrong>().next().unwrap();
    let words: Vec<String> = wrong.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "it differs from its connection",
            "its connection begins at host 1",
            "its connection would carry more than 1000000GB",
            "host 0 sends to itself",
            "its priority is 0, and flows use 1 to 7",
        ]
    );
    assert_eq!(simulation.flows_finished(), 1);
}

#[test]
fn messages_that_wait_say_for_what() {
    for (cc, first) in [
        ("dcqcn", "all bytes sent, 1000 of them not acknowledged"),
        ("cubic", "a reply to its SYN, which was sent 1 times"),
    ] {
        let down = r#"
            [[event]]
            kind = "link-down"
            at = "0s"
            link = [1, 4]
            [routing]
            convergence = "1s"
        "#;
        let more = format!(
            r#"
            [cc]
            kind = "{cc}"
            [run]
            stall_after = "20ms"
            {down}"#
        );
        let scenario = silent(
            r#"kind = "star"
            hosts = 4"#,
            &more,
        );
        let mut simulation = Simulation::new(&scenario, 1).unwrap();
        let burst = Burst {
            priority: if cc == "cubic" { 1 } else { 3 },
        };
        simulation.add_application(NodeId(0), burst).unwrap();
        simulation.run_until(Time::ZERO + Duration::from_us(50));
        let reasons: Vec<String> = simulation
            .unfinished()
            .into_iter()
            .map(|flow| flow.reason)
            .collect();
        let behind = format!("the messages before it on connection {}", 1u32 << 31);
        assert_eq!(reasons, [first, &behind, &behind], "{cc}");
    }
}

/// Sends three messages at once.
#[derive(Debug)]
struct Burst {
    priority: u8,
}

impl Application for Burst {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        let priority = Priority::new(self.priority);
        let connection = context.connect(NodeId(1), CLASS, priority, 100).unwrap();
        for size in [1, 10, 989] {
            context
                .start_flow(&AppFlow::on(&connection, Bytes::new(size)))
                .unwrap();
        }
    }
}
