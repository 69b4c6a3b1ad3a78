//! Runs of an engine, epoch by epoch, on its threads.

use std::sync::Arc;

use super::partition::{Partition, Span, earliest};
use super::{Driver, Engine, Epoch, Interrupt, LogicalProcess, Probe, Rounds};
use crate::units::Time;

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
        self.with_threads(|engine, interrupt, rounds| {
            engine.epochs_on(driver, interrupt, &mut |partitions, span| {
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

    /// Like [`run`](Self::run), on the calling thread alone, and tells `probe` what it does.
    pub fn run_probed(&mut self, driver: &mut impl Driver<D>, probe: &mut (impl Probe + ?Sized)) {
        let (mailboxes, interrupt) = (Arc::clone(&self.mailboxes), self.interrupt.clone());
        self.epochs_on(driver, &interrupt, &mut |partitions, span| {
            probe.epoch_begins();
            for partition in partitions {
                partition.step(span, &mailboxes, probe);
            }
            probe.epoch_ends();
        });
    }

    /// Runs epochs until `driver` stops; `step` runs one epoch of some partitions. Both are called
    /// a few times in an epoch, so this is compiled once for all of them.
    fn epochs_on<'run>(
        &mut self,
        driver: &mut dyn Driver<D>,
        interrupt: &'run Interrupt,
        step: &mut EpochStep<'_, 'run, D>,
    ) {
        if self.exchange.is_some() {
            self.between().add_up();
        }
        while !self.broken {
            let next = self.least_next();
            let Some(epoch) = driver.before(&mut self.between(), next) else {
                return;
            };
            debug_assert!(
                epoch.end.since(epoch.start) <= self.lookahead,
                "an epoch fits the lookahead"
            );
            let span = Span {
                epoch,
                parity: usize::from(self.epochs % 2 == 1),
                interrupt,
            };
            // Until the epoch is done: it may end in a panic.
            self.broken = true;
            if self.exchange.is_some() {
                self.epoch_on_ranks(driver, span, step);
                continue;
            }
            step(&mut self.partitions, span);
            self.finish_epoch(epoch, interrupt.is_raised());
            if has_results(&self.partitions) {
                driver.collect(&mut self.between());
            }
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
