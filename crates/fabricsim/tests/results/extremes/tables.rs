//! Every table of a scenario with all of its keys.

use fabricsim_base::input::Keys;
use fabricsim_pint::query::QueryConfig;
use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, Transport};
use fabricsim_scenario::schema::event;
use fabricsim_scenario::schema::host::HostSettings;
use fabricsim_scenario::schema::observe::ObserveSettings;
use fabricsim_scenario::schema::queries::BudgetSettings;
use fabricsim_scenario::schema::root::ROOT_KEYS;
use fabricsim_scenario::schema::routing::RoutingSettings;
use fabricsim_scenario::schema::run::{OutputSettings, RunSettings};
use fabricsim_scenario::schema::switch::SwitchSettings;
use fabricsim_scenario::schema::{discipline_kinds, rdma_keys, tcp_keys};

/// A key and its value, as written.
pub(crate) type Line = (String, String);

/// The part of a scenario to which a table belongs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Part {
    Root,
    Topology,
    Workload,
    Cc,
    /// Any other table, which replaces no default table.
    Other,
    /// The value of the key `discipline` of a queue.
    Discipline,
}

/// A table of a scenario.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) part: Part,
    /// `[cc]`, or nothing for the keys before any table.
    pub(crate) heading: &'static str,
    /// The lines of the table, unless a test tries another value.
    pub(crate) base: Vec<Line>,
    pub(crate) keys: Keys,
    /// `true` if the table makes sense with TCP only.
    pub(crate) tcp: bool,
}

fn lines(text: &[(&str, &str)]) -> Vec<Line> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    text.iter().map(owned).collect()
}

impl Table {
    fn new(part: Part, heading: &'static str, base: &[(&str, &str)], keys: Keys) -> Self {
        Self {
            part,
            heading,
            base: lines(base),
            keys,
            tcp: false,
        }
    }

