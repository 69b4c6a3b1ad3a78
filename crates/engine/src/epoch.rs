//! Epochs, and the rounds and turns of which they consist.

use super::interrupt::Interrupt;
use fabricsim_base::units::Time;

/// A span of simulated time that is run between two barriers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Epoch {
    /// The first instant.
    pub start: Time,
    /// The first instant that is not in the epoch.
    pub end: Time,
    /// Whether processes may be run lazily.
    pub execution: Execution,
}

/// Whether some processes may be left behind at the end of an epoch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Execution {
    /// Those that nobody can hear from in the next epoch, for the sake of speed.
    Lazy,
    /// None: everything before the end of the epoch happens, because somebody will look.
    Eager,
}

/// A round of an epoch, as partitions are told to run it: what happens between two barriers.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) who: Who,
    /// The half of mailboxes that is written first.
    pub(super) parity: usize,
    /// Whether the epoch has had a round before, with results of its own.
    pub(super) continues: bool,
    pub(super) interrupt: &'a Interrupt,
}

/// The processes that have a turn in a round, and the span of time for which they are run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Who {
    /// All of them.
    All(Epoch),
    /// Those of the first side; then those of the second side that hear from their own partition
    /// alone, unless `second` is empty.
    Sides { first: Epoch, second: Epoch },
    /// After them, those of the second side that hear from other partitions, too.
    Across { second: Epoch },
}

/// The turn of a process in a round.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) epoch: Epoch,
    /// The half of mailboxes that is written; the other one is read.
    pub(super) parity: usize,
    /// Whether messages may be left in the half that is written: those that were sent before the sides
    /// took turns, or in a turn that was the last of an epoch.
    pub(super) has_left: bool,
    /// Whether what is sent is still in mailboxes when the round ends.
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
