//! Reads a scenario from its text: extracts its tables, reads them as typed values, and checks
//! these.

mod checked;
pub(crate) mod classes;
mod event;
mod faults;
mod node_names;
mod parquet_flows;
pub(crate) mod queries;
mod queue;
mod raw;
mod referenced;
mod root;
pub(crate) mod routing;
mod tables;
mod taker;
pub(crate) mod topology;
pub(crate) mod traffic;
mod workload;

pub use queries::read_plan;

use std::mem;
use std::path::Path;
use std::sync::Arc;

use toml::de::DeTable;

use crate::kinds::Registry;
use crate::scenario::places::Places;
use crate::scenario::{Scenario, ScenarioText};
use crate::text::document::Document;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_text;
use crate::text::overrides;

use crate::schema::part::Refused;
use checked::check;
use node_names::NodeNumbers;
use raw::RawScenario;
use tables::Tables;

impl Scenario {
    /// Reads a scenario from `text`. Paths in it are relative to the working folder.
    ///
    /// # Errors
    /// Returns as many diagnostics at once as possible, each with its position and a suggested fix.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Self::from_toml_with(text, Registry::default())
    }

    /// Like [`from_toml`](Self::from_toml), with the kinds of `registry`: only a
    /// [`CcRegistry`](crate::cc::registry::CcRegistry), or a whole [`Registry`].
    ///
    /// # Errors
    /// Returns as many diagnostics at once as possible, each with its position and a suggested fix.
    pub fn from_toml_with(text: &str, registry: impl Into<Registry>) -> Result<Self, Error> {
        Self::read("scenario", text, Path::new("."), &registry.into())
    }

    /// Reads the scenario file at `path`, changed by `overrides` (`key=value`, dotted keys). Paths
    /// in it are relative to the file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, and at the first error in it.
    pub fn from_file(path: &Path, overrides: &[String]) -> Result<Self, Error> {
        Self::from_file_with(path, overrides, Registry::default())
    }

    /// Like [`from_file`](Self::from_file), with the kinds of `registry`: only a
    /// [`CcRegistry`](crate::cc::registry::CcRegistry), or a whole [`Registry`]. The path `-` is
    /// the standard input; paths in it are relative to the working folder.
    ///
    /// # Errors
    /// Fails if the file cannot be read, and at the first error in it.
    pub fn from_file_with(
        path: &Path,
        overrides: &[String],
        registry: impl Into<Registry>,
    ) -> Result<Self, Error> {
        let text = read_text(FileKind::SCENARIO, path)?;
        let base = path.parent().unwrap_or_else(|| Path::new("."));
        let source = match path == Path::new("-") {
            true => "stdin".to_owned(),
            false => path.display().to_string(),
        };
        Self::from_text_with(&source, &text, base, overrides, registry)
    }

    /// Reads a scenario from `text`, changed by `overrides`. Messages call the text `source`; paths
    /// in it are relative to `base`.
    ///
    /// # Errors
    /// Returns as many diagnostics at once as possible, each with its position and a suggested fix.
    pub fn from_text(
        source: &str,
        text: &str,
        base: &Path,
        overrides: &[String],
    ) -> Result<Self, Error> {
        Self::from_text_with(source, text, base, overrides, Registry::default())
    }

    /// Like [`from_text`](Self::from_text), with the kinds of `registry`.
    ///
    /// # Errors
    /// Returns as many diagnostics at once as possible, each with its position and a suggested fix.
    pub fn from_text_with(
        source: &str,
        text: &str,
        base: &Path,
        overrides: &[String],
        registry: impl Into<Registry>,
    ) -> Result<Self, Error> {
        let registry = &registry.into();
        if overrides.is_empty() {
            return Self::read(source, text, base, registry);
        }
        // Parse the original text first, so that errors of syntax show the file and not the changed
        // text.
        Document::new(source, text).parse()?;
        let changed = overrides::apply(source, text, overrides)?;
        Self::read(&format!("{source} (with --set)"), &changed, base, registry)
    }

    fn read(source: &str, text: &str, base: &Path, registry: &Registry) -> Result<Self, Error> {
        let document = Document::new(source, text);
        let tables = Tables::parse(&document)?;
        let scenario = Self::of_tables(&document, tables, base, registry)?;
        Ok(Self {
            text: Some(Arc::new(ScenarioText {
                source: source.to_owned(),
                text: text.to_owned(),
                folder: base.to_owned(),
            })),
            ..scenario
        })
    }

    /// Reads a scenario from the tables of `document`. Paths in it are relative to `base`.
    ///
    /// # Errors
    /// Returns as many diagnostics at once as possible, each with its position and a suggested fix.
    pub fn read_tables<'a>(
        document: Document<'a>,
        root: DeTable<'a>,
        base: &Path,
        registry: &Registry,
    ) -> Result<Self, Error> {
        let tables = Tables::take(&document, root);
        Self::of_tables(&document, tables, base, registry)
    }

    /// Reads the values of `tables`, which belong to `document`, and checks them.
    fn of_tables<'a>(
        document: &Document<'a>,
        (mut tables, places): (Tables<'a>, Places),
        base: &Path,
        registry: &Registry,
    ) -> Result<Self, Error> {
        let mut found = mem::take(&mut tables.faults);
        let is_empty = tables.workloads.is_empty() && !tables.meant.contains(&"workload");
        if is_empty && !registry.allows_no_workload() {
            found.push(document.missing(
                "the scenario has no [[workload]] table, so there is no traffic",
                "add `[[workload]]` with `kind = \"poisson\"`; `fabricsim list` shows all workloads",
            ));
        }
        let numbers = NodeNumbers::find(document, &mut tables, (registry, base), &mut found);
        numbers.put_into(&mut tables, registry);
        let raw = RawScenario::read(document, &tables, registry, found)?;
        let checked = check(raw, (base, numbers.topology()), registry, places);
        checked.map_err(|refused| {
            let place = |refused: Refused| tables.place(&refused).error(document, refused.reason);
            Error::all(refused.into_iter().map(place).collect())
        })
    }
}
