//! What serde and the TOML reader say, in the words of somebody who writes scenarios.

/// Keys with what they mean.
type Keys = [(&'static str, &'static str)];

/// The place of an error in a scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The table: `[cc]`.
    pub(crate) title: &'a str,
    /// The key of the table in whose value the error is.
    pub(crate) key: Option<&'a str>,
    /// The faulty text as it was written.
    pub(crate) written: &'a str,
    /// The keys of the table.
    pub(crate) keys: &'a Keys,
}

/// Bytes of a name above which it is not compared with others.
const LONGEST_NAME: usize = 100;

/// A message and a suggested fix.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Message {
    pub(crate) message: String,
    pub(crate) help: String,
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

/// What `message`, said by serde while it read a table, means at `place`.
pub(crate) fn of_value(message: &str, place: &Place<'_>) -> Message {
    let message = message.trim();
    if let Some((unknown, known)) = names(message, "unknown field ") {
        return Message {
            message: format!("{} has no key `{unknown}`", place.table()),
            help: suggest(unknown, &known),
        };
    }
    if let Some((unknown, known)) = names(message, "unknown variant ") {
        return place.wrong(
            format!("`{unknown}` is not a choice"),
            suggest(unknown, &known),
        );
    }
    if let Some((key, _)) = names(message, "missing field ") {
        return Message {
            message: format!("{} needs the key `{key}`", place.table()),
            help: match place.meaning(key) {
                Some(meaning) => format!("add `{key} = ...`: {meaning}"),
                None => format!("add `{key} = ...`"),
            },
        };
    }
    if message == "wanted string or table" {
        return place.wrong(
            format!("`{}` is not a choice", place.written),
            "write one of the names, in quotes",
        );
    }
    if message.starts_with("invalid type: ") || message.starts_with("invalid value: ") {
        let expected = message.split_once(", expected ").map_or("", |(_, e)| e);
        return mismatch(expected, place);
    }
    match message.rsplit_once("; write it like ") {
        Some((what, example)) => place.wrong(
            what,
            format!("write it like \"{}\"", example.trim_matches('`')),
        ),
        None => place.wrong(message, "correct the value"),
    }
}

/// A value of another type than `expected`, which is serde's name for it.
fn mismatch(expected: &str, place: &Place<'_>) -> Message {
    let written = place.written;
    let unquoted = written.trim_matches(['"', '\'']);
    let (not, help) = match expected {
        "f64" | "f32" => (
            "a number",
            if unquoted.parse::<f64>().is_ok() {
                format!("write it without quotes: {unquoted}")
            } else {
                "write a number, such as 0.5".to_owned()
            },
        ),
        "u8" => (
            "a whole number from 0 to 255",
            whole_number(written, unquoted),
        ),
        "u16" => (
            "a whole number from 0 to 65535",
            whole_number(written, unquoted),
        ),
        "u32" | "u64" | "usize" => ("a whole number from 0 up", whole_number(written, unquoted)),
        "a boolean" => (
            "true or false",
            "write true or false, without quotes".to_owned(),
        ),
        "a string" | "path string" => ("text in quotes", format!("write it as \"{unquoted}\"")),
        "a sequence" => ("a list", format!("write it in brackets: [{written}]")),
        _ if expected.starts_with("struct ") => (
            "a table",
            "write it as a table: { key = value, ... }".to_owned(),
        ),
        _ => match expected.split_once(", in quotes") {
            Some((what, _)) => (what, format!("write {expected}")),
            None => (expected, format!("write {expected}")),
        },
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
pub(crate) fn of_syntax(message: &str, written: &str) -> Message {
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

/// The first name in a message of serde that begins with `opening`, and the other ones.
fn names<'m>(message: &'m str, opening: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let mut names = message.strip_prefix(opening)?.split('`').skip(1).step_by(2);
    let first = names.next()?;
    Some((first, names.collect()))
}

/// The nearest of `known`, and all of them.
pub(crate) fn suggest(unknown: &str, known: &[&str]) -> String {
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
    use super::*;

    const KEYS: &Keys = &[("delay", "delay of a link"), ("load", "share of the link")];

    fn said(message: &str, key: Option<&str>, written: &str) -> (String, String) {
        let message = of_value(
            message,
            &Place {
                title: "[t]",
                key,
                written,
                keys: KEYS,
            },
        );
        (message.message, message.help)
    }

    #[test]
    fn types_are_told_in_plain_words() {
        for (message, written, not, suggestion) in [
            (
                "invalid type: integer `1`, expected a duration with a unit, in quotes, such as \"1us\"",
                "1",
                "`1` is not a duration with a unit",
                "such as \"1us\"",
            ),
            (
                "invalid type: string \"0.5\", expected f64",
                "\"0.5\"",
                "`\"0.5\"` is not a number",
                "without quotes: 0.5",
            ),
            (
                "invalid value: integer `300`, expected u8",
                "300",
                "`300` is not a whole number from 0 to 255",
                "within this range",
            ),
            (
                "invalid type: string \"yes\", expected a boolean",
                "\"yes\"",
                "`\"yes\"` is not true or false",
                "write true or false",
            ),
            (
                "invalid type: string \"0..2\", expected a sequence",
                "\"0..2\"",
                "`\"0..2\"` is not a list",
                "[\"0..2\"]",
            ),
            (
                "`1` has no unit; write it like `1us`",
                "\"1\"",
                "`1` has no unit",
                "like \"1us\"",
            ),
        ] {
            let (message, help) = said(message, Some("delay"), written);
            assert_eq!(message, format!("[t], key `delay`: {not}"));
            assert!(help.contains(suggestion), "{help}");
            assert!(help.ends_with("delay: delay of a link"), "{help}");
        }
    }

    #[test]
    fn missing_keys_come_with_their_meaning() {
        let (message, help) = said("missing field `load`", None, "[t]");
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
