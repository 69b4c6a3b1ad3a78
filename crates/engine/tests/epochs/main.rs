//! Tests the engine with a model of balls that processes throw at each other (a form of PHOLD). The
//! events and their order must not depend on the number of threads.

mod balls;
mod thieves;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::{
    Driver, Engine, Epoch, Execution, Interrupt, MOST_THREADS, Probe, Processes, Threads,
};

use crate::balls::{LOOKAHEAD, Thrower, mesh, one_way_ring, ring};

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

/// Plays with `count` processes in a full mesh, one ball each, for 60 us.
fn play(count: usize, threads: usize) -> Vec<Vec<(Time, u64)>> {
    play_with(&mut Clock, count, threads, false)
}

/// Returns the flight time of balls from process `own`: long for every third process.
fn flight(own: usize) -> Duration {
    LOOKAHEAD.saturating_mul(if own.is_multiple_of(3) { 7 } else { 1 })
}

fn play_with(
    driver: &mut impl Driver<Thrower>,
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
    processes.map(|(_, thrower)| thrower.log.clone()).collect()
}

/// Runs the longest epochs, in which two sides take turns.
struct LongClock;

impl Driver<Thrower> for LongClock {
    fn before(&mut self, processes: &mut Processes<'_, Thrower>, next: Time) -> Option<Epoch> {
        assert!(
            processes.longest_epoch() > processes.lookahead(),
            "there are two sides"
        );
        (next != Time::MAX).then(|| Epoch {
            start: next,
            end: next + processes.longest_epoch(),
            execution: Execution::Lazy,
        })
    }

    fn collect(&mut self, _processes: &mut Processes<'_, Thrower>) {}
}

#[test]
fn two_sides_that_take_turns_see_the_same() {
    let of = |mut engine: Engine<Thrower>, turns: bool| {
        if turns {
            engine.run(&mut LongClock);
        } else {
            engine.run(&mut Clock);
        }
        logs(&engine)
    };
    for count in [24, 1_200] {
        let side_by_side = of(ring(count, 8), false);
        assert_eq!(of(ring(count, 1), true), side_by_side, "{count}");
        assert_eq!(of(ring(count, 8), true), side_by_side, "{count}");
        for ahead in [1, count - 1] {
            let side_by_side = of(one_way_ring(count, ahead, 8), false);
            let turns = of(one_way_ring(count, ahead, 1), true);
            assert_eq!(
                turns, side_by_side,
                "{count}, each throws to the one {ahead} ahead"
            );
        }
    }
}

/// Checks the order of its calls, and counts them.
#[derive(Debug, Default)]
struct Witness {
    epochs: u64,
    in_epoch: bool,
    running: Option<usize>,
    seen: Vec<usize>,
    /// Number of times that each process was visited.
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
            // Events that are further apart than the lookahead are not in the same epoch.
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
fn no_ball_is_lost() {
    let logs = play(5, 2);
    let caught: usize = logs.iter().map(Vec::len).sum();
    // Five balls, each caught about once every 140 ns for 20,000 ns.
    assert!((500..1_000).contains(&caught), "{caught}");
}

/// Raises an interrupt when the tenth epoch is about to run.
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
fn a_panic_ends_a_run_within_an_epoch_and_for_good() {
    for threads in [1, 3] {
        let mut engine = mesh(23, threads, false);
        engine.update(11, |thrower| thrower.held.clear());
        let run = catch_unwind(AssertUnwindSafe(|| engine.run(&mut Clock)));
        let panic = run.expect_err("a timer without a ball");
        let text = panic.downcast_ref::<String>().expect("it has a text");
        assert!(text.contains("each timer holds a ball"), "{text}");
        assert!(engine.is_broken());
        let (epochs, seen) = (engine.epochs(), logs(&engine));
        engine.run(&mut Clock);
        assert_eq!((engine.epochs(), logs(&engine)), (epochs, seen));
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
