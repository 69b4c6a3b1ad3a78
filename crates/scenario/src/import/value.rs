//! Values of a configuration: words, parsed as numbers, rates and times.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use fabricsim_base::input::{InputError, split_example};
use fabricsim_base::units::{Duration, Rate};

use super::words::Word;

/// The words after a key.
#[derive(Clone, Debug)]
pub(super) struct Value<'t> {
    pub(super) key: &'static str,
    words: Vec<Word<'t>>,
    is_given: bool,
}

impl<'t> Value<'t> {
    pub(super) const fn new(key: &'static str, words: Vec<Word<'t>>) -> Self {
        Self {
            key,
            words,
            is_given: true,
        }
    }

    /// Marks the value as a default, which the configuration does not give.
    pub(super) fn absent(self) -> Self {
        Self {
            is_given: false,
            ..self
        }
    }

    /// Returns the byte range of the words.
    pub(super) fn span(&self) -> Range<usize> {
        let first = self.words.first().map_or(0, |word| word.span.start);
        let last = self.words.last().map_or(0, |word| word.span.end);
        first..last
    }

    /// Returns the key with its words, for the comment that names the origin of a value.
    pub(super) fn origin(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text).collect();
        match self.is_given {
            true => format!("{} {}", self.key, words.join(" ")),
            false => format!("{} is not given", self.key),
        }
    }

    pub(super) fn words(&self) -> &[Word<'t>] {
        &self.words
    }

    /// Returns the first word.
    pub(super) fn word(&self) -> &'t str {
        self.words.first().map_or("", |word| word.text)
    }

    /// Creates an error at this value.
    pub(super) fn wrong(&self, message: impl Display, help: impl Into<String>) -> InputError {
        let message = match self.is_given {
            true => format!("{}: {message}", self.key),
            false => format!(
                "{} is not given, which is {}: {message}",
                self.key,
                self.word()
            ),
        };
        InputError::new(self.span(), message, help)
    }

    fn parsed<T: FromStr>(&self, index: usize, what: &str, help: &str) -> Result<T, InputError> {
        let word = self.words.get(index);
        let text = word.map_or("", |word| word.text);
        text.parse().map_err(|_| {
            let span = word.map_or_else(|| self.span(), |word| word.span.clone());
            InputError::new(span, format!("{}: `{text}` is {what}", self.key), help)
        })
    }

    /// Parses a whole number.
    pub(super) fn whole(&self) -> Result<u64, InputError> {
        self.whole_at(0)
    }

    /// Parses the whole number at `index`. A fraction of zeros is ignored, because the published
    /// simulator also reads `32.0` as 32.
    pub(super) fn whole_at(&self, index: usize) -> Result<u64, InputError> {
        let text = self.words.get(index).map_or("", |word| word.text);
        if let Some((whole, zeros)) = text.split_once('.')
            && zeros.chars().all(|c| c == '0')
            && let Ok(whole) = whole.parse()
        {
            return Ok(whole);
        }
        self.parsed(index, "no whole number", "write digits alone, such as 32")
    }

    /// Parses a number that is not negative.
    pub(super) fn number(&self) -> Result<f64, InputError> {
        self.number_at(0)
    }

    /// Parses the number at `index`, which must not be negative.
    pub(super) fn number_at(&self, index: usize) -> Result<f64, InputError> {
        let number: f64 = self.parsed(index, "no number", "write a number such as 0.95")?;
        if number.is_finite() && number >= 0.0 {
            return Ok(number);
        }
        Err(self.wrong(
            format!("{number} is not a number from 0 up"),
            "write a number such as 0.95",
        ))
    }

    /// Parses 0 or 1.
    pub(super) fn flag(&self) -> Result<bool, InputError> {
        match self.word() {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(self.wrong(
                format!("`{other}` is neither 0 nor 1"),
                "write 1 for yes, 0 for no",
            )),
        }
    }

    /// Parses a rate such as `40Mb/s`; without a unit it is in bits per second.
    pub(super) fn rate(&self) -> Result<Rate, InputError> {
        Rate::from_ns3(self.word()).map_err(|error| {
            let error = error.to_string();
            let (what, example) = split_example(&error);
            let example = example.unwrap_or("40Mb/s").replace('`', "");
            self.wrong(what, format!("write a rate such as {example}"))
        })
    }

    /// Parses a number of `unit`, such as `us`, as a time.
    pub(super) fn time(&self, unit: &str) -> Result<Duration, InputError> {
        let time: Result<Duration, _> = format!("{}{unit}", self.word()).parse();
        time.map_err(|error| {
            let message = split_example(&error.to_string()).0.to_owned();
            self.wrong(message, format!("write a number of {unit} from 0 up"))
        })
    }
}
