//! Runs of an engine, epoch by epoch, on its threads.

use std::sync::Arc;

use super::driver::Driver;
use super::engine::Engine;
use super::epoch::{Epoch, Round, Who};
use super::interrupt::Interrupt;
use super::partition::Partition;
use super::partitions::{Partitions, earliest, has_results, work_done};
use super::probe::Probe;
use super::process::LogicalProcess;
use super::rounds::Rounds;
use fabricsim_base::units::Time;

/// Least work of a round, in process runs and messages, after which the threads share the next one.
/// Less takes about 10 us, and the threads need some of it to wait for each other and to fetch
/// messages from each other's caches. With one switch and few packets in flight, as in
/// examples/scenarios/serving-64.toml, this halves the CPU time of two threads.
const LEAST_SHARED: u64 = 100;

/// Runs a round of some partitions.
pub(super) type RoundStep<'a, 'run, D> = dyn FnMut(&mut Partitions<D>, Round<'run>) + 'a;

/// Rounds of all partitions on all threads.
pub(super) type EpochRounds<'a, 'scope, 'run, D> =
    Rounds<'a, 'scope, Box<Partition<D>>, Round<'run>>;

impl<D: LogicalProcess> Engine<D> {
    /// Runs epochs until `driver` stops, or until the run is interrupted.
    pub fn run(&mut self, driver: &mut impl Driver<D>) {
        let turns = self.exchange.is_none();
        // With other ranks, a step runs only some of the partitions. Builds with assertions share
        // all work, so that tests find results that depend on threads.
        let may_run_alone = turns && !cfg!(debug_assertions);
        self.with_threads(|engine, interrupt, rounds| {
            let mut last = 0;
            engine.epochs_on(driver, turns, interrupt, &mut |partitions, round| {
                let before = work_done(partitions);
                if may_run_alone && last < LEAST_SHARED {
                    rounds.run_alone(partitions, round);
                } else {
                    rounds.run(partitions, round);
                }
                last = work_done(partitions) - before;
            });
        });
    }

    /// Calls `lead` with rounds in which the threads run the partitions for an epoch.
    pub(super) fn with_threads<R>(
        &mut self,
        lead: impl for<'run> FnOnce(&mut Self, &'run Interrupt, &mut EpochRounds<'_, '_, 'run, D>) -> R,
    ) -> R {
        let (most, interrupt) = (self.partitions.len(), self.interrupt.clone());
        let mailboxes = Arc::clone(&self.mailboxes);
        let work = |partition: &mut Box<Partition<D>>, round: Round<'_>| {
            partition.step(round, &mailboxes, &mut ());
        };
        let threads = self.threads.clone();
        threads.in_rounds(most, &work, |rounds| lead(self, &interrupt, rounds))
    }

    /// Like [`run`](Self::run), but on the calling thread alone, and reports to `probe`. An epoch
    /// that is longer than the lookahead counts as several for `probe`, as it does with several
    /// threads.
    pub fn run_probed(&mut self, driver: &mut impl Driver<D>, probe: &mut (impl Probe + ?Sized)) {
        let (mailboxes, interrupt) = (Arc::clone(&self.mailboxes), self.interrupt.clone());
        self.epochs_on(driver, false, &interrupt, &mut |partitions, round| {
            probe.epoch_begins();
            for partition in partitions {
                partition.step(round, &mailboxes, probe);
            }
            probe.epoch_ends();
        });
    }

    /// Runs epochs until `driver` stops; `step` runs a round of some partitions. `turns` is `true`
    /// if two sides take turns.
    ///
    /// Both `driver` and `step` are called only a few times in an epoch, so they are dynamic and
    /// this is compiled once.
    fn epochs_on<'run>(
        &mut self,
        driver: &mut dyn Driver<D>,
        turns: bool,
        interrupt: &'run Interrupt,
        step: &mut RoundStep<'_, 'run, D>,
    ) {
        if self.exchange.is_some() {
            self.between().add_up();
        }
        while !self.broken {
            let next = self.least_next();
            let longest = self.longest;
            let mut processes = self.between();
            processes.longest = longest;
            let Some(epoch) = driver.before(&mut processes, next) else {
                return;
            };
            debug_assert!(
                epoch.end.since(epoch.start) <= longest,
                "an epoch is as long as it may be"
            );
            // Broken until the epoch is done, because it may panic.
            self.broken = true;
            let is_broken = if turns && epoch.end.since(epoch.start) > self.lookahead {
                self.epoch_in_turns(epoch, interrupt, step)
            } else {
                self.epoch_in_parts(epoch, interrupt, driver, step)
            };
            self.finish_epoch(epoch, is_broken);
            if self.exchange.is_none() && has_results(&self.partitions) {
                driver.collect(&mut self.between());
            }
        }
    }

    /// Runs an epoch, in parts if it is longer than the lookahead. Returns `true` if it was
    /// aborted.
    fn epoch_in_parts<'run>(
        &mut self,
        epoch: Epoch,
        interrupt: &'run Interrupt,
        driver: &mut dyn Driver<D>,
        step: &mut RoundStep<'_, 'run, D>,
    ) -> bool {
        let mut start = epoch.start;
        let mut continues = false;
        loop {
            let end = start.saturating_add(self.lookahead).min(epoch.end);
            let part = Epoch {
                start,
                end,
                ..epoch
            };
            let round = Round {
                continues,
                ..Round::whole(part, self.parity(), interrupt)
            };
            let is_broken = if self.exchange.is_some() {
                self.run_on_ranks(driver, round, step)
            } else {
                step(&mut self.partitions, round);
                interrupt.is_raised()
            };
            self.rounds += 1;
            start = self.least_next().max(end);
            if is_broken || start >= epoch.end {
                return is_broken;
            }
            continues = true;
        }
    }

    /// Runs an epoch in which two sides take turns. Returns `true` if it was aborted.
    fn epoch_in_turns<'run>(
        &mut self,
        epoch: Epoch,
        interrupt: &'run Interrupt,
        step: &mut RoundStep<'_, 'run, D>,
    ) -> bool {
        let lookahead = self.lookahead;
        let after = |other: Time| other.saturating_add(lookahead).min(epoch.end);
        let part = |start, end| Epoch {
            start,
            end,
            ..epoch
        };
        let mut partitions = self.partitions.iter();
        let has_across = partitions.any(|partition| partition.schedule.has_across());
        // The times up to which the sides have executed everything.
        let [mut first, mut second] = [epoch.start; 2];
        let mut continues = false;
        while first < epoch.end && !interrupt.is_raised() {
            let ends = [after(second), after(after(second))];
            let turns = [part(first, ends[0]), part(second, ends[1])];
            let mut round = Round {
                who: Who::Sides {
                    first: turns[0],
                    second: turns[1],
                },
                parity: self.parity(),
                continues,
                interrupt,
            };
            step(&mut self.partitions, round);
            continues = true;
            let both = second < epoch.end;
            if both && has_across {
                (round.who, round.continues) = (Who::Across { second: turns[1] }, continues);
                step(&mut self.partitions, round);
            }
            self.rounds += if both { 2 } else { 1 };
            // There are no events before the next one, so the sides have executed everything before
            // it.
            let next = earliest(&self.partitions).min(epoch.end);
            [first, second] = ends.map(|end| end.max(next));
        }
        interrupt.is_raised()
    }

    /// Returns the earliest next event of all ranks, at the end of the last epoch.
    fn least_next(&self) -> Time {
        match &self.exchange {
            Some(exchange) => exchange.totals.next,
            None => earliest(&self.partitions),
        }
    }

    pub(super) fn finish_epoch(&mut self, epoch: Epoch, is_broken: bool) {
        self.broken = is_broken;
        if !is_broken {
            self.epochs += 1;
            self.now = epoch.end;
        }
    }
}
