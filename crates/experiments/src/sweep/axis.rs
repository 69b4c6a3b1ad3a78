//! An axis: the values of one key of the scenario, or named variants that set several keys.

mod choices;

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::Setting;
use super::table::is_column;
use choices::{read_range, read_values, read_variants};
use fabricsim_base::input::Keys;
use fabricsim_base::input::{Key, ValueKind};
use fabricsim_scenario::text::document::{Document, Section};
use fabricsim_scenario::text::error::Error;

pub use choices::NumberSteps;
pub(super) use choices::read_set;

/// The keys of an `[[axis]]` table.
pub const AXIS_KEYS: Keys = &[
    Key::new(
        "key",
        "the key of the scenario that the axis sets, as --set takes it: \"workload.0.load\"",
        ValueKind::Text,
    ),
    Key::new(
        "name",
        "names the axis in the table and in the names of points (default: the last part of `key`)",
        ValueKind::Text,
    ),
    Key::new(
        "values",
        "the values of the key, one after another",
        ValueKind::List(&ValueKind::Any),
    ),
    Key::new(
        "range",
        "whole numbers instead of values, such as { from = 1, to = 5 }",
        ValueKind::Table(NumberSteps::KEYS),
    ),
    Key::new(
        "variant",
        "instead of a key: [[axis.variant]] tables, each a name and the keys that it sets",
        ValueKind::List(&ValueKind::Table(VARIANT_KEYS)),
    ),
];

/// The keys of an `[[axis.variant]]` table.
pub const VARIANT_KEYS: Keys = &[
    Key::new(
        "name",
        "the variant's name in the table (required)",
        ValueKind::Text,
    )
    .required(),
    Key::new(
        "set",
        "keys of the scenario with their values (required); a table replaces the scenario's as a whole",
        ValueKind::Table(&[]),
    )
    .required(),
];

/// One value of an axis.
#[derive(Clone, Debug)]
pub(super) struct Choice<'a> {
    /// The value as it appears in the table and in the names of points.
    pub(super) label: String,
    pub(super) place: Range<usize>,
    pub(super) settings: Vec<Setting<'a>>,
}

/// An axis of a sweep.
#[derive(Clone, Debug)]
pub(super) struct Axis<'a> {
    pub(super) name: String,
    pub(super) place: Range<usize>,
    pub(super) choices: Vec<Choice<'a>>,
}

impl<'a> Axis<'a> {
    pub(super) fn read(document: &Document<'a>, section: &Section<'a>) -> Result<Self, Error> {
        let (title, table) = (section.title.as_str(), &section.table);
        document.refuse_unknown(title, table, &Key::names(AXIS_KEYS))?;
        let key = text_of(document, title, table, "key")?;
        let choices = read_choices(document, section, key.as_ref())?;
        let (name, place) = read_axis_name(document, section, key)?;
        let axis = Self {
            name,
            place,
            choices,
        };
        axis.refuse_repetition(document)?;
        axis.refuse_formulas(document)?;
        Ok(axis)
    }

    /// Refuses values that a spreadsheet would evaluate as formulas in the table of points.
    fn refuse_formulas(&self, document: &Document<'a>) -> Result<(), Error> {
        let is_formula = |label: &str| {
            label.trim_start().starts_with(['=', '+', '-', '@']) && label.parse::<f64>().is_err()
        };
        match self.choices.iter().find(|choice| is_formula(&choice.label)) {
            None => Ok(()),
            Some(choice) => Err(document.diagnostic(
                choice.place.clone(),
                format!(
                    "axis `{}` has the value `{}`, which spreadsheets treat as a formula in the \
                     table of points",
                    self.name, choice.label
                ),
                "begin it with a letter or a digit, or make it a [[axis.variant]] with such a `name`",
            )),
        }
    }

    fn refuse_repetition(&self, document: &Document<'a>) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        match self
            .choices
            .iter()
            .find(|choice| !seen.insert(&choice.label))
        {
            None => Ok(()),
            Some(choice) => Err(document.diagnostic(
                choice.place.clone(),
                format!(
                    "axis `{}` has the value `{}` twice",
                    self.name, choice.label
                ),
                "keep one of the two; repetitions need an axis of their own: `key = \"seed\"`",
            )),
        }
    }
}