    fn of_kind(part: Part, heading: &'static str, kind: &str, keys: Keys) -> Self {
        let mut table = Self::new(part, heading, &[], keys);
        table.base = vec![("kind".to_owned(), format!(r#""{kind}""#))];
        let required: &[(&str, &str)] = match kind {
            "poisson" => &[
                ("sizes", r#""10KB""#),
                ("load", "0.5"),
                ("duration", r#""20us""#),
            ],
            "incast" => &[("fan_in", "2"), ("size", r#""10KB""#), ("at", r#""0s""#)],
            "permutation" | "all-to-all" => &[("size", r#""10KB""#)],
            "collective" => &[("operation", r#""all-reduce""#), ("size", r#""10KB""#)],
            "link-down" | "link-up" => &[("at", r#""5us""#), ("link", "[0, 4]")],
            "link-rate" => &[
                ("at", r#""5us""#),
                ("link", "[0, 4]"),
                ("rate", r#""10Gbps""#),
            ],
            "link-loss" => &[("at", r#""5us""#), ("link", "[0, 4]"), ("loss", "0.1")],
            "switch-down" | "switch-up" => &[("at", r#""5us""#), ("switch", "4")],
            "red" => &[("min", r#""10KB""#), ("max", r#""30KB""#)],
            "step" => &[("threshold", r#""10KB""#)],
            _ => &[],
        };
        table.base.extend(lines(required));
        table
    }

    fn with_tcp(mut self) -> Self {
        self.tcp = true;
        self
    }
}

/// Returns all tables except the kinds that read files, which have tests next to their readers.
pub(crate) fn tables() -> Vec<Table> {
    use Part::{Cc, Discipline, Other, Root, Topology, Workload};
    // Some keys need another key to have an effect, which their base lines provide.
    let mut tables = vec![
        Table::new(Root, "", &[], ROOT_KEYS),
        Table::new(Other, "[host]", &[], HostSettings::KEYS),
        Table::new(Other, "[switch]", &[], SwitchSettings::KEYS),
        Table::new(Other, "[rdma]", &[], rdma_keys()),
        Table::new(Other, "[tcp]", &[], tcp_keys()).with_tcp(),
        Table::new(Other, "[routing]", &[], RoutingSettings::KEYS),
        Table::new(Other, "[run]", &[], RunSettings::KEYS),
        Table::new(Other, "[output]", &[], OutputSettings::KEYS),
        Table::new(
            Other,
            "[observe]",
            &[("queues", "true"), ("queue_distribution", "true")],
            ObserveSettings::KEYS,
        ),
        Table::new(Other, "[pint]", &[], BudgetSettings::KEYS),
        Table::new(
            Other,
            "[[query]]",
            &[("value", r#""hop-latency""#)],
            QueryConfig::KEYS,
        ),
        Table::new(
            Other,
            "[[query]]",
            &[("value", r#""switch-id""#)],
            QueryConfig::KEYS,
        ),
    ];
    // Each kind has keys of its own, so each gets a table.
    for (kind, _, keys) in fabricsim_topology::KINDS {
        if !["graphml", "file"].contains(kind) {
            tables.push(Table::of_kind(Topology, "[topology]", kind, keys));
        }
    }
    for (kind, _, keys) in fabricsim_workload::KINDS {
        if !["graph", "list"].contains(kind) {
            tables.push(Table::of_kind(Workload, "[[workload]]", kind, keys));
        }
    }
    for (kind, _, keys) in event::KINDS {
        tables.push(Table::of_kind(Other, "[[event]]", kind, keys));
    }
    for (kind, _, keys) in discipline_kinds() {
        tables.push(Table::of_kind(Discipline, "[[queue]]", kind, keys).with_tcp());
    }
    for cc in CONGESTION_CONTROLS {
        let table = Table::of_kind(Cc, "[cc]", cc.name, cc.keys().leak());
        tables.push(match cc.transport {
            Transport::Tcp => table.with_tcp(),
            Transport::Rdma => table,
        });
    }
    tables
}

/// The tables of a scenario, with other values for some keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scenario {
    pub(crate) changes: Vec<(Table, Line)>,
}

impl Scenario {
    /// Returns the text: a star of four hosts unless a change has another topology, and so on.
    pub(crate) fn text(&self) -> String {
        let tcp = self.changes.iter().any(|(table, _)| table.tcp);
        let cc = if tcp { "cubic" } else { "hpcc" };
        let mut shown: Vec<Table> = vec![
            Table::new(Part::Root, "", &[], ROOT_KEYS),
            Table::new(
                Part::Topology,
                "[topology]",
                &[("kind", r#""star""#), ("hosts", "4")],
                &[],
            ),
            Table::of_kind(Part::Workload, "[[workload]]", "incast", &[]),
            Table::of_kind(Part::Cc, "[cc]", cc, &[]),
            Table::new(Part::Other, "[run]", &[("stop_at", r#""200us""#)], &[]),
        ];
        for (table, change) in &self.changes {
            let own = |shown: &Table| {
                shown.heading == table.heading
                    && (table.part != Part::Other
                        || !table.heading.starts_with("[[")
                        || shown.base.first() == table.base.first())
            };
            let place = shown.iter().position(own).unwrap_or(shown.len());
            if place == shown.len() {
                shown.push(table.clone());
            } else if !self.kind_is_shown(&shown[place], table) {
                shown[place].base.clone_from(&table.base);
            }
            let base = &mut shown[place].base;
            base.retain(|(key, _)| *key != change.0 && !is_rival(key, &change.0));
            base.push(change.clone());
        }
        let mut text = String::new();
        for table in shown {
            text.push_str(table.heading);
            text.push('\n');
            let line = |(key, value): &Line| format!("{key} = {value}");
            let lines: Vec<String> = table.base.iter().map(line).collect();
            match table.part {
                Part::Discipline => {
                    text.push_str(&format!("discipline = {{ {} }}\n", lines.join(", ")));
                }
                _ => text.push_str(&(lines.join("\n") + "\n")),
            }
        }
        text
    }

    fn kind_is_shown(&self, shown: &Table, table: &Table) -> bool {
        shown.base.first() == table.base.first() || table.base.is_empty()
    }
}

/// Returns `true` for two keys of which a table may have only one.
fn is_rival(there: &str, new: &str) -> bool {
    there == "at" && ["load", "period"].contains(&new)
}
