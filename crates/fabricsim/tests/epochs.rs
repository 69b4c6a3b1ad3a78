//! How time is cut into windows does not matter: random networks whose delays lie far apart, with
//! failures that follow each other closely, come to the same when they are run as a whole, in odd steps,
//! or in steps so short that no switch is run lazily; and so does what can be seen on the way.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;

use fabricsim::simulation::PauseEvent;
use fabricsim::{Error, Scenario, Simulation};
use fabricsim_core::flow::{Completion, FlowRequest};
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::network::{Counters, Stop};
use fabricsim_core::packet::Priority;
use fabricsim_core::plugin::EndpointCounters;
use fabricsim_core::rng::mix;
use fabricsim_core::units::{Bytes, Duration, Rate, Time};
use fabricsim_scenario::schema::event::{Event, EventKind, LinkName};

/// A source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % below
    }

    fn node(&mut self, below: u32) -> u32 {
        u32::try_from(self.roll(u64::from(below))).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()]
    }
}

/// A network, what is sent through it, what happens to it, and when somebody looks.
struct Case {
    scenario: String,
    topology: String,
    flows: Vec<FlowRequest>,
    events: Vec<Event>,
    looks: Vec<Time>,
    lookahead: Duration,
}

/// When all links are back.
const REPAIRED: Time = Time::from_ns(400_000);
/// When a last byte is sent, after everything else.
const LAST: Time = Time::from_ns(20_000_000_000);

/// Sets of delays, in nanoseconds.
const DELAYS: &[&[u64]] = &[
    &[100, 1_000],
    &[100, 350, 1_000, 3_000],
    &[50, 10_000],
    &[200, 1_000_000],
    &[700],
];

