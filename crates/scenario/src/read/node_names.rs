//! Names of nodes in the tables of a scenario. Before the tables are read as typed values, numbers
//! replace the names in every key [of nodes](ValueKind::Node).

use std::collections::BTreeMap;
use std::path::Path;

use fabricsim_base::input::{Key, Keys, NumberRange, ValueKind};
use fabricsim_pint::query::QueryConfig;
use fabricsim_topology::{NodeFinder, Topology};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::kinds::Registry;
use crate::read::tables::Tables;
use crate::read::topology::build_topology;
use crate::schema::capture::CaptureSettings;
use crate::schema::event::KINDS;
use crate::schema::observe::ObserveSettings;
use crate::schema::part::Part;
use crate::schema::queue::QUEUE_KEYS;
use crate::schema::routing::RoutingSettings;
use crate::text::document::{Document, Section};
use crate::text::error::Error;
use crate::text::messages::nearest_names;

/// The numbers of the nodes that a scenario names.
#[derive(Debug, Default)]
pub(crate) struct NodeNumbers {
    /// The network, if the scenario names nodes.
    topology: Option<Topology>,
    /// The numbers, as strings, that replace each name: one number for a name or a number in
    /// quotes, and ranges of numbers for a pattern.
    numbers: BTreeMap<String, Vec<String>>,
}

/// A value that names nodes.
enum Place<'v, 'a> {
    /// A value that names one node.
    Node(&'v mut Spanned<DeValue<'a>>),
    /// A list of nodes, ranges and patterns.
    Nodes(&'v mut Spanned<DeValue<'a>>),
}

/// A name in a table.
struct Given {
    title: String,
    key: &'static str,
    text: String,
    span: std::ops::Range<usize>,
    /// Number of nodes that the name may match.
    count: Count,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Count {
    One,
    Any,
}

impl NodeNumbers {
    /// Finds the nodes that `tables` name. Builds the network only if there are names.
    ///
    /// Adds unknown names to `unknown`, and also the error of a network that cannot be built. Such
    /// names become node 0, so that the other tables can still be read.
    pub(crate) fn find<'a>(
        document: &Document<'a>,
        tables: &mut Tables<'a>,
        (registry, base): (&Registry, &Path),
        unknown: &mut Vec<Error>,
    ) -> Self {
        let mut given = Vec::new();
        let mut numbers = BTreeMap::new();
        visit(tables, registry, &mut |title, key, place| {
            let (values, count) = match &place {
                Place::Node(value) => (std::slice::from_ref(&**value), Count::One),
                Place::Nodes(list) => match list.get_ref() {
                    DeValue::Array(items) => (&items[..], Count::Any),
                    _ => return,
                },
            };
            for value in values {
                let Some(text) = value.get_ref().as_str() else {
                    continue;
                };
                if let (Ok(number), Count::One) = (text.trim().parse::<u32>(), count) {
                    numbers.insert(text.to_owned(), vec![number.to_string()]);
                } else if may_be_name(text) {
                    given.push(Given {
                        title: title.to_owned(),
                        key,
                        text: text.to_owned(),
                        span: value.span(),
                        count,
                    });
                }
            }
        });
        // Most scenarios have no names, and building a network takes time.
        if given.is_empty() {
            return Self {
                topology: None,
                numbers,
            };
        }
        let Some(topology) = Self::network(document, tables, (registry, base), unknown) else {
            numbers.extend(given.into_iter().map(|given| (given.text, any_node())));
            return Self {
                topology: None,
                numbers,
            };
        };
        let finder = NodeFinder::new(&topology);
        for given in given {
            let found = numbers_of(&finder, &given).unwrap_or_else(|| {
                unknown.push(no_such_node(document, &finder, &given));
                any_node()
            });
            numbers.insert(given.text, found);
        }
        Self {
            topology: Some(topology),
            numbers,
        }
    }

    /// Builds the network. If its table cannot be read, reading the other tables reports the error.
    fn network<'a>(
        document: &Document<'a>,
        tables: &Tables<'a>,
        (registry, base): (&Registry, &Path),
        unknown: &mut Vec<Error>,
    ) -> Option<Topology> {
        let config = registry.read_topology(document, &mut tables.topology.clone()?);
        let built = build_topology(&*config.ok()?, base).map_err(|reason| {
            let refused = Part::Topology.refused(reason);
            tables.place(&refused).error(document, refused.reason)
        });
        built.map_err(|error| unknown.push(error)).ok()
    }

    /// Returns the network if it was built.
    pub(crate) fn topology(&self) -> Option<Topology> {
        self.topology.clone()
    }

    /// Replaces the names of nodes in `tables` by numbers; `tables` are the same as for
    /// [`Self::find`].
    pub(crate) fn put_into<'a>(&'a self, tables: &mut Tables<'a>, registry: &Registry) {
        if self.numbers.is_empty() {
            return;
        }
        visit(tables, registry, &mut |_, _, place| match place {
            Place::Node(value) => {
                let found = value
                    .get_ref()
                    .as_str()
                    .and_then(|text| self.numbers.get(text));
                if let Some([number]) = found.map(Vec::as_slice) {
                    let number = DeValue::parse(number).expect("a number is a value");
                    *value = Spanned::new(value.span(), number.into_inner());
                }
            }
            Place::Nodes(list) => {
                if let DeValue::Array(items) = list.get_mut() {
                    *items = items
                        .iter()
                        .cloned()
                        .flat_map(|item| self.ranges(item))
                        .collect::<DeArray<'_>>();
                }
            }
        });
    }

    /// Returns the ranges for `item` of a list.
    fn ranges<'a>(&'a self, item: Spanned<DeValue<'a>>) -> Vec<Spanned<DeValue<'a>>> {
        let found = item
            .get_ref()
            .as_str()
            .and_then(|text| self.numbers.get(text));
        match found {
            None => vec![item],
            Some(ranges) => {
                let text = |range: &'a String| DeValue::String(range.as_str().into());
                let ranges = ranges.iter().map(text);
                ranges
                    .map(|range| Spanned::new(item.span(), range))
                    .collect()
            }
        }
    }
}

