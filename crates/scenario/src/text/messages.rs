//! Errors in tables and in TOML, in the words of somebody who writes scenarios.

use std::path::PathBuf;

use fabricsim_core::input::Keys;
use serde::Deserialize;
use serde::de::value::UnitDeserializer;

use crate::text::typed::{Fault, FaultKind};

/// The place of an error in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The table: `[cc]`.
    pub title: &'a str,
    /// The key of the table in whose value the error is.
    pub key: Option<&'a str>,
    /// The faulty text as it was written.
    pub written: &'a str,
    /// The keys of the table.
    pub keys: Keys,
}

/// Bytes of a name above which it is not compared with others.
const LONGEST_NAME: usize = 100;

/// A message and a suggested fix.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Message {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

impl Place<'_> {
    /// The meaning of `key`, as the registry has it.
    fn meaning(&self, key: &str) -> Option<&'static str> {
        self.keys
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, meaning)| *meaning)
    }

    /// An error in the value of the key.
    fn wrong(&self, message: impl std::fmt::Display, help: impl Into<String>) -> Message {
        let mut help = help.into();
        let message = match self.key {
            Some(key) => {
                if let Some(meaning) = self.meaning(key) {
                    help = format!("{help}\n{key}: {meaning}");
                }
                format!("{}, key `{key}`: {message}", self.title)
            }
            None => format!("{}: {message}", self.title),
        };
        Message { message, help }
    }

    /// The table, or the table in the value of one of its keys.
    fn table(&self) -> String {
        match self.key {
            Some(key) => format!("`{key}` of {}", self.title),
            None => self.title.to_owned(),
        }
    }
}

/// What `fault`, found in a table, means at `place`.
pub(crate) fn of_fault(fault: &FaultKind, place: &Place<'_>) -> Message {
    match fault {
        FaultKind::UnknownKey { key, known } => Message {
            message: format!("{} has no key `{key}`", place.table()),
            help: suggest(key, known),
        },
        FaultKind::UnknownChoice { name, known } => {
            place.wrong(format!("`{name}` is not a choice"), suggest(name, known))
        }
        FaultKind::MissingKey(key) => Message {
            message: format!("{} needs the key `{key}`", place.table()),
            help: match place.meaning(key) {
                Some(meaning) => format!("add `{key} = ...`: {meaning}"),
                None => format!("add `{key} = ...`"),
            },
        },
        FaultKind::NoName => place.wrong(
            format!("`{}` is not a choice", place.written),
            "write one of the names, in quotes",
        ),
        FaultKind::NoTable => mismatch(&Wanted::Table, place),
        FaultKind::Mismatch { expected } => mismatch(&Wanted::by(expected), place),
        // Our own types say what is wrong and end with an example.
        FaultKind::Refused(message) => match message.rsplit_once("; write it like ") {
            Some((what, example)) => place.wrong(
                what,
                format!("write it like \"{}\"", example.trim_matches('`')),
            ),
            None => place.wrong(message, "correct the value"),
        },
    }
}

/// What is wanted where something else is written.
#[derive(Debug)]
enum Wanted<'a> {
    Number,
    /// A whole number from 0 to a largest one, if the type is a small one.
    WholeNumber(Option<u32>),
    Flag,
    Text,
    List,
    Table,
    /// A value of a type of ours, in its words.
    Described(&'a str),
}

impl<'a> Wanted<'a> {
    /// What a visitor wants that calls it `expected`.
    fn by(expected: &'a str) -> Self {
        let is = |words: String| words == expected;
        if is(words_of::<f64>()) || is(words_of::<f32>()) {
            Self::Number
        } else if is(words_of::<u8>()) {
            Self::WholeNumber(Some(u8::MAX.into()))
        } else if is(words_of::<u16>()) {
            Self::WholeNumber(Some(u16::MAX.into()))
        } else if is(words_of::<u32>()) || is(words_of::<u64>()) || is(words_of::<usize>()) {
            Self::WholeNumber(None)
        } else if is(words_of::<bool>()) {
            Self::Flag
        } else if is(words_of::<String>()) || is(words_of::<PathBuf>()) {
            Self::Text
        } else if is(words_of::<Vec<u8>>()) {
            Self::List
        } else {
            Self::Described(expected)
        }
    }
}

/// What serde calls the values that it reads as `T`, which it says when it is given nothing.
fn words_of<'de, T: Deserialize<'de>>() -> String {
    match T::deserialize(UnitDeserializer::<Fault>::new()) {
        Err(Fault {
            kind: FaultKind::Mismatch { expected },
            ..
        }) => expected,
        _ => String::new(),
    }
}

/// A value of another type than the one that is `wanted`.
fn mismatch(wanted: &Wanted<'_>, place: &Place<'_>) -> Message {
    let written = place.written;
    let unquoted = written.trim_matches(['"', '\'']);
    let (not, help) = match wanted {
        Wanted::Number if unquoted.parse::<f64>().is_ok() => (
            "a number".to_owned(),
            format!("write it without quotes: {unquoted}"),
        ),
        Wanted::Number => (
            "a number".to_owned(),
            "write a number, such as 0.5".to_owned(),
        ),
        Wanted::WholeNumber(most) => (
            match most {
                Some(most) => format!("a whole number from 0 to {most}"),
                None => "a whole number from 0 up".to_owned(),
            },
            whole_number(written, unquoted),
        ),
        Wanted::Flag => (
            "true or false".to_owned(),
            "write true or false, without quotes".to_owned(),
        ),
        Wanted::Text => (
            "text in quotes".to_owned(),
            format!("write it as \"{unquoted}\""),
        ),
        Wanted::List => (
            "a list".to_owned(),
            format!("write it in brackets: [{written}]"),
        ),
        Wanted::Table => (
            "a table".to_owned(),
            "write it as a table: { key = value, ... }".to_owned(),
        ),
        Wanted::Described(words) => {
            let what = words.split_once(", in quotes").map_or(*words, |(w, _)| w);
            (what.to_owned(), format!("write {words}"))
        }
    };
    place.wrong(format!("`{written}` is not {not}"), help)
}

