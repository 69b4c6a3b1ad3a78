//! Routes like the reference simulator's.

use std::sync::Arc;

use fabricsim_core::plugin::Quirks;
use fabricsim_core::plugin::quirks::ParallelLinks;

use super::{Routes, Settings};
use crate::down_links::DownLinks;

impl Routes {
    /// Returns the same routes with the reference simulator's deviations. Of several links between
    /// two nodes, it uses only the last ([`Quirks::parallel_links`]), and it truncates times of
    /// idle paths at each hop ([`Quirks::base_rtt`]).
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
