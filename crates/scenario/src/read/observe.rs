//! Reads the `[observe]` table.

use fabricsim_topology::Topology;
use toml::de::DeTable;

use crate::schema::observe::ObserveSettings;
use crate::schema::run::RunSettings;
use crate::text::document::Document;
use crate::text::error::Error;

/// Takes the table out of `root`.
pub(crate) fn read_observe<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    topology: &Topology,
    run: &RunSettings,
) -> Result<Option<ObserveSettings>, Error> {
    let Some(section) = document.section(root, "observe")? else {
        return Ok(None);
    };
    let settings: ObserveSettings = document.settings(&section, ObserveSettings::KEYS)?;
    settings
        .validate(topology, run)
        .map_err(|error| document.refuse(&section, error))?;
    Ok(Some(settings))
}
