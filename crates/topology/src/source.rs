//! Common interface of all topologies of scenarios.

use std::any::Any;
use std::fmt::Debug;
use std::path::Path;

use fabricsim_base::input::{ConfigError, InputError, Keys};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::graph::Topology;

/// The `[topology]` table of a scenario: where its network comes from.
pub trait TopologySource: Debug + Send + Sync {
    /// Builds the topology; `None` when it is [read](Self::read) from a file.
    ///
    /// # Errors
    /// Settings that the builder refuses, by key.
    fn build(&self) -> Option<Result<Topology, ConfigError>>;

    /// Returns the file that the topology is read from, relative to the scenario.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// Reads the topology from `text`, the content of its file.
    ///
    /// # Errors
    /// At the place in `text` that is at fault.
    fn read(&self, _text: &str) -> Result<Topology, InputError> {
        Err(InputError::new(
            0..0,
            "this topology has no file",
            "build it",
        ))
    }
}

/// A configuration of a topology: one table of a scenario.
pub trait TopologyKind:
    TopologySource + Clone + PartialEq + Serialize + DeserializeOwned + 'static
{
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// One line about it.
    const ABOUT: &'static str;
    /// Its keys.
    const KEYS: Keys;
}

/// A topology of any kind, with its keys.
///
/// Implemented for each [`TopologyKind`].
pub trait AnyTopology: TopologySource {
    /// Returns the name of the kind.
    fn kind(&self) -> &'static str;

    /// Returns its keys with their values.
    fn value(&self) -> serde_json::Value;

    /// Returns a copy.
    fn boxed_clone(&self) -> BoxedTopology;

    /// Returns the configuration itself.
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
