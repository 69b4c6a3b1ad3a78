//! Runs of an engine, epoch by epoch, on its threads.

use std::sync::Arc;

use super::partition::{Partition, earliest};
use super::span::Span;
use super::{Driver, Engine, Epoch, Interrupt, LogicalProcess, Probe, Rounds};
use fabricsim_base::units::Time;

/// Partitions, which go from thread to thread.
pub(super) type Partitions<D> = Vec<Box<Partition<D>>>;

/// Runs one epoch of some partitions.
pub(super) type EpochStep<'a, 'run, D> = dyn FnMut(&mut Partitions<D>, Span<'run>) + 'a;

/// Rounds in each of which partitions run an epoch.
pub(super) type EpochRounds<'a, 'scope, 'run, D> =
    Rounds<'a, 'scope, Box<Partition<D>>, Span<'run>>;

impl<D: LogicalProcess> Engine<D> {
    /// Runs epochs until `driver` stops, or the run is interrupted.
    pub fn run(&mut self, driver: &mut impl Driver<D>) {
        let turns = self.takes_turns;
        self.with_threads(|engine, interrupt, rounds| {
            engine.epochs_on(driver, turns, interrupt, &mut |partitions, span| {
                rounds.run(partitions, span);
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
        let work = |partition: &mut Box<Partition<D>>, span: Span<'_>| {
            partition.step(span, &mailboxes, &mut ());
        };
        let threads = self.threads.clone();
        threads.in_rounds(most, &work, |rounds| lead(self, &interrupt, rounds))
    }

    /// Like [`run`](Self::run), on the calling thread alone, and tells `probe` what it does. An epoch that
    /// is longer than the lookahead is several for `probe`, as it is for several threads.
    pub fn run_probed(&mut self, driver: &mut impl Driver<D>, probe: &mut (impl Probe + ?Sized)) {
        let (mailboxes, interrupt) = (Arc::clone(&self.mailboxes), self.interrupt.clone());
        self.epochs_on(driver, false, &interrupt, &mut |partitions, span| {
            probe.epoch_begins();
            for partition in partitions {
                partition.step(span, &mailboxes, probe);
            }
            probe.epoch_ends();
        });
    }

    /// Runs epochs until `driver` stops; `step` runs one epoch of some partitions, or a part of it. Both are
    /// called a few times in an epoch, so this is compiled once for all of them. `turns` says whether two
    /// sides take turns.
    fn epochs_on<'run>(
        &mut self,
        driver: &mut dyn Driver<D>,
        turns: bool,
        interrupt: &'run Interrupt,
        step: &mut EpochStep<'_, 'run, D>,
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
            // Until the epoch is done: it may end in a panic.
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

    /// Runs an epoch, part by part where it is longer than the lookahead. Returns whether it was broken
    /// off.
    fn epoch_in_parts<'run>(
        &mut self,
        epoch: Epoch,
        interrupt: &'run Interrupt,
        driver: &mut dyn Driver<D>,
        step: &mut EpochStep<'_, 'run, D>,
    ) -> bool {
        let mut span = Span::whole(epoch, self.parity(), interrupt);
        loop {
            let end = span.epoch.start.saturating_add(self.lookahead);
            span.epoch.end = end.min(epoch.end);
            let is_broken = if self.exchange.is_some() {
                self.run_on_ranks(driver, span, step)
            } else {
                step(&mut self.partitions, span);
                interrupt.is_raised()
            };
            self.rounds += 1;
            if is_broken || span.epoch.end >= epoch.end {
                return is_broken;
            }
            span.epoch.start = self.least_next().max(span.epoch.end);
            if span.epoch.start >= epoch.end {
                return false;
            }
            span.parity = self.parity();
            span.continues = true;
        }
    }

    /// The least next event of all ranks, as they know it.
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

/// Returns whether some process here has results.
pub(super) fn has_results<D: LogicalProcess>(partitions: &[Box<Partition<D>>]) -> bool {
    let mut all = partitions.iter();
    all.any(|partition| !partition.results.is_empty())
}
