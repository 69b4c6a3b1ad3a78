//! A simulation that is restored from a checkpoint does what it would have done without, to the
//! byte, on any number of threads.

mod branches;
mod files;
mod random;
mod refusals;
mod state;
