//! Keys and the kinds of their values.

use std::fmt;

use super::range::Limit;
use crate::id::NodeId;
use crate::input::range::{NodeRange, NumberRange};
use crate::units::{Bytes, Duration, Rate, Time};

/// The keys of a table.
pub type Keys = &'static [Key];

/// A key of a table, defined by [`settings!`](crate::settings), or by [`Key::new`] for tables that
/// are read differently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Name of the key in the table.
    pub name: &'static str,
    /// Meaning of the key in one line, with its choices, its range and its default.
    pub meaning: &'static str,
    /// Kind of the key's value.
    pub kind: ValueKind,
    /// Value of the key if none is set.
    pub default: DefaultValue,
    /// The limits of the value.
    pub limits: &'static [Limit],
}

/// Value of a key that a table does not set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DefaultValue {
    /// The key must be set.
    Required,
    /// No value: the field is empty, or follows from other settings.
    Absent,
    /// This value, as written in a table.
    Value(&'static str),
}

impl Key {
    /// Returns an optional key without limits; `meaning` must mention its default, if it has one.
    ///
    /// ```
    /// use fabricsim_base::input::{Key, Keys, ValueKind};
    ///
    /// const KEYS: Keys = &[
    ///     Key::new("gain", "weight of a new sample (default 0.1)", ValueKind::Number),
    ///     Key::new("rounds", "number of rounds (required)", ValueKind::COUNT).required(),
    /// ];
    /// assert_eq!(KEYS[0].row(), "| `gain` | number | weight of a new sample (default 0.1) |");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, meaning: &'static str, kind: ValueKind) -> Self {
        Self {
            name,
            meaning,
            kind,
            default: DefaultValue::Absent,
            limits: &[],
        }
    }

    /// Returns the key as a required key.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.default = DefaultValue::Required;
        self
    }

    /// Returns the key called `name` among `keys`.
    #[must_use]
    pub fn find(keys: &[Self], name: &str) -> Option<Self> {
        keys.iter().copied().find(|key| key.name == name)
    }

    /// Returns the names of `keys`.
    #[must_use]
    pub fn names(keys: &[Self]) -> Vec<&'static str> {
        keys.iter().map(|key| key.name).collect()
    }

    /// Returns the row of the key in a Markdown table: name, value and meaning.
    #[must_use]
    pub fn row(&self) -> String {
        let (name, kind) = (self.name, self.kind);
        format!("| `{name}` | {kind} | {} |", self.meaning)
    }
}

/// Kind of the value of a key in a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueKind {
    /// Any value.
    Any,
    /// A number, possibly with decimals.
    Number,
    /// A whole number from 0 to `most`.
    WholeNumber {
        /// The largest number of the type.
        most: u64,
    },
    /// A whole number that may be negative.
    Integer,
    /// `true` or `false`.
    Flag,
    /// Any text.
    Text,
    /// The path of a file or folder.
    Path,
    /// One of several names.
    Name(&'static [Choice]),
    /// A number with a unit.
    Quantity(Quantity),
    /// Numbers such as `"0..16"`.
    Range,
    /// A node, by its number or its name.
    Node,
    /// Nodes by numbers such as `"0..16"`, a name, or a pattern such as `"pod1/*"`.
    Nodes,
    /// A list of values.
    List(&'static Self),
    /// Values of several kinds.
    Either(&'static [Self]),
    /// A table with these keys.
    Table(&'static [Key]),
}

/// A name that a key can have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Choice {
    /// The name, as written in a scenario.
    pub name: &'static str,
    /// A remark for the list of choices; may be empty.
    pub remark: &'static str,
}

/// The quantity of a number with a unit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quantity {
    /// A time or a duration, such as `"1us"`.
    Time,
    /// Bits per second, such as `"100Gbps"`.
    Rate,
    /// Bytes, such as `"400KB"`.
    Size,
}

impl Quantity {
    /// Returns the word for the quantity, and an example value.
    #[must_use]
    pub const fn word_and_example(self) -> (&'static str, &'static str) {
        match self {
            Self::Time => ("time", "1us"),
            Self::Rate => ("rate", "100Gbps"),
            Self::Size => ("size", "400KB"),
        }
    }
}

impl ValueKind {
    /// A whole number from 0 up.
    pub const COUNT: Self = Self::WholeNumber {
        most: i64::MAX as u64,
    };
    /// A time or a duration.
    pub const TIME: Self = Self::Quantity(Quantity::Time);
    /// Bits per second.
    pub const RATE: Self = Self::Quantity(Quantity::Rate);
    /// Bytes.
    pub const SIZE: Self = Self::Quantity(Quantity::Size);

    /// Returns the keys of a table; other values have none.
    #[must_use]
    pub const fn keys(self) -> Keys {
        match self {
            Self::Table(keys) => keys,
            _ => &[],
        }
    }

    /// Returns the word for one value.
    const fn word(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::WholeNumber { .. } | Self::Integer => "whole number",
            Self::Flag => "true or false",
            Self::Text => "text",
            Self::Path => "path",
            Self::Name(_) => "name",
            Self::Quantity(quantity) => quantity.word_and_example().0,
            Self::Range => "range",
            Self::Node => "node",
            Self::Nodes => "node or range",
            Self::List(_) => "list",
            Self::Any | Self::Either(_) => "value",
            Self::Table(_) => "table",
        }
    }
}