fn case(seed: u64) -> Case {
    let mut dice = Dice(mix(seed));
    let switches = 1 + dice.node(6);
    let hosts = 2 + dice.node(8);
    let delays = dice.pick(DELAYS);
    let rates = dice.pick(&[&[100u64][..], &[25, 100, 400], &[10, 100]]);
    let lossy = dice.roll(4) == 0;
    let mut links: Vec<(u32, u32)> = Vec::new();
    for switch in 1..switches {
        links.push((hosts + dice.node(switch), hosts + switch));
    }
    for _ in 0..dice.roll(2 * u64::from(switches)) {
        let (a, b) = (hosts + dice.node(switches), hosts + dice.node(switches));
        if a != b {
            links.push((a, b));
        }
    }
    for host in 0..hosts {
        links.push((host, hosts + dice.node(switches)));
        if dice.roll(6) == 0 {
            links.push((host, hosts + dice.node(switches)));
        }
    }
    let mut topology = format!("{} {switches} {}\n", hosts + switches, links.len());
    for switch in 0..switches {
        write!(topology, "{} ", hosts + switch).unwrap();
    }
    topology.push('\n');
    let mut shortest = u64::MAX;
    for (a, b) in &links {
        let (rate, delay) = (dice.pick(rates), dice.pick(delays));
        let loss = if lossy && dice.roll(3) == 0 {
            0.01
        } else {
            0.0
        };
        shortest = shortest.min(delay);
        writeln!(topology, "{a} {b} {rate}Gbps {delay}ns {loss}").unwrap();
    }
    let profile = dice.pick(&["", "", "", "profile = \"ns3-hpcc\"\n"]);
    let cc = dice.pick(&["hpcc", "none", "dcqcn", "dctcp", "timely", "hpcc-pint"]);
    let switch = dice.pick(&[
        "pfc = true\nbuffer = \"64MiB\"\nalpha = 0.0078125",
        "pfc = true\nbuffer = \"1GiB\"\nalpha = 0.0009765625",
        "pfc = false\nbuffer = \"100KiB\"",
        "pfc = false\nbuffer = \"4MiB\"",
    ]);
    let recovery = dice.pick(&["go-back-n", "selective"]);
    let converge = dice.pick(&["0us", "0.3us", "20us"]);
    let scenario = format!(
        "{profile}seed = {seed}\n[topology]\nkind = \"file\"\npath = \"topology.txt\"\n\
         [switch]\n{switch}\n[cc]\nkind = \"{cc}\"\n[rdma]\nrto_min = \"50us\"\n\
         recovery = \"{recovery}\"\n[routing]\nconvergence = \"{converge}\"\n[output]\npauses = true\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 1\nsize = \"1B\"\nat = \"20s\"\n",
    );
    let grain = dice.pick(&[1, 1_000, 100_000, 1_000_000]);
    let time = |dice: &mut Dice, below_us: u64| {
        Time::from_ps(dice.roll(below_us * 1_000_000) / grain * grain)
    };
    let flow = |src: u32, dst: u32, size, start| FlowRequest {
        src: NodeId(src),
        dst: NodeId(dst),
        size: Bytes::new(size),
        start,
        class: ClassId(0),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    };
    let mut flows = Vec::new();
    let incast = dice.roll(2) == 0;
    for _ in 0..1 + dice.roll(25) {
        let (src, dst) = (dice.node(hosts), dice.node(hosts));
        let dst = if incast { 0 } else { dst };
        if src != dst {
            let size = dice.pick(&[1, 1_000, 9_000, 70_000, 400_000]);
            flows.push(flow(src, dst, 1 + dice.roll(size), time(&mut dice, 150)));
        }
    }
    let mut events = Vec::new();
    let bursts = dice.pick(&[0, 2, 12]);
    for _ in 0..bursts {
        let mut at = time(&mut dice, 300);
        for _ in 0..1 + dice.roll(4) {
            let (a, b) = dice.pick(&links);
            let link = LinkName {
                ends: [NodeId(a), NodeId(b)],
                index: None,
            };
            let kind = match dice.roll(7) {
                0 | 1 => EventKind::LinkDown(link),
                2 | 3 => EventKind::LinkUp(link),
                4 => EventKind::LinkRate(link, Rate::from_gbps(rates[0])),
                5 => EventKind::LinkLoss(link, dice.pick(&[0.0, 0.0, 0.05])),
                _ if dice.roll(2) == 0 => {
                    EventKind::SwitchDown(NodeId(hosts + dice.node(switches)))
                }
                _ => EventKind::SwitchUp(NodeId(hosts + dice.node(switches))),
            };
            events.push(Event { at, kind });
            at += Duration::from_ns(dice.roll(3) * dice.pick(&[0, 100, 300, 1_000]));
        }
    }
    events.sort_by_key(|event| event.at);
    let at = REPAIRED;
    for switch in 0..switches {
        let kind = EventKind::SwitchUp(NodeId(hosts + switch));
        events.push(Event { at, kind });
    }
    for &(a, b) in &links {
        let ends = [NodeId(a), NodeId(b)];
        let link = LinkName { ends, index: None };
        events.extend([
            Event {
                at,
                kind: EventKind::LinkUp(link),
            },
            Event {
                at,
                kind: EventKind::LinkLoss(link, 0.0),
            },
        ]);
    }
    let mut looks: Vec<Time> = (0..6).map(|_| time(&mut dice, 350)).collect();
    let near = events.iter().filter(|event| event.at < REPAIRED);
    let near: Vec<Time> = near.map(|event| event.at).collect();
    for at in near {
        if dice.roll(2) == 0 {
            looks.push(at + Duration::from_ns(dice.roll(3) * dice.pick(&[50, 300])));
        }
    }
    looks.sort_unstable();
    looks.dedup();
    Case {
        scenario,
        topology,
        flows,
        events,
        looks,
        lookahead: Duration::from_ns(shortest),
    }
}

/// What somebody sees who looks at a simulation.
#[derive(Debug, PartialEq)]
struct Sample {
    stop: Stop,
    now: Time,
    network: Counters,
    ends: EndpointCounters,
    queued: Bytes,
    paused: usize,
    pauses: Vec<PauseEvent>,
    done: Vec<Completion>,
}

fn look(simulation: &mut Simulation, stop: Stop) -> Sample {
    Sample {
        stop,
        now: simulation.now(),
        network: simulation.counters(),
        ends: simulation.endpoint_counters(),
        queued: simulation.queued_bytes(),
        paused: simulation.paused_ports(),
        pauses: simulation.pause_events(),
        done: simulation.take_completions(),
    }
}

/// How a case is run.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// In steps as short as an epoch: nobody is run lazily.
    Level,
    /// From look to look, but for what is said.
    Looks { late_events: bool, probed: bool },
}

fn build(case: &Case, threads: usize) -> Result<Simulation, Error> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("topology.txt"), &case.topology).unwrap();
    let scenario = Scenario::from_text("case", &case.scenario, dir.path(), &[])?;
    let mut simulation = Simulation::new(&scenario, threads)?;
    for flow in &case.flows {
        simulation.inject(*flow)?;
    }
    Ok(simulation)
}

