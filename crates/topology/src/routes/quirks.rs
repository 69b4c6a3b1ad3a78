//! Routes as the reference simulator finds them.

use std::sync::Arc;

use fabricsim_core::plugin::Quirks;
use fabricsim_core::plugin::quirks::ParallelLinks;

use super::{Routes, Settings};
use crate::down_links::DownLinks;

impl Routes {
    /// The same routes, as the reference simulator finds them: by the last of several links between
    /// two nodes alone ([`Quirks::parallel_links`]), and with times of idle paths that are cut at
    /// each hop ([`Quirks::base_rtt`]).
    #[must_use]
    pub fn with_quirks(self, quirks: &Quirks) -> Self {
        let unused = match quirks.parallel_links {
            ParallelLinks::All => DownLinks::none(&self.topology),
            ParallelLinks::Last => DownLinks::superseded(&self.topology),
        };
        let settings = Settings {
            unused: Arc::new(unused),
            hop_times: quirks.base_rtt,
            ..self.settings()
        };
        if settings.unused.is_empty() {
            return Self {
                hop_times: settings.hop_times,
                ..self
            };
        }
        Self::compute_without(&self.topology, &self.down, settings)
    }
}
