//! Settings as values, for `summary.json` and `fabricsim check`.

use fabricsim_topology::TopologyConfig;
use fabricsim_workload::WorkloadConfig;
use serde::Serialize;

pub(super) fn to_value(settings: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(settings).expect("settings are plain tables")
}

/// A table with its kind in front.
pub(super) fn tagged(kind: &str, settings: &serde_json::Value) -> serde_json::Value {
    let mut table = serde_json::Map::new();
    table.insert("kind".to_owned(), kind.into());
    if let Some(keys) = settings.as_object() {
        table.extend(
            keys.iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
    table.into()
}

pub(super) fn topology_value(config: &TopologyConfig) -> serde_json::Value {
    match config {
        TopologyConfig::FatTree(config) => to_value(config),
        TopologyConfig::LeafSpine(config) => to_value(config),
        TopologyConfig::Dumbbell(config) => to_value(config),
        TopologyConfig::Star(config) => to_value(config),
        TopologyConfig::Chain(config) => to_value(config),
        TopologyConfig::Isp(config) => to_value(config),
        TopologyConfig::Graphml(config) => to_value(config),
        TopologyConfig::File(config) => to_value(config),
    }
}

pub(super) fn workload_value(config: &WorkloadConfig) -> serde_json::Value {
    match config {
        WorkloadConfig::AllToAll(config) => to_value(config),
        WorkloadConfig::Application(config) => config.factory().value(),
        WorkloadConfig::Incast(config) => to_value(config),
        WorkloadConfig::List(config) => to_value(config),
        WorkloadConfig::Permutation(config) => to_value(config),
        WorkloadConfig::Poisson(config) => to_value(config),
    }
}
