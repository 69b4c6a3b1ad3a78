//! Words of a configuration that are not keys of its simulator.

use std::fmt::Write as _;
use std::ops::Range;

use fabricsim_base::input::InputError;

use super::LeftOut;
use super::dialect::Dialect;
use super::keys::{ConfigKey, Role};
use super::words::Word;

/// Treatment of unknown keys.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum UnknownKeys {
    /// Unknown keys are errors, because each may be a misspelled key.
    #[default]
    Refused,
    /// Unknown keys are ignored, as in the original, and listed.
    PassedOver,
}

/// Words that are not a key with its values.
#[derive(Clone, Debug)]
pub(super) struct Unknown<'t> {
    words: Vec<Word<'t>>,
    note: Option<String>,
}

impl<'t> Unknown<'t> {
    /// Creates the entry of the unknown word `key` in a configuration of `dialect`, with the words
    /// after it.
    pub(super) fn key(dialect: Dialect, key: Word<'t>, behind: Vec<Word<'t>>) -> Self {
        let others = Dialect::ALL;
        let other = others
            .into_iter()
            .find(|other| other.key(key.text).is_some());
        let note = match (meant(key.text, dialect), other) {
            (Some(name), _) => Some(format!("did you mean `{name}`?")),
            (None, Some(other)) => Some(format!("{} reads it", other.simulator())),
            (None, None) => None,
        };
        let mut words = vec![key];
        words.extend(behind);
        Self { words, note }
    }

    /// Creates the entry of words after the values of `key`.
    pub(super) fn behind(key: &ConfigKey, words: Vec<Word<'t>>) -> Self {
        let note = Some(format!("behind the values of {}", key.name));
        Self { words, note }
    }

    /// Creates the entry of a related simulator's key that enables a feature we do not simulate.
    pub(super) fn switched_on(key: &ConfigKey, word: &Word<'t>, values: &[Word<'t>]) -> Self {
        let mut words = vec![word.clone()];
        words.extend_from_slice(values);
        let note = match key.role {
            Role::Idle { is_not, .. } => Some(is_not.to_owned()),
            Role::PartOf(switch) => Some(format!("a setting of {switch}")),
            _ => None,
        };
        Self { words, note }
    }

    /// Returns the position of the first word.
    pub(super) fn span(&self) -> Range<usize> {
        self.words.first().map_or(0..0, |word| word.span.clone())
    }

    /// Returns the words and the number of their line.
    fn listed(&self) -> String {
        /// Maximum number of characters to show.
        const SHOWN: usize = 60;
        let texts: Vec<&str> = self.words.iter().map(|word| word.text).collect();
        let mut text = texts.join(" ");
        if text.chars().count() > SHOWN {
            text = text.chars().take(SHOWN).collect::<String>() + "...";
        }
        let line = self.words.first().map_or(0, |word| word.line);
        let note = self
            .note
            .as_ref()
            .map_or_else(String::new, |note| format!(" ({note})"));
        format!("line {line}: `{text}`{note}")
    }

    /// Returns the entry in the list of omitted parts.
    pub(super) fn passed_over(&self) -> LeftOut {
        LeftOut::new(self.listed(), "ignored because of --ignore-unknown")
    }
}

/// Returns one error for all unknown words.
pub(super) fn refused(unknown: &[Unknown<'_>], dialect: Dialect) -> InputError {
    /// Maximum number of lines to list.
    const LISTED: usize = 200;
    let first = unknown.first().map_or(0..0, Unknown::span);
    let simulator = dialect.simulator();
    let mut message = match unknown {
        [one] => format!("{simulator} does not read this: {}", one.listed()),
        _ => format!(
            "{simulator} does not read {} lines of this file:",
            unknown.len()
        ),
    };
    if unknown.len() > 1 {
        for one in unknown.iter().take(LISTED) {
            write!(message, "\n  {}", one.listed()).expect("a text takes all");
        }
        if let Some(more @ 1..) = unknown.len().checked_sub(LISTED) {
            write!(message, "\n  and {more} more").expect("a text takes all");
        }
    }
    InputError::new(
        first,
        message,
        "correct or remove misspelled words; with --ignore-unknown they are ignored and listed (the \
         original ignores unknown words silently)",
    )
}

/// Finds the key of `dialect` that `word` misspells. A common beginning does not count:
/// `ENABLE_CNP` is not a misspelled `ENABLE_QCN`.
fn meant(word: &str, dialect: Dialect) -> Option<&'static str> {
    /// Maximum length to compare: every key is shorter.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_uppercase();
    let near = |name: &'static str| {
        let distance = strsim::damerau_levenshtein(&word, name);
        let parts = name.split('_').zip(word.split('_'));
        let shared: usize = parts
            .take_while(|(a, b)| a == b)
            .map(|(part, _)| part.len() + 1)
            .sum();
        let own = name.len().saturating_sub(shared);
        (distance <= (own / 4).max(1)).then_some((distance, name))
    };
    let keys = dialect.keys().map(|key| key.name);
    keys.filter_map(near).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_really_close_are_suggested() {
        for (word, name) in [
            ("U_TARGT", Some("U_TARGET")),
            ("u_target", Some("U_TARGET")),
            ("MI_TRESH", Some("MI_THRESH")),
            ("PACKET_PAYLOD_SZE", Some("PACKET_PAYLOAD_SIZE")),
            ("TOPOLGY_FILE", Some("TOPOLOGY_FILE")),
            ("ENABLE_XYZ", None),
            ("ENABLE_CNP", None),
            ("ENABLE_PBTS", Some("ENABLE_PBT")),
            ("FLOW_FILE_NAME", None),
            ("KMIN", None),
            ("", None),
        ] {
            assert_eq!(meant(word, Dialect::Published), name, "{word}");
        }
    }
}
