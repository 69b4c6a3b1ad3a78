//! Conditions that select the points of an `[[only]]`, an `[[exclude]]` or an `[[override]]`.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::axis::{Axis, label_of};
use fabricsim_scenario::text::document::Document;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::messages::suggest;

/// Values of some axes. A point matches if it has one of the values on each of these axes.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// Each axis with its matching choices.
    parts: Vec<(usize, Vec<usize>)>,
}

impl Condition {
    /// Reads a table with `axis = value` or `axis = [value, value]`, called `title` in messages.
    pub(super) fn read(
        document: &Document<'_>,
        title: &str,
        place: Range<usize>,
        table: &DeTable<'_>,
        axes: &[Axis<'_>],
    ) -> Result<Self, Error> {
        let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        if table.is_empty() {
            return Err(document.diagnostic(
                place,
                format!("{title} names no axis, so that it would be for every point"),
                format!("write `axis = value`; the axes are {}", names.join(", ")),
            ));
        }
        let part = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let key: &Spanned<std::borrow::Cow<'_, str>> = key;
            let Some(axis) = names.iter().position(|name| *name == &**key.get_ref()) else {
                return Err(document.diagnostic(
                    key.span(),
                    format!("{title}: there is no axis `{}`", key.get_ref()),
                    suggest(key.get_ref(), &names),
                ));
            };
            let values = match value.get_ref() {
                DeValue::Array(values) if choice_of(&axes[axis], value.get_ref()).is_none() => {
                    values.iter().collect()
                }
                _ => vec![value],
            };
            let choices: Result<Vec<usize>, Error> = values
                .into_iter()
                .map(|value| {
                    choice_of(&axes[axis], value.get_ref())
                        .ok_or_else(|| no_such_value(document, title, &axes[axis], value))
                })
                .collect();
            Ok((axis, choices?))
        };
        let parts: Result<_, _> = table.iter().map(part).collect();
        Ok(Self { parts: parts? })
    }

    /// Returns `true` if the point with these choices, one for each axis, matches.
    pub(super) fn holds(&self, choices: &[usize]) -> bool {
        self.parts
            .iter()
            .all(|(axis, wanted)| wanted.contains(&choices[*axis]))
    }
}

fn choice_of(axis: &Axis<'_>, value: &DeValue<'_>) -> Option<usize> {
    let label = label_of(value)?;
    axis.choices.iter().position(|choice| choice.label == label)
}

fn no_such_value(
    document: &Document<'_>,
    title: &str,
    axis: &Axis<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Error {
    let labels: Vec<&str> = axis.choices.iter().map(|c| c.label.as_str()).collect();
    let written = document.text.get(value.span()).unwrap_or_default();
    let help = match value.get_ref() {
        DeValue::String(name) => suggest(name, &labels),
        _ => format!("the axis has {}", labels.join(", ")),
    };
    document.diagnostic(
        value.span(),
        format!("{title}: axis `{}` has no value {written}", axis.name),
        help,
    )
}
