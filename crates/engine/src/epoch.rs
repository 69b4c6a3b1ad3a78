//! Epochs, and their rounds and turns.

use super::interrupt::Interrupt;
use fabricsim_base::units::Time;

/// A span of simulated time that is run between two barriers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Epoch {
    /// The first instant.
    pub start: Time,
    /// The first instant that is not in the epoch.
    pub end: Time,
    /// `Lazy` if processes may be left behind.
    pub execution: Execution,
}

/// The processes that may be left behind at the end of an epoch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Execution {
    /// Processes that cannot reach any other in the next epoch. They are run later, with more messages
    /// at a time.
    Lazy,
    /// None: everything before the end of the epoch happens, because the state is read then.
    Eager,
}

/// A round of an epoch: the work of all partitions between two barriers.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) who: Who,
    /// The half of mailboxes that is written first.
    pub(super) parity: usize,
    /// `true` if the epoch has had a round before. The results of that one stay.
    pub(super) continues: bool,
    pub(super) interrupt: &'a Interrupt,
}

/// The processes that have a turn in a round, and the epoch of each side.
#[derive(Clone, Copy, Debug)]
pub(super) enum Who {
    /// All of them.
    All(Epoch),
    /// The first side; then, unless `second` is empty, processes of the second side whose neighbors are
    /// all in their own partition.
    Sides { first: Epoch, second: Epoch },
    /// After them, processes of the second side with neighbors in other partitions.
    Across { second: Epoch },
}

/// The turn of a process in a round.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) epoch: Epoch,
    /// The half of mailboxes that is written; the other one is read.
    pub(super) parity: usize,
    /// `true` if the half that is written may still hold messages. They were sent before the sides took
    /// turns, or in the last turn of an epoch.
    pub(super) has_left: bool,
    /// `true` if messages of this turn are still in mailboxes when the round ends.
    pub(super) is_last: bool,
    pub(super) interrupt: &'a Interrupt,
}

impl<'a> Round<'a> {
    /// A round in which all processes are run.
    pub(super) const fn whole(epoch: Epoch, parity: usize, interrupt: &'a Interrupt) -> Self {
        Self {
            who: Who::All(epoch),
            parity,
            continues: false,
            interrupt,
        }
    }
}
