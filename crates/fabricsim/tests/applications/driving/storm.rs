//! Drivers combined with workloads, losses, pauses, spraying and TCP: events are in the order of
//! time, and do not depend on the steps of the run or the number of threads.

use fabricsim::driver::{Actions, Driver, Event, EventKind, Message};
use fabricsim::prelude::*;

use crate::driving::log::{flows, run_by_events};
use crate::driving::simulation;

const HOSTS: u32 = 8;

/// Reacts to events with messages, now and later, also from hosts without a part in the event.
#[derive(Default)]
struct Storm {
    random: u64,
    left: u32,
    heard: Vec<Event>,
}

impl Storm {
    fn new() -> Self {
        Self {
            random: 1,
            left: 400,
            heard: Vec::new(),
        }
    }

    fn draw(&mut self, below: u32) -> u32 {
        self.random = (self.random).wrapping_mul(6_364_136_223_846_793_005) + 1_442_695;
        u32::try_from(self.random >> 40).unwrap() % below
    }

    /// Returns the reaction to an event: messages and their times, and timers.
    fn react_to(&mut self, event: &Event) -> Vec<(Time, Option<Message>)> {
        self.heard.push(*event);
        let mut reactions = Vec::new();
        let (near, priority) = match event.kind {
            EventKind::Delivered(message) => (message.dst, message.priority),
            EventKind::Acknowledged(message) => (message.src, message.priority),
            EventKind::Timer(_) | EventKind::Unreachable(_) => (NodeId(3), Priority::new(3)),
        };
        for _ in 0..self.draw(3).min(self.left) {
            self.left -= 1;
            let src = match self.draw(2) {
                0 => near,
                _ => NodeId(self.draw(HOSTS)),
            };
            let dst = NodeId((src.0 + 1 + self.draw(HOSTS - 1)) % HOSTS);
            let size = Bytes::new(u64::from(1 + self.draw(20_000)));
            let delay = match self.draw(3) {
                0 => Duration::from_ps(u64::from(self.draw(3_000_000))),
                _ => Duration::ZERO,
            };
            let at = event.at.saturating_add(delay);
            let message = Message {
                priority,
                class: ClassId(0),
                ..Message::new(src, dst, size)
            };
            reactions.push((at, Some(message)));
        }
        if self.left > 0 && self.draw(4) == 0 {
            let delay = Duration::from_ps(u64::from(self.draw(2) * 777_777));
            reactions.push((event.at.saturating_add(delay), None));
        }
        reactions
    }
}

impl Driver for Storm {
    fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>) {
        for (at, message) in self.react_to(event) {
            match message {
                Some(message) => actions.send_at(at, &message).unwrap(),
                None => actions.set_timer(at, u64::from(self.left)).unwrap(),
            }
        }
    }
}

/// Starts a storm.
fn begin(simulation: &mut Simulation, priority: Priority) {
    for host in 0..HOSTS {
        let dst = NodeId((host + 3) % HOSTS);
        let message = Message {
            priority,
            ..Message::new(NodeId(host), dst, Bytes::new(9_000))
        };
        simulation.send(&message).unwrap();
    }
    simulation.set_timer(Time::from_ns(10), 1 << 32).unwrap();
}

const NETWORK: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    hosts_per_leaf = 4
    spines = 2
"#;

/// Networks in which packets of a flow are marked, lost, paused and overtaken.
fn networks() -> Vec<(String, Priority)> {
    // One network for each way in which packets can be disturbed, so that events take every path.
    let rdma = |rest: &str| (format!("{NETWORK}{rest}"), Priority::new(3));
    vec![
        rdma(
            r#"
            [cc]
            kind = "hpcc"
        "#,
        ),
        rdma(
            r#"
                [cc]
                kind = "dcqcn"
                [[workload]]
                kind = "incast"
                fan_in = 7
                size = "300KB"
                at = "3us"
            "#,
        ),
        rdma(
            r#"
            [cc]
            kind = "dcqcn"
            [routing]
            policy = "random"
        "#,
        ),
        rdma(
            r#"
                [cc]
                kind = "dcqcn"
                [switch]
                pfc = false
                buffer = "60KB"
                [rdma]
                recovery = "selective"
                rto_min = "100us"
            "#,
        ),
        (
            format!(
                r#"
                {NETWORK}
                [cc]
                kind = "cubic"
            "#
            ),
            Priority::new(1),
        ),
    ]
}

#[test]
fn events_are_the_same_however_the_run_is_cut() {
    for (text, priority) in networks() {
        let mut whole = simulation(&text, 1);
        whole.attach(Storm::new());
        begin(&mut whole, priority);
        assert_eq!(whole.run_until(Time::MAX), Stop::Finished, "{text}");
        let expected = flows(&mut whole);
        let heard = whole.with_driver(|storm: &mut Storm| storm.heard.clone());
        let heard = heard.unwrap();
        assert!(heard.len() > 300, "{} events of {text}", heard.len());
        assert!(heard.windows(2).all(|pair| pair[0].at <= pair[1].at));

        let mut cut = simulation(&text, 3);
        cut.attach(Storm::new());
        begin(&mut cut, priority);
        let mut until = Time::ZERO;
        loop {
            until = until.saturating_add(Duration::from_ps(1_234_567));
            match cut.run_until(until) {
                Stop::TimeReached => assert_eq!(cut.now(), until),
                Stop::Finished => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(flows(&mut cut), expected, "{text}");
        let again = cut.with_driver(|storm: &mut Storm| storm.heard.clone());
        assert_eq!(again.unwrap(), heard);
    }
}

#[test]
fn stepping_gives_the_same_for_any_number_of_threads() {
    for (text, priority) in networks() {
        let run = |threads| {
            let mut storm = Storm::new();
            let mut simulation = simulation(&text, threads);
            begin(&mut simulation, priority);
            let events = run_by_events(&mut simulation, |simulation, event| {
                for (at, message) in storm.react_to(event) {
                    match message {
                        Some(message) => simulation.send_at(at, &message).unwrap(),
                        None => simulation.set_timer(at, u64::from(storm.left)).unwrap(),
                    }
                }
            });
            (events, flows(&mut simulation))
        };
        let expected = run(1);
        assert!(expected.0.len() > 300, "{text}");
        assert_eq!(run(2), expected, "{text}");
    }
}
