//! A JSON Schema of scenarios, made from the keys of all tables: for editors, and for programs that
//! write scenarios.

use fabricsim_core::input::{Bound, DefaultValue, Key, Limit, ValueKind};
use fabricsim_pint::query::QueryConfig;
use fabricsim_transport::cc;
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
use serde_json::{Map, Value, json};

use crate::cc::registry::{CONGESTION_CONTROLS, CcEntry, TcpClassKeys};
use crate::schema::discipline_kinds;
use crate::schema::event;
use crate::schema::event::tables::{LinkTable, LossTable, RateTable, SwitchTable};
use crate::schema::observe::ObserveSettings;
use crate::schema::queries::BudgetSettings;
use crate::schema::queue::QueuePlace;
use crate::schema::root::{CLASS_KEYS, ROOT_KEYS};
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;

/// A table whose keys are described with their types. The keys of all other tables have a meaning only.
#[derive(Debug)]
pub struct DescribedTable {
    /// The table whose `kind` it is, such as `cc`; `None` for a table that has no kinds.
    pub group: Option<&'static str>,
    /// The kind, or the table as documents write it: `[switch]`.
    pub name: &'static str,
    /// The keys.
    pub keys: Vec<Key>,
}

/// Tables and their keys; those of the algorithms of TCP (`tcp`) have further ones in common.
const TABLES: &[(Option<&str>, &str, &[Key])] = &[
    (
        Some("topology"),
        "fat-tree",
        fabricsim_topology::FatTreeConfig::KEYS,
    ),
    (
        Some("topology"),
        "leaf-spine",
        fabricsim_topology::LeafSpineConfig::KEYS,
    ),
    (
        Some("topology"),
        "dumbbell",
        fabricsim_topology::DumbbellConfig::KEYS,
    ),
    (
        Some("topology"),
        "star",
        fabricsim_topology::StarConfig::KEYS,
    ),
    (
        Some("topology"),
        "chain",
        fabricsim_topology::ChainConfig::KEYS,
    ),
    (Some("topology"), "isp", fabricsim_topology::IspConfig::KEYS),
    (
        Some("topology"),
        "graphml",
        fabricsim_topology::GraphmlConfig::KEYS,
    ),
    (
        Some("topology"),
        "file",
        fabricsim_topology::FileConfig::KEYS,
    ),
    (
        Some("workload"),
        "poisson",
        fabricsim_workload::PoissonConfig::KEYS,
    ),
    (
        Some("workload"),
        "incast",
        fabricsim_workload::IncastConfig::KEYS,
    ),
    (
        Some("workload"),
        "permutation",
        fabricsim_workload::PermutationConfig::KEYS,
    ),
    (
        Some("workload"),
        "all-to-all",
        fabricsim_workload::AllToAllConfig::KEYS,
    ),
    (
        Some("workload"),
        "list",
        fabricsim_workload::ListTable::KEYS,
    ),
    (
        Some("discipline"),
        "shared-buffer",
        fabricsim_qdisc::SharedBufferConfig::KEYS,
    ),
    (
        Some("discipline"),
        "tail-drop",
        fabricsim_qdisc::TailDropConfig::KEYS,
    ),
    (Some("discipline"), "red", fabricsim_qdisc::RedConfig::KEYS),
    (
        Some("discipline"),
        "step",
        fabricsim_qdisc::StepConfig::KEYS,
    ),
    (
        Some("discipline"),
        "codel",
        fabricsim_qdisc::CodelConfig::KEYS,
    ),
    (
        Some("discipline"),
        "fq-codel",
        fabricsim_qdisc::FqCodelConfig::KEYS,
    ),
    (
        Some("discipline"),
        "dualpi2",
        fabricsim_qdisc::DualPi2Config::KEYS,
    ),
    (Some("event"), "link-down", LinkTable::KEYS),
    (Some("event"), "link-up", LinkTable::KEYS),
    (Some("event"), "link-rate", RateTable::KEYS),
    (Some("event"), "link-loss", LossTable::KEYS),
    (Some("event"), "switch-down", SwitchTable::KEYS),
    (Some("event"), "switch-up", SwitchTable::KEYS),
    (Some("cc"), "hpcc", fabricsim_hpcc::HpccConfig::KEYS),
    (Some("cc"), "hpcc-pint", fabricsim_pint::PintConfig::KEYS),
    (Some("cc"), "dcqcn", cc::DcqcnConfig::KEYS),
    (Some("cc"), "timely", cc::TimelyConfig::KEYS),
    (Some("cc"), "dctcp", cc::DctcpConfig::KEYS),
    (Some("cc"), "none", cc::NoneConfig::KEYS),
    (Some("tcp"), "cubic", cc::CubicConfig::KEYS),
    (Some("tcp"), "newreno", &[]),
    (Some("tcp"), "tcp-dctcp", cc::TcpDctcpConfig::KEYS),
    (Some("tcp"), "prague", cc::PragueConfig::KEYS),
    (None, "[switch]", SwitchSettings::KEYS),
    (None, "[rdma]", RdmaConfig::KEYS),
    (None, "[tcp]", TcpConfig::KEYS),
    (None, "[routing]", RoutingSettings::KEYS),
    (None, "[run]", RunSettings::KEYS),
    (None, "[output]", OutputSettings::KEYS),
    (None, "[observe]", ObserveSettings::KEYS),
    (None, "[pint]", BudgetSettings::KEYS),
    (None, "[[query]]", QueryConfig::KEYS),
];

