//! Items that most programs embedding a simulation need: `use fabricsim::prelude::*;`.

pub use fabricsim_base::flow::{Completion, FlowRequest};
pub use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
pub use fabricsim_base::priority::Priority;
pub use fabricsim_base::units::{Bytes, Duration, Rate, Time};
pub use fabricsim_core::network::Stop;
pub use fabricsim_report::FctRecord;
pub use fabricsim_scenario::{Error, Scenario, ScenarioBuilder};

pub use crate::outcome::run_to_folder;
pub use crate::simulation::Simulation;
