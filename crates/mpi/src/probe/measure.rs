//! The measurements behind `probe`.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fabricsim_base::ranks::Ranks;
use mpi::request::{Request, scope};
use mpi::topology::{Communicator, Process, SimpleCommunicator};
use mpi::traits::{Destination, Source};

use super::{PairCost, ProbeOptions, ProbeReport, SizeCost};
use crate::MpiRanks;
use crate::mpi_ranks::{PROBE, mpi_rank};
use crate::threads::cores_are_shared;

/// Measured sizes of messages, in bytes.
const SIZES: [usize; 9] = [
    0,
    8,
    64,
    512,
    4 << 10,
    32 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
];
/// Duration of a batch, unless a single message takes longer. The result of a measurement is its
/// fastest batch, because a disturbance, such as another program, only adds time.
const BATCH: Duration = Duration::from_micros(500);
/// Minimum and maximum number of batches of a measurement.
const BATCHES: (u32, u32) = (10, 1000);
/// Maximum number of messages in flight in a stream.
const MOST_UNDER_WAY: usize = 64;
const MOST_BYTES_UNDER_WAY: usize = 16 << 20;
/// Size in bytes of the messages for the overhead measurement.
const SMALL: usize = 8;
/// Interval at which an idle rank polls. It sleeps in between to leave its core to the other ranks.
const NAP: Duration = Duration::from_micros(200);

/// A command from rank 0 to the rank that it measures.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Task {
    /// Echo each of `count` messages of `bytes` bytes.
    Reply { bytes: usize, count: u32 },
    /// Receive `count` messages of `bytes` bytes, then send an empty one.
    Receive { bytes: usize, count: u32 },
    /// Stop.
    End,
}

impl Task {
    fn to_words(self) -> [u64; 3] {
        match self {
            Self::Reply { bytes, count } => [1, bytes as u64, count.into()],
            Self::Receive { bytes, count } => [2, bytes as u64, count.into()],
            Self::End => [0; 3],
        }
    }

    fn from_words([kind, bytes, count]: [u64; 3]) -> Self {
        let bytes = usize::try_from(bytes).expect("all ranks have the same kind of machine");
        let count = u32::try_from(count).expect("counts have 32 bits");
        match kind {
            1 => Self::Reply { bytes, count },
            2 => Self::Receive { bytes, count },
            _ => Self::End,
        }
    }
}

pub(super) fn probe(ranks: &MpiRanks, options: &ProbeOptions) -> Option<ProbeReport> {
    let machines = ranks.gather(ranks.machine().as_bytes());
    let machines: Vec<String> = machines
        .into_iter()
        .map(|name| String::from_utf8_lossy(&name).into_owned())
        .collect();
    let is_oversubscribed = cores_are_shared(ranks, ranks.machine());
    let gather_us = together(ranks, options, || drop(ranks.gather(&[0; SMALL])));
    let nothing = vec![Vec::new(); ranks.count()];
    let exchange_us = together(ranks, options, || {
        ranks.exchange(&nothing, &mut |_| {}, &mut |_, _, _| {});
    });
    let _turn = ranks.turn();
    let world = SimpleCommunicator::world();
    if ranks.rank() > 0 {
        work_for(&world.process_at_rank(mpi_rank(0)));
        return None;
    }
    let others = (1..ranks.count()).map(|rank| {
        let other = world.process_at_rank(mpi_rank(rank));
        let cost = Pair::new(&other, options).cost(rank, machines[rank].clone());
        ask(&other, Task::End);
        cost
    });
    Some(ProbeReport {
        ranks: ranks.count(),
        machines: machines.iter().collect::<BTreeSet<_>>().len(),
        is_oversubscribed,
        pairs: others.collect(),
        gather_us,
        exchange_us,
    })
}

