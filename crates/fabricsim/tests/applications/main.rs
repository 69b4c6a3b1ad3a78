//! Applications at hosts: closed loops whose timelines are known to the picosecond.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod closed_loop;
mod connections;
mod endings;
mod player;
mod random;
mod seams;
mod timeline;
mod transports;
