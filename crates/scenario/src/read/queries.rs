//! Checks the `[pint]` and `[[query]]` tables.

use std::path::Path;

use fabricsim_pint::query::{Demand, Plan, QueryConfig};

use crate::read::raw::RawQueries;
use crate::read::tables::QueryTables;
use crate::schema::part::{Part, Refused};
use crate::schema::queries::QuerySettings;
use crate::schema::root::TABLES;
use crate::text::document::Document;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_text;

/// Names the queries of `tables` and checks them; `None` if there are none.
///
/// # Errors
/// Fails at the first query that cannot be served, or at a budget without queries.
pub(crate) fn admit_queries(tables: RawQueries) -> Result<Option<QuerySettings>, Refused> {
    if tables.queries.is_empty() {
        return match tables.pint {
            None => Ok(None),
            Some(_) => Err(Part::Pint.refused_whole(
                "[pint] is for queries, and the scenario has none",
                "add `[[query]]` with `value = \"switch-id\"`, or leave the table out",
            )),
        };
    }
    let mut settings = QuerySettings {
        pint: tables.pint.unwrap_or_default(),
        queries: tables.queries,
    };
    settings.admit_all()?;
    Ok(Some(settings))
}

/// Reads the `[[query]]` tables of the file at `path`, which may be a scenario, and plans them.
///
/// # Errors
/// Fails if the file cannot be read, and at the first error in these tables.
pub fn read_plan(path: &Path) -> Result<(Vec<QueryConfig>, Plan), Error> {
    let text = read_text(FileKind::QUERIES, path)?;
    let name = path.display().to_string();
    let document = Document::new(&name, &text);
    let mut root = document.parse()?;
    document.refuse_unknown("a file of queries", &root, TABLES)?;
    let tables = QueryTables {
        pint: document.section(&mut root, "pint")?,
        queries: document.sections(&mut root, "query")?,
    };
    let raw = RawQueries {
        pint: document.optional_settings(tables.pint.as_ref())?,
        queries: document.settings_of(&tables.queries, QueryConfig::KEYS)?,
    };
    let planned = admit_queries(raw).and_then(|settings| settings.map(plan).transpose());
    let error = |refused: Refused| tables.place(&refused).error(&document, refused.reason);
    match planned.map_err(error)? {
        Some(planned) => Ok(planned),
        None => Err(document.missing(
            "there is no [[query]] table",
            "add `[[query]]` with `value = \"switch-id\"`",
        )),
    }
}

/// Returns the queries and their plan.
fn plan(settings: QuerySettings) -> Result<(Vec<QueryConfig>, Plan), Refused> {
    let demands: Vec<Demand> = settings.queries.iter().map(QueryConfig::demand).collect();
    let plan = Plan::new(&demands, settings.pint.bits, 1);
    let plan = plan.map_err(|error| Part::Pint.refused(error))?;
    Ok((settings.queries, plan))
}
