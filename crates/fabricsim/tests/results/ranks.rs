//! If several ranks simulate a network together, they get the results of one process, to the byte.

mod random;
mod same_bytes;
