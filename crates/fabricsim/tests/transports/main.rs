//! RDMA and TCP: what all algorithms have in common, and where each of them settles.

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
