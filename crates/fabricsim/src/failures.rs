//! Failures and repairs while a simulation runs.

pub(crate) mod control;
pub(crate) mod states;