/// Returns the time of one `action` that all ranks perform together, in microseconds.
fn together(ranks: &MpiRanks, options: &ProbeOptions, mut action: impl FnMut()) -> f64 {
    let mut timed = |count: u32| {
        let begin = Instant::now();
        (0..count).for_each(|_| action());
        begin.elapsed() / count
    };
    let once = (0..8).map(|_| timed(4)).min().unwrap_or(BATCH);
    // All ranks must repeat the action equally often, so rank 0 decides.
    let plan = Plan::new(options, once);
    let plans = ranks.gather(&plan.to_bytes());
    let plan = Plan::from_bytes(&plans[0]);
    plan.fastest_us(|| timed(plan.count))
}

/// The division of a measurement into batches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Plan {
    /// Repetitions per batch.
    count: u32,
    batches: u32,
}

impl Plan {
    /// Plans the measurement of an action that takes `once`.
    fn new(options: &ProbeOptions, once: Duration) -> Self {
        let once = once.as_nanos().max(1);
        let count = (BATCH.as_nanos() / once).max(1);
        let batches = options.time.as_nanos() / (count * once);
        let (least, most) = BATCHES;
        Self {
            count: u32::try_from(count).unwrap_or(u32::MAX),
            batches: u32::try_from(batches).unwrap_or(most).clamp(least, most),
        }
    }

    fn to_bytes(self) -> [u8; 8] {
        let word = u64::from(self.count) << 32 | u64::from(self.batches);
        word.to_le_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let (batches, count) = bytes.split_at(size_of::<u32>());
        let number = |bytes: &[u8]| {
            let bytes = bytes.try_into().expect("a number has 4 bytes");
            u32::from_le_bytes(bytes)
        };
        Self {
            count: number(count),
            batches: number(batches),
        }
    }

    /// Returns the time of the fastest batch, in microseconds.
    fn fastest_us(self, mut batch: impl FnMut() -> Duration) -> f64 {
        let times = (0..self.batches).map(|_| batch());
        times.min().map_or(0.0, |time| time.as_secs_f64() * 1e6)
    }
}

/// Executes the commands of rank 0 until [`Task::End`].
fn work_for(first: &Process<'_>) {
    let mut buffer = vec![0_u8; SIZES[SIZES.len() - 1]];
    // Until this rank's turn, poll instead of blocking in MPI, which would occupy a core.
    loop {
        if first.immediate_probe_with_tag(PROBE).is_some() {
            break;
        }
        sleep(NAP);
    }
    loop {
        let mut words = [0_u64; 3];
        first.receive_into_with_tag(&mut words[..], PROBE);
        match Task::from_words(words) {
            Task::End => return,
            Task::Reply { bytes, count } => {
                for _ in 0..count {
                    first.receive_into_with_tag(&mut buffer[..bytes], PROBE);
                    first.send_with_tag(&buffer[..bytes], PROBE);
                }
            }
            Task::Receive { bytes, count } => {
                for _ in 0..count {
                    first.receive_into_with_tag(&mut buffer[..bytes], PROBE);
                }
                first.send_with_tag(&buffer[..0], PROBE);
            }
        }
    }
}

fn ask(other: &Process<'_>, task: Task) {
    other.send_with_tag(&task.to_words()[..], PROBE);
}

/// Rank 0's side of the measurements with one other rank.
struct Pair<'a> {
    other: &'a Process<'a>,
    options: &'a ProbeOptions,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
}

impl<'a> Pair<'a> {
    fn new(other: &'a Process<'a>, options: &'a ProbeOptions) -> Self {
        let largest = SIZES[SIZES.len() - 1];
        Self {
            other,
            options,
            outgoing: vec![1; largest],
            incoming: vec![0; largest],
        }
    }

