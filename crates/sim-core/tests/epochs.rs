//! The engine on a model of its own: balls that processes throw at each other (a form of PHOLD). What
//! happens, and in which order, must not depend on the number of threads.

use std::collections::BTreeMap;

use fabricsim_core::engine::{
    ByChannel, Driver, Engine, Epoch, Execution, Inbox, Interrupt, LogicalProcess, MOST_THREADS,
    Message, Probe, Processes, SendBuffer, Threads, Timer, Timers, Wiring,
};
use fabricsim_core::fifo::Assign;
use fabricsim_core::rng::mix;
use fabricsim_core::units::{Duration, Time};

const LOOKAHEAD: Duration = Duration::from_ns(100);

#[derive(Clone, Copy, Debug)]
struct Ball {
    value: u64,
    arrival: Time,
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

/// Catches balls, holds each for a while and throws it on; keeps a log of what it saw.
#[derive(Debug)]
struct Thrower {
    channels: usize,
    timers: Timers,
    held: BTreeMap<u16, u64>,
    next_index: u16,
    log: Vec<(Time, u64)>,
    until: Time,
    /// How long a ball flies at least.
    flight: Duration,
    lazy: bool,
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
        let mut last_sent: BTreeMap<usize, Time> = BTreeMap::new();
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
                let at = at.max(last_sent.get(&channel).copied().unwrap_or_default());
                last_sent.insert(channel, at);
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

/// Takes back every ball in the air, once, when a time has come; the balls.
struct Thief {
    at: Time,
    stolen: Option<Vec<u64>>,
    count: usize,
}

impl Driver<Thrower> for Thief {
    fn before(&mut self, processes: &mut Processes<'_, Thrower>, next: Time) -> Option<Epoch> {
        let mut next = next;
        if next >= self.at && self.stolen.is_none() {
            let stolen = self.stolen.insert(Vec::new());
            for own in 0..self.count {
                for channel in 0..self.count - 1 {
                    processes.recall(own, channel, |_, ball| stolen.push(ball.value));
                }
            }
            let before = stolen.len();
            processes.recall(0, 0, |_, ball| stolen.push(ball.value));
            assert_eq!(stolen.len(), before, "nothing can be taken back twice");
            next = processes.next_event();
        }
        Clock.before(processes, next)
    }

    fn collect(&mut self, _processes: &mut Processes<'_, Thrower>) {}
}

/// A [`Thief`] who sees to it that nobody lazy behind when he steals.
struct PatientThief {
    thief: Thief,
    level: bool,
}

impl Driver<Thrower> for PatientThief {
    fn before(&mut self, processes: &mut Processes<'_, Thrower>, next: Time) -> Option<Epoch> {
        let at = self.thief.at;
        if self.thief.stolen.is_none() {
            if next >= at && !self.level {
                self.level = true;
                return Some(Epoch {
                    start: at,
                    end: at,
                    execution: Execution::Eager,
                });
            }
            if next < at {
                let end = (next + processes.lookahead()).min(at);
                self.level = end == at;
                let execution = if self.level {
                    Execution::Eager
                } else {
                    Execution::Lazy
                };
                return Some(Epoch {
                    start: next,
                    end,
                    execution,
                });
            }
        }
        self.thief.before(processes, next)
    }

    fn collect(&mut self, _processes: &mut Processes<'_, Thrower>) {}
}

struct Clock;

impl Driver<Thrower> for Clock {
    fn before(&mut self, processes: &mut Processes<'_, Thrower>, next: Time) -> Option<Epoch> {
        (next != Time::MAX).then(|| Epoch {
            start: next,
            end: next + processes.lookahead(),
            execution: Execution::Lazy,
        })
    }

