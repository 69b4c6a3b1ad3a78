//! A setting that is on or off.

use serde::{Deserialize, Serialize};

/// Whether something is done.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// It is.
    On,
    /// It is not.
    Off,
}
