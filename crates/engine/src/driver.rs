//! The driver of an engine.

use super::epoch::Epoch;
use super::process::LogicalProcess;
use super::processes::Processes;
use fabricsim_base::checkpoint::{Reader, Writer};
use fabricsim_base::units::Time;

/// Controls the engine from epoch to epoch.
pub trait Driver<D: LogicalProcess> {
    /// Called before each epoch. `next` is the earliest next event of all processes, or
    /// [`Time::MAX`] if no event is left. Insert events from outside here. Return the epoch to run,
    /// or `None` to stop. The epoch must not begin after any event, and must be no longer than
    /// [`Processes::longest_epoch`].
    fn before(&mut self, processes: &mut Processes<'_, D>, next: Time) -> Option<Epoch>;

    /// Called after an epoch if some process has results.
    fn collect(&mut self, processes: &mut Processes<'_, D>);

    /// Called after each epoch of a run over several ranks, instead of [`Self::collect`]: writes
    /// the results of this rank's processes for the drivers of all ranks. Writes nothing by
    /// default.
    fn report(&mut self, _processes: &mut Processes<'_, D>, _out: &mut Writer) {}

    /// Receives the reports of the drivers of all ranks, by rank. `has_results` is `true` if some
    /// process has results.
    fn take_reports(&mut self, _reports: &mut [Reader<'_>], _has_results: bool) {}
}
