//! The `[run]` and `[output]` tables.

use std::path::PathBuf;

use fabricsim_core::input::ConfigError;
use fabricsim_core::units::Duration;
use serde::{Deserialize, Serialize};

use crate::schema::keys::Keys;

/// The `[run]` table.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// Stop at this simulated time even if flows are left; absent means when all have ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_at: Option<Duration>,
    /// Give up when no byte has been acknowledged for this long in simulated time.
    pub stall_after: Duration,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            stop_at: None,
            stall_after: Duration::from_ms(1_000),
        }
    }
}

impl RunSettings {
    /// The keys of the table.
    pub const KEYS: Keys = &[
        (
            "stop_at",
            "stop at this simulated time (default: when all flows have ended)",
        ),
        (
            "stall_after",
            "give up when no byte is acknowledged for this long (default \"1s\")",
        ),
    ];

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        if self.stall_after == Duration::ZERO {
            return Err(ConfigError::new(
                "stall_after",
                "a run would give up at once",
                "give a time above the retransmission timeout, such as \"1s\"",
            ));
        }
        Ok(())
    }
}

/// The `[output]` table.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSettings {
    /// The folder of the results; absent means `results/` and the scenario's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Write `pauses.csv`: every pause and resume frame that arrives.
    pub pauses: bool,
}

impl OutputSettings {
    /// The keys of the table.
    pub const KEYS: Keys = &[
        ("dir", "folder of the results (default \"results/<name>\")"),
        (
            "pauses",
            "write pauses.csv: every PFC pause and resume that arrives (default false)",
        ),
    ];

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        if self
            .dir
            .as_ref()
            .is_some_and(|dir| dir.as_os_str().is_empty())
        {
            return Err(ConfigError::new(
                "dir",
                "a folder without a name would be the working folder itself",
                "give a folder such as \"results/run1\", or \".\" for the working folder",
            ));
        }
        Ok(())
    }
}
