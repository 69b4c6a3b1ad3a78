//! An independent version of the paper's algorithm, written from its text alone: one switch, one
//! receiver, every timer an event of its own, and the notification point at the receiver, as in the
//! paper.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use fabricsim_base::rng::{Purpose, Stream};

/// Picoseconds.
type Ps = u64;

const US: Ps = 1_000_000;
/// 40 Gbps: 25 ps a bit.
const LINE: f64 = 40e9;
const BIT: Ps = 25;
const WIRE: u64 = 1_048;
const ACK: u64 = 60;
const DELAY: Ps = US;

/// Settings that the paper leaves open; `byte_counter` is in bytes, or `None` if there is no
/// counter.
#[derive(Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) flows: usize,
    pub(crate) byte_counter: Option<u64>,
    /// The first sample of the queue, and for how long to take samples, in milliseconds.
    pub(crate) window: (u64, u64),
    pub(crate) seed: u64,
}

impl Setup {
    /// Returns the microseconds at which the queue is sampled.
    pub(crate) const fn samples(&self) -> std::ops::Range<u64> {
        let (from, length) = self.window;
        from * 1_000..(from + length) * 1_000
    }
}

/// Bytes that waited for the receiver's link, sampled once each microsecond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    pub(crate) mean: f64,
    pub(crate) max: f64,
}