impl fmt::Display for ValueKind {
    /// Writes the words of the column "value" in documents: `whole number`, `list of ranges`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(Self::Nodes) => f.write_str("list of nodes"),
            Self::List(item) => write!(f, "list of {}s", item.word()),
            Self::Either(kinds) => {
                for (index, kind) in kinds.iter().enumerate() {
                    let separator = match index {
                        0 => "",
                        last if last + 1 == kinds.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{kind}")?;
                }
                Ok(())
            }
            _ => f.write_str(self.word()),
        }
    }
}

/// A type of the value of a key.
pub trait SettingValue {
    /// The kind of its values.
    const KIND: ValueKind;

    /// The type without `Option`.
    type Bare;

    /// Returns the value, if one is set.
    fn given(&self) -> Option<&Self::Bare>;

    /// Returns `false` if the value is an infinite number or not-a-number.
    fn is_finite(&self) -> bool {
        true
    }
}

impl SettingValue for f64 {
    const KIND: ValueKind = ValueKind::Number;
    type Bare = Self;

    fn given(&self) -> Option<&Self> {
        Some(self)
    }

    fn is_finite(&self) -> bool {
        Self::is_finite(*self)
    }
}

impl<T: SettingValue> SettingValue for Option<T> {
    const KIND: ValueKind = T::KIND;
    type Bare = T::Bare;

    fn given(&self) -> Option<&T::Bare> {
        self.as_ref().and_then(T::given)
    }

    fn is_finite(&self) -> bool {
        self.as_ref().is_none_or(T::is_finite)
    }
}

impl<T: SettingValue> SettingValue for Vec<T> {
    const KIND: ValueKind = ValueKind::List(&T::KIND);
    type Bare = Self;

    fn given(&self) -> Option<&Self> {
        Some(self)
    }
}

/// Implements [`SettingValue`] for types that always have a value.
///
/// ```
/// use fabricsim_base::input::{SettingValue, ValueKind};
///
/// struct Port(u16);
/// fabricsim_base::setting_values!(Port => ValueKind::WholeNumber { most: u16::MAX as u64 });
/// assert_eq!(Port::KIND.to_string(), "whole number");
/// ```
#[macro_export]
macro_rules! setting_values {
    ($($ty:ty => $kind:expr),+ $(,)?) => {$(
        impl $crate::input::SettingValue for $ty {
            const KIND: $crate::input::ValueKind = $kind;
            type Bare = Self;

            fn given(&self) -> Option<&Self> {
                Some(self)
            }
        }
    )+};
}

setting_values! {
    u8 => ValueKind::WholeNumber { most: u8::MAX as u64 },
    u16 => ValueKind::WholeNumber { most: u16::MAX as u64 },
    u32 => ValueKind::WholeNumber { most: u32::MAX as u64 },
    u64 => ValueKind::COUNT,
    usize => ValueKind::COUNT,
    i64 => ValueKind::Integer,
    bool => ValueKind::Flag,
    String => ValueKind::Text,
    std::path::PathBuf => ValueKind::Path,
    Time => ValueKind::TIME,
    Duration => ValueKind::TIME,
    Rate => ValueKind::RATE,
    Bytes => ValueKind::SIZE,
    NumberRange => ValueKind::Range,
    NodeRange => ValueKind::Nodes,
    NodeId => ValueKind::Node,
}
