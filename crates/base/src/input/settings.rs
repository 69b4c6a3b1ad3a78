//! Settings with a single description: [`settings!`](crate::settings) defines a table of a scenario
//! from it. Lists, documents, the JSON Schema and messages read the resulting [`Key`]s.

#[cfg(feature = "serde")]
mod choices;
mod kind;
mod range;
#[cfg(feature = "serde")]
mod table;
mod text;
#[cfg(feature = "serde")]
mod value;

pub use kind::{Choice, DefaultValue, Key, Keys, Quantity, SettingValue, ValueKind};
pub use range::{Bound, Limit};
pub use text::{Text, describe_limits};
#[cfg(feature = "serde")]
pub use value::{Apart, Given, Refusal, check_limits, default_list, default_value};

#[cfg(all(test, feature = "serde"))]
mod tests;
