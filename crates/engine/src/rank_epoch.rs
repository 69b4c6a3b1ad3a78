//! Epochs of a run over several ranks.

use super::epochs::{EpochStep, has_results};
use super::exchange::Totals;
use super::mailboxes::Mailboxes;
use super::partition::{Partition, earliest};
use super::span::Span;
use super::{Driver, Engine, LogicalProcess, Processes};
use fabricsim_base::checkpoint::Reader;

impl<D: LogicalProcess> Engine<D> {
    /// Runs an epoch, or a part of it, together with other ranks. Returns whether one of them has broken
    /// it off.
    pub(super) fn run_on_ranks<'run>(
        &mut self,
        driver: &mut dyn Driver<D>,
        span: Span<'run>,
        step: &mut EpochStep<'_, 'run, D>,
    ) -> bool {
        let mut exchange = self.exchange.take().expect("there are other ranks");
        let Self {
            partitions,
            positions,
            mailboxes,
            borders,
            ..
        } = self;
        let mailboxes: &Mailboxes<D::Message> = mailboxes;
        let mut inner = partitions.split_off(*borders);
        step(partitions, span);
        let reports = exchange.end_epoch((mailboxes, positions), span.parity, &mut |report| {
            step(&mut inner, span);
            partitions.append(&mut inner);
            let mut totals = totals(partitions);
            totals.is_broken = span.interrupt.is_raised();
            let mut processes = Processes {
                partitions,
                mailboxes,
                unread: span.parity,
                positions,
                lazy: self.lazy,
                lookahead: self.lookahead,
                longest: self.lookahead,
                recalled: false,
                exchange: None,
            };
            driver.report(&mut processes, report);
            totals
        });
        let Totals {
            is_broken,
            has_results,
            ..
        } = exchange.totals;
        self.exchange = Some(exchange);
        let mut readers: Vec<Reader<'_>> = reports.iter().map(|one| Reader::new(one)).collect();
        driver.take_reports(&mut readers, has_results);
        is_broken
    }
}

/// What other ranks are told of the processes here.
pub(super) fn totals<D: LogicalProcess>(partitions: &[Box<Partition<D>>]) -> Totals {
    Totals {
        next: earliest(partitions),
        steps: partitions.iter().map(|partition| partition.steps).sum(),
        messages: partitions.iter().map(|partition| partition.messages).sum(),
        is_broken: false,
        has_results: has_results(partitions),
    }
}
