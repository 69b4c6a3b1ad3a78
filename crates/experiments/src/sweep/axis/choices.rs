//! The choices of an axis: listed values, a range of numbers, or named variants.

use fabricsim_base::input::Key;
use fabricsim_base::settings;
use toml::Spanned;
use toml::de::DeValue;

use super::{Choice, VARIANT_KEYS, label_of, text_of};
use crate::sweep::setting::{Setting, Value};
use fabricsim_scenario::text::document::{Document, Section};
use fabricsim_scenario::text::error::Error;

/// The most values of an axis.
const MOST_VALUES: i64 = 100_000;

settings! {
    /// Whole numbers of an axis, from the first to the last.
    pub struct NumberSteps {
        /// The first number.
        pub from: i64 = required,
        /// The last number.
        pub to: i64 = required,
        /// From one number to the next.
        #[range(from 1)]
        #[refused("a step of {value} does not lead from one number to the next", "give 1 or more")]
        pub step: i64 = 1,
    }
}

/// Reads the choices of an axis with `values`.
pub(super) fn read_values<'a>(
    document: &Document<'a>,
    section: &Section<'a>,
    key: &Spanned<&str>,
) -> Result<Vec<Choice<'a>>, Error> {
    let written = section.table.get("values");
    let values = match written.map(Spanned::get_ref) {
        Some(DeValue::Array(values)) if !values.is_empty() => values,
        _ => {
            return Err(document.diagnostic(
                Document::place(section, "values"),
                format!(
                    "{}: `values` is a list with at least one value",
                    section.title
                ),
                "write it like `values = [0.3, 0.5, 0.7]`",
            ));
        }
    };
    values
        .iter()
        .map(|value| {
            let label = label_of(value.get_ref()).filter(|label| !label.is_empty());
            let label = label.ok_or_else(|| {
                document.diagnostic(
                    value.span(),
                    format!("{}: this value has no short name", section.title),
                    "use an axis of [[axis.variant]] tables, each with a `name`",
                )
            })?;
            let place = value.span();
            let setting = Setting::new(document, key, Value::Written(value.clone()))?;
            Ok(Choice {
                label,
                place,
                settings: vec![setting],
            })
        })
        .collect()
}

/// Reads the choices of an axis with a `range`.
pub(super) fn read_range<'a>(
    document: &Document<'a>,
    section: &Section<'a>,
    key: &Spanned<&str>,
) -> Result<Vec<Choice<'a>>, Error> {
    let title = format!("{}, `range`", section.title);
    let place = Document::place(section, "range");
    let wrong = |message: &str| {
        document.diagnostic(
            place.clone(),
            format!("{title}: {message}"),
            "write it like `range = { from = 1, to = 5 }`; both ends are included",
        )
    };
    let Some(DeValue::Table(range)) = section.table.get("range").map(Spanned::get_ref) else {
        return Err(wrong("it is a table"));
    };
    let range = Section {
        title: title.clone(),
        span: place.clone(),
        table: range.clone(),
    };
    let steps: NumberSteps = document.settings(&range, NumberSteps::KEYS)?;
    (steps.validate_ranges()).map_err(|error| document.refuse(&range, error))?;
    let NumberSteps { from, to, step } = steps;
    if to < from {
        return Err(wrong("it has no numbers"));
    }
    let too_many = to
        .checked_sub(from)
        .is_none_or(|span| span / step >= MOST_VALUES);
    if too_many {
        return Err(wrong(&format!("it has more than {MOST_VALUES} numbers")));
    }
    let choice = |number: i64| {
        let label = number.to_string();
        let value = Value::Number(label.clone(), place.clone());
        Ok(Choice {
            label,
            place: place.clone(),
            settings: vec![Setting::new(document, key, value)?],
        })
    };
    let count = (to - from) / step;
    (0..=count)
        .map(|index| choice(from + index * step))
        .collect()
}

/// Reads the choices of an axis with variants.
pub(super) fn read_variants<'a>(
    document: &Document<'a>,
    section: &Section<'a>,
) -> Result<Vec<Choice<'a>>, Error> {
    let mut table = section.table.clone();
    let variants = document.sections(&mut table, "variant")?;
    if variants.is_empty() {
        return Err(document.diagnostic(
            Document::place(section, "variant"),
            format!("{}: it has no variants", section.title),
            "add [[axis.variant]] tables, each with a `name` and a `set` table",
        ));
    }
    variants
        .iter()
        .map(|variant| {
            let title = format!("{}, {}", section.title, variant.title);
            document.refuse_unknown(&title, &variant.table, &Key::names(VARIANT_KEYS))?;
            let Some(name) = text_of(document, &title, &variant.table, "name")? else {
                return Err(document.diagnostic(
                    variant.span.clone(),
                    format!("{title}: it has no name"),
                    "add `name = \"HPCC\"`",
                ));
            };
            Ok(Choice {
                label: (*name.get_ref()).to_owned(),
                place: name.span(),
                settings: read_set(document, &title, variant)?,
            })
        })
        .collect()
}

/// Reads the settings of the `set` table of a section.
pub(in crate::sweep) fn read_set<'a>(
    document: &Document<'a>,
    title: &str,
    section: &Section<'a>,
) -> Result<Vec<Setting<'a>>, Error> {
    match section.table.get("set").map(Spanned::get_ref) {
        Some(DeValue::Table(set)) => Setting::read_table(document, set),
        _ => Err(document.diagnostic(
            Document::place(section, "set"),
            format!("{title}: it needs a table `set`: keys of the scenario and their values"),
            "write it like `set = { cc = { kind = \"hpcc\" }, \"switch.buffer\" = \"32MiB\" }`",
        )),
    }
}
