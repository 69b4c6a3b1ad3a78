//! Reads the `[pint]` and `[[query]]` tables.

use std::collections::BTreeSet;
use std::path::Path;

use fabricsim_core::input::ConfigError;
use fabricsim_pint::query::{Demand, Plan, QueryConfig};
use toml::de::DeTable;

use crate::schema::queries::{BudgetSettings, QuerySettings};
use crate::schema::root::TABLES;
use crate::text::document::{Document, Section};
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_text;

/// Takes the tables out of `root`.
///
/// # Errors
/// The first error in them.
pub(crate) fn read_queries<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
) -> Result<Option<(QuerySettings, QueryPlaces<'a>)>, Error> {
    let pint = document.section(root, "pint")?;
    let sections = document.sections(root, "query")?;
    if sections.is_empty() {
        return match pint {
            None => Ok(None),
            Some(pint) => Err(document.diagnostic(
                pint.span,
                "[pint] is for queries, and the scenario has none",
                "add `[[query]]` with `value = \"switch-id\"`, or leave the table out",
            )),
        };
    }
    let settings: BudgetSettings = match &pint {
        Some(section) => document.settings(section, BudgetSettings::KEYS)?,
        None => BudgetSettings::default(),
    };
    let mut names = BTreeSet::new();
    let mut queries = Vec::new();
    for (number, section) in (1..).zip(&sections) {
        let mut query: QueryConfig = document.settings(section, QueryConfig::KEYS)?;
        QuerySettings::admit(&mut query, number, &mut names)
            .map_err(|error| document.refuse(section, error))?;
        queries.push(query);
    }
    let settings = QuerySettings {
        pint: settings,
        queries,
    };
    Ok(Some((settings, QueryPlaces { pint, sections })))
}

/// The `[[query]]` tables of the file at `path`, which may be a scenario, and the plan for them.
///
/// # Errors
/// When the file cannot be read, and the first error in these tables.
pub fn read_plan(path: &Path) -> Result<(Vec<QueryConfig>, Plan), Error> {
    let text = read_text(FileKind::QUERIES, path)?;
    let name = path.display().to_string();
    let document = Document::new(&name, &text);
    let mut root = document.parse()?;
    document.refuse_unknown("a file of queries", &root, TABLES)?;
    let Some((settings, places)) = read_queries(&document, &mut root)? else {
        return Err(document.diagnostic(
            text.len()..text.len(),
            "there is no [[query]] table",
            "add `[[query]]` with `value = \"switch-id\"`",
        ));
    };
    let demands: Vec<Demand> = settings.queries.iter().map(QueryConfig::demand).collect();
    let plan = Plan::new(&demands, settings.pint.bits, 1);
    let plan = plan.map_err(|error| places.refuse_all(&document, error))?;
    Ok((settings.queries, plan))
}

/// Positions of the tables, for messages.
pub(crate) struct QueryPlaces<'a> {
    pint: Option<Section<'a>>,
    sections: Vec<Section<'a>>,
}

impl<'a> QueryPlaces<'a> {
    /// Returns the table of query `index`.
    pub(crate) fn section(&self, index: usize) -> &Section<'a> {
        &self.sections[index]
    }

    /// Returns the error of all queries together: of their budget where that is at fault.
    pub(crate) fn refuse_all(&self, document: &Document<'_>, error: ConfigError) -> Error {
        match &self.pint {
            Some(pint) if error.key == "bits" && pint.table.contains_key("bits") => {
                document.refuse(pint, error)
            }
            _ => document.diagnostic(self.sections[0].span.clone(), error.message, error.help),
        }
    }
}
