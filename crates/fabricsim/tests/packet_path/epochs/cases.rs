//! Random networks, their traffic and their failures.

use std::fmt::Write as _;
use std::ops::Range;

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::mix;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_scenario::schema::event::{Event, EventKind, LinkName};

/// A source of choices.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % below
    }

    pub(crate) fn node(&mut self, below: u32) -> u32 {
        u32::try_from(self.roll(u64::from(below))).unwrap()
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()]
    }
}

/// A network, its flows, its failures and repairs, and the times of samples.
pub(crate) struct Case {
    pub(crate) scenario: String,
    pub(crate) topology: String,
    pub(crate) flows: Vec<FlowRequest>,
    pub(crate) events: Vec<Event>,
    pub(crate) looks: Vec<Time>,
    pub(crate) lookahead: Duration,
}

/// Time at which all links are up again.
pub(crate) const REPAIRED: Time = Time::from_ns(400_000);

/// Sets of delays, in nanoseconds.
const DELAYS: &[&[u64]] = &[
    &[100, 1_000],
    &[100, 350, 1_000, 3_000],
    &[50, 10_000],
    &[200, 1_000_000],
    &[700],
];

/// Algorithms of TCP, which use lossy queues.
const TCP: &[&str] = &["cubic", "newreno", "tcp-dctcp", "tcp-hpcc", "prague", "bbr"];

/// Bounds of lossy queues.
const LOSSY: &[&str] = &["", "lossy_limit = \"20KB\"\n", "lossy_alpha = 0.125\n"];

/// Queue lengths above which switches trim packets.
const TRIMS: &[&str] = &[
    "",
    "trim_above = \"2KB\"\n",
    "trim_above = \"5KB\"\n",
    "trim_above = \"30KB\"\n",
];

/// Priorities of flows.
const PRIORITIES: &[&[u8]] = &[&[3], &[3], &[3, 3, 3, 5], &[1, 3, 6]];

/// Disciplines of the queues of TCP.
const QUEUES: &[&str] = &[
    "",
    "[[queue]]\ndiscipline = { kind = \"tail-drop\", limit = 20 }\n",
    "[[queue]]\ndiscipline = { kind = \"codel\" }\n",
    "[[queue]]\ndiscipline = { kind = \"fq-codel\" }\n",
    "[[queue]]\ndiscipline = { kind = \"red\" }\n",
    "[[queue]]\ndiscipline = { kind = \"dualpi2\" }\n",
];

/// Returns the links of a tree of switches, further links between switches, and the links of hosts.
fn links(dice: &mut Dice, hosts: u32, switches: u32) -> Vec<(u32, u32)> {
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
    links
}

/// Returns a random failure or repair of `link` or of one of `switches`.
fn incident(dice: &mut Dice, link: LinkName, rate: u64, switches: Range<u32>) -> EventKind {
    let switch =
        |dice: &mut Dice| NodeId(switches.start + dice.node(switches.end - switches.start));
    match dice.roll(7) {
        0 | 1 => EventKind::LinkDown(link),
        2 | 3 => EventKind::LinkUp(link),
        4 => EventKind::LinkRate(link, Rate::from_gbps(rate)),
        5 => EventKind::LinkLoss(link, dice.pick(&[0.0, 0.0, 0.05])),
        _ if dice.roll(2) == 0 => EventKind::SwitchDown(switch(dice)),
        _ => EventKind::SwitchUp(switch(dice)),
    }
}

/// Returns a time below `below_us` microseconds that is a multiple of `grain` picoseconds.
fn time(dice: &mut Dice, below_us: u64, grain: u64) -> Time {
    Time::from_ps(dice.roll(below_us * 1_000_000) / grain * grain)
}

pub(crate) const fn flow(src: u32, dst: u32, size: u64, start: Time) -> FlowRequest {
    FlowRequest {
        src: NodeId(src),
        dst: NodeId(dst),
        size: Bytes::new(size),
        start,
        class: ClassId(0),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    }
}

