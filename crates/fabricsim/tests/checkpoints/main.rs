//! A simulation that is restored from a checkpoint does what it would have done without, to the
//! byte, on any number of threads.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod branches;
#[path = "../support/cases.rs"]
mod cases;
mod files;
mod random;
mod refusals;
mod state;
#[path = "../support/mod.rs"]
mod support;
