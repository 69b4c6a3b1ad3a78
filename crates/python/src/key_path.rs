//! Finds the key at a position of a TOML text.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Returns the dotted key with `at` in its name or value, such as `workload.0.load`; tables of a
/// list are numbered. Returns `None` if the text is not TOML or has no key there.
pub(crate) fn key_at(text: &str, at: &Range<usize>) -> Option<String> {
    let root = DeTable::parse(text).ok()?;
    let mut found = None;
    let mut path = Vec::new();
    visit_table(root.get_ref(), &mut path, &mut |path, span| {
        let holds = span.start <= at.start && at.start < span.end.max(span.start + 1);
        let best = found.as_ref().map(|(least, _)| *least);
        if holds && best.is_none_or(|least| span.len() <= least) {
            found = Some((span.len(), path.join(".")));
        }
    });
    found.map(|(_, path)| path)
}

fn visit_table(
    table: &DeTable<'_>,
    path: &mut Vec<String>,
    tell: &mut impl FnMut(&[String], &Range<usize>),
) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        tell(path, &key.span());
        visit(value, path, tell);
        path.pop();
    }
}

fn visit(
    value: &Spanned<DeValue<'_>>,
    path: &mut Vec<String>,
    tell: &mut impl FnMut(&[String], &Range<usize>),
) {
    tell(path, &value.span());
    match value.get_ref() {
        DeValue::Table(table) => visit_table(table, path, tell),
        DeValue::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                path.push(index.to_string());
                visit(value, path, tell);
                path.pop();
            }
        }
        _ => {}
    }
}
