//! The `[run]` and `[output]` tables.

use std::path::PathBuf;

use fabricsim_core::input::ConfigError;
use fabricsim_core::settings;
use fabricsim_core::units::Duration;

settings! {
    /// The `[run]` table.
    pub struct RunSettings {
        /// Stop at this simulated time.
        ///
        /// Flows may be left.
        #[note("(default: when all flows have ended)")]
        pub stop_at: Option<Duration> = none,
        /// Give up when no byte is acknowledged for this long.
        #[range(above "0s")]
        #[refused(
            "a run would give up at once",
            "give a time above the retransmission timeout, such as \"1s\""
        )]
        pub stall_after: Duration = "1s",
    }
}

impl RunSettings {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }
}

settings! {
    /// The `[output]` table.
    pub struct OutputSettings {
        /// Folder of the results.
        #[note("(default \"results/<name>\")")]
        pub dir: Option<PathBuf> = none,
        /// Write pauses.csv: every PFC pause and resume that arrives.
        pub pauses: bool = false,
    }
}

impl OutputSettings {
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
