//! Congestion control: the algorithms that scenarios can name.

pub mod registry;
