//! Applications, remote procedure calls, collectives, and runs driven by another program.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod collectives;
mod driving;
mod embedding;
mod hosted;
mod rpc;
mod serving;
#[path = "../support/mod.rs"]
mod support;
