//! Epochs, with their rounds and turns.

use super::interrupt::Interrupt;
use fabricsim_base::units::Time;

/// A span of simulated time that is executed between two barriers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Epoch {
    /// Start of the epoch, inclusive.
    pub start: Time,
    /// End of the epoch, exclusive.
    pub end: Time,
    /// [`Execution::Lazy`] if processes may stay behind.
    pub execution: Execution,
}

/// The processes that may stay behind at the end of an epoch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Execution {
    /// Processes that cannot affect any other in the next epoch. They run later, with more messages
    /// at a time.
    Lazy,
    /// No process: all events before the end of the epoch are executed, because the state is read
    /// then.
    Eager,
}

/// A round of an epoch: the work of all partitions between two barriers.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) who: Who,
    /// The half of the mailboxes that is written first.
    pub(super) parity: usize,
    /// `true` if the epoch has had a round before; the results of that round are kept.
    pub(super) continues: bool,
    pub(super) interrupt: &'a Interrupt,
}

/// The processes that run in a round, and the epoch of each side.
#[derive(Clone, Copy, Debug)]
pub(super) enum Who {
    /// All processes.
    All(Epoch),
    /// The first side; then, unless `second` is empty, the processes of the second side with all
    /// neighbors in their own partition.
    Sides { first: Epoch, second: Epoch },
    /// Afterwards, the processes of the second side with neighbors in other partitions.
    Across { second: Epoch },
}

/// The turn of a process in a round.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) epoch: Epoch,
    /// The half of the mailboxes that is written; the other half is read.
    pub(super) parity: usize,
    /// `true` if the half that is written may still contain messages. They were sent before the
    /// sides took turns, or in the last turn of an epoch.
    pub(super) has_left: bool,
    /// `true` if messages of this turn are still in mailboxes when the round ends.
    pub(super) is_last: bool,
    pub(super) interrupt: &'a Interrupt,
}

impl<'a> Round<'a> {
    /// Returns a round in which all processes run.
    pub(super) const fn whole(epoch: Epoch, parity: usize, interrupt: &'a Interrupt) -> Self {
        Self {
            who: Who::All(epoch),
            parity,
            continues: false,
            interrupt,
        }
    }
}
