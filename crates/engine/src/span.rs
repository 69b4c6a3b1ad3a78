//! An epoch, as partitions are told to run it.

use super::{Epoch, Interrupt};

/// An epoch, as it is to be run.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    /// Of the processes that are run.
    pub(super) epoch: Epoch,
    /// Where two sides take turns: that of the second one.
    pub(super) second: Option<Epoch>,
    /// Whether there was a turn before this one in the same epoch, with results of its own.
    pub(super) continues: bool,
    /// The half of mailboxes that is written.
    pub(super) parity: usize,
    pub(super) interrupt: &'a Interrupt,
}

impl<'a> Span<'a> {
    /// An epoch in which all processes are run.
    pub(super) const fn whole(epoch: Epoch, parity: usize, interrupt: &'a Interrupt) -> Self {
        Self {
            epoch,
            second: None,
            continues: false,
            parity,
            interrupt,
        }
    }
}
