//! The `requests` key: a name, or a file that is read later.

use std::sync::Arc;

use fabricsim_base::input::{InputError, ValueKind};
use fabricsim_base::setting_values;
use serde::{Deserialize, Serialize};

use super::DRAWN;
use super::requests::{CCAFCT_FLOWS, WorkloadFlow, ccafct_flows, read_workload};

/// The name of the requests of heistp/ccafct.
const CCAFCT: &str = "ccafct-seed1";

/// Requests by name: `"drawn"`, `"ccafct-seed1"`, or the path of a CSV file. The requests of a file
/// are available after [`NamedRequests::load`] has read its text.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(from = "String", into = "String")]
pub struct NamedRequests {
    name: String,
    list: Option<Arc<[WorkloadFlow]>>,
}

setting_values!(NamedRequests => ValueKind::Text);

impl NamedRequests {
    /// Returns a list of the program's own requests, in the order of their starts, under `name`.
    pub fn with_list(name: impl Into<String>, list: impl Into<Arc<[WorkloadFlow]>>) -> Self {
        Self {
            name: name.into(),
            list: Some(list.into()),
        }
    }

    /// Reads the text of the file with this name.
    ///
    /// # Errors
    /// Fails if the text is no list of requests; see [`read_workload`].
    pub fn load(&mut self, text: &str) -> Result<(), InputError> {
        self.list = Some(read_workload(text)?.into());
        Ok(())
    }

    /// Returns the name, which may be the path of a file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `true` if the requests are drawn.
    #[must_use]
    pub fn are_drawn(&self) -> bool {
        self.list.is_none() && self.name == DRAWN
    }

    /// Returns the requests, or `None` if they are drawn or their file has not been loaded.
    #[must_use]
    pub fn list(&self) -> Option<&[WorkloadFlow]> {
        self.list.as_deref()
    }

    /// Returns `true` if the name is the path of a file.
    pub(super) fn are_in_file(&self) -> bool {
        self.name != DRAWN && self.name != CCAFCT
    }
}

impl From<String> for NamedRequests {
    fn from(name: String) -> Self {
        let list = (name == CCAFCT).then(|| ccafct_flows(CCAFCT_FLOWS).into());
        Self { name, list }
    }
}

impl From<NamedRequests> for String {
    fn from(requests: NamedRequests) -> Self {
        requests.name
    }
}
