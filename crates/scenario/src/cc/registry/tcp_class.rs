//! What the tables of all algorithms of TCP have in common.

use fabricsim_core::plugin::Feedback;
use fabricsim_transport::tcp::Opening;
use serde::{Deserialize, Serialize};

/// The keys that the tables of all algorithms of TCP have.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TcpClassKeys {
    /// The feedback of marks; absent means the one that the algorithm is made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<Feedback>,
    /// How connections are opened.
    pub opening: Opening,
}
