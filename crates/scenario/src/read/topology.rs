//! Reads the `[topology]` table.

use std::path::Path;

use fabricsim_core::input::ConfigError;
use fabricsim_topology::{Topology, TopologyConfig, parse_hpcc};
use toml::de::DeTable;

use crate::read::referenced::read_referenced;
use crate::read::tables::keys_of;
use crate::text::document::Document;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;

/// Reads the `[topology]` table and builds the network.
pub(crate) fn read_topology<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    base: &Path,
) -> Result<(TopologyConfig, Topology), Error> {
    let Some(mut section) = document.section(root, "topology")? else {
        return Err(document.diagnostic(
            document.text.len()..document.text.len(),
            "the scenario has no [topology] table",
            "add `[topology]` and `kind = \"fat-tree\"`; `fabricsim list` shows all topologies",
        ));
    };
    let kinds: Vec<&'static str> = fabricsim_topology::KINDS
        .iter()
        .map(|(name, ..)| *name)
        .collect();
    let kind = document.kind(&mut section, &kinds)?;
    let keys = keys_of(fabricsim_topology::KINDS, kind);
    let config = match kind {
        "fat-tree" => TopologyConfig::FatTree(document.settings(&section, keys)?),
        "leaf-spine" => TopologyConfig::LeafSpine(document.settings(&section, keys)?),
        "dumbbell" => TopologyConfig::Dumbbell(document.settings(&section, keys)?),
        "star" => TopologyConfig::Star(document.settings(&section, keys)?),
        "chain" => TopologyConfig::Chain(document.settings(&section, keys)?),
        "isp" => TopologyConfig::Isp(document.settings(&section, keys)?),
        "graphml" => TopologyConfig::Graphml(document.settings(&section, keys)?),
        "file" => TopologyConfig::File(document.settings(&section, keys)?),
        _ => unreachable!("`kind` answers with one of the names it was given"),
    };
    let topology = build_topology(&config, base, &|error| document.refuse(&section, error))?;
    Ok((config, topology))
}

/// Builds the network of `config`, whose file is relative to `base`; `refuse` makes the error of a key.
pub(crate) fn build_topology(
    config: &TopologyConfig,
    base: &Path,
    refuse: &dyn Fn(ConfigError) -> Error,
) -> Result<Topology, Error> {
    if let Some(built) = config.build() {
        return built.map_err(refuse);
    }
    if let TopologyConfig::Graphml(config) = config {
        config.check().map_err(refuse)?;
    }
    let path = config
        .path()
        .expect("what is not built is read from a file");
    let path = base.join(path);
    let text = read_referenced("path", FileKind::TOPOLOGY, &path, refuse)?;
    let network = match config {
        TopologyConfig::Graphml(config) => config.read(&text),
        _ => parse_hpcc(&text),
    };
    network.map_err(|error| Error::input(&path.display().to_string(), &text, error))
}
