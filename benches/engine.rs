//! Cost of the engine alone, under the customary loads for event lists and parallel simulators.
//!
//! * `hold`: the hold model on the timers of one process. Each step pops the earliest timer and
//!   sets it again, later by a random time, so the number of timers is constant. The throughput is
//!   holds per second.
//! * `phold`: a fixed number of messages wander between processes. On arrival, a message is held
//!   for a random time, as a local event; then it moves on to a random neighbor. The throughput is
//!   events (arrivals and ends of holding) per second.
//! * `sparse`: the same load among 16 processes, alone and in an engine with 65,520 further
//!   processes that never have any event. The cost of an epoch should depend only on its events, so
//!   the two results should be close.
//!
//! `cargo bench -p fabricsim --bench engine`

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Assign;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::{
    ByChannel, Driver, Engine, Epoch, Execution, Inbox, LogicalProcess, Message, Processes,
    SendBuffer, Threads, Timer, Timers, Wiring,
};

const NEIGHBORS: u32 = 8;
/// Messages that start at each process.
const MESSAGES: u16 = 32;
const LOOKAHEAD: Duration = Duration::from_us(1);
/// Upper bound of holding times.
const LONGEST_HOLD_PS: u64 = 2_000_000;
const END: Duration = Duration::from_us(200);
/// Number of holds in one iteration, each with a time drawn in advance.
const HOLDS: usize = 1_024;

/// A message as large as a packet with a little telemetry.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
struct Wanderer {
    arrival: Time,
    visits: u64,
    _payload: [u64; 8],
}

impl Assign for Wanderer {}

impl Message for Wanderer {
    fn arrival(&self) -> Time {
        self.arrival
    }

    fn set_arrival(&mut self, at: Time) {
        self.arrival = at;
    }
}

/// A process that holds messages for a while.
#[derive(Debug)]
struct Position {
    held: Vec<Wanderer>,
    free: Vec<u16>,
    timers: Timers,
    stream: Stream,
    events: u64,
}

impl Position {
    fn new(number: u32, messages: u16) -> Self {
        let mut place = Self {
            held: Vec::new(),
            free: Vec::new(),
            timers: Timers::default(),
            stream: Stream::new(1, number.into(), Purpose::Custom(0)),
            events: 0,
        };
        for _ in 0..messages {
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

impl LogicalProcess for Position {
    type Message = Wanderer;
    type Order = ByChannel;

    fn next_event(&self) -> Time {
        self.timers.next_time()
    }

    fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Wanderer>,
        send_buffer: &mut SendBuffer<Wanderer>,
    ) {
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
                let channel = self.stream.next_u64() % u64::from(NEIGHBORS);
                let channel = usize::try_from(channel).expect("a small number");
                send_buffer.send(
                    channel,
                    now + LOOKAHEAD,
                    &self.held[usize::from(timer.index)],
                );
                self.free.push(timer.index);
            }
        }
    }
}

/// Runs epoch after epoch until [`END`].
struct Steady;

impl Driver<Position> for Steady {
    fn before(&mut self, processes: &mut Processes<'_, Position>, next: Time) -> Option<Epoch> {
        let last = Time::ZERO + END;
        (next < last).then(|| Epoch {
            start: next,
            end: (next + processes.lookahead()).min(last),
            execution: Execution::Lazy,
        })
    }

    fn collect(&mut self, _processes: &mut Processes<'_, Position>) {}
}

/// Number of positions, and the positions with messages.
#[derive(Clone, Copy)]
struct Size {
    positions: u32,
    /// A position has messages if its number is a multiple of this. The messages stay among these
    /// positions.
    stride: u32,
}

/// Builds rings of positions with chords: channel `2 k` leads to the position `k + 1` places ahead
/// on the ring. Its reverse is channel `2 k + 1`, which leads as far back. The positions of a ring
/// are multiples of the stride apart.
fn engine(Size { positions, stride }: Size, threads: usize) -> Engine<Position> {
    let wiring = |place: u32| {
        let channel = |channel: u32| {
            let far = (channel / 2 + 1) * stride;
            let ahead = if channel.is_multiple_of(2) {
                far
            } else {
                positions - far
            };
            Wiring {
                process: (place + ahead) % positions,
                channel: channel ^ 1,
                delay: LOOKAHEAD,
            }
        };
        (0..NEIGHBORS).map(channel).collect()
    };
    let place = |number: u32| {
        let active = number.is_multiple_of(stride);
        Position::new(number, if active { MESSAGES } else { 0 })
    };
    let processes = (0..positions).map(place).collect();
    let threads = Threads::start(threads).expect("the system has threads");
    Engine::new(processes, (0..positions).map(wiring).collect(), &threads)
}

/// Runs to the end.
fn steady(engine: &mut Engine<Position>) {
    engine.run(&mut Steady);
}

/// Returns the number of events until the end.
fn events(mut engine: Engine<Position>) -> u64 {
    steady(&mut engine);
    engine.processes().map(|(_, place)| place.events).sum()
}

fn hold(criterion: &mut Criterion) {
    let mut stream = Stream::new(1, 0, Purpose::Custom(0));
    let spans: Vec<Duration> = (0..HOLDS)
        .map(|_| Duration::from_ps(1 + stream.next_u64() % LONGEST_HOLD_PS))
        .collect();
    let mut group = criterion.benchmark_group("hold");
    group.throughput(Throughput::Elements(HOLDS as u64));
    for count in [16u16, 256, 4_096] {
        let mut timers = Timers::default();
        for index in 0..count {
            timers.set(Timer {
                at: Time::ZERO + spans[usize::from(index) % HOLDS],
                set: 0,
                rank: 0,
                index,
            });
        }
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| {
                for &span in &spans {
                    let timer = timers.pop().expect("as many are set as are taken");
                    timers.set(Timer {
                        at: timer.at + span,
                        ..timer
                    });
                }
            });
        });
    }
    group.finish();
}

fn phold(criterion: &mut Criterion) {
    let size = Size {
        positions: 64,
        stride: 1,
    };
    let mut group = criterion.benchmark_group("phold");
    group.sample_size(20);
    group.throughput(Throughput::Elements(events(engine(size, 1))));
    for threads in [1, 2] {
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter_batched_ref(|| engine(size, threads), steady, BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn sparse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sparse");
    group.sample_size(20);
    for positions in [16, 65_536] {
        let size = Size {
            positions,
            stride: positions / 16,
        };
        group.throughput(Throughput::Elements(events(engine(size, 1))));
        group.bench_function(format!("16 of {positions}"), |bencher| {
            bencher.iter_batched_ref(|| engine(size, 1), steady, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, hold, phold, sparse);
criterion_main!(benches);