/// Returns `true` if `text` may be a name: numbers and ranges have no letters.
fn may_be_name(text: &str) -> bool {
    text.chars().any(|c| c.is_alphabetic() || c == '*')
}

/// Returns the numbers, as strings, of the nodes that `given` matches; `None` if there are none.
fn numbers_of(finder: &NodeFinder<'_>, given: &Given) -> Option<Vec<String>> {
    if let Some(node) = finder.find(&given.text) {
        return Some(vec![node.to_string()]);
    }
    if given.count == Count::One || !given.text.contains('*') {
        return None;
    }
    let found = finder.matching(&given.text);
    let ranges = found.chunk_by(|a, b| a.0 + 1 == b.0).map(|run| {
        let range = NumberRange {
            first: run[0].0,
            end: run[run.len() - 1].0 + 1,
        };
        range.to_string()
    });
    (!found.is_empty()).then(|| ranges.collect())
}

/// Returns the substitute for an unknown name.
fn any_node() -> Vec<String> {
    vec!["0".to_owned()]
}

/// Returns the error for an unknown name.
fn no_such_node(document: &Document<'_>, finder: &NodeFinder<'_>, given: &Given) -> Error {
    let Given {
        title, key, text, ..
    } = given;
    let what = match (text.contains('*'), given.count) {
        (true, Count::Any) => format!("no node has a name like `{text}`"),
        (true, Count::One) => format!("`{text}` matches several nodes, and this key names one"),
        (false, _) => format!("no node has the name `{text}`"),
    };
    let near = nearest_names(text, finder.names());
    let help = match &near[..] {
        [] => {
            let (first, last) = (finder.names().next(), finder.names().last());
            let [first, last] = [first, last].map(Option::unwrap_or_default);
            format!("nodes have names from `{first}` to `{last}` here")
        }
        [only] => format!("did you mean `{only}`?"),
        [others @ .., last] => format!("did you mean `{}` or `{last}`?", others.join("`, `")),
    };
    let message = format!("{title}, key `{key}`: {what}");
    document.diagnostic(given.span.clone(), message, help)
}

/// Calls `see` with each value of `tables` that names nodes: the table, the key and the value.
fn visit<'a>(
    tables: &mut Tables<'a>,
    registry: &Registry,
    see: &mut dyn FnMut(&str, &'static str, Place<'_, 'a>),
) {
    let mut section = |section: &mut Section<'a>, keys: Keys| {
        let Section { title, table, .. } = section;
        for key in keys {
            if let Some(value) = table.get_mut(key.name) {
                visit_value(value, key.kind, &mut |place| see(title, key.name, place));
            }
        }
    };
    let kind = |section: &Section<'_>| {
        let kind = section.table.get("kind");
        kind.and_then(|kind| kind.get_ref().as_str())
            .map(str::to_owned)
    };
    for tables in &mut tables.workloads {
        let name = kind(&tables.own);
        let mut known = registry.workloads();
        if let Some((_, _, keys)) = known.find(|known| Some(known.0) == name.as_deref()) {
            section(&mut tables.own, keys);
        }
    }
    for table in &mut tables.events {
        let name = kind(table);
        if let Some((_, _, keys)) = KINDS.iter().find(|known| Some(known.0) == name.as_deref()) {
            section(table, keys);
        }
    }
    for tables in &mut tables.queues {
        section(&mut tables.own, QUEUE_KEYS);
    }
    for table in &mut tables.queries.queries {
        section(table, QueryConfig::KEYS);
    }
    if let Some(table) = &mut tables.observe {
        section(table, ObserveSettings::KEYS);
    }
    if let Some(table) = &mut tables.capture {
        section(table, CaptureSettings::KEYS);
    }
    if let Some(table) = &mut tables.routing {
        section(table, RoutingSettings::KEYS);
    }
}

/// Calls `see` with the parts of `value` that name nodes; `kind` is the kind of `value`.
fn visit_value<'a>(
    value: &mut Spanned<DeValue<'a>>,
    kind: ValueKind,
    see: &mut dyn FnMut(Place<'_, 'a>),
) {
    match kind {
        ValueKind::Node => see(Place::Node(value)),
        ValueKind::List(ValueKind::Nodes) => see(Place::Nodes(value)),
        ValueKind::List(item) => {
            if let DeValue::Array(items) = value.get_mut() {
                for value in items.iter_mut() {
                    visit_value(value, *item, see);
                }
            }
        }
        ValueKind::Table(keys) => {
            if let DeValue::Table(table) = value.get_mut() {
                visit_table(table, keys, see);
            }
        }
        _ => {}
    }
}

fn visit_table<'a>(table: &mut DeTable<'a>, keys: &[Key], see: &mut dyn FnMut(Place<'_, 'a>)) {
    for key in keys {
        if let Some(value) = table.get_mut(key.name) {
            visit_value(value, key.kind, see);
        }
    }
}

#[cfg(test)]
mod tests;
