//! Messages for errors in tables and in TOML, in the terms of scenarios.

use fabricsim_base::input::{Key, Keys, ValueKind, split_example};

use crate::text::typed::FaultKind;

/// The position of an error in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPlace<'a> {
    /// The title of the table, such as `[cc]`.
    pub title: &'a str,
    /// The key of the table with the faulty value.
    pub key: Option<&'a str>,
    /// The faulty text as written.
    pub written: &'a str,
    /// The keys of the table.
    pub keys: Keys,
    /// The kind of the value, if the table defines it.
    pub wanted: Option<ValueKind>,
}

/// Maximum length, in bytes, of a name to compare with other names.
const LONGEST_NAME: usize = 100;

/// A message and a suggested fix.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Message {
    /// Description of the error.
    pub message: String,
    /// Suggested fix.
    pub help: String,
}

impl ErrorPlace<'_> {
    /// Returns the meaning of `key` according to the registry.
    fn meaning(&self, key: &str) -> Option<&'static str> {
        Key::find(self.keys, key).map(|key| key.meaning)
    }

    /// Creates an error in the value of the key.
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

    /// Returns the name of the table, or of the table in the value of one of its keys.
    fn table(&self) -> String {
        match self.key {
            Some(key) => format!("`{key}` of {}", self.title),
            None => self.title.to_owned(),
        }
    }
}

/// Returns the message for `fault`, found in a table at `place`.
pub(crate) fn of_fault(fault: &FaultKind, place: &ErrorPlace<'_>) -> Message {
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
        FaultKind::NoTable => mismatch(ValueKind::Table(&[]), "", place),
        FaultKind::Mismatch { expected } => {
            mismatch(place.wanted.unwrap_or(ValueKind::Any), expected, place)
        }
        // Our own types have messages that end with an example.
        FaultKind::Refused(message) => match split_example(message) {
            (what, Some(example)) => {
                // If there are several examples, the ones in the middle still have backticks.
                let example = example.replace('`', "\"");
                place.wrong(what, format!("write it like \"{example}\""))
            }
            (what, None) => place.wrong(what, "correct the value"),
        },
    }
}

/// Returns the message for a value that is not of the kind `wanted`. `words` describe a correct
/// value if the kind has no common form.
fn mismatch(wanted: ValueKind, words: &str, place: &ErrorPlace<'_>) -> Message {
    let written = place.written;
    let unquoted = written.trim_matches(['"', '\'']);
    // The help shows the value corrected, so that users can copy it.
    let (not, help) = match wanted {
        ValueKind::Number if unquoted.parse::<f64>().is_ok() => (
            "a number".to_owned(),
            format!("write it without quotes: {unquoted}"),
        ),
        ValueKind::Number => (
            "a number".to_owned(),
            "write a number, such as 0.5".to_owned(),
        ),
        ValueKind::WholeNumber { most } => (
            format!("a whole number from 0 to {}", largest(most)),
            whole_number(written, unquoted),
        ),
        ValueKind::Integer => ("a whole number".to_owned(), whole_number(written, unquoted)),
        ValueKind::Flag => (
            "true or false".to_owned(),
            "write true or false, without quotes".to_owned(),
        ),
        ValueKind::Node => (
            "the number or name of a node".to_owned(),
            "write a number, or a name in quotes, such as 17 or \"tor3\"".to_owned(),
        ),
        ValueKind::Range => (
            "a number or a range".to_owned(),
            "write a number, or a range in quotes, such as 17 or \"0..16\"".to_owned(),
        ),
        ValueKind::Nodes => (
            "the number or name of a node, or a range".to_owned(),
            "write a number, or a name or range in quotes, such as 17, \"tor3\" or \"0..16\""
                .to_owned(),
        ),
        ValueKind::Text | ValueKind::Path | ValueKind::Name(_) => (
            "text in quotes".to_owned(),
            format!("write it as \"{unquoted}\""),
        ),
        ValueKind::List(_) => (
            "a list".to_owned(),
            format!("write it in brackets: [{written}]"),
        ),
        ValueKind::Table(_) => (
            "a table".to_owned(),
            "write it as a table: { key = value, ... }".to_owned(),
        ),
        ValueKind::Quantity(_) | ValueKind::Either(_) | ValueKind::Any => {
            let what = words.split_once(", in quotes").map_or(words, |(w, _)| w);
            (what.to_owned(), format!("write {words}"))
        }
    };
    place.wrong(format!("`{written}` is not {not}"), help)
}

