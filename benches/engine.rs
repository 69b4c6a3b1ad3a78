//! What the engine costs by itself: PHOLD, the customary load of parallel simulators.
//!
//! A fixed number of messages wander between domains. Each is held for a random time where it
//! arrives, as a local event, and then goes on to a random neighbour. The throughput is events
//! (arrivals and ends of holding) per second.
//!
//! `cargo bench -p fabricsim --bench engine`

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fabricsim_core::engine::{
    Domain, Domains, Driver, Engine, Inbox, Lag, Message, Outbox, Timer, Timers, Window, Wiring,
};
use fabricsim_core::rng::{Purpose, Stream};
use fabricsim_core::units::{Duration, Time};

const DOMAINS: u32 = 64;
const NEIGHBOURS: u32 = 8;
/// Messages that start at each domain.
const MESSAGES: u16 = 32;
const LOOKAHEAD: Duration = Duration::from_us(1);
/// Holding times are below this.
const LONGEST_HOLD_PS: u64 = 2_000_000;
const END: Duration = Duration::from_us(200);

/// As large as a packet with a little telemetry.
#[derive(Clone, Copy, Debug)]
struct Wanderer {
    arrival: Time,
    visits: u64,
    _payload: [u64; 8],
}

impl Message for Wanderer {
    fn arrival(&self) -> Time {
        self.arrival
    }

    fn set_arrival(&mut self, at: Time) {
        self.arrival = at;
    }
}

/// A place where messages are held for a while.
#[derive(Debug)]
struct Place {
    held: Vec<Wanderer>,
    free: Vec<u16>,
    timers: Timers,
    stream: Stream,
    events: u64,
}

impl Place {
    fn new(number: u32) -> Self {
        let mut place = Self {
            held: Vec::new(),
            free: Vec::new(),
            timers: Timers::default(),
            stream: Stream::new(1, number.into(), Purpose::Custom(0)),
            events: 0,
        };
        for _ in 0..MESSAGES {
            let fresh = Wanderer {
                arrival: Time::ZERO,
                visits: 0,
                _payload: [0; 8],
            };
            place.hold(Time::ZERO, fresh);
        }
        place
    }

    fn hold(&mut self, now: Time, message: Wanderer) {
        let index = match self.free.pop() {
            Some(index) => {
                self.held[usize::from(index)] = message;
                index
            }
            None => {
                self.held.push(message);
                u16::try_from(self.held.len() - 1).expect("fewer messages than that in all")
            }
        };
        let span = Duration::from_ps(1 + self.stream.next_u64() % LONGEST_HOLD_PS);
        self.timers.set(Timer {
            at: now + span,
            set: 0,
            rank: 0,
            index,
        });
    }
}

impl Domain for Place {
    type Message = Wanderer;

    fn next_event(&self) -> Time {
        self.timers.next_time()
    }

    fn run(&mut self, end: Time, inbox: &mut Inbox<Wanderer>, outbox: &mut Outbox<Wanderer>) {
        loop {
            let (arrival, local) = (inbox.next_time(), self.timers.next_time());
            let now = arrival.min(local);
            if now >= end {
                return;
            }
            self.events += 1;
            if arrival <= local {
                let mut message = inbox.read(|_, message| *message);
                message.visits += 1;
                self.hold(now, message);
            } else if let Some(timer) = self.timers.pop() {
                let lane = self.stream.next_u64() % u64::from(NEIGHBOURS);
                let lane = usize::try_from(lane).expect("a small number");
                outbox.send(lane, now + LOOKAHEAD, &self.held[usize::from(timer.index)]);
                self.free.push(timer.index);
            }
        }
    }
}

/// Goes from window to window until [`END`].
struct Steady;

impl Driver<Place> for Steady {
    fn before(&mut self, domains: &mut Domains<'_, Place>, next: Time) -> Option<Window> {
        let last = Time::ZERO + END;
        (next < last).then(|| Window {
            start: next,
            end: (next + domains.lookahead()).min(last),
            lag: Lag::Allowed,
        })
    }

    fn collect(&mut self, _domains: &mut Domains<'_, Place>) {}
}

/// A ring of places with chords: lane `2 k` leads `k + 1` places ahead and hears lane `2 k + 1`, which
/// leads as far back.
fn engine(threads: usize) -> Engine<Place> {
    let wiring = |place: u32| {
        let lane = |lane: u32| {
            let far = lane / 2 + 1;
            let ahead = if lane.is_multiple_of(2) {
                far
            } else {
                DOMAINS - far
            };
            Wiring {
                domain: (place + ahead) % DOMAINS,
                lane: lane ^ 1,
                delay: LOOKAHEAD,
            }
        };
        (0..NEIGHBOURS).map(lane).collect()
    };
    let places = (0..DOMAINS).map(Place::new).collect();
    Engine::new(places, (0..DOMAINS).map(wiring).collect(), threads)
}

/// Runs to the end; the events.
fn run(engine: &mut Engine<Place>) -> u64 {
    engine.run(&mut Steady);
    engine.domains().map(|place| place.events).sum()
}

fn phold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("phold");
    group.sample_size(20);
    group.throughput(Throughput::Elements(run(&mut engine(1))));
    for threads in [1, 2] {
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter_batched(
                || engine(threads),
                |mut engine| run(&mut engine),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, phold);
criterion_main!(benches);
