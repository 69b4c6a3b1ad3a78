//! A JSON Schema of scenarios, generated from the keys of all tables. Editors and programs that
//! write scenarios use it.

use fabricsim_base::input::{Bound, DefaultValue, Key, Limit, ValueKind};
use fabricsim_pint::query::QueryConfig;
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
use serde_json::{Map, Value, json};

use crate::cc::registry::{CONGESTION_CONTROLS, CcEntry};
use crate::schema::capture::CaptureSettings;
use crate::schema::class::CLASS_KEYS;
use crate::schema::event;
use crate::schema::host::HostSettings;
use crate::schema::observe::ObserveSettings;
use crate::schema::queries::BudgetSettings;
use crate::schema::queue::QUEUE_KEYS;
use crate::schema::root::ROOT_KEYS;
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;
use crate::schema::{discipline_kinds, policy_kinds};
use fabricsim_base::input::Keys;

/// A table of a scenario.
#[derive(Debug)]
pub struct DescribedTable {
    /// The name of the table in documents: `[switch]`, or the kind of a table that has several.
    pub name: &'static str,
    /// `Kind` if this is one of several kinds of a table.
    pub place: TablePlace,
    /// The keys.
    pub keys: Vec<Key>,
}

/// Relation of a described table to a table of scenarios.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TablePlace {
    /// The table is one of the kinds of a table.
    Kind,
    /// The table has no kinds.
    Own,
}

/// The tables that have no kinds.
const OWN_TABLES: &[(&str, Keys)] = &[
    ("[[class]]", CLASS_KEYS),
    ("[host]", HostSettings::KEYS),
    ("[switch]", SwitchSettings::KEYS),
    ("[rdma]", RdmaConfig::KEYS),
    ("[tcp]", TcpConfig::KEYS),
    ("[[queue]]", QUEUE_KEYS),
    ("[routing]", RoutingSettings::KEYS),
    ("[run]", RunSettings::KEYS),
    ("[output]", OutputSettings::KEYS),
    ("[observe]", ObserveSettings::KEYS),
    ("[capture]", CaptureSettings::KEYS),
    ("[pint]", BudgetSettings::KEYS),
    ("[[query]]", QueryConfig::KEYS),
];

/// Returns all tables of a scenario; the keys before any table are [`ROOT_KEYS`].
#[must_use]
pub fn described_tables() -> Vec<DescribedTable> {
    let topologies = fabricsim_topology::KINDS.iter().copied();
    let workloads = fabricsim_workload::KINDS.iter().copied();
    let events = event::KINDS.iter().copied();
    let disciplines = discipline_kinds().iter().copied();
    let policies = policy_kinds();
    let policies = policies.iter().copied();
    let kinds = topologies.chain(workloads).chain(events);
    let kinds = kinds.chain(disciplines).chain(policies);
    let kinds = kinds.map(|(name, _, keys)| (name, keys.to_vec()));
    let algorithms = CONGESTION_CONTROLS.iter().map(|cc| (cc.name, cc.keys()));
    let of_kind = kinds.chain(algorithms).map(|(name, keys)| DescribedTable {
        name,
        place: TablePlace::Kind,
        keys,
    });
    let own = OWN_TABLES.iter().map(|(name, keys)| DescribedTable {
        name,
        place: TablePlace::Own,
        keys: keys.to_vec(),
    });
    of_kind.chain(own).collect()
}