    fn cost(mut self, rank: usize, machine: String) -> PairCost {
        let sizes = SIZES.map(|bytes| SizeCost {
            bytes,
            one_way_us: self.one_way_us(bytes),
            stream_us: self.stream_us(bytes),
        });
        let posted = |pair: &mut Self| pair.stream(SMALL, under_way(SMALL)).0;
        let plan = Plan::new(self.options, posted(&mut self));
        let overhead_us = plan.fastest_us(|| posted(&mut self)) / f64::from(under_way(SMALL));
        PairCost {
            rank,
            machine,
            sizes: sizes.to_vec(),
            overhead_us,
        }
    }

    fn one_way_us(&mut self, bytes: usize) -> f64 {
        let once = (0..4).map(|_| self.round_trips(bytes, 2)).min();
        let plan = Plan::new(self.options, once.unwrap_or(BATCH));
        plan.fastest_us(|| self.round_trips(bytes, plan.count)) / 2.0
    }

    /// Returns the mean time of `count` round trips.
    fn round_trips(&mut self, bytes: usize, count: u32) -> Duration {
        ask(self.other, Task::Reply { bytes, count });
        let begin = Instant::now();
        for _ in 0..count {
            let sent = &self.outgoing[..bytes];
            self.other.send_with_tag(sent, PROBE);
            let received = &mut self.incoming[..bytes];
            self.other.receive_into_with_tag(received, PROBE);
        }
        begin.elapsed() / count
    }

    fn stream_us(&mut self, bytes: usize) -> f64 {
        let messages = under_way(bytes);
        let once = (0..4).map(|_| self.stream(bytes, messages).1).min();
        let plan = Plan::new(self.options, once.unwrap_or(BATCH));
        let per_stream = plan.fastest_us(|| {
            let times = (0..plan.count).map(|_| self.stream(bytes, messages).1);
            times.sum::<Duration>() / plan.count
        });
        per_stream / f64::from(messages)
    }

    /// Sends `count` messages back to back. Returns the duration of the calls, and the time until
    /// the receiver has acknowledged all of them.
    fn stream(&mut self, bytes: usize, count: u32) -> (Duration, Duration) {
        ask(self.other, Task::Receive { bytes, count });
        let Self {
            other,
            outgoing,
            incoming,
            ..
        } = self;
        let outgoing = &outgoing[..bytes];
        let begin = Instant::now();
        let posted = scope(|scope| {
            let send = || other.immediate_send_with_tag(scope, outgoing, PROBE);
            let requests: Vec<_> = (0..count).map(|_| send()).collect();
            let posted = begin.elapsed();
            requests.into_iter().for_each(Request::wait_without_status);
            posted
        });
        other.receive_into_with_tag(&mut incoming[..0], PROBE);
        (posted, begin.elapsed())
    }
}

/// Returns the number of messages of a stream that are in flight at the same time.
fn under_way(bytes: usize) -> u32 {
    let most = MOST_BYTES_UNDER_WAY / bytes.max(1);
    u32::try_from(most.min(MOST_UNDER_WAY)).expect("few messages")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_arrive_as_they_were_sent() {
        let (bytes, count) = (4096, 17);
        for task in [
            Task::Reply { bytes, count },
            Task::Receive { bytes, count },
            Task::End,
        ] {
            assert_eq!(Task::from_words(task.to_words()), task);
        }
    }

    #[test]
    fn batches_fill_the_time() {
        let options = ProbeOptions {
            time: Duration::from_millis(20),
        };
        let plan = |once| {
            let plan = Plan::new(&options, once);
            assert_eq!(Plan::from_bytes(&plan.to_bytes()), plan);
            (plan.count, plan.batches)
        };
        assert_eq!(plan(Duration::from_micros(1)), (500, 40));
        assert_eq!(plan(Duration::from_millis(1)), (1, 20));
        assert_eq!(plan(Duration::from_secs(1)), (1, 10));
        assert_eq!(plan(Duration::ZERO), (500_000, 40));
    }

    #[test]
    fn few_long_messages_are_under_way_at_once() {
        assert_eq!([0, 512, 256 << 10, 4 << 20].map(under_way), [64, 64, 64, 4]);
    }
}