/// Returns the tables of a scenario whose keys are described with their types.
#[must_use]
pub fn described_tables() -> Vec<DescribedTable> {
    let described = TABLES.iter().map(|&(group, name, keys)| match group {
        Some("tcp") => DescribedTable {
            group: Some("cc"),
            name,
            keys: [keys, TcpClassKeys::KEYS].concat(),
        },
        _ => DescribedTable {
            group,
            name,
            keys: keys.to_vec(),
        },
    });
    described.collect()
}

/// Returns a JSON Schema (draft 2020-12) of scenarios with the algorithms of the registry.
///
/// A scenario that the schema refuses is refused by [`Scenario`](crate::Scenario), too; what depends
/// on several keys or on other files is not in the schema.
#[must_use]
pub fn scenario_schema() -> Value {
    let own_keys: Vec<_> = CONGESTION_CONTROLS.iter().map(CcEntry::keys).collect();
    let algorithms = CONGESTION_CONTROLS
        .iter()
        .zip(&own_keys)
        .map(|(cc, keys)| (cc.name, cc.about, keys.as_slice()));
    let mut root = properties(ROOT_KEYS);
    for (name, table) in [
        ("topology", reference("topology")),
        ("workload", list(reference("workload"), 1)),
        ("cc", reference("cc")),
        ("switch", described_table(SwitchSettings::KEYS)),
        ("queue", list(queue_table(), 0)),
        ("rdma", described_table(RdmaConfig::KEYS)),
        ("tcp", tcp_table()),
        ("routing", described_table(RoutingSettings::KEYS)),
        (
            "class",
            list(plain_table(CLASS_KEYS, &[("cc", reference("cc"))]), 0),
        ),
        ("event", list(reference("event"), 0)),
        ("run", described_table(RunSettings::KEYS)),
        ("output", described_table(OutputSettings::KEYS)),
        ("observe", described_table(ObserveSettings::KEYS)),
        ("pint", described_table(BudgetSettings::KEYS)),
        ("query", list(described_table(QueryConfig::KEYS), 0)),
    ] {
        root.insert(name.to_owned(), table);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of fabricsim",
        "type": "object",
        "properties": root,
        "required": ["topology", "workload", "cc"],
        "additionalProperties": false,
        "$defs": {
            "topology": kinds("topology", fabricsim_topology::KINDS.iter().copied(), &[]),
            "workload": kinds("workload", fabricsim_workload::KINDS.iter().copied(), &[("cc", reference("cc"))]),
            "cc": kinds("cc", algorithms, &[]),
            "event": kinds("event", event::KINDS.iter().copied(), &[]),
            "discipline": kinds("discipline", discipline_kinds().iter().copied(), &[]),
        },
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// A table with a place and the discipline that queues have there.
fn queue_table() -> Value {
    let mut table = described_table(QueuePlace::KEYS);
    table["properties"]["discipline"] = line_or_discipline();
    table["required"] = json!(["discipline"]);
    table
}

/// A list of at least `least` items.
fn list(items: Value, least: usize) -> Value {
    json!({ "type": "array", "items": items, "minItems": least })
}

/// A discipline as a table or in the short form.
fn line_or_discipline() -> Value {
    json!({ "oneOf": [{ "type": "string" }, reference("discipline")] })
}

/// Tables that differ by their `kind`; `more` are keys that all of them have.
fn kinds<'a>(
    group: &str,
    known: impl Iterator<
        Item = (
            &'static str,
            &'static str,
            &'a [(&'static str, &'static str)],
        ),
    >,
    more: &[(&str, Value)],
) -> Value {
    let described = described_tables();
    let tables: Vec<Value> = known
        .map(|(name, about, keys)| {
            let described =
                (described.iter()).find(|table| table.group == Some(group) && table.name == name);
            let mut table = match described {
                Some(table) => described_table(&table.keys),
                None => plain_table(keys, &[]),
            };
            table["title"] = json!(name);
            table["description"] = json!(about);
            table["properties"]["kind"] = json!({ "const": name });
            for (key, value) in more {
                table["properties"][*key] = value.clone();
            }
            let required = table["required"].as_array_mut();
            required
                .expect("every table has the list")
                .push("kind".into());
            table
        })
        .collect();
    json!({ "oneOf": tables })
}

fn properties(keys: &[(&'static str, &'static str)]) -> Map<String, Value> {
    keys.iter()
        .map(|(key, meaning)| ((*key).to_owned(), json!({ "description": meaning })))
        .collect()
}

/// A table whose keys have meanings only; `more` says what some of them are.
fn plain_table(keys: &[(&'static str, &'static str)], more: &[(&str, Value)]) -> Value {
    let mut properties = properties(keys);
    for (key, value) in more {
        properties.insert((*key).to_owned(), value.clone());
    }
    table(properties, &[])
}

/// The table of TCP, whose profile is another one in scenarios than in programs.
fn tcp_table() -> Value {
    let mut table = described_table(TcpConfig::KEYS);
    table["properties"]["profile"]["default"] = json!(TcpProfile::Datacenter);
    table
}

/// A table whose keys have types, defaults and ranges.
fn described_table(keys: &[Key]) -> Value {
    let required: Vec<&str> = keys
        .iter()
        .filter(|key| key.default == DefaultValue::Required)
        .map(|key| key.name)
        .collect();
    let properties = keys.iter().map(|key| (key.name.to_owned(), property(key)));
    table(properties.collect(), &required)
}

fn table(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key) -> Value {
    let mut property = value_of(key.kind);
    property["description"] = json!(key.meaning);
    if let DefaultValue::Value(written) = key.default
        && let Ok(default) = serde_json::from_str::<Value>(written)
    {
        property["default"] = default;
    }
    for Limit { bound, written } in key.limits {
        // Quantities are texts, whose size a schema does not compare.
        let Ok(limit) = serde_json::from_str::<serde_json::Number>(written) else {
            continue;
        };
        let word = match bound {
            Bound::From => "minimum",
            Bound::Above => "exclusiveMinimum",
            Bound::To => "maximum",
            Bound::Below => "exclusiveMaximum",
        };
        property[word] = json!(limit);
    }
    property
}

fn value_of(kind: ValueKind) -> Value {
    match kind {
        ValueKind::Number => json!({ "type": "number" }),
        ValueKind::WholeNumber { most } => {
            json!({ "type": "integer", "minimum": 0, "maximum": most })
        }
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Text | ValueKind::Path => json!({ "type": "string" }),
        ValueKind::Name(choices) => {
            let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
            json!({ "enum": names })
        }
        ValueKind::Quantity(quantity) => json!({
            "type": "string",
            "pattern": "^\\s*[0-9._]+\\s*[A-Za-zµ/]+\\s*$",
            "examples": [quantity.word_and_example().1],
        }),
        ValueKind::Range => json!({
            "type": "string",
            "pattern": "^\\s*[0-9]+\\s*([.][.]\\s*[0-9]+\\s*)?$",
        }),
        ValueKind::List(item) => list(value_of(*item), 0),
        ValueKind::Either(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(|kind| value_of(*kind)).collect();
            json!({ "anyOf": kinds })
        }
        ValueKind::Table(keys) => described_table(keys),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_type_default_and_range() {
        let schema = scenario_schema();
        let algorithms = schema["$defs"]["cc"]["oneOf"].as_array().expect("kinds");
        let hpcc = algorithms
            .iter()
            .find(|cc| cc["properties"]["kind"]["const"] == "hpcc")
            .expect("hpcc");
        let eta = &hpcc["properties"]["eta"];
        assert_eq!(eta["type"], "number");
        assert_eq!(eta["default"], 0.95);
        assert_eq!(
            (&eta["exclusiveMinimum"], &eta["maximum"]),
            (&json!(0.0), &json!(1.0))
        );
        assert_eq!(
            hpcc["properties"]["form"]["enum"],
            json!(["rate", "window"])
        );
        assert_eq!(hpcc["required"], json!(["kind"]));
        let workloads = schema["$defs"]["workload"]["oneOf"]
            .as_array()
            .expect("kinds");
        let permutation = (workloads.iter())
            .find(|workload| workload["title"] == "permutation")
            .expect("permutation");
        assert_eq!(permutation["required"], json!(["size", "kind"]));
    }

    #[test]
    fn every_table_of_a_scenario_is_in_the_schema() {
        let schema = scenario_schema();
        for table in crate::schema::root::TABLES {
            assert!(schema["properties"][*table].is_object(), "{table}");
        }
    }
}
