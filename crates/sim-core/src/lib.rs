//! The engine and the network model of fabricsim.
pub mod flow;
pub mod id;
pub mod input;
pub mod rng;
pub mod units;