/// Returns random flows, often all to one host.
fn flows(dice: &mut Dice, grain: u64, hosts: u32) -> Vec<FlowRequest> {
    let mut flows = Vec::new();
    let incast = dice.roll(2) == 0;
    for _ in 0..1 + dice.roll(25) {
        let (src, dst) = (dice.node(hosts), dice.node(hosts));
        let dst = if incast { 0 } else { dst };
        if src != dst {
            let size = dice.pick(&[1, 1_000, 9_000, 70_000, 400_000]);
            flows.push(flow(src, dst, 1 + dice.roll(size), time(dice, 150, grain)));
        }
    }
    flows
}

/// Returns bursts of failures and repairs, sorted by time.
fn incidents(
    dice: &mut Dice,
    grain: u64,
    rate: u64,
    switches: Range<u32>,
    links: &[(u32, u32)],
) -> Vec<Event> {
    let mut events = Vec::new();
    let bursts = dice.pick(&[0, 2, 12]);
    for _ in 0..bursts {
        let mut at = time(dice, 300, grain);
        for _ in 0..1 + dice.roll(4) {
            let (a, b) = dice.pick(links);
            let link = LinkName {
                ends: [NodeId(a), NodeId(b)],
                index: None,
            };
            let kind = incident(dice, link, rate, switches.clone());
            events.push(Event { at, kind });
            at += Duration::from_ns(dice.roll(3) * dice.pick(&[0, 100, 300, 1_000]));
        }
    }
    events.sort_by_key(|event| event.at);
    events
}

/// Returns the repairs of all switches and links.
fn repairs(hosts: u32, switches: u32, links: &[(u32, u32)]) -> Vec<Event> {
    let mut events = Vec::new();
    let at = REPAIRED;
    for switch in 0..switches {
        let kind = EventKind::SwitchUp(NodeId(hosts + switch));
        events.push(Event { at, kind });
    }
    for &(a, b) in links {
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
    events
}

pub(crate) fn case(seed: u64) -> Case {
    let mut dice = Dice(mix(seed));
    let switches = 1 + dice.node(6);
    let hosts = 2 + dice.node(8);
    let delays = dice.pick(DELAYS);
    let rates = dice.pick(&[&[100u64][..], &[25, 100, 400], &[10, 100]]);
    let lossy = dice.roll(4) == 0;
    let links = links(&mut dice, hosts, switches);
    let mut topology = format!("{} {switches} {}\n", hosts + switches, links.len());
    for switch in 0..switches {
        write!(topology, "{} ", hosts + switch).unwrap();
    }
    topology.push('\n');
    // The shortest delay is the lookahead, which bounds the steps of the level run.
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
        "pfc = false\nbuffer = \"1MiB\"",
    ]);
    let recovery = dice.pick(&["go-back-n", "selective"]);
    let converge = dice.pick(&["0us", "0.3us", "20us"]);
    // Every fourth network runs TCP.
    let mut other = Dice(mix(!seed));
    let (profile, cc, bound, queue) = match seed % 4 {
        1 => ("", other.pick(TCP), other.pick(LOSSY), other.pick(QUEUES)),
        3 if switch.starts_with("pfc = false") => ("", cc, other.pick(TRIMS), ""),
        _ => (profile, cc, "", ""),
    };
    let recovery = if bound.starts_with("trim") {
        "any-order"
    } else {
        recovery
    };
    let scenario = format!(
        "{profile}seed = {seed}\n[topology]\nkind = \"file\"\npath = \"topology.txt\"\n\
         [switch]\n{switch}\n{bound}[cc]\nkind = \"{cc}\"\n[rdma]\nrto_min = \"50us\"\n\
         recovery = \"{recovery}\"\n[routing]\nconvergence = \"{converge}\"\n[output]\npauses = true\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 1\nsize = \"1B\"\nat = \"20s\"\n{queue}",
    );
    // A coarse grain makes events coincide, which tests their order.
    let grain = dice.pick(&[1, 1_000, 100_000, 1_000_000]);
    let mut flows = flows(&mut dice, grain, hosts);
    // TCP has one priority, so only other networks mix several.
    if seed % 4 != 1 {
        let priorities = other.pick(PRIORITIES);
        for flow in &mut flows {
            flow.priority = Priority::new(other.pick(priorities));
        }
    }
    let mut events = incidents(&mut dice, grain, rates[0], hosts..hosts + switches, &links);
    events.extend(repairs(hosts, switches, &links));
    // Half of the samples are close to failures, because bugs show there first.
    let mut looks: Vec<Time> = (0..6).map(|_| time(&mut dice, 350, grain)).collect();
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

