//! Items that most programs embedding a simulation need: `use fabricsim::prelude::*;`.

pub use fabricsim_core::flow::{Completion, FlowRequest};
pub use fabricsim_core::id::{ClassId, FlowId, NodeId, PortId};
pub use fabricsim_core::network::Stop;
pub use fabricsim_core::packet::Priority;
pub use fabricsim_core::units::{Bytes, Duration, Rate, Time};
pub use fabricsim_report::FctRecord;
pub use fabricsim_scenario::{Error, Scenario, ScenarioBuilder};

pub use crate::outcome::run_to_folder;
pub use crate::simulation::Simulation;
