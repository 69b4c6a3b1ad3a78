//! A network that several ranks simulate together has the results of one process, to the byte.

mod random;
mod same_bytes;