/// Hosts at one switch or two, with packets that meet at ports many times in an epoch, often at the
/// very instant at which a link becomes free.
pub(crate) fn crowds(seed: u64) -> Case {
    let mut dice = Dice(mix(seed));
    let hosts = 3 + dice.node(6);
    let switches = 1 + dice.node(2);
    let mut topology = format!("{} {switches} {}\n", hosts + switches, hosts + switches - 1);
    for switch in hosts..hosts + switches {
        write!(topology, "{switch} ").unwrap();
    }
    topology.push('\n');
    for host in 0..hosts {
        let rate = dice.pick(&[25, 100, 100, 100]);
        let switch = hosts + dice.node(switches);
        writeln!(topology, "{host} {switch} {rate}Gbps 2us 0").unwrap();
    }
    if switches == 2 {
        writeln!(topology, "{hosts} {} 100Gbps 2us 0", hosts + 1).unwrap();
    }
    let cc = dice.pick(&[
        "hpcc",
        "hpcc",
        "hpcc-pint",
        "none",
        "dctcp",
        "dcqcn",
        "cubic",
        "tcp-dctcp",
    ]);
    let recovery = dice.pick(&["go-back-n", "selective"]);
    // A full packet of 1,048 bytes takes 83,840 ps at 100 Gbps.
    let grain = dice.pick(&[1, 83_840, 83_840, 41_920]);
    let priorities = dice.pick(PRIORITIES);
    let rule = dice.pick(&[
        "",
        "",
        "ecn = { kmin = \"1KB\", kmax = \"12KB\", pmax = 1.0 }\n",
        "lossy_limit = \"6KB\"\n",
    ]);
    let is_tcp = cc == "cubic" || cc == "tcp-dctcp";
    let rule = if rule.starts_with("lossy") && !is_tcp {
        ""
    } else {
        rule
    };
    // Only half of the hosts receive, so that packets meet at their ports.
    let mut flows = Vec::new();
    for _ in 0..5 + dice.roll(30) {
        let (src, dst) = (dice.node(hosts), dice.node(1 + hosts / 2));
        if src != dst {
            let size = dice.pick(&[1_000, 9_000, 50_000, 150_000]);
            let mut flow = flow(src, dst, 1 + dice.roll(size), time(&mut dice, 40, grain));
            if !is_tcp {
                flow.priority = Priority::new(dice.pick(priorities));
            }
            flows.push(flow);
        }
    }
    Case {
        scenario: format!(
            "seed = {seed}\n[topology]\nkind = \"file\"\npath = \"topology.txt\"\n[switch]\npfc = false\n\
             buffer = \"64MiB\"\n{rule}[cc]\nkind = \"{cc}\"\n[rdma]\nrecovery = \"{recovery}\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 1\nsize = \"1B\"\nat = \"20s\"\n"
        ),
        topology,
        flows,
        events: Vec::new(),
        looks: vec![time(&mut dice, 60, grain), REPAIRED],
        lookahead: Duration::from_ns(100 + dice.roll(400)),
    }
}

/// The same with flows that take many lookaheads.
pub(crate) fn long(mut case: Case) -> Case {
    for flow in &mut case.flows {
        flow.size = Bytes::new(flow.size.get() * 30);
    }
    case
}
