//! The interface of all workloads.

use std::any::Any;
use std::fmt::Debug;

use fabricsim_base::flow::FlowSource;
use fabricsim_base::id::ClassId;
use fabricsim_base::input::{ConfigError, InputError, Keys};
use fabricsim_base::priority::Priority;
use fabricsim_core::plugin::Reuse;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::application::{HostApplications, NoFlows};
use crate::context::{Expected, WorkloadContext};
use crate::list::FlowTimes;
use crate::offered::{CostOf, Offered};
use crate::reducers::Reducers;

/// The traffic of one `[[workload]]` table: the sources, destinations, sizes and start times of
/// flows.
pub trait Workload: Debug + Send + Sync {
    /// Builds the source of flows; they have `class`, unless the workload has its own classes. A
    /// workload with [applications](Workload::applications) that start all flows needs no source.
    ///
    /// # Errors
    /// The error names the key with an impossible value, or the key of a file that has not been
    /// loaded.
    fn build(
        &self,
        _context: &WorkloadContext,
        _class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        Ok(Box::new(NoFlows))
    }

    /// Builds the applications that start flows of the workload, each with its host; none for a
    /// workload that has a source. Their flows have `class`.
    ///
    /// # Errors
    /// Fails like [`Workload::build`].
    fn applications(
        &self,
        _context: &WorkloadContext,
        _class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        Ok(Vec::new())
    }

    /// Returns the expected numbers of flows and bytes; exact for workloads with a fixed number of
    /// flows.
    ///
    /// # Errors
    /// Fails like [`Workload::build`].
    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError>;

    /// Returns the reducers of `context` with the trees that the workload has in its switches.
    ///
    /// # Errors
    /// Fails like [`Workload::build`].
    fn reserved(&self, context: &WorkloadContext) -> Result<Option<Reducers>, ConfigError> {
        Ok(context.reducers.clone())
    }

    /// Returns warnings about effects of other settings on the workload, each with a suggested fix.
    fn warnings(&self, _context: &WorkloadContext) -> Vec<String> {
        Vec::new()
    }

    /// Returns the priorities of its flows with their classes, each pair once; `own` is the class
    /// that the workload is built with.
    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)>;

    /// Sets the priority that suits the transport of its class. Called only if the scenario sets no
    /// `priority`.
    fn set_priority(&mut self, _priority: Priority) {}

    /// Returns the file of the workload if it has one, loaded or not.
    fn file(&self) -> Option<NamedFile<'_>> {
        None
    }

    /// Reads the content of that file. `times` is the rule for the starts of a `flow.txt`.
    ///
    /// # Errors
    /// Returns the position of the error in `text`.
    fn load(
        &mut self,
        _text: &str,
        _context: &WorkloadContext,
        _times: FlowTimes,
    ) -> Result<(), InputError> {
        Ok(())
    }

    /// Returns the file of measured computing times that the workload names, loaded or not. It is
    /// loaded before the other [file](Workload::file).
    fn profile(&self) -> Option<NamedFile<'_>> {
        None
    }

    /// Reads the content of the [profile](Workload::profile).
    ///
    /// # Errors
    /// Returns the position of the error in `text`.
    fn load_profile(&mut self, _text: &str) -> Result<(), InputError> {
        Ok(())
    }

    /// Returns the traffic per second if a flow of a given size costs `cost`. Returns `None` if all
    /// flows start at the same time, so that there is no rate, or if the rate is unknown.
    ///
    /// # Errors
    /// Fails like [`Workload::build`].
    fn offered(
        &self,
        _context: &WorkloadContext,
        _cost: CostOf<'_>,
    ) -> Result<Option<Offered>, ConfigError> {
        Ok(None)
    }

    /// Returns its collective with the algorithm, the protocol and the number of channels, in words,
    /// if NCCL's rules choose any of them.
    fn nccl_choice(&self, _context: &WorkloadContext) -> Option<String> {
        None
    }

    /// Returns the rule for reusing connections if its flows are requests for responses: the source
    /// of a flow sends the request, and the destination sends the bytes. Only TCP carries such
    /// flows.
    fn fetches(&self) -> Option<Reuse> {
        None
    }

    /// Returns `true` if its flows [never end](fabricsim_base::flow::ENDLESS).
    fn is_endless(&self) -> bool {
        false
    }

    /// Returns `true` if its applications slow the ports of their hosts
    /// ([`slow_ports`](fabricsim_core::plugin::AppContext::slow_ports)).
    fn slows_ports(&self) -> bool {
        false
    }

    /// Returns its key `load` if all its traffic is proportional to it: payload over the rate of
    /// the host links.
    fn load_factor(&self) -> Option<f64> {
        None
    }
}

/// The file of a workload.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NamedFile<'a> {
    /// The key that holds the path.
    pub key: &'static str,
    /// The path, as written in the scenario.
    pub path: &'a str,
    /// Content of the file.
    pub content: FileContent,
    /// `Missing` if the file must still be loaded.
    pub state: FileState,
}

/// The content of a workload's file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileContent {
    /// A flow-size distribution.
    Sizes,
    /// A list of flows.
    Flows,
    /// A list of requests.
    Requests,
    /// Operations of ranks.
    Graph,
    /// Measured computing times.
    Profile,
}

/// The state of a workload's file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileState {
    /// The file must be [loaded](Workload::load) before the workload can be built.
    Missing,
    /// The file has been loaded.
    Loaded,
}

/// A configuration of a workload: one table of a scenario.
pub trait WorkloadKind:
    Workload + Clone + PartialEq + Serialize + DeserializeOwned + 'static
{
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// A one-line description.
    const ABOUT: &'static str;
    /// Keys of the table, each with meaning, unit and default.
    const KEYS: Keys;
}

/// A workload of any kind, with its keys.
///
/// Implemented for each [`WorkloadKind`].
pub trait AnyWorkload: Workload {
    /// Returns the name of the kind.
    fn kind(&self) -> &'static str;

    /// Returns the keys of the table with their values, as JSON.
    fn value(&self) -> serde_json::Value;

    /// Returns a copy.
    fn boxed_clone(&self) -> BoxedWorkload;

    /// Returns `true` if `other` has the same kind and the same values.
    fn is_same(&self, other: &dyn AnyWorkload) -> bool;

    /// Returns the configuration, for downcasting.
    fn as_any(&self) -> &dyn Any;
}

/// A workload of any kind.
pub type BoxedWorkload = Box<dyn AnyWorkload>;

/// Boxes `config` as a workload of any kind.
pub fn boxed(config: impl WorkloadKind) -> BoxedWorkload {
    Box::new(config)
}

impl<K: WorkloadKind> AnyWorkload for K {
    fn kind(&self) -> &'static str {
        K::NAME
    }

    fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("settings are plain tables")
    }

    fn boxed_clone(&self) -> BoxedWorkload {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn AnyWorkload) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Clone for BoxedWorkload {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

impl PartialEq for dyn AnyWorkload {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}
