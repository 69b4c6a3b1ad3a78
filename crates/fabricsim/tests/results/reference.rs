//! The simulator, compared with the runs of the published HPCC simulator in this folder.
//!
//! `cargo test -p fabricsim --test results reference -- --nocapture` prints how far apart they are.

mod bins;
mod headroom;
mod paths;
mod runs;
mod schemes;