/// Formats the largest whole number.
fn largest(most: u64) -> String {
    const MOST: u64 = i64::MAX as u64;
    match most {
        MOST => "2^63 - 1".to_owned(),
        most => most.to_string(),
    }
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

/// Returns the message for `message`, an error of the TOML reader at the text `written`.
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

/// Returns help with the nearest of `known` and the list of all of them.
pub fn suggest(unknown: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(unknown, known) {
        Some(name) => format!("did you mean `{name}`? Known here: {list}"),
        None => format!("known here: {list}"),
    }
}

/// Returns the few nearest of `known`, nearest first, if they are near enough to be meant.
pub(crate) fn nearest_names<'k>(
    unknown: &str,
    known: impl Iterator<Item = &'k str>,
) -> Vec<&'k str> {
    /// Maximum number of names to compare; more would take seconds.
    const COMPARED: usize = 1 << 18;
    const SHOWN: usize = 3;
    if unknown.len() > LONGEST_NAME {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = known
        .take(COMPARED)
        .map(|name| (strsim::damerau_levenshtein(unknown, name), name))
        .filter(|(distance, name)| *distance <= name.len().div_ceil(4).max(2))
        .collect();
    near.sort_by_key(|&(distance, _)| distance);
    near.truncate(SHOWN);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Returns the nearest of `known` if it is near enough to be meant.
pub(crate) fn nearest<'k>(unknown: &str, known: &[&'k str]) -> Option<&'k str> {
    // Known names are shorter, and the comparison needs memory for each pair of letters.
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
    use std::path::PathBuf;

    use fabricsim_base::settings;
    use fabricsim_base::units::Duration;

    use super::*;
    use crate::text::document::{Document, Section};

    settings! {
        /// A table of all kinds.
        struct Table {
            /// Delay of a link.
            delay: Duration = "1us",
            /// Share of the link.
            share: f64 = 0.5,
            /// PFC's priority.
            priority: u8 = 3,
            /// Number of nodes.
            nodes: u32 = 1,
            /// Seed of everything.
            seed: u64 = 1,
            /// Whether it is on.
            on: bool = true,
            /// Place of a file.
            path: Option<PathBuf> = none,
            /// Some delays.
            delays: Vec<Duration> = [],
            /// Some priorities.
            priorities: Vec<u8> = [],
        }
    }

    /// Returns the message and the help for the line `text` of the table.
    fn said(text: &str) -> (String, String) {
        let document = Document::new("t.toml", text);
        let section = Section {
            title: "[t]".to_owned(),
            span: 0..text.len(),
            table: document.parse().expect("TOML"),
        };
        let error = document
            .settings::<Table>(&section, Table::KEYS)
            .expect_err("a value of another type");
        let diagnostic = error.diagnostic().expect("an error in the text");
        (
            diagnostic.message().to_owned(),
            diagnostic.help().to_owned(),
        )
    }

    #[test]
    fn types_are_told_in_plain_words() {
        for (text, not, suggestion, meaning) in [
            (
                "delay = 1",
                "`1` is not a duration with a unit",
                "such as \"1us\"",
                "delay of a link",
            ),
            (
                "delay = \"1\"",
                "`1` has no unit",
                "like \"1us\"",
                "delay of a link",
            ),
            (
                "share = \"0.5\"",
                "`\"0.5\"` is not a number",
                "without quotes: 0.5",
                "share of the link",
            ),
            (
                "priority = 300",
                "`300` is not a whole number from 0 to 255",
                "within this range",
                "PFC's priority",
            ),
            (
                "nodes = -1",
                "`-1` is not a whole number from 0 to 4294967295",
                "such as 4",
                "number of nodes",
            ),
            (
                "seed = 1.5",
                "`1.5` is not a whole number from 0 to 2^63 - 1",
                "such as 4",
                "seed of everything",
            ),
            (
                "on = \"yes\"",
                "`\"yes\"` is not true or false",
                "write true or false",
                "whether it is on",
            ),
            (
                "path = 1",
                "`1` is not text in quotes",
                "write it as \"1\"",
                "place of a file",
            ),
            (
                "delays = \"1us\"",
                "`\"1us\"` is not a list",
                "[\"1us\"]",
                "some delays",
            ),
            (
                "priorities = [1, true]",
                "`true` is not a whole number from 0 to 255",
                "such as 4",
                "some priorities",
            ),
        ] {
            let key = text.split(' ').next().expect("a key");
            let (message, help) = said(text);
            assert_eq!(message, format!("[t], key `{key}`: {not}"));
            assert!(help.contains(suggestion), "{help}");
            assert!(help.contains(&format!("{key}: {meaning}")), "{help}");
        }
    }

    #[test]
    fn missing_keys_come_with_their_meaning() {
        let place = ErrorPlace {
            title: "[t]",
            key: None,
            written: "[t]",
            keys: Table::KEYS,
            wanted: None,
        };
        let Message { message, help } = of_fault(&FaultKind::MissingKey("on"), &place);
        assert_eq!(message, "[t] needs the key `on`");
        assert_eq!(help, "add `on = ...`: whether it is on (default true)");
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