/// What is seen at each look, and in the end.
fn run(case: &Case, way: Way, threads: usize) -> Result<Vec<Sample>, Error> {
    let mut simulation = build(case, threads)?;
    let mut coming = case.events.iter().peekable();
    let late = matches!(
        way,
        Way::Looks {
            late_events: true,
            ..
        }
    );
    if !late {
        for event in coming.by_ref() {
            simulation.schedule(*event)?;
        }
    }
    let mut samples = Vec::new();
    let mut stop = Stop::TimeReached;
    for &until in &case.looks {
        while let Some(event) = coming.next_if(|event| event.at < until) {
            simulation.schedule(*event)?;
        }
        match way {
            Way::Level => {
                let mut at = simulation.now();
                while at < until && stop == Stop::TimeReached {
                    at = (at + case.lookahead).min(until);
                    stop = simulation.run_until(at);
                }
            }
            Way::Looks { probed: true, .. } => {
                stop = simulation.run_probed(until, &mut (), &mut ());
            }
            Way::Looks { .. } => stop = simulation.run_until(until),
        }
        samples.push(look(&mut simulation, stop));
    }
    for event in coming {
        simulation.schedule(*event)?;
    }
    if matches!(way, Way::Level) {
        let mut at = simulation.now();
        while at < REPAIRED + Duration::from_us(1_000) && stop == Stop::TimeReached {
            at += case.lookahead;
            stop = simulation.run_until(at);
        }
    }
    // The last byte is sent; then nothing is under way.
    stop = simulation.run_until(LAST);
    samples.push(look(&mut simulation, stop));
    stop = simulation.run_until(Time::MAX);
    samples.push(look(&mut simulation, stop));
    Ok(samples)
}

/// Whether the case can be built; if so it is run in all ways.
fn check(seed: u64) -> bool {
    let case = case(seed);
    // Some buffers have no room for the headroom of long links.
    let Ok(expected) = run(&case, Way::Level, 1) else {
        return false;
    };
    let looks = |late_events, probed| Way::Looks {
        late_events,
        probed,
    };
    let threads = 2 + usize::try_from(seed % 7).unwrap();
    for (way, threads) in [
        (looks(false, false), 1),
        (looks(true, false), 1),
        (looks(false, false), threads),
        (looks(true, true), 3),
    ] {
        let seen = run(&case, way, threads).unwrap();
        assert_eq!(seen, expected, "case {seed}, {way:?}, {threads} threads");
    }
    // In one go, without a look.
    let seen = run_whole(&case, Time::MAX).unwrap();
    let last = expected.last().unwrap();
    let done = expected
        .iter()
        .flat_map(|sample| sample.done.iter().copied());
    assert_eq!(seen.done, done.collect::<Vec<_>>(), "case {seed}");
    assert_eq!(
        (seen.stop, seen.ends),
        (last.stop, last.ends),
        "case {seed}"
    );
    true
}

fn run_whole(case: &Case, until: Time) -> Result<Sample, Error> {
    let mut simulation = build(case, 1)?;
    for &event in &case.events {
        simulation.schedule(event)?;
    }
    let stop = simulation.run_until(until);
    Ok(look(&mut simulation, stop))
}

/// Runs a case until its flows have ended, while something may be under way; whether it can be built.
fn check_end(seed: u64) -> bool {
    let mut case = case(seed);
    case.scenario = case.scenario.replace("20s", "1us");
    let Ok(end) = run_whole(&case, Time::MAX) else {
        return false;
    };
    assert_eq!(end.stop, Stop::Finished, "case {seed}");
    let seen = run_whole(&case, end.now).unwrap();
    assert_eq!(seen, end, "case {seed}");
    true
}

/// Checks `cases`, most of which can be built.
fn check_all(cases: Range<u64>, check: impl Fn(u64) -> bool) {
    let count = usize::try_from(cases.end - cases.start).unwrap();
    let built = cases.filter(|&seed| check(seed)).count();
    assert!(10 * built > 9 * count, "{built} of {count}");
}

#[test]
fn windows_do_not_matter() {
    check_all(100..150, check);
}

/// Everything before the time at which a run ends by itself has happened.
#[test]
fn nobody_lags_behind_in_the_end() {
    check_all(150..250, check_end);
}

#[test]
#[ignore = "takes minutes"]
fn windows_do_not_matter_in_many_cases() {
    check_all(1_000..4_000, |seed| check(seed) && check_end(seed));
}
