//! Collectives and graphs as workloads.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod bisection;
mod closed_forms;
mod drift;
mod endings;
mod exact;
mod fat_tree;
mod row;
mod runs;
mod small;
mod star;
mod uneven;
mod waits;
