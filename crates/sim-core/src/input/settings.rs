//! Settings that are stated once: [`settings!`](crate::settings) makes a table of a scenario from one
//! description, and [`Key`] is what lists, documents, the JSON Schema and messages read of it.

#[cfg(feature = "serde")]
mod choices;
mod kind;
mod range;
#[cfg(feature = "serde")]
mod table;
mod text;
#[cfg(feature = "serde")]
mod value;

pub use kind::{Choice, Quantity, SettingValue, ValueKind};
pub use range::{Bound, Limit, describe_limits};
pub use text::Text;
#[cfg(feature = "serde")]
pub use value::{Refusal, check_limits, default_list, default_value};

/// The keys of a table, each with its meaning.
pub type Keys = &'static [(&'static str, &'static str)];

/// A key of a table, as [`settings!`](crate::settings) describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Its name in the table.
    pub name: &'static str,
    /// What it means in one line, with its choices, its range and its default.
    pub meaning: &'static str,
    /// What its value looks like.
    pub kind: ValueKind,
    /// What it is where it is not given.
    pub default: DefaultValue,
    /// The least and the most that it can be.
    pub limits: &'static [Limit],
}

/// What a key is where a table does not give it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DefaultValue {
    /// It has to be given.
    Required,
    /// Nothing: it is left out, or follows from other settings.
    Absent,
    /// This value, as it is written in a table.
    Value(&'static str),
}

impl Key {
    /// The row of the key in a table of a document: name, value and meaning.
    #[must_use]
    pub fn row(&self) -> String {
        let (name, kind) = (self.name, self.kind);
        format!("| `{name}` | {kind} | {} |", self.meaning)
    }
}

/// The names and meanings of `keys`.
#[must_use]
pub const fn meanings<const N: usize>(keys: &[Key]) -> [(&'static str, &'static str); N] {
    let mut all = [("", ""); N];
    let mut index = 0;
    while index < N {
        all[index] = (keys[index].name, keys[index].meaning);
        index += 1;
    }
    all
}

#[cfg(all(test, feature = "serde"))]
mod tests;
