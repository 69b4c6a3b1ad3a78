//! The engine and the network model of fabricsim.
pub mod engine;
pub mod flow;
pub mod id;
pub mod input;
pub mod network;
pub mod packet;
pub mod plugin;
pub mod rng;
pub mod units;
