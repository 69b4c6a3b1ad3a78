//! Settings that are stated once: [`settings!`](crate::settings) makes a table of a scenario from
//! one description, and [`Key`] is what lists, documents, the JSON Schema and messages read of it.

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
