//! Congestion control: the algorithms that scenarios can select.

pub mod registry;
