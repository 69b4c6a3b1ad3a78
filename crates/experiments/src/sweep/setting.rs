//! Changes of a point to the base scenario: keys and their new values, each with its place in the
//! text.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use fabricsim_scenario::text::document::Document;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::overrides::MOST_PARTS;

/// A key of the scenario and its new value.
#[derive(Clone, Debug)]
pub(super) struct Setting<'a> {
    path: Vec<String>,
    /// Place of the key, as a range of bytes in the sweep's text.
    pub(super) place: Range<usize>,
    value: Value<'a>,
}

/// The new value of a key.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    /// A value in the text of the sweep.
    Written(Spanned<DeValue<'a>>),
    /// A number of the range at this place.
    Number(String, Range<usize>),
}

impl<'a> Setting<'a> {
    /// Returns the setting of the dotted `key`.
    pub(super) fn new(
        document: &Document<'a>,
        key: &Spanned<&str>,
        value: Value<'a>,
    ) -> Result<Self, Error> {
        let place = key.span();
        let path = path_of(document, &[], key.get_ref(), &place)?;
        Ok(Self { path, place, value })
    }

    /// Reads the settings of a `set` table. A table in braces (`cc = { ... }`) is a value; a table
    /// that exists only because of a dotted key (`cc.eta = 0.9`) is not.
    pub(super) fn read_table(
        document: &Document<'a>,
        table: &DeTable<'a>,
    ) -> Result<Vec<Self>, Error> {
        let mut settings = Vec::new();
        collect(document, &[], table, &mut settings)?;
        settings.sort_by_key(|setting| setting.place.start);
        Ok(settings)
    }

    /// Returns the dotted key.
    pub(super) fn key(&self) -> String {
        self.path.join(".")
    }

    /// Returns `true` if this setting overwrites `other` when it is applied later.
    pub(super) fn covers(&self, other: &Self) -> bool {
        other.path.starts_with(&self.path)
    }

    /// Returns the value as a part of the scenario.
    fn value<'s>(&'s self) -> Spanned<DeValue<'s>>
    where
        'a: 's,
    {
        match &self.value {
            Value::Written(value) => value.clone(),
            Value::Number(digits, place) => {
                let number = DeValue::parse(digits).expect("an integer in digits is TOML");
                Spanned::new(place.clone(), number.into_inner())
            }
        }
    }

    /// Sets the value in `scenario`, a table.
    pub(super) fn apply<'s>(
        &'s self,
        document: &Document<'_>,
        scenario: &mut DeValue<'s>,
    ) -> Result<(), Error> {
        let (last, parents) = self.path.split_last().expect("a path has a key");
        let mut item = scenario;
        for key in parents {
            item = match item {
                DeValue::Table(table) => {
                    if !table.contains_key(key.as_str()) {
                        let empty = DeValue::Table(DeTable::new());
                        table.insert(self.name(key), Spanned::new(self.place.clone(), empty));
                    }
                    table
                        .get_mut(key.as_str())
                        .expect("it has just been looked for")
                        .get_mut()
                }
                DeValue::Array(items) => {
                    let count = items.len();
                    let found = key.parse().ok().and_then(|at: usize| items.get_mut(at));
                    found
                        .ok_or_else(|| self.no_element(document, key, count))?
                        .get_mut()
                }
                _ => return Err(self.no_table(document, key)),
            };
        }
        match item {
            DeValue::Table(table) => {
                table.remove(last.as_str());
                table.insert(self.name(last), self.value());
            }
            DeValue::Array(items) => {
                let count = items.len();
                match last.parse::<usize>() {
                    Ok(at) if at == count => items.push(self.value()),
                    at => {
                        let found = at.ok().and_then(|at| items.get_mut(at));
                        *found.ok_or_else(|| self.no_element(document, last, count))? =
                            self.value();
                    }
                }
            }
            _ => return Err(self.no_table(document, last)),
        }
        Ok(())
    }

    fn name<'s>(&self, key: &str) -> Spanned<Cow<'s, str>> {
        Spanned::new(self.place.clone(), Cow::Owned(key.to_owned()))
    }

    fn no_element(&self, document: &Document<'_>, key: &str, count: usize) -> Error {
        document.diagnostic(
            self.place.clone(),
            format!("there is no `{key}` in `{}`", self.key()),
            format!("the list has {count} tables, counted from 0: workload.0.load"),
        )
    }

    fn no_table(&self, document: &Document<'_>, key: &str) -> Error {
        document.diagnostic(
            self.place.clone(),
            format!(
                "`{key}` of `{}` would be in a value that is not a table",
                self.key()
            ),
            "write the key as for `--set`: cc.eta or workload.0.load",
        )
    }
}

/// Returns the place of the setting that determined `key` or another key of the same table: the one
/// with the most common parts, and the last one if there are several.
pub(super) fn place_of<'s, 'a: 's>(
    key: &str,
    settings: impl Iterator<Item = &'s Setting<'a>>,
) -> Option<Range<usize>> {
    let common = |setting: &&Setting<'a>| {
        let parts = key.split('.').zip(&setting.path);
        parts.take_while(|(part, own)| part == own).count()
    };
    let setting = settings.max_by_key(common)?;
    (common(&setting) > 0).then(|| setting.place.clone())
}

