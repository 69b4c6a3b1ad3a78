//! Tests of TCP over a small network: opening, losses, reordering, congestion control, requests.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod algorithms;
mod fetch;
mod handshake;
mod network;
mod probes;
mod random;
mod random_loss;
mod recovery;
