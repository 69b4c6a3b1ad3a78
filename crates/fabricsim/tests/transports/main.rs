//! RDMA and TCP: the common properties of all algorithms, and the state in which each settles.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

#[path = "../support/algorithms.rs"]
mod algorithms;
mod conformance;
mod convergence;
mod credit;
mod dcqcn;
#[path = "../support/mod.rs"]
mod support;
mod tcp;
