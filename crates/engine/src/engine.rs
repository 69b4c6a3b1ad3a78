//! The engine: its processes and their progress.

use std::sync::Arc;

use super::exchange::Exchange;
use super::interrupt::Interrupt;
use super::mailboxes::Mailboxes;
use super::partitions::{Partitions, process_at};
use super::position::Position;
use super::process::LogicalProcess;
use super::processes::Processes;
use super::steps::Steered;
use super::threads::Threads;
use fabricsim_base::ranks::Shares;
use fabricsim_base::units::{Duration, Time};

/// Processes, their channels and the threads that run them.
///
/// The assignment of processes to partitions has no effect on results.
#[derive(Debug)]
pub struct Engine<D: LogicalProcess> {
    pub(super) partitions: Partitions<D>,
    /// Position of each process.
    pub(super) positions: Vec<Position>,
    pub(super) mailboxes: Arc<Mailboxes<D::Message>>,
    /// `true` if some processes run lazily.
    pub(super) lazy: bool,
    pub(super) lookahead: Duration,
    /// The longest epoch: more than the lookahead if processes have two sides that take turns.
    pub(super) longest: Duration,
    pub(super) now: Time,
    pub(super) epochs: u64,
    /// Number of runs of all partitions: one in each epoch, and more in long epochs. A phase of
    /// each side counts as two.
    pub(super) rounds: u64,
    pub(super) threads: Threads,
    pub(super) interrupt: Interrupt,
    /// `true` if an epoch was left half done.
    pub(super) broken: bool,
    /// The current epoch of a steered run.
    pub(super) steered: Option<Steered>,
    /// Number of partitions at the start of the list that contain the processes with a channel to
    /// another rank.
    pub(super) borders: usize,
    /// Messages for other ranks, if there are any.
    pub(super) exchange: Option<Exchange<D::Message>>,
}

impl<D: LogicalProcess> Engine<D> {
    /// Returns the ranks of a run over several ranks.
    #[must_use]
    pub fn shares(&self) -> Option<&Shares> {
        self.exchange.as_ref().map(|exchange| &exchange.shares)
    }

    /// Returns the end of the last epoch: all earlier events have been executed.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Returns the number of epochs so far.
    #[must_use]
    pub const fn epochs(&self) -> u64 {
        self.epochs
    }

    /// Returns the number of processes, on all ranks.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the processes of this rank with their numbers, in their order.
    pub fn processes(&self) -> impl Iterator<Item = (usize, &D)> {
        let positions = self.positions.iter().enumerate();
        positions
            .filter(|(_, at)| at.is_here())
            .map(|(index, &at)| (index, process_at(&self.partitions, at)))
    }

    /// Returns process `index`, unless it is on another rank.
    #[must_use]
    pub fn process(&self, index: usize) -> Option<&D> {
        let at = self.positions[index];
        at.is_here().then(|| process_at(&self.partitions, at))
    }

    /// Changes process `index` between two runs. This may move its next event. Does nothing if the
    /// process is on another rank.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> Option<R> {
        self.between().update(index, change)
    }

    /// Lets `interrupt` end later runs.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// Returns `true` if a run was interrupted or has panicked. An epoch may have been left half
    /// done, so the engine never runs again.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.broken
    }

    /// Returns the half of the mailboxes that the next round writes.
    pub(super) const fn parity(&self) -> usize {
        (self.rounds % 2) as usize
    }

    /// Returns the half of the mailboxes that the last round has written.
    pub(super) const fn unread(&self) -> usize {
        self.parity() ^ 1
    }

    /// Returns access to the processes between two runs.
    pub fn between(&mut self) -> Processes<'_, D> {
        let unread = self.unread();
        Processes {
            partitions: &mut self.partitions,
            mailboxes: &self.mailboxes,
            unread,
            positions: &self.positions,
            lazy: self.lazy,
            lookahead: self.lookahead,
            longest: self.lookahead,
            recalled: false,
            exchange: self.exchange.as_mut(),
        }
    }
}