/// Returns the tables of a scenario by their names for `--set`, with all keys of all kinds.
pub(crate) fn tables_of_settings() -> Vec<(&'static str, Vec<Key>)> {
    let algorithms = CONGESTION_CONTROLS.iter().map(|cc| ("cc", cc.keys()));
    let topologies = fabricsim_topology::KINDS.iter();
    let topologies = topologies.map(|(_, _, keys)| ("topology", keys.to_vec()));
    let workloads = fabricsim_workload::KINDS.iter();
    let workloads = workloads.map(|(_, _, keys)| ("workload.0", keys.to_vec()));
    let own = OWN_TABLES.iter().filter_map(|(name, keys)| {
        let name = name.strip_prefix('[')?.strip_suffix(']')?;
        (!name.starts_with('[')).then(|| (name, keys.to_vec()))
    });
    let policies = policy_kinds().into_iter();
    let policies = policies.map(|(_, _, keys)| ("routing.policy", keys.to_vec()));
    algorithms
        .chain(topologies)
        .chain(workloads)
        .chain(policies)
        .chain(own)
        .collect()
}

/// Returns a JSON Schema (draft 2020-12) of scenarios with the algorithms of the registry.
///
/// If the schema rejects a scenario, so does [`Scenario`](crate::Scenario). The schema does not
/// contain rules that depend on several keys or on other files.
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
        ("scheme", list(reference("cc"), 0)),
        ("host", described_table(HostSettings::KEYS)),
        ("switch", described_table(SwitchSettings::KEYS)),
        ("queue", list(queue_table(), 0)),
        ("rdma", described_table(RdmaConfig::KEYS)),
        ("tcp", tcp_table()),
        ("routing", routing_table()),
        ("class", list(class_table(), 0)),
        ("event", list(reference("event"), 0)),
        ("run", described_table(RunSettings::KEYS)),
        ("output", described_table(OutputSettings::KEYS)),
        ("observe", described_table(ObserveSettings::KEYS)),
        ("capture", described_table(CaptureSettings::KEYS)),
        ("pint", described_table(BudgetSettings::KEYS)),
        ("query", list(described_table(QueryConfig::KEYS), 0)),
    ] {
        root.insert(name.to_owned(), table);
    }
    let mut defs = Map::new();
    let mut add = |name, kinds: Kinds<'_>, more: &[(&str, Value)]| {
        define_kinds(&mut defs, name, kinds, more);
    };
    let with_cc = [("cc", reference("cc"))];
    add("topology", fabricsim_topology::KINDS.to_vec(), &[]);
    add("workload", fabricsim_workload::KINDS.to_vec(), &with_cc);
    add("cc", algorithms.collect(), &[]);
    add("event", event::KINDS.to_vec(), &[]);
    add("policy", policy_kinds(), &[]);
    add("discipline", discipline_kinds().to_vec(), &[]);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of fabricsim",
        "type": "object",
        "properties": root,
        "required": ["topology", "workload", "cc"],
        "additionalProperties": false,
        "$defs": defs,
    })
}

/// Returns the JSON Schema (draft 2020-12) of a file with `keys` and the tables that they describe.
#[must_use]
pub fn file_schema(title: &str, keys: &[Key]) -> Value {
    let mut schema = described_table(keys);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(title);
    schema
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Returns the table of a queue discipline and of the queues that it applies to.
fn queue_table() -> Value {
    let mut table = described_table(QUEUE_KEYS);
    table["properties"]["discipline"] = line_or_discipline();
    table
}

/// Returns the table of routing, with the policy as a name or a table.
fn routing_table() -> Value {
    let mut table = described_table(RoutingSettings::KEYS);
    let policy = &mut table["properties"]["policy"];
    policy["oneOf"] = json!([{ "type": "string" }, reference("policy")]);
    if let Some(policy) = policy.as_object_mut() {
        policy.remove("type");
    }
    table
}

/// Returns the table of a class of flows with its algorithm.
fn class_table() -> Value {
    let mut table = described_table(CLASS_KEYS);
    table["properties"]["cc"] = reference("cc");
    table
}

/// Returns a list of at least `least` items.
fn list(items: Value, least: usize) -> Value {
    json!({ "type": "array", "items": items, "minItems": least })
}

/// Returns a discipline, as a table or in the short form.
fn line_or_discipline() -> Value {
    json!({ "oneOf": [{ "type": "string" }, reference("discipline")] })
}

/// Kinds of a table: name, description and keys.
type Kinds<'a> = Vec<(&'static str, &'static str, &'a [Key])>;

