//! The driver of an engine.

use super::epoch::Epoch;
use super::process::LogicalProcess;
use super::processes::Processes;
use fabricsim_base::checkpoint::{Reader, Writer};
use fabricsim_base::units::Time;

/// A driver that controls the engine from epoch to epoch.
pub trait Driver<D: LogicalProcess> {
    /// Called before each epoch. `next` is the least next event of all processes, [`Time::MAX`]
    /// when nothing is left to happen. Here events from outside are put into the processes. Returns
    /// the epoch to run, or `None` to stop; it must begin no later than any event, and be no longer
    /// than [`Processes::longest_epoch`].
    fn before(&mut self, processes: &mut Processes<'_, D>, next: Time) -> Option<Epoch>;

    /// Called after an epoch when some process has results.
    fn collect(&mut self, processes: &mut Processes<'_, D>);

    /// Called after each epoch of a run over several ranks, in place of [`Self::collect`]: writes
    /// news of the processes of this rank for the drivers of all ranks. By default nothing.
    fn report(&mut self, _processes: &mut Processes<'_, D>, _out: &mut Writer) {}

    /// Takes over the reports of the drivers of all ranks, by rank. `has_results` is `true` if some
    /// process has results.
    fn take_reports(&mut self, _reports: &mut [Reader<'_>], _has_results: bool) {}
}
