//! Interface of all workloads.

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

/// The traffic of one `[[workload]]` table: who sends how much to whom, and when.
pub trait Workload: Debug + Send + Sync {
    /// Makes the source of flows; they get `class`, unless the workload has classes of its own. A
    /// workload whose [applications](Workload::applications) start all flows needs none.
    ///
    /// # Errors
    /// The key that has an impossible value, or whose file has not been loaded.
    fn build(
        &self,
        _context: &WorkloadContext,
        _class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        Ok(Box::new(NoFlows))
    }

    /// Makes the applications that start flows of the workload, each with its host; none for a
    /// workload that has a source. Their flows get `class`.
    ///
    /// # Errors
    /// As [`Workload::build`].
    fn applications(
        &self,
        _context: &WorkloadContext,
        _class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        Ok(Vec::new())
    }

    /// Returns how many flows and bytes to expect; exact for workloads that are not random in
    /// number.
    ///
    /// # Errors
    /// As [`Workload::build`].
    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError>;

    /// Returns the priorities of its flows with their classes, each pair once; `own` is the class
    /// that it is built with.
    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)>;

    /// Takes the priority that suits the transport of its class. Called only where the scenario
    /// sets no `priority`.
    fn set_priority(&mut self, _priority: Priority) {}

    /// Returns the file that it is made of, loaded or not.
    fn file(&self) -> Option<NamedFile<'_>> {
        None
    }

    /// Takes the content of that file. `times` says how the starts of a `flow.txt` are read.
    ///
    /// # Errors
    /// At the place in `text` that is at fault.
    fn load(
        &mut self,
        _text: &str,
        _context: &WorkloadContext,
        _times: FlowTimes,
    ) -> Result<(), InputError> {
        Ok(())
    }

    /// Returns what it sends per second while it lasts, when a flow costs what `cost` says; `None`
    /// when all its flows start at one time, which is no rate, or when that is not known.
    ///
    /// # Errors
    /// As [`Workload::build`].
    fn offered(
        &self,
        _context: &WorkloadContext,
        _cost: CostOf<'_>,
    ) -> Result<Option<Offered>, ConfigError> {
        Ok(None)
    }

    /// Returns how connections are reused, if its flows are requests for responses: the source of a
    /// flow asks, and the destination sends the bytes. Only TCP carries such flows.
    fn fetches(&self) -> Option<Reuse> {
        None
    }

    /// Returns whether its flows [never end](fabricsim_base::flow::ENDLESS).
    fn is_endless(&self) -> bool {
        false
    }

    /// Returns its key `load`, if all its traffic is in proportion to it: payload over the rate of
    /// the host links.
    fn load_factor(&self) -> Option<f64> {
        None
    }
}

/// A file that a workload names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NamedFile<'a> {
    /// The key that names it.
    pub key: &'static str,
    /// The path, as it was written.
    pub path: &'a str,
    /// Content of the file.
    pub content: FileContent,
    /// Whether the workload can do without it.
    pub state: FileState,
}

/// Content of a file that a workload names.
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
}

/// Whether a workload has been given the content of its file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileState {
    /// It has to be [loaded](Workload::load) before the workload can be built.
    Missing,
    /// It has been loaded.
    Loaded,
}

/// A configuration of a workload: one table of a scenario.
pub trait WorkloadKind:
    Workload + Clone + PartialEq + Serialize + DeserializeOwned + 'static
{
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// One line about it.
    const ABOUT: &'static str;
    /// Its keys, each with meaning, unit and default.
    const KEYS: Keys;
}

/// A workload of any kind, with its keys.
///
/// Implemented for each [`WorkloadKind`].
pub trait AnyWorkload: Workload {
    /// Returns the name of the kind.
    fn kind(&self) -> &'static str;

    /// Returns its keys with their values.
    fn value(&self) -> serde_json::Value;

    /// Returns a copy.
    fn boxed_clone(&self) -> BoxedWorkload;

    /// Returns whether `other` is of the same kind and has the same values.
    fn is_same(&self, other: &dyn AnyWorkload) -> bool;

    /// Returns the configuration itself.
    fn as_any(&self) -> &dyn Any;
}

/// A workload of any kind.
pub type BoxedWorkload = Box<dyn AnyWorkload>;

/// Returns `config` as a workload of any kind.
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