/// Defines `name`, a table with a `kind`, and each of its kinds. `more` are keys of all kinds.
///
/// `allOf` checks the table only against the kind that it names, so that an error points at the
/// wrong value. Editors complete keys from `anyOf`, but not from `then`. Therefore `anyOf` lists
/// all kinds, and also `true`, which accepts everything.
fn define_kinds(
    defs: &mut Map<String, Value>,
    name: &str,
    kinds: Kinds<'_>,
    more: &[(&str, Value)],
) {
    let mut names = Vec::new();
    let mut checks = Vec::new();
    let mut offered = Vec::new();
    for (kind, about, keys) in kinds {
        let mut table = described_table(keys);
        table["title"] = json!(kind);
        table["description"] = json!(about);
        table["properties"]["kind"] = json!({ "const": kind });
        for (key, value) in more {
            table["properties"][*key] = value.clone();
        }
        let required = table["required"].as_array_mut();
        required
            .expect("every table has the list")
            .push("kind".into());
        let definition = format!("{name}-{kind}");
        names.push(kind);
        checks.push(json!({
            "if": { "properties": { "kind": { "const": kind } }, "required": ["kind"] },
            "then": reference(&definition),
        }));
        offered.push(reference(&definition));
        defs.insert(definition, table);
    }
    offered.push(Value::Bool(true));
    let table = json!({
        "type": "object",
        "properties": { "kind": { "enum": names } },
        "required": ["kind"],
        "allOf": checks,
        "anyOf": offered,
    });
    defs.insert(name.to_owned(), table);
}

/// Returns the table of TCP; its default profile in scenarios differs from the default in programs.
fn tcp_table() -> Value {
    let mut table = described_table(TcpConfig::KEYS);
    table["properties"]["profile"]["default"] = json!(TcpProfile::Datacenter);
    table
}

/// Returns a table with the types, defaults and ranges of its keys.
fn described_table(keys: &[Key]) -> Value {
    let required: Vec<&str> = keys
        .iter()
        .filter(|key| key.default == DefaultValue::Required)
        .map(|key| key.name)
        .collect();
    table(properties(keys), &required)
}

fn properties(keys: &[Key]) -> Map<String, Value> {
    let properties = keys.iter().map(|key| (key.name.to_owned(), property(key)));
    properties.collect()
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
        // A quantity is a string, and a schema cannot compare the values of strings.
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
        ValueKind::Any => json!({}),
        ValueKind::Number => json!({ "type": "number" }),
        ValueKind::Integer => json!({ "type": "integer" }),
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
            "pattern": "^\\s*[0-9._]+([eE][+-]?[0-9]+)?\\s*[A-Za-zµ/]+\\s*$",
            "examples": [quantity.word_and_example().1],
        }),
        ValueKind::Range => number_or(&json!({
            "type": "string",
            "pattern": "^\\s*[0-9]+\\s*([.][.]\\s*[0-9]+\\s*)?$",
        })),
        ValueKind::Node | ValueKind::Nodes => number_or(&json!({ "type": "string" })),
        ValueKind::List(item) => list(value_of(*item), 0),
        ValueKind::Either(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(|kind| value_of(*kind)).collect();
            json!({ "anyOf": kinds })
        }
        ValueKind::Table([]) => json!({ "type": "object" }),
        ValueKind::Table(keys) => described_table(keys),
    }
}

/// Returns the schema of a node or port: a number or a text.
fn number_or(text: &Value) -> Value {
    json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": u32::MAX }, text] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_type_default_and_range() {
        let schema = scenario_schema();
        let hpcc = &schema["$defs"]["cc-hpcc"];
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
        let permutation = &schema["$defs"]["workload-permutation"];
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
