//! Packets on their way: queues, pauses, losses, routes and failures. Every byte is accounted for.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

#[path = "../support/algorithms.rs"]
mod algorithms;
mod conservation;
mod deadlock;
mod ended;
mod epochs;
mod failures;
mod forwarding;
mod harsh;
mod lossy;
mod mixed_nics;
mod nics;
mod overload;
mod regressions;
mod reroute;
mod routing;
mod stack_delay;
#[path = "../support/mod.rs"]
mod support;
mod trimming;
