//! Runs that a program steers from outside: it reacts to events in some processes at the time at
//! which they happen, and may change any of these processes.
//!
//! All messages that arrive in an epoch were sent before it. So the times at which a process may do
//! something that needs a reaction, its *stops*, are known in advance. First the engine runs all
//! other processes to the end of the epoch. Then it runs the steered ones from stop to stop, in the
//! order of (time, process). So no process has passed a stop at which the program may change it.

use std::ops::ControlFlow;

use super::driver::Driver;
use super::engine::Engine;
use super::epoch::{Epoch, Round};
use super::epochs::EpochRounds;
use super::interrupt::Interrupt;
use super::partitions::{earliest, has_results};
use super::position::Position;
use super::process::LogicalProcess;
use super::steps::{Steered, Steps};
use fabricsim_base::units::{Duration, Time};

const INSTANT: Duration = Duration::from_ps(1);

/// Drives an engine and reacts to events in its steered processes.
pub trait SteeredDriver<D: LogicalProcess>: Driver<D> {
    /// Called at `now`: when a run begins and whenever a steered process has run through one of its
    /// stops. Change processes by [`Steps::update`]. Return [`ControlFlow::Break`] to end the run,
    /// which can be continued later.
    fn react(&mut self, now: Time, steps: &mut Steps<'_, D>) -> ControlFlow<()>;

    /// Returns the end time of the run, which may be within the current epoch.
    fn until(&self) -> Time;
}

impl<D: LogicalProcess> Engine<D> {
    /// Runs epochs until `driver` stops, and lets it react to events in the steered processes.
    /// These run on the calling thread.
    pub fn run_steered(&mut self, driver: &mut impl SteeredDriver<D>) {
        for partition in &mut self.partitions {
            if partition.steered.len() != partition.calendar.blocks() {
                partition.mark_steered();
            }
        }
        self.with_threads(|engine, interrupt, rounds| {
            engine.steered_epochs(driver, interrupt, rounds);
        });
    }

    /// Runs epochs until `driver` stops. Processes that are not steered run in rounds.
    fn steered_epochs<'run>(
        &mut self,
        driver: &mut impl SteeredDriver<D>,
        interrupt: &'run Interrupt,
        rounds: &mut EpochRounds<'_, '_, 'run, D>,
    ) {
        let steered = self.steered.as_ref();
        let mut now = steered.map_or(self.now, |steered| steered.now);
        while !self.broken {
            if self.react(driver, now).is_break() {
                return;
            }
            if self.steered.is_none() {
                let next = earliest(&self.partitions);
                let Some(epoch) = driver.before(&mut self.between(), next) else {
                    return;
                };
                self.begin_steered(epoch, interrupt, rounds);
            }
            if self.steer(driver).is_break() {
                return;
            }
            self.finish_steered(driver);
            now = self.now;
        }
    }

    /// Returns the time that a steered run has reached within an epoch, if it is in one.
    #[must_use]
    pub fn steered_to(&self) -> Option<Time> {
        self.steered.as_ref().map(|steered| steered.now)
    }

    /// Returns the end of the current epoch of a steered run, or the end of the last epoch.
    #[must_use]
    pub fn frontier(&self) -> Time {
        let steered = self.steered.as_ref();
        steered.map_or(self.now, |steered| steered.epoch.end)
    }

    fn react(&mut self, driver: &mut impl SteeredDriver<D>, now: Time) -> ControlFlow<()> {
        let mut steps = Steps {
            partitions: &mut self.partitions,
            positions: &self.positions,
            steered: self.steered.as_mut(),
        };
        driver.react(now, &mut steps)
    }

    /// Begins an epoch: runs all processes that are not steered.
    fn begin_steered<'run>(
        &mut self,
        epoch: Epoch,
        interrupt: &'run Interrupt,
        rounds: &mut EpochRounds<'_, '_, 'run, D>,
    ) {
        debug_assert!(
            epoch.end.since(epoch.start) <= self.lookahead,
            "an epoch fits the lookahead"
        );
        let round = Round::whole(epoch, self.parity(), interrupt);
        let mut steered = Steered::new(epoch, round.parity);
        for partition in &mut self.partitions {
            partition.set_apart(&mut steered, &self.mailboxes);
        }
        steered.sort_stops();
        // Broken until it is done, because it may panic.
        self.broken = true;
        rounds.run(&mut self.partitions, round);
        self.broken = false;
        self.steered = Some(steered);
    }

    /// Runs the steered processes from stop to stop. Breaks if the driver does, or if the run has
    /// reached its end time.
    fn steer(&mut self, driver: &mut impl SteeredDriver<D>) -> ControlFlow<()> {
        let until = driver.until();
        while let Some(steered) = &mut self.steered {
            if steered.next_stop() >= until && until < steered.epoch.end {
                steered.now = steered.now.max(until);
                return ControlFlow::Break(());
            }
            let Some((at, index)) = steered.pop_stop() else {
                break;
            };
            steered.now = at;
            let Position { partition, place } = self.positions[index as usize];
            let partition = &mut self.partitions[partition as usize];
            partition.advance(place as usize, at.saturating_add(INSTANT));
            let stop = partition.members[place as usize].process.next_stop();
            steered.add_stop(stop, index as usize);
            self.react(driver, at)?;
            if self.interrupt.is_raised() {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs the steered processes to the end of the epoch.
    fn finish_steered(&mut self, driver: &mut impl SteeredDriver<D>) {
        let Some(steered) = self.steered.take() else {
            return;
        };
        let epoch = steered.epoch;
        // Backwards, so that the next epoch begins with processes that are still in the cache.
        for &index in steered.begun.iter().rev() {
            let Position { partition, place } = self.positions[index as usize];
            let partition = &mut self.partitions[partition as usize];
            let until = (epoch.end, steered.parity);
            partition.finish(place as usize, until, &self.mailboxes);
        }
        (self.partitions.iter_mut()).for_each(|partition| partition.settle_steered());
        self.rounds += 1;
        self.finish_epoch(epoch, self.interrupt.is_raised());
        if has_results(&self.partitions) {
            driver.collect(&mut self.between());
        }
    }
}
