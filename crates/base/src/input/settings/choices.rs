//! Enumerations as the values of keys.

/// Defines an enumeration with the names of its variants in a scenario and remarks on them. Lists
/// and the JSON Schema use the same description.
///
/// ```
/// use fabricsim_base::input::{SettingValue, ValueKind};
///
/// fabricsim_base::choices! {
///     /// When the rate follows the telemetry.
///     pub enum Reaction {
///         /// At every acknowledgement.
///         PerAck = "per-ack",
///         /// Once per round trip.
///         PerRtt = "per-rtt" ("the first version"),
///     }
/// }
/// let ValueKind::Name(choices) = Reaction::KIND else { panic!("a name") };
/// assert_eq!(choices[1].name, "per-rtt");
/// assert_eq!(choices[1].remark, "the first version");
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $($(#[$doc:meta])* $variant:ident = $word:literal $(($remark:literal))?),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq, ::serde::Deserialize, ::serde::Serialize)]
        $vis enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        $crate::setting_values! {
            $name => $crate::input::ValueKind::Name(&[$($crate::input::Choice {
                name: $word,
                remark: concat!($($remark)?),
            }),+])
        }
    };
}
