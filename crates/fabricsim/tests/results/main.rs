//! Files and numbers of results: the same on any number of threads and ranks, and after a
//! checkpoint.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

#[path = "../support/algorithms.rs"]
mod algorithms;
mod buffers;
mod capture;
#[path = "../support/cases.rs"]
mod cases;
mod checkpoints;
mod determinism;
mod extremes;
mod fast_forward;
mod observation;
mod queries;
#[path = "../support/random_scenario.rs"]
mod random_scenario;
mod ranks;
mod reference;
mod summary;
#[path = "../support/mod.rs"]
mod support;
