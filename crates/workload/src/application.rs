//! Workloads whose flows are started by applications at hosts, in reaction to what arrives there.

use std::fmt::Debug;
use std::sync::Arc;

use fabricsim_core::flow::{FlowRequest, FlowSource};
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::Application;
use fabricsim_core::units::Time;

use crate::context::{Expected, WorkloadContext};

/// Applications, each with its host.
pub type HostApplications = Vec<(NodeId, Box<dyn Application>)>;

/// The configuration of a kind of workload that runs as applications.
pub trait AppFactory: Debug + Send + Sync {
    /// The name of the kind in a scenario.
    fn kind(&self) -> &'static str;

    /// The settings as a table.
    fn value(&self) -> serde_json::Value;

    /// The priority of its flows.
    fn priority(&self) -> u8;

    /// The same settings with another priority.
    fn with_priority(&self, priority: u8) -> AppWorkload;

    /// How many flows and bytes to expect.
    ///
    /// # Errors
    /// The key that has an impossible value.
    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError>;

    /// Makes the applications, whose flows get `class`.
    ///
    /// # Errors
    /// The key that has an impossible value.
    fn applications(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError>;
}

/// The settings of a workload that runs as applications.
#[derive(Clone, Debug)]
pub struct AppWorkload(Arc<dyn AppFactory>);

impl AppWorkload {
    /// A workload with the settings `factory`.
    pub fn new(factory: impl AppFactory + 'static) -> Self {
        Self(Arc::new(factory))
    }

    /// The settings.
    #[must_use]
    pub fn factory(&self) -> &dyn AppFactory {
        &*self.0
    }
}

impl PartialEq for AppWorkload {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind() == other.0.kind() && self.0.value() == other.0.value()
    }
}

/// The source of a workload whose applications start all flows.
pub(crate) struct NoFlows;

impl FlowSource for NoFlows {
    fn next_start(&self) -> Option<Time> {
        None
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        None
    }
}
