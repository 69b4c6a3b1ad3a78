//! Remote procedure calls as a workload.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod endings;
mod exact;
mod loops;
mod nics;
mod paths;
mod rate;
mod reuse;
mod routes;
mod row;
