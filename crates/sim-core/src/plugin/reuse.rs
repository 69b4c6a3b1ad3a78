//! Connections for requests and their responses.

use fabricsim_base::input::{Choice, ValueKind};

/// The connection that a request for a response uses.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Reuse {
    /// A separate connection, which is closed afterwards.
    #[default]
    None,
    /// The first connection to be open: its own, or an older one that has served its request.
    LateBinding,
}

fabricsim_base::setting_values! {
    Reuse => ValueKind::Name(&[
        Choice { name: "none", remark: "" },
        Choice { name: "late-binding", remark: "" },
    ]),
}
