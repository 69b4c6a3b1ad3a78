//! TCP over a small network: opening, losses, reordering, laws, requests.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod fetch;
mod handshake;
mod laws;
mod network;
mod random;
mod random_loss;
mod recovery;
