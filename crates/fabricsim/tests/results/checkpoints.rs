//! A simulation restored from a checkpoint continues exactly like the uninterrupted one, to the
//! byte, on any number of threads.

mod branches;
mod files;
mod random;
mod refusals;
mod state;
