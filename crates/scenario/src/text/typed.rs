//! Reading a table of a scenario through serde, with errors as values.
//!
//! Code that serde derives reports an error by a constructor of the error type. `Fault` keeps the
//! arguments of the constructor, so that [`messages`](super::messages) has names and lists instead
//! of a sentence.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use fabricsim_base::input::{Key, ValueKind};
use serde::de::value::CowStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// An error in a table: its kind, its position in the text, and the key with the faulty value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// Byte range in the text of the innermost value with the error.
    pub(crate) span: Option<Range<usize>>,
    /// The path from the table to the value, in reverse order.
    way: Vec<Step>,
}

/// A step from a table or list to a value in it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    /// The value of this key.
    Key(String),
    /// An item of the list.
    Item,
}

/// Kind of error in a table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum FaultKind {
    /// The table has no such key.
    UnknownKey {
        key: String,
        known: &'static [&'static str],
    },
    /// The value is a name, but none of the choices.
    UnknownChoice {
        name: String,
        known: &'static [&'static str],
    },
    /// The value should be a choice, but it is not a name.
    NoName,
    /// The table lacks a key.
    MissingKey(&'static str),
    /// The value should be a table, but it is not.
    NoTable,
    /// The value has another type or exceeds the type's range. `expected` is the description of the
    /// type that reads it, for keys with values of no common form.
    Mismatch { expected: String },
    /// The type rejects the value with its own message.
    Refused(String),
}

impl Fault {
    const fn new(kind: FaultKind) -> Self {
        Self {
            kind,
            span: None,
            way: Vec::new(),
        }
    }

    /// Sets the position to `span`, unless it is already set to a part of it.
    fn at(mut self, span: &Range<usize>) -> Self {
        self.span.get_or_insert_with(|| span.clone());
        self
    }

    /// Returns the key of the table with the faulty value.
    pub(crate) fn key(&self) -> Option<&str> {
        match self.way.last() {
            Some(Step::Key(key)) => Some(key),
            Some(Step::Item) | None => None,
        }
    }

    /// Returns the kind of value that the table defines; `keys` are the keys of the table.
    pub(crate) fn wanted(&self, keys: &'static [Key]) -> Option<ValueKind> {
        let mut kind = ValueKind::Table(keys);
        for step in self.way.iter().rev() {
            kind = match (kind, step) {
                (ValueKind::Table(keys), Step::Key(name)) => Key::find(keys, name)?.kind,
                (ValueKind::List(item), Step::Item) => *item,
                _ => return None,
            };
        }
        Some(kind)
    }

    /// Extends the path of the error by one step.
    fn behind(mut self, step: Step) -> Self {
        self.way.push(step);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(FaultKind::Refused(message.to_string()))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(FaultKind::Mismatch {
            expected: expected.to_string(),
        })
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Self::new(FaultKind::UnknownChoice {
            name: name.to_owned(),
            known,
        })
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::new(FaultKind::UnknownKey {
            key: key.to_owned(),
            known,
        })
    }

    fn missing_field(key: &'static str) -> Self {
        Self::new(FaultKind::MissingKey(key))
    }
}

/// A value of a document, for serde.
#[derive(Clone, Debug)]
pub(crate) struct Value<'de> {
    span: Range<usize>,
    value: DeValue<'de>,
}

impl<'de> Value<'de> {
    /// Creates a table at `span`.
    pub(crate) const fn table(span: Range<usize>, table: DeTable<'de>) -> Self {
        Self {
            span,
            value: DeValue::Table(table),
        }
    }
}

impl<'de> From<Spanned<DeValue<'de>>> for Value<'de> {
    fn from(value: Spanned<DeValue<'de>>) -> Self {
        Self {
            span: value.span(),
            value: value.into_inner(),
        }
    }
}

impl<'de> IntoDeserializer<'de, Fault> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let read = match self.value {
            DeValue::String(Cow::Owned(text)) => visitor.visit_string(text),
            DeValue::String(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            DeValue::Integer(number) => visit_integer(number.as_str(), number.radix(), visitor),
            DeValue::Float(number) => visit_float(number.as_str(), visitor),
            DeValue::Boolean(flag) => visitor.visit_bool(flag),
            // No setting is a date, and no setting that accepts anything else accepts a date.
            DeValue::Datetime(_) => Err(Fault::invalid_type(Unexpected::Other("date"), &visitor)),
            DeValue::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            DeValue::Table(table) => visitor.visit_map(Entries {
                rest: table.into_iter(),
                value: None,
            }),
        };
        read.map_err(|fault| fault.at(&self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let span = self.span.clone();
        visitor.visit_some(self).map_err(|fault| fault.at(&span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let span = self.span.clone();
        let read = visitor.visit_newtype_struct(self);
        read.map_err(|fault| fault.at(&span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.value {
            DeValue::Table(_) | DeValue::Array(_) => self.deserialize_any(visitor),
            _ => Err(Fault::new(FaultKind::NoTable).at(&self.span)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let read = match self.value {
            DeValue::String(name) => visitor.visit_enum(CowStrDeserializer::new(name)),
            _ => Err(Fault::new(FaultKind::NoName)),
        };
        read.map_err(|fault| fault.at(&self.span))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// Passes the whole number with `digits` to `visitor`.
fn visit_integer<'de, V: Visitor<'de>>(
    digits: &str,
    radix: u32,
    visitor: V,
) -> Result<V::Value, Fault> {
    if let Ok(number) = i64::from_str_radix(digits, radix) {
        visitor.visit_i64(number)
    } else if let Ok(number) = u64::from_str_radix(digits, radix) {
        visitor.visit_u64(number)
    } else if let Ok(number) = i128::from_str_radix(digits, radix) {
        visitor.visit_i128(number)
    } else {
        Err(Fault::custom("integer number overflowed"))
    }
}

/// Passes the number `written` to `visitor`.
fn visit_float<'de, V: Visitor<'de>>(written: &str, visitor: V) -> Result<V::Value, Fault> {
    match written.parse::<f64>() {
        Ok(number) if number.is_finite() || !written.contains(|c: char| c.is_ascii_digit()) => {
            visitor.visit_f64(number)
        }
        _ => Err(Fault::custom("floating-point number overflowed")),
    }
}

/// The remaining items of a list.
struct Items<'de>(<DeArray<'de> as IntoIterator>::IntoIter);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        let item = self.0.next();
        item.map(|item| seed.deserialize(Value::from(item)))
            .transpose()
            .map_err(|fault| fault.behind(Step::Item))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The remaining entries of a table.
struct Entries<'de> {
    rest: <DeTable<'de> as IntoIterator>::IntoIter,
    /// The value of the last key.
    value: Option<(Cow<'de, str>, Value<'de>)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        let span = key.span();
        let key = key.into_inner();
        self.value = Some((key.clone(), value.into()));
        let read = seed.deserialize(CowStrDeserializer::new(key));
        read.map(Some).map_err(|fault: Fault| fault.at(&span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let (key, value) = (self.value.take()).expect("serde asks for a value after its key");
        let span = value.span.clone();
        seed.deserialize(value)
            .map_err(|fault| fault.at(&span).behind(Step::Key(key.into_owned())))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
