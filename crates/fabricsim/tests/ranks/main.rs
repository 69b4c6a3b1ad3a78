//! A network that several ranks simulate together has the results of one process, to the byte.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

#[path = "../support/cases.rs"]
mod cases;
mod random;
#[path = "../support/random_scenario.rs"]
mod random_scenario;
mod same_bytes;
