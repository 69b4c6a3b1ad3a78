//! Congestion control: the algorithms that scenarios can name.

pub mod custom;
pub mod registry;
pub mod tcp_class;