impl Queue {
    pub(crate) fn of(samples: &[u64]) -> Self {
        let max = samples.iter().copied().max().unwrap_or(0);
        let sum: u64 = samples.iter().sum();
        Self {
            mean: sum as f64 / samples.len() as f64,
            max: max as f64,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum What {
    Send,
    AtSwitch,
    WireFree,
    AtReceiver { marked: bool },
    IntervalOver,
    Notification,
    AlphaTimer { since: u64 },
    RateTimer { since: u64 },
    Sample,
}

#[derive(Clone)]
struct Flow {
    current: f64,
    target: f64,
    alpha: f64,
    ticks: u32,
    rounds: u32,
    bytes: u64,
    /// The number of notifications so far, which makes timers of earlier ones void.
    notified: u64,
    /// At the receiver: the time of the last notification, and `true` if marks have arrived since.
    last: Option<Ps>,
    marked: bool,
}

struct World {
    events: BinaryHeap<Reverse<(Ps, u64, usize, What)>>,
    count: u64,
    flows: Vec<Flow>,
    waiting: VecDeque<usize>,
    busy: bool,
    draws: Stream,
    byte_counter: Option<u64>,
}

const N: Ps = 50 * US;
const K: Ps = 55 * US;
const T: Ps = 55 * US;
const F: u32 = 5;
const R_AI: f64 = 40e6;
const R_HAI: f64 = 200e6;
const G: f64 = 1.0 / 256.0;
const FLOOR: f64 = 100e6;
const KMIN: f64 = 5e3;
const KMAX: f64 = 200e3;
const PMAX: f64 = 0.01;

impl World {
    fn after(&mut self, at: Ps, flow: usize, what: What) {
        self.count += 1;
        self.events.push(Reverse((at, self.count, flow, what)));
    }

    fn grow(&mut self, flow: usize) {
        let flow = &mut self.flows[flow];
        if flow.ticks.max(flow.rounds) <= F {
            // Fast recovery: the target stays.
        } else if flow.ticks.min(flow.rounds) > F {
            flow.target += R_HAI * f64::from(flow.ticks.min(flow.rounds) - F);
        } else {
            flow.target += R_AI;
        }
        flow.current = LINE.min((flow.target + flow.current) / 2.0);
    }

    fn send(&mut self, now: Ps, flow: usize) {
        self.after(now + WIRE * 8 * BIT + DELAY, flow, What::AtSwitch);
        let gap = WIRE as f64 * 8e12 / self.flows[flow].current;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small"
        )]
        self.after(now + gap.round() as Ps, flow, What::Send);
        if let Some(round) = self.byte_counter
            && self.flows[flow].notified > 0
        {
            self.flows[flow].bytes += WIRE;
            if self.flows[flow].bytes >= round {
                self.flows[flow].bytes -= round;
                self.flows[flow].rounds += 1;
                self.grow(flow);
            }
        }
    }

    /// Sends the next packet on the link to the receiver, and marks it by the queue that it leaves
    /// behind.
    fn serve(&mut self, now: Ps) {
        let Some(flow) = self.waiting.pop_front() else {
            self.busy = false;
            return;
        };
        self.busy = true;
        let left = (self.waiting.len() as u64 * WIRE) as f64;
        let marked =
            left > KMAX || (left > KMIN && self.draws.chance((left - KMIN) / (KMAX - KMIN) * PMAX));
        let end = now + WIRE * 8 * BIT;
        self.after(end, flow, What::WireFree);
        self.after(end + DELAY, flow, What::AtReceiver { marked });
    }

    fn notify(&mut self, now: Ps, flow: usize) {
        self.flows[flow].last = Some(now);
        self.flows[flow].marked = false;
        let there = now + 2 * (ACK * 8 * BIT + DELAY);
        self.after(there, flow, What::Notification);
        self.after(now + N, flow, What::IntervalOver);
    }

    fn react(&mut self, now: Ps, index: usize) {
        let flow = &mut self.flows[index];
        flow.target = flow.current;
        flow.current = FLOOR.max(flow.current * (1.0 - flow.alpha / 2.0));
        flow.alpha = (1.0 - G) * flow.alpha + G;
        (flow.ticks, flow.rounds, flow.bytes) = (0, 0, 0);
        flow.notified += 1;
        let since = flow.notified;
        self.after(now + K, index, What::AlphaTimer { since });
        self.after(now + T, index, What::RateTimer { since });
    }

    fn happen(&mut self, now: Ps, flow: usize, what: What) {
        match what {
            What::Send => self.send(now, flow),
            What::AtSwitch => {
                self.waiting.push_back(flow);
                if !self.busy {
                    self.serve(now);
                }
            }
            What::WireFree => self.serve(now),
            What::AtReceiver { marked: false } | What::Sample => {}
            What::AtReceiver { marked: true } => {
                if self.flows[flow].last.is_none_or(|last| now >= last + N) {
                    self.notify(now, flow);
                } else {
                    self.flows[flow].marked = true;
                }
            }
            What::IntervalOver => {
                if self.flows[flow].marked {
                    self.notify(now, flow);
                }
            }
            What::Notification => self.react(now, flow),
            What::AlphaTimer { since } => {
                if since == self.flows[flow].notified {
                    self.flows[flow].alpha *= 1.0 - G;
                    self.after(now + K, flow, what);
                }
            }
            What::RateTimer { since } => {
                if since == self.flows[flow].notified {
                    self.flows[flow].ticks += 1;
                    self.grow(flow);
                    self.after(now + T, flow, what);
                }
            }
        }
    }
}

/// Runs endless flows from different hosts to one receiver, all at 40 Gbps.
pub(crate) fn queue(setup: Setup) -> Queue {
    let flow = Flow {
        current: LINE,
        target: LINE,
        alpha: 1.0,
        ticks: 0,
        rounds: 0,
        bytes: 0,
        notified: 0,
        last: None,
        marked: false,
    };
    let mut world = World {
        events: BinaryHeap::new(),
        count: 0,
        flows: vec![flow; setup.flows],
        waiting: VecDeque::new(),
        busy: false,
        draws: Stream::new(setup.seed, 7, Purpose::Marking),
        byte_counter: setup.byte_counter,
    };
    for flow in 0..setup.flows {
        world.after(0, flow, What::Send);
    }
    for us in setup.samples() {
        world.after(us * US, 0, What::Sample);
    }
    let mut samples = Vec::new();
    while let Some(Reverse((now, _, flow, what))) = world.events.pop() {
        if what == What::Sample {
            samples.push(world.waiting.len() as u64 * WIRE);
            if samples.len() as u64 == setup.window.1 * 1_000 {
                break;
            }
        }
        world.happen(now, flow, what);
    }
    Queue::of(&samples)
}
