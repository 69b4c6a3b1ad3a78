//! Drivers that recall balls.

use fabricsim_base::units::Time;
use fabricsim_engine::{Driver, Epoch, Execution, Processes};

use crate::balls::Thrower;
use crate::{Clock, play_with};

/// Recalls every ball in the air, once, at a given time, and stores them.
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

/// A [`Thief`] that lets lazy processes catch up before it steals.
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
    // The balls caught after the theft were not in the air during it.
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
