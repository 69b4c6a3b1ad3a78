//! One-line forms of disciplines, similar to Linux's `tc`: `fq_codel flows 1`, `codel target 5ms
//! ecn`.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use fabricsim_base::input::{InputError, Key, Keys, Quantity, ValueKind};
use fabricsim_base::units::{Bytes, Duration, Rate};
use serde_json::{Map, Value};

use crate::discipline_config::{DisciplineConfig, DisciplineKind, DisciplineVisitor, visit_kinds};

/// A one-line form of a kind of discipline: a name and options.
#[derive(Clone, Copy, Debug)]
pub struct ShortForm {
    names: &'static str,
    options: &'static [ShortOption],
}

impl ShortForm {
    /// Returns the form that begins with one of `names`, which are separated by bars; lists contain
    /// the first.
    #[must_use]
    pub const fn new(names: &'static str, options: &'static [ShortOption]) -> Self {
        Self { names, options }
    }

    fn name(&self) -> &'static str {
        first(self.names)
    }
}

/// An option of a [`ShortForm`], which sets a key of the kind's table.
#[derive(Clone, Copy, Debug)]
pub struct ShortOption {
    words: &'static str,
    key: &'static str,
    value: OptionValue,
}

/// The way in which an option sets its key.
#[derive(Clone, Copy, Debug)]
enum OptionValue {
    /// Sets the key to the next word. The text is an example of the word.
    Next(&'static str),
    /// Like [`Self::Next`], but the option is required.
    Required(&'static str),
    /// Sets the key to this value.
    Fixed(&'static str),
    /// Sets the key to this value even without the option, unless another option sets the key.
    Implied(&'static str),
}

impl ShortOption {
    const fn new(words: &'static str, key: &'static str, value: OptionValue) -> Self {
        Self { words, key, value }
    }

    /// Returns the option `key` that sets the key of the same name; `example` is an example of its
    /// value.
    #[must_use]
    pub const fn key(key: &'static str, example: &'static str) -> Self {
        Self::new(key, key, OptionValue::Next(example))
    }

    /// Returns the same option as a required option.
    #[must_use]
    pub const fn required(key: &'static str, example: &'static str) -> Self {
        Self::new(key, key, OptionValue::Required(example))
    }

    /// Returns the option `word`, which sets `key` to `value`.
    #[must_use]
    pub const fn fixed(word: &'static str, key: &'static str, value: &'static str) -> Self {
        Self::new(word, key, OptionValue::Fixed(value))
    }

    /// Returns the same option, which applies by default unless another option sets its key.
    #[must_use]
    pub const fn implied(word: &'static str, key: &'static str, value: &'static str) -> Self {
        Self::new(word, key, OptionValue::Implied(value))
    }

    /// Returns the option with one of `words`, which are separated by bars; lists contain the
    /// first.
    #[must_use]
    pub const fn named(self, words: &'static str) -> Self {
        Self::new(words, self.key, self.value)
    }

    fn word(&self) -> &'static str {
        first(self.words)
    }
}

/// Returns the first of `names`, which are separated by bars.
fn first(names: &'static str) -> &'static str {
    names.split('|').next().unwrap_or(names)
}

/// Returns `true` if `name` is one of `names`, which are separated by bars.
fn is_among(name: &str, names: &str) -> bool {
    names.split('|').any(|own| own == name)
}

/// Reads a line as the visited kind of discipline that has a form with its name.
#[derive(Debug)]
pub struct ShortFormReader<'a> {
    words: LineWords<'a>,
    name: &'a str,
    /// The names of all forms.
    known: Vec<&'static str>,
    read: Option<Result<DisciplineConfig, InputError>>,
}

impl DisciplineVisitor for ShortFormReader<'_> {
    fn visit<K: DisciplineKind>(&mut self) {
        for form in K::SHORT_FORMS {
            self.known.push(form.name());
            if is_among(self.name, form.names) {
                self.read = Some(read::<K>(*form, &mut self.words));
            }
        }
    }
}

impl DisciplineConfig {
    /// Reads a line as one of the kinds that `show` visits.
    ///
    /// Names and options are the same as in Linux's `tc`, or specific to this program if `tc` has
    /// none. Units are written as elsewhere in a scenario: `256KB` is 256,000 bytes.
    ///
    /// # Errors
    /// Fails at unknown names and options and at invalid values. The error has their position.
    pub fn from_line(
        line: &str,
        show: impl FnOnce(&mut ShortFormReader<'_>),
    ) -> Result<Self, InputError> {
        let mut words = LineWords::new(line);
        let name = words.next().unwrap_or_default();
        let mut reader = ShortFormReader {
            words,
            name,
            known: Vec::new(),
            read: None,
        };
        show(&mut reader);
        reader.read.unwrap_or_else(|| {
            let message = match name {
                "" => "no queue discipline is named".to_owned(),
                _ => format!("`{name}` is not a queue discipline"),
            };
            let help = format!("begin with one of {}", reader.known.join(", "));
            Err(reader.words.error(message, help))
        })
    }
}

impl FromStr for DisciplineConfig {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        Self::from_line(text, |reader| visit_kinds(reader))
    }
}

/// Reads the options of `form` as settings of `K`, after its name.
fn read<K: DisciplineKind>(
    form: ShortForm,
    words: &mut LineWords<'_>,
) -> Result<DisciplineConfig, InputError> {
    let mut table = Map::new();
    for option in form.options {
        if let OptionValue::Implied(value) = option.value {
            table.insert(option.key.to_owned(), fixed(value));
        }
    }
    let mut places = Vec::new();
    while let Some(word) = words.next() {
        let mut known = form.options.iter();
        let Some(option) = known.find(|option| is_among(word, option.words)) else {
            return Err(unknown(form, words));
        };
        let start = words.last.start;
        let value = match option.value {
            OptionValue::Fixed(value) | OptionValue::Implied(value) => fixed(value),
            OptionValue::Next(example) | OptionValue::Required(example) => {
                words.value(option.key, K::KEYS, example)?
            }
        };
        table.insert(option.key.to_owned(), value);
        places.push((option.key, start..words.last.end));
    }
    let line = 0..words.text.len();
    for option in form.options {
        if let OptionValue::Required(example) = option.value
            && !table.contains_key(option.key)
        {
            let (name, word) = (form.name(), option.word());
            return Err(InputError::new(
                line,
                format!("`{name}` has no {word}"),
                format!("write `{name} {word} {example}`"),
            ));
        }
    }
    let config: K = serde_json::from_value(Value::Object(table))
        .map_err(|error| InputError::new(line.clone(), error.to_string(), "change the options"))?;
    config.validate().map_err(|error| {
        let mut own = places.iter().rev();
        let place = own.find(|(key, _)| *key == error.key);
        let place = place.map_or(line, |(_, place)| place.clone());
        InputError::new(place, error.message, error.help)
    })?;
    Ok(config.into_config())
}

/// Returns the value of a key from `text`.
fn fixed(text: &str) -> Value {
    text.parse().map_or_else(|_| text.into(), Value::Bool)
}

/// Returns the error for the last word, which is not an option of `form`.
fn unknown(form: ShortForm, words: &LineWords<'_>) -> InputError {
    let (name, word) = (form.name(), &words.text[words.last.clone()]);
    let options: Vec<&str> = form.options.iter().map(ShortOption::word).collect();
    let (message, help) = match options.as_slice() {
        [] => (
            format!("`{name}` has no options"),
            format!("write `{name}` alone"),
        ),
        [only] => (
            format!("`{name}` has no option `{word}`"),
            format!("its options are {only} alone"),
        ),
        [others @ .., last] => (
            format!("`{name}` has no option `{word}`"),
            format!("its options are {} and {last}", others.join(", ")),
        ),
    };
    words.error(message, help)
}

/// Iterates over the words of a line.
#[derive(Debug)]
struct LineWords<'a> {
    text: &'a str,
    /// Offset in bytes at which the unread rest begins.
    rest: usize,
    /// Range of the last word in the text, in bytes.
    last: Range<usize>,
}

impl<'a> LineWords<'a> {
    const fn new(text: &'a str) -> Self {
        Self {
            text,
            rest: 0,
            last: 0..0,
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.rest..];
        let start = self.rest + (rest.len() - rest.trim_start().len());
        let word = self.text[start..].split_whitespace().next()?;
        self.last = start..start + word.len();
        self.rest = self.last.end;
        Some(word)
    }

