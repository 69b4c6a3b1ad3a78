//! Connections of requests for responses.

use fabricsim_base::input::{Choice, ValueKind};

/// Connection that a request for a response uses.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Reuse {
    /// One of its own, closed afterwards.
    #[default]
    None,
    /// The one that is open first: its own, or that of another request that has been served.
    LateBinding,
}

fabricsim_base::setting_values! {
    Reuse => ValueKind::Name(&[
        Choice { name: "none", remark: "" },
        Choice { name: "late-binding", remark: "" },
    ]),
}