/// Returns the error of an axis, at `key` or for the whole table.
fn wrong(
    document: &Document<'_>,
    section: &Section<'_>,
    key: &str,
    message: &str,
    help: &str,
) -> Error {
    let message = format!("{}: {message}", section.title);
    document.diagnostic(Document::place(section, key), message, help)
}

/// Reads the choices of an axis: values, numbers or variants.
fn read_choices<'a>(
    document: &Document<'a>,
    section: &Section<'a>,
    key: Option<&Spanned<&str>>,
) -> Result<Vec<Choice<'a>>, Error> {
    let wrong = |key, message: &str, help| Err(wrong(document, section, key, message, help));
    let forms = ["values", "range", "variant"];
    let given: Vec<&str> = forms
        .into_iter()
        .filter(|form| section.table.contains_key(*form))
        .collect();
    match (key, given.as_slice()) {
        (Some(key), ["values"]) => read_values(document, section, key),
        (Some(key), ["range"]) => read_range(document, section, key),
        (None, ["variant"]) => read_variants(document, section),
        (Some(_), [_]) => wrong(
            "key",
            "variants name the keys that they set",
            "leave out `key`, and give the axis a `name`",
        ),
        (None, [form]) => wrong(
            form,
            "it does not name the key for the values",
            "add `key = \"workload.0.load\"`, or use [[axis.variant]] tables",
        ),
        (_, []) => wrong(
            "key",
            "it has no values",
            "add `values = [...]`, `range = { from = 1, to = 5 }` or [[axis.variant]] tables",
        ),
        (_, [_, other, ..]) => wrong(
            other,
            &format!("it has {}", given.join(" and ")),
            "keep one of them",
        ),
    }
}

/// Returns the name of an axis and its place. The default name is the last part of `key`.
fn read_axis_name(
    document: &Document<'_>,
    section: &Section<'_>,
    key: Option<Spanned<&str>>,
) -> Result<(String, Range<usize>), Error> {
    let title = section.title.as_str();
    let (name, place) = match (text_of(document, title, &section.table, "name")?, key) {
        (Some(name), _) => ((*name.get_ref()).to_owned(), name.span()),
        (None, Some(key)) => {
            let last = key.get_ref().rsplit('.').next().unwrap_or_default();
            (last.trim().to_owned(), key.span())
        }
        (None, None) => {
            return Err(wrong(
                document,
                section,
                "name",
                "an axis of variants has no name",
                "add `name = \"scheme\"`",
            ));
        }
    };
    if !is_axis_name(&name) {
        return Err(document.diagnostic(
            place,
            format!("{title}: `{name}` cannot name an axis"),
            "add `name = \"...\"` of letters (a to z), digits, dots, dashes and underscores",
        ));
    }
    if is_column(&name) {
        return Err(document.diagnostic(
            place,
            format!("{title}: the table of points has a column `{name}` already"),
            "give the axis another `name`",
        ));
    }
    Ok((name, place))
}

fn is_axis_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Returns the text at `key` of a table, called `title` in messages.
pub(super) fn text_of<'t>(
    document: &Document<'_>,
    title: &str,
    table: &'t DeTable<'_>,
    key: &str,
) -> Result<Option<Spanned<&'t str>>, Error> {
    let Some(value) = table.get(key) else {
        return Ok(None);
    };
    match value.get_ref() {
        DeValue::String(text) if !text.trim().is_empty() => {
            Ok(Some(Spanned::new(value.span(), &**text)))
        }
        _ => Err(document.diagnostic(
            value.span(),
            format!("{title}: `{key}` is text in quotes"),
            format!("write it like `{key} = \"...\"`"),
        )),
    }
}

/// Returns a value as one word; `None` for tables and times of day.
pub(super) fn label_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Integer(integer) => Some(
            i64::from_str_radix(integer.as_str(), integer.radix())
                .map_or_else(|_| integer.to_string(), |value| value.to_string()),
        ),
        // Always with a point or an exponent, as TOML has it.
        DeValue::Float(float) => Some(
            float
                .as_str()
                .parse::<f64>()
                .map_or_else(|_| float.to_string(), |value| format!("{value:?}")),
        ),
        DeValue::Array(items) => {
            let labels: Option<Vec<String>> =
                items.iter().map(|item| label_of(item.get_ref())).collect();
            labels.map(|labels| labels.join("+"))
        }
        DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}
