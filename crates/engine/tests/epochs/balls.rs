//! Processes that throw balls at each other.

use std::collections::BTreeMap;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Assign;
use fabricsim_base::rng::mix;
use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::{
    ByChannel, Engine, Inbox, LogicalProcess, Message, SendBuffer, Threads, Timer, Timers, Wiring,
};

use crate::flight;

pub(crate) const LOOKAHEAD: Duration = Duration::from_ns(100);

#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(crate) struct Ball {
    pub(crate) value: u64,
    pub(crate) arrival: Time,
}

impl Assign for Ball {}

impl Message for Ball {
    fn arrival(&self) -> Time {
        self.arrival
    }

    fn set_arrival(&mut self, at: Time) {
        self.arrival = at;
    }
}

/// Catches balls, holds each for some time and throws it to another process; logs every catch.
#[derive(Debug)]
pub(crate) struct Thrower {
    pub(crate) channels: usize,
    pub(crate) timers: Timers,
    pub(crate) held: BTreeMap<u16, u64>,
    /// When the last ball on each channel arrives, because no ball overtakes another.
    pub(crate) last_sent: BTreeMap<usize, Time>,
    pub(crate) next_index: u16,
    pub(crate) log: Vec<(Time, u64)>,
    pub(crate) until: Time,
    /// Shortest flight time of a ball.
    pub(crate) flight: Duration,
    pub(crate) lazy: bool,
}

impl Thrower {
    fn hold(&mut self, now: Time, ball: u64) {
        let index = self.next_index;
        self.next_index = self.next_index.wrapping_add(1);
        self.held.insert(index, ball);
        let at = now + Duration::from_ps(mix(ball) % 50_000);
        self.timers.set(Timer {
            at,
            set: 0,
            rank: 0,
            index,
        });
    }
}

impl LogicalProcess for Thrower {
    type Message = Ball;
    type Order = ByChannel;

    fn next_event(&self) -> Time {
        self.timers.next_time()
    }

    fn may_run_lazily(&self) -> bool {
        self.lazy
    }

    fn run(&mut self, end: Time, inbox: &mut Inbox<Ball>, send_buffer: &mut SendBuffer<Ball>) {
        loop {
            let (arrival, local) = (inbox.next_time(), self.timers.next_time());
            if arrival.min(local) >= end {
                return;
            }
            if arrival <= local {
                let ball = inbox.read(|_, ball| ball.value);
                self.log.push((arrival, ball));
                self.hold(arrival, ball);
            } else {
                let timer = self.timers.pop().expect("a timer has just been seen");
                let ball = mix(self
                    .held
                    .remove(&timer.index)
                    .expect("each timer holds a ball"));
                if local >= self.until {
                    continue;
                }
                let channel = usize::try_from(ball % self.channels as u64).expect("a channel");
                let at = local + self.flight + Duration::from_ps(ball % 30_000);
                let at = at.max(self.last_sent.get(&channel).copied().unwrap_or_default());
                self.last_sent.insert(channel, at);
                let arrival = Time::ZERO;
                send_buffer.send(
                    channel,
                    at,
                    &Ball {
                        value: ball,
                        arrival,
                    },
                );
            }
        }
    }
}

/// Returns `count` processes in a full mesh, one ball each.
pub(crate) fn mesh(count: usize, threads: usize, lazy: bool) -> Engine<Thrower> {
    let wiring = (0..count)
        .map(|own| {
            (0..count)
                .filter(|&other| other != own)
                .map(|other| Wiring {
                    process: u32::try_from(other).expect("few processes"),
                    channel: u32::try_from(if own < other { own } else { own - 1 })
                        .expect("few channels"),
                    delay: flight(own),
                })
                .collect()
        })
        .collect();
    engine(count, count - 1, wiring, threads, lazy)
}

/// Returns `count` processes in a ring, one ball each.
pub(crate) fn ring(count: usize, threads: usize) -> Engine<Thrower> {
    let to = |process: usize, channel| Wiring {
        process: u32::try_from(process % count).expect("few processes"),
        channel,
        delay: flight(process),
    };
    let wiring = (0..count).map(|own| {
        let ends = [to(own + 1, 1), to(own + count - 1, 0)];
        let delay = flight(own);
        ends.map(|end| Wiring { delay, ..end }).to_vec()
    });
    engine(count, 2, wiring.collect(), threads, false)
}

/// Returns `count` processes in a ring, in which each throws only to the one that is `ahead` of it.
pub(crate) fn one_way_ring(count: usize, ahead: usize, threads: usize) -> Engine<Thrower> {
    let wiring = (0..count).map(|own| {
        vec![Wiring {
            process: u32::try_from((own + ahead) % count).expect("few processes"),
            channel: 0,
            delay: flight(own),
        }]
    });
    engine(count, 1, wiring.collect(), threads, false)
}

fn engine(
    count: usize,
    channels: usize,
    wiring: Vec<Vec<Wiring>>,
    threads: usize,
    lazy: bool,
) -> Engine<Thrower> {
    let processes = (0..count)
        .map(|own| {
            let mut thrower = Thrower {
                channels,
                timers: Timers::default(),
                held: BTreeMap::new(),
                last_sent: BTreeMap::new(),
                next_index: 0,
                log: Vec::new(),
                until: Time::from_ns(60_000),
                flight: flight(own),
                lazy,
            };
            thrower.hold(Time::ZERO, mix(own as u64 + 1));
            thrower
        })
        .collect();
    let threads = Threads::start(threads).expect("a few threads");
    Engine::new(processes, wiring, &threads)
}
