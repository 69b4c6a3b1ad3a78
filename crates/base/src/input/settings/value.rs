//! Defaults and limits as values, parsed from the form in which tables contain them.

use std::fmt::Display;

use serde::de::value::{Error, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer};

use super::kind::{DefaultValue, Key, SettingValue};
use super::range::Bound;
use super::text::describe_limits;
use crate::input::ConfigError;

/// The error text for a value outside its range.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// Description of the problem; `{value}` is replaced by the value.
    pub message: &'static str,
    /// Suggested fix.
    pub help: &'static str,
}

/// A value that may be missing from a table; if it is present, it is read as `T`.
#[derive(Clone, Copy, Debug)]
pub struct Given<T>(pub Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|value| Self(Some(value)))
    }
}

/// The value of a key that is not part of its table.
#[derive(Clone, Copy, Debug)]
pub struct Apart;

impl<'de> Deserialize<'de> for Apart {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom(
            "this key is read apart from its table",
        ))
    }
}

/// Parses the default or limit `written` of `key`.
///
/// # Panics
/// Panics if the value does not have the key's type. The first use of the table shows this.
pub fn default_value<'de, T, L>(key: &str, written: L) -> T
where
    T: Deserialize<'de>,
    L: IntoDeserializer<'de, Error>,
{
    T::deserialize(written.into_deserializer())
        .unwrap_or_else(|error| panic!("the key `{key}` can have its own defaults: {error}"))
}

/// Parses the default `written` of `key`, which is a list.
///
/// # Panics
/// Panics if the value does not have the key's type. The first use of the table shows this.
pub fn default_list<'de, T, L, const N: usize>(key: &str, written: [L; N]) -> T
where
    T: Deserialize<'de>,
    L: IntoDeserializer<'de, Error>,
{
    T::deserialize(SeqDeserializer::new(written.into_iter()))
        .unwrap_or_else(|error| panic!("the key `{key}` can have its own defaults: {error}"))
}

/// Rejects a `value` of `key` that is infinite or beyond `limits`. Accepts a missing value.
///
/// # Errors
/// The error names the key, the problem and a suggestion.
pub fn check_limits<'de, T, L>(
    key: &'static Key,
    value: &T,
    limits: &[(Bound, L)],
    refusal: Option<Refusal>,
) -> Result<(), ConfigError>
where
    T: SettingValue,
    T::Bare: Deserialize<'de> + Display + PartialOrd,
    L: Copy + IntoDeserializer<'de, Error>,
{
    let finite = value.is_finite();
    let Some(value) = value.given() else {
        return Ok(());
    };
    let holds = |(bound, limit): &(Bound, L)| {
        bound.holds(value, &default_value::<T::Bare, L>(key.name, *limit))
    };
    if finite && limits.iter().all(holds) {
        return Ok(());
    }
    let (message, help) = match refusal {
        Some(Refusal { message, help }) => (
            message.replace("{value}", &value.to_string()),
            help.to_owned(),
        ),
        None => {
            let range = describe_limits(key.limits);
            let help = match key.default {
                DefaultValue::Value(default) => format!("allowed is {range}, such as {default}"),
                _ => format!("allowed is {range}"),
            };
            (format!("{value} is out of range"), help)
        }
    };
    Err(ConfigError::new(key.name, message, help))
}