    fn collect(&mut self, _processes: &mut Processes<'_, Thrower>) {}
}

/// `count` processes in a full mesh, one ball each, for 60 us.
fn play(count: usize, threads: usize) -> Vec<Vec<(Time, u64)>> {
    play_with(&mut Clock, count, threads, false)
}

/// How long balls of process `own` fly: those of every third one stay in the air for long.
fn flight(own: usize) -> Duration {
    LOOKAHEAD.saturating_mul(if own.is_multiple_of(3) { 7 } else { 1 })
}

fn play_with(
    driver: &mut (impl Driver<Thrower> + Send),
    count: usize,
    threads: usize,
    lazy: bool,
) -> Vec<Vec<(Time, u64)>> {
    let mut engine = mesh(count, threads, lazy);
    engine.run(driver);
    logs(&engine)
}

fn logs(engine: &Engine<Thrower>) -> Vec<Vec<(Time, u64)>> {
    let processes = engine.processes();
    processes.map(|thrower| thrower.log.clone()).collect()
}

/// `count` processes in a full mesh, one ball each.
fn mesh(count: usize, threads: usize, lazy: bool) -> Engine<Thrower> {
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
    let processes = (0..count)
        .map(|own| {
            let mut thrower = Thrower {
                channels: count - 1,
                timers: Timers::default(),
                held: BTreeMap::new(),
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

/// Checks the order in which it is called, and counts.
#[derive(Debug, Default)]
struct Witness {
    epochs: u64,
    in_epoch: bool,
    running: Option<usize>,
    seen: Vec<usize>,
    /// How often each process has been looked at.
    looks: BTreeMap<usize, u64>,
}

impl Probe for Witness {
    fn epoch_begins(&mut self) {
        assert!(!std::mem::replace(&mut self.in_epoch, true));
        self.seen.clear();
    }

    fn process_begins(&mut self, index: usize) {
        assert!(self.in_epoch);
        assert_eq!(self.running.replace(index), None);
        assert!(!self.seen.contains(&index), "once in an epoch");
        self.seen.push(index);
    }

    fn process_ends(&mut self, index: usize) {
        assert_eq!(self.running.take(), Some(index));
        *self.looks.entry(index).or_default() += 1;
    }

    fn epoch_ends(&mut self) {
        assert!(std::mem::take(&mut self.in_epoch) && self.running.is_none());
        self.epochs += 1;
    }
}

#[test]
fn a_probe_sees_every_epoch_and_process_and_changes_nothing() {
    let alone = play(23, 1);
    for threads in [1, 3] {
        let mut engine = mesh(23, threads, false);
        let mut witness = Witness::default();
        engine.run_probed(&mut Clock, &mut witness);
        assert_eq!(logs(&engine), alone);
        assert_eq!(witness.epochs, engine.epochs());
        for (index, log) in alone.iter().enumerate() {
            // What is further apart than the lookahead is not in one epoch.
            let (mut least, mut end) = (0, Time::ZERO);
            for &(at, _) in log {
                if at >= end {
                    least += 1;
                    end = at + LOOKAHEAD;
                }
            }
            let looks = witness.looks[&index];
            assert!(
                least > 20 && (least..=witness.epochs).contains(&looks),
                "{looks}"
            );
        }
    }
}

#[test]
fn every_process_sees_the_same_for_any_number_of_threads() {
    let alone = play(23, 1);
    assert!(alone.iter().map(Vec::len).sum::<usize>() > 2_000);
    for log in &alone {
        assert!(
            log.is_sorted_by_key(|(at, _)| *at),
            "messages are read in order"
        );
    }
    for threads in [2, 3, 8] {
        assert_eq!(alone, play(23, threads), "{threads} threads");
    }
}

#[test]
fn lazy_processes_see_the_same_in_fewer_epochs() {
    let level = play(23, 1);
    for threads in [1, 3] {
        assert_eq!(level, play_with(&mut Clock, 23, threads, true));
    }
}

#[test]
fn balls_that_are_taken_back_are_seen_by_nobody() {
    let steal = |threads| {
        let mut thief = Thief {
            at: Time::from_ns(10_000),
            stolen: None,
            count: 23,
        };
        let logs = play_with(&mut thief, 23, threads, false);
        (logs, thief.stolen.expect("the game lasts for 20 us"))
    };
    let (logs, stolen) = steal(1);
    assert!((5..23).contains(&stolen.len()), "{}", stolen.len());
    // What was caught after the theft is caught by those whose balls were not in the air.
    let caught = logs.iter().flatten();
    let late = caught
        .clone()
        .filter(|(at, _)| *at >= Time::from_ns(12_000));
    assert!(late.count() > 100);
    for ball in &stolen {
        assert!(caught.clone().all(|(_, seen)| seen != ball));
    }
    for threads in [2, 3, 8] {
        assert_eq!(steal(threads), (logs.clone(), stolen.clone()));
    }
}

#[test]
fn nobody_lags_behind_when_balls_are_taken_back() {
    let steal = |threads, lazy| {
        let mut driver = PatientThief {
            thief: Thief {
                at: Time::from_ns(10_150),
                stolen: None,
                count: 23,
            },
            level: false,
        };
        let logs = play_with(&mut driver, 23, threads, lazy);
        (logs, driver.thief.stolen)
    };
    let level = steal(1, false);
    assert!(level.1.as_ref().is_some_and(|stolen| stolen.len() > 5));
    for threads in [1, 3] {
        assert_eq!(level, steal(threads, true));
    }
}

#[test]
fn no_ball_is_lost() {
    let logs = play(5, 2);
    let caught: usize = logs.iter().map(Vec::len).sum();
    // Five balls, each caught about once every 140 ns for 20,000 ns.
    assert!((500..1_000).contains(&caught), "{caught}");
}

/// Raises an interrupt when the tenth epoch is about to be run.
struct Impatient {
    interrupt: Interrupt,
    epochs: u64,
}

impl Driver<Thrower> for Impatient {
    fn before(&mut self, processes: &mut Processes<'_, Thrower>, next: Time) -> Option<Epoch> {
        self.epochs += 1;
        if self.epochs == 10 {
            self.interrupt.raise();
        }
        Clock.before(processes, next)
    }

    fn collect(&mut self, _processes: &mut Processes<'_, Thrower>) {}
}

#[test]
fn an_interrupt_ends_a_run_within_an_epoch_and_for_good() {
    for threads in [1, 3] {
        let mut engine = mesh(23, threads, false);
        let mut driver = Impatient {
            interrupt: Interrupt::default(),
            epochs: 0,
        };
        engine.set_interrupt(driver.interrupt.clone());
        engine.run(&mut driver);
        assert!(engine.is_broken());
        assert_eq!((driver.epochs, engine.epochs()), (10, 9));
        let (now, seen) = (engine.now(), logs(&engine));
        assert!(seen.iter().flatten().all(|&(at, _)| at < now));
        engine.set_interrupt(Interrupt::default());
        engine.run(&mut driver);
        assert_eq!((engine.epochs(), logs(&engine)), (9, seen));
    }
}

#[test]
fn threads_are_refused_with_their_number() {
    let error = Threads::start(MOST_THREADS + 1).expect_err("too many");
    assert_eq!(
        error.to_string(),
        "cannot start 1025 threads: 1024 are the most"
    );
    assert_eq!(Threads::start(0).expect("none").count(), 1);
    assert_eq!(Threads::start(3).expect("a few").count(), 3);
}