fn whole_number(written: &str, unquoted: &str) -> String {
    if unquoted.len() < written.len() && unquoted.parse::<u64>().is_ok() {
        format!("write it without quotes: {unquoted}")
    } else if unquoted.parse::<u64>().is_ok() {
        "write a number within this range".to_owned()
    } else {
        "write a whole number, such as 4".to_owned()
    }
}

/// What `message`, said by the TOML reader at the text `written`, means.
pub fn of_syntax(message: &str, written: &str) -> Message {
    let message = message.trim();
    let (message, help) = if message.starts_with("duplicate key") {
        (
            format!("`{written}` is given twice"),
            "keep one of the two".to_owned(),
        )
    } else if message.starts_with("string values must be quoted") {
        (
            format!("`{written}` is text without quotes"),
            format!("write it as \"{written}\""),
        )
    } else {
        (
            format!("this is not TOML: {message}"),
            "write `key = value` below a `[table]` line, with text in quotes, such as \
             `kind = \"hpcc\"`"
                .to_owned(),
        )
    };
    Message { message, help }
}

/// The nearest of `known`, and all of them.
pub fn suggest(unknown: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(unknown, known) {
        Some(name) => format!("did you mean `{name}`? Known here: {list}"),
        None => format!("known here: {list}"),
    }
}

/// The nearest of `known`, when it is near enough to be meant.
fn nearest<'k>(unknown: &str, known: &[&'k str]) -> Option<&'k str> {
    // Nothing known is as long, and comparing takes memory for each pair of letters.
    if unknown.len() > LONGEST_NAME {
        return None;
    }
    let unknown = unknown.to_lowercase();
    known
        .iter()
        .map(|&name| (strsim::damerau_levenshtein(&unknown, name), name))
        .filter(|(distance, name)| {
            *distance <= name.len().div_ceil(3).max(2)
                || (unknown.len() > 2 && name.starts_with(&unknown))
        })
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use fabricsim_core::units::Duration;
    use serde::de::IntoDeserializer;

    use super::*;

    const KEYS: Keys = &[("delay", "delay of a link"), ("load", "share of the link")];

    fn said(fault: &FaultKind, key: Option<&str>, written: &str) -> (String, String) {
        let message = of_fault(
            fault,
            &Place {
                title: "[t]",
                key,
                written,
                keys: KEYS,
            },
        );
        (message.message, message.help)
    }

    /// The error of reading `value` as a `T`.
    fn fault<'de, T: Deserialize<'de> + std::fmt::Debug>(
        value: impl IntoDeserializer<'de, Fault>,
    ) -> FaultKind {
        T::deserialize(value.into_deserializer())
            .expect_err("a value of another type")
            .kind
    }

    #[test]
    fn types_are_told_in_plain_words() {
        for (fault, written, not, suggestion) in [
            (
                fault::<Duration>(1),
                "1",
                "`1` is not a duration with a unit",
                "such as \"1us\"",
            ),
            (
                fault::<f64>("0.5"),
                "\"0.5\"",
                "`\"0.5\"` is not a number",
                "without quotes: 0.5",
            ),
            (
                fault::<u8>(300),
                "300",
                "`300` is not a whole number from 0 to 255",
                "within this range",
            ),
            (
                fault::<usize>(-1),
                "-1",
                "`-1` is not a whole number from 0 up",
                "such as 4",
            ),
            (
                fault::<bool>("yes"),
                "\"yes\"",
                "`\"yes\"` is not true or false",
                "write true or false",
            ),
            (
                fault::<PathBuf>(1),
                "1",
                "`1` is not text in quotes",
                "write it as \"1\"",
            ),
            (
                fault::<Vec<String>>("0..2"),
                "\"0..2\"",
                "`\"0..2\"` is not a list",
                "[\"0..2\"]",
            ),
            (
                fault::<Duration>("1"),
                "\"1\"",
                "`1` has no unit",
                "like \"1us\"",
            ),
        ] {
            let (message, help) = said(&fault, Some("delay"), written);
            assert_eq!(message, format!("[t], key `delay`: {not}"));
            assert!(help.contains(suggestion), "{help}");
            assert!(help.ends_with("delay: delay of a link"), "{help}");
        }
    }

    #[test]
    fn missing_keys_come_with_their_meaning() {
        let (message, help) = said(&FaultKind::MissingKey("load"), None, "[t]");
        assert_eq!(message, "[t] needs the key `load`");
        assert_eq!(help, "add `load = ...`: share of the link");
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let known = ["websearch", "hadoop"];
        assert!(suggest("webserach", &known).starts_with("did you mean `websearch`?"));
        assert!(suggest("WebSearch", &known).starts_with("did you mean `websearch`?"));
        assert!(suggest("web", &known).starts_with("did you mean `websearch`?"));
        assert_eq!(suggest("x", &known), "known here: websearch, hadoop");
    }
}