/// Splits a dotted key into its parts, after `above`.
fn path_of(
    document: &Document<'_>,
    above: &[String],
    key: &str,
    place: &Range<usize>,
) -> Result<Vec<String>, Error> {
    let parts = key.split('.').map(|part| part.trim().to_owned());
    let path: Vec<String> = (above.iter().cloned())
        .chain(parts)
        .take(MOST_PARTS + 1)
        .collect();
    if path.len() > MOST_PARTS {
        return Err(document.diagnostic(
            place.clone(),
            format!("a key has at most {MOST_PARTS} parts between dots"),
            "write it as for `--set`: \"cc.eta\" or \"workload.0.load\"",
        ));
    }
    if path.iter().any(String::is_empty) {
        return Err(document.diagnostic(
            place.clone(),
            format!("`{key}` is not a key of a scenario"),
            "write it as for `--set`: \"cc.eta\" or \"workload.0.load\"",
        ));
    }
    Ok(path)
}

fn collect<'a>(
    document: &Document<'a>,
    above: &[String],
    table: &DeTable<'a>,
    settings: &mut Vec<Setting<'a>>,
) -> Result<(), Error> {
    for (key, value) in table {
        let place = key.span();
        let path = path_of(document, above, key.get_ref(), &place)?;
        match value.get_ref() {
            DeValue::Table(inner) if !is_written_whole(document, value) => {
                collect(document, &path, inner, settings)?;
            }
            _ => settings.push(Setting {
                path,
                place,
                value: Value::Written(value.clone()),
            }),
        }
    }
    Ok(())
}

/// Returns `true` if a table is written in braces or below its own header. The place of a table
/// that a dotted key creates is that key.
fn is_written_whole(document: &Document<'_>, table: &Spanned<DeValue<'_>>) -> bool {
    let text = document.text.get(table.span()).unwrap_or_default();
    text.starts_with(['{', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "seed = 1\ncc = { kind = \"hpcc\", eta = 0.9 }\n[[workload]]\nload = 0.5\n";

    fn parsed(text: &str) -> DeTable<'_> {
        Document::new("t", text).parse().unwrap()
    }

    /// Returns the base after the settings of the `set` table `text`.
    fn changed(text: &str) -> Result<String, String> {
        let document = Document::new("t", text);
        let table = parsed(text);
        let set = table.get("set").unwrap().get_ref().as_table().unwrap();
        let said = |error: Error| error.to_string();
        let settings = Setting::read_table(&document, set).map_err(said)?;
        let mut base = DeValue::Table(parsed(BASE));
        for setting in &settings {
            setting.apply(&document, &mut base).map_err(said)?;
        }
        Ok(shown(&base))
    }

    fn shown(value: &DeValue<'_>) -> String {
        match value {
            DeValue::Table(table) => {
                let mut pairs: Vec<String> = table
                    .iter()
                    .map(|(key, value)| format!("{}={}", key.get_ref(), shown(value.get_ref())))
                    .collect();
                pairs.sort();
                format!("{{{}}}", pairs.join(" "))
            }
            DeValue::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| shown(item.get_ref())).collect();
                format!("[{}]", items.join(" "))
            }
            DeValue::Integer(integer) => integer.to_string(),
            DeValue::Float(float) => float.to_string(),
            other => other.as_str().unwrap_or("?").to_owned(),
        }
    }

    #[test]
    fn whole_tables_replace_and_dotted_keys_change() {
        let whole = Ok("{cc={kind=dctcp} seed=1 workload=[{load=0.5}]}".to_owned());
        let dotted = Ok("{cc={eta=0.8 kind=hpcc} seed=1 workload=[{load=0.5}]}".to_owned());
        assert_eq!(changed("set = { cc = { kind = \"dctcp\" } }"), whole);
        assert_eq!(changed("[set.cc]\nkind = \"dctcp\""), whole);
        assert_eq!(changed("[set]\ncc = { kind = \"dctcp\" }"), whole);
        assert_eq!(changed("set = { cc.eta = 0.8 }"), dotted);
        assert_eq!(changed("set = { \"cc.eta\" = 0.8 }"), dotted);
        assert_eq!(changed("set.cc.eta = 0.8"), dotted);
        assert_eq!(changed("[set]\ncc.eta = 0.8"), dotted);
    }

    #[test]
    fn lists_are_counted_from_zero_and_can_grow_by_one() {
        let load = |text: &str| {
            changed(text).map(|base| base.split("workload=").nth(1).unwrap().to_owned())
        };
        assert_eq!(
            load("set = { workload.0.load = 0.7 }"),
            Ok("[{load=0.7}]}".to_owned())
        );
        assert_eq!(
            load("set = { workload.0 = { x = 1 } }"),
            Ok("[{x=1}]}".to_owned())
        );
        assert_eq!(
            load("set = { workload.1 = { x = 1 } }"),
            Ok("[{load=0.5} {x=1}]}".to_owned())
        );
        for far in [
            "workload.2 = { x = 1 }",
            "workload.1.load = 1",
            "workload.x = 1",
        ] {
            let error = load(&format!("set = {{ {far} }}")).unwrap_err();
            assert!(error.starts_with("t:1:"), "{error}");
            assert!(error.contains("there is no"), "{error}");
        }
    }

    #[test]
    fn tables_are_made_where_there_is_none_and_not_out_of_values() {
        assert!(
            changed("set = { \"run.stop_at\" = \"1ms\" }")
                .is_ok_and(|t| t.contains("run={stop_at=1ms}"))
        );
        assert!(changed("set = { \"seed.x\" = 1 }").is_err_and(|t| t.contains("not a table")));
        assert!(changed("set = { \"cc..x\" = 1 }").is_err_and(|t| t.contains("not a key")));
    }
}
