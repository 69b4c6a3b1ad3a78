//! Conditions that select the points of an `[[only]]`, an `[[exclude]]` or an `[[override]]`.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::axis::{Axis, label_of};
use fabricsim_scenario::text::document::Document;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::messages::suggest;

/// Values of some axes. Every axis that is named has to have one of its values.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// An axis and those of its choices that are meant.
    parts: Vec<(usize, Vec<usize>)>,
}

impl Condition {
    /// Reads a table that says `axis = value` or `axis = [value, value]`. Messages call it `title`.
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

    /// Returns whether the point with these choices, one for each axis, is meant.
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
