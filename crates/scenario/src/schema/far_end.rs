//! The end of a link that is not the port's own.

use serde::{Deserialize, Serialize};

/// What stands at the far end of a link.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FarEnd {
    /// A host.
    Hosts,
    /// A switch.
    Switches,
}
