//! The simulator against the runs of the published HPCC simulator that stand in this folder.
//!
//! `cargo test -p fabricsim --test reference -- --nocapture` prints how far apart they are.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod bins;
mod headroom;
mod paths;
mod runs;
mod schemes;
