//! Epochs of a run over several ranks.

use super::driver::Driver;
use super::engine::Engine;
use super::epoch::Round;
use super::epochs::RoundStep;
use super::exchange::Totals;
use super::mailboxes::Mailboxes;
use super::partitions::totals;
use super::process::LogicalProcess;
use super::processes::Processes;
use fabricsim_base::checkpoint::Reader;

impl<D: LogicalProcess> Engine<D> {
    /// Runs a round together with other ranks. Returns `true` if one of them has aborted it.
    pub(super) fn run_on_ranks<'run>(
        &mut self,
        driver: &mut dyn Driver<D>,
        round: Round<'run>,
        step: &mut RoundStep<'_, 'run, D>,
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
        step(partitions, round);
        let reports = exchange.end_epoch((mailboxes, positions), round.parity, &mut |report| {
            step(&mut inner, round);
            partitions.append(&mut inner);
            let mut totals = totals(partitions);
            totals.is_broken = round.interrupt.is_raised();
            let mut processes = Processes {
                partitions,
                mailboxes,
                unread: round.parity,
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
