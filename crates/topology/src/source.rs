//! Common interface of all topologies of scenarios.

use std::any::Any;
use std::fmt::Debug;
use std::path::Path;

use fabricsim_base::input::{ConfigError, InputError, Keys};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::graph::Topology;

/// The `[topology]` table of a scenario: the source of its network.
pub trait TopologySource: Debug + Send + Sync {
    /// Builds the topology; `None` if it is [read](Self::read) from a file instead.
    ///
    /// # Errors
    /// Fails if the builder rejects a setting; the error has the key.
    fn build(&self) -> Option<Result<Topology, ConfigError>>;

    /// Returns the file with the topology, relative to the scenario.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// Reads the topology from `text`, the content of its file.
    ///
    /// # Errors
    /// Fails if `text` is faulty; the error points at the fault.
    fn read(&self, _text: &str) -> Result<Topology, InputError> {
        Err(InputError::new(
            0..0,
            "this topology has no file",
            "build it",
        ))
    }
}

/// A kind of topology with its configuration: one table of a scenario.
pub trait TopologyKind:
    TopologySource + Clone + PartialEq + Serialize + DeserializeOwned + 'static
{
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// One-line description.
    const ABOUT: &'static str;
    /// Keys of its table.
    const KEYS: Keys;
}

/// A topology of any kind, with its keys.
///
/// Implemented for each [`TopologyKind`].
pub trait AnyTopology: TopologySource {
    /// Returns the name of the kind.
    fn kind(&self) -> &'static str;

    /// Returns the keys with their values.
    fn value(&self) -> serde_json::Value;

    /// Returns a copy.
    fn boxed_clone(&self) -> BoxedTopology;

    /// Returns the configuration, for downcasting.
    fn as_any(&self) -> &dyn Any;
}

/// A topology of any kind.
pub type BoxedTopology = Box<dyn AnyTopology>;

impl<K: TopologyKind> AnyTopology for K {
    fn kind(&self) -> &'static str {
        K::NAME
    }

    fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("settings are plain tables")
    }

    fn boxed_clone(&self) -> BoxedTopology {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Clone for BoxedTopology {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
