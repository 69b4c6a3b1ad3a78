//! Reads the `[topology]` table.

use std::path::Path;

use fabricsim_core::input::ConfigError;
use fabricsim_topology::{AnyTopology, BoxedTopology, Topology};
use toml::de::DeTable;

use crate::kinds::Registry;
use crate::read::referenced::read_referenced;
use crate::text::document::Document;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;

/// Reads the `[topology]` table and builds the network.
pub(crate) fn read_topology<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    base: &Path,
    registry: &Registry,
) -> Result<(BoxedTopology, Topology), Error> {
    let Some(mut section) = document.section(root, "topology")? else {
        return Err(document.diagnostic(
            document.text.len()..document.text.len(),
            "the scenario has no [topology] table",
            "add `[topology]` and `kind = \"fat-tree\"`; `fabricsim list` shows all topologies",
        ));
    };
    let config = registry.read_topology(document, &mut section)?;
    let topology = build_topology(&*config, base, &|error| document.refuse(&section, error))?;
    Ok((config, topology))
}

/// Builds the network of `config`, whose file is relative to `base`; `refuse` makes the error of a
/// key.
pub(crate) fn build_topology(
    config: &dyn AnyTopology,
    base: &Path,
    refuse: &dyn Fn(ConfigError) -> Error,
) -> Result<Topology, Error> {
    if let Some(built) = config.build() {
        return built.map_err(refuse);
    }
    let path = config
        .path()
        .expect("what is not built is read from a file");
    let path = base.join(path);
    let text = read_referenced("path", FileKind::TOPOLOGY, &path, refuse)?;
    let network = config.read(&text);
    network.map_err(|error| Error::input(&path.display().to_string(), &text, error))
}