    /// Returns an error at the last word.
    fn error(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError::new(self.last.clone(), message, help)
    }

    /// Reads the value of `key`, one of `keys`, after the last option.
    fn value(&mut self, key: &str, keys: Keys, example: &str) -> Result<Value, InputError> {
        let option = self.text[self.last.clone()].to_owned();
        let Some(word) = self.next() else {
            return Err(InputError::new(
                self.text.len()..self.text.len(),
                format!("`{option}` has no value"),
                format!("write `{option} {example}`"),
            ));
        };
        let kind = Key::find(keys, key).map_or(ValueKind::Any, |key| key.kind);
        let number = match example.ends_with('%') {
            true => word.trim_end_matches('%'),
            false => word,
        };
        value(kind, number).map_err(|error| {
            self.error(
                format!("`{word}` is no value of `{option}`: {error}"),
                format!("write `{option} {example}`"),
            )
        })
    }
}

/// Returns `word` as a value of `kind`.
fn value(kind: ValueKind, word: &str) -> Result<Value, String> {
    fn read<T: FromStr<Err: Display>>(word: &str) -> Result<T, String> {
        word.parse().map_err(|error: T::Err| error.to_string())
    }
    match kind {
        ValueKind::WholeNumber { most } => match read::<u64>(word)? {
            number if number > most => Err(format!("it is at most {most}")),
            number => Ok(number.into()),
        },
        ValueKind::Number => Ok(read::<f64>(word)?.into()),
        // A number without a unit is in bytes.
        ValueKind::Quantity(Quantity::Size) if word.parse::<u64>().is_ok() => {
            Ok(format!("{word}B").into())
        }
        ValueKind::Quantity(quantity) => {
            match quantity {
                Quantity::Time => read::<Duration>(word).map(drop),
                Quantity::Rate => read::<Rate>(word).map(drop),
                Quantity::Size => read::<Bytes>(word).map(drop),
            }?;
            Ok(word.into())
        }
        ValueKind::Name(choices) if choices.iter().all(|choice| choice.name != word) => {
            let names = choices.iter().map(|choice| format!("`{}`", choice.name));
            let names = names.collect::<Vec<_>>().join(" or ");
            Err(format!("it is not {names}"))
        }
        _ => Ok(word.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads each option of each kind separately.
    struct Options {
        read: usize,
    }

    impl DisciplineVisitor for Options {
        fn visit<K: DisciplineKind>(&mut self) {
            for form in K::SHORT_FORMS {
                let options = form.options.iter();
                let words =
                    options.flat_map(|own| own.words.split('|').map(move |word| (word, own)));
                for (word, option) in words {
                    let name = form.name();
                    self.read += 1;
                    let (value, fixed) = match option.value {
                        OptionValue::Next(value) | OptionValue::Required(value) => (value, None),
                        OptionValue::Fixed(value) | OptionValue::Implied(value) => {
                            ("", Some(value))
                        }
                    };
                    let line = format!("{name} {word} {value}");
                    let config: DisciplineConfig = (line.parse())
                        .unwrap_or_else(|error: InputError| panic!("{line}: {error}"));
                    assert_eq!(config.name(), K::NAME, "{line}");
                    let table = serde_json::to_value(&config).expect("it can be written");
                    let set = &table[option.key];
                    assert!(!set.is_null(), "{line}: {table}");
                    assert!(
                        fixed.is_none_or(|value| *set == super::fixed(value)),
                        "{line}: {table}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_option_sets_its_key() {
        let mut options = Options { read: 0 };
        visit_kinds(&mut options);
        assert!(options.read > 50, "{}", options.read);
    }
}
