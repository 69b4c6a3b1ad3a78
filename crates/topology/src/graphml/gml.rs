//! GML: `graph [ node [ id 0 label "a" ] edge [ source 0 target 1 ] ]`.

mod items;

use std::ops::Range;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Graph;
use super::labels::names_of;
use crate::builder::{Coordinates, LinkDelay};
use crate::limits::MAX_NODES;
use items::{Item, Value, parse};

/// Returns `true` if `text` is GML, not XML: it begins with a word.
pub(super) fn is_gml(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let mut said = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = said.next().unwrap_or_default();
    first.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

const HELP: &str =
    "give a GML file with `graph [ node [ id 0 ] .. edge [ source 0 target 1 ] .. ]`";

/// Reads a graph. Coordinates are required only if `delay` depends on them.
///
/// # Errors
/// Fails at an unclosed bracket or string, a missing or repeated id of a node, an edge to an
/// unknown node, a graph without links, and missing or impossible coordinates if they are required.
pub(super) fn read(text: &str, delay: &LinkDelay) -> Result<Graph, InputError> {
    let items = parse(text)?;
    let graph = items
        .iter()
        .find(|item| item.is("graph"))
        .ok_or_else(|| InputError::new(0..text.len().min(1), "there is no graph", HELP))?;
    let inner = graph.inner()?;
    let nodes: Vec<&Item<'_>> = inner.iter().filter(|item| item.is("node")).collect();
    if nodes.is_empty() {
        return Err(graph.wrong("the graph has no node", "give a graph with nodes"));
    }
    if nodes.len() > MAX_NODES as usize {
        return Err(graph.wrong(
            format!("there are more than {MAX_NODES} nodes"),
            "use a smaller network",
        ));
    }
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    for (place, node) in nodes.iter().enumerate() {
        let id = node.get("id")?;
        if numbers
            .insert(id.word()?, NodeId::from_index(place).0)
            .is_some()
        {
            let message = format!("there is another node {}", id.word()?);
            return Err(id.wrong(message, "give each node an id of its own"));
        }
    }
    let labels = nodes.iter().map(|node| {
        let label = node.get("label").ok()?;
        label.word().ok()
    });
    Ok(Graph {
        labels: names_of(labels.collect()),
        coordinates: match delay {
            LinkDelay::Fixed(_) => Vec::new(),
            LinkDelay::Geographic => nodes
                .iter()
                .map(|node| coordinates(node))
                .collect::<Result<_, _>>()?,
        },
        links: links(graph, inner, &numbers)?,
        whole: graph.span.clone(),
        beginning: graph.key_span(),
        places: nodes.iter().map(|node| node.key_span()).collect(),
    })
}

/// Returns the links in the order in which the file first lists them.
fn links(
    graph: &Item<'_>,
    inner: &[Item<'_>],
    numbers: &FxHashMap<&str, u32>,
) -> Result<Vec<(u32, u32)>, InputError> {
    let (mut links, mut seen) = (Vec::new(), FxHashSet::default());
    for edge in inner.iter().filter(|item| item.is("edge")) {
        let end = |name: &'static str| {
            let id = edge.get(name)?;
            let known = numbers.get(id.word()?).copied();
            known.ok_or_else(|| {
                let message = format!("there is no node {}, the {name} of this edge", id.text());
                id.wrong(message, "give an edge the ids of two nodes")
            })
        };
        let (a, b) = (end("source")?, end("target")?);
        if a != b && seen.insert((a.min(b), a.max(b))) {
            links.push((a, b));
        }
    }
    if links.is_empty() && numbers.len() > 1 {
        return Err(graph.wrong("the graph has no edge", "add edges that join all nodes"));
    }
    Ok(links)
}

fn coordinates(node: &Item<'_>) -> Result<Coordinates, InputError> {
    let degrees = |name: &'static str, most: f64| {
        let help = format!("write degrees from -{most} to {most}, or a delay for all links");
        let item = node.get(name).map_err(|_| {
            let message = format!("delays cannot be geographic: this node has no {name}");
            node.wrong(message, help.clone())
        })?;
        match item.word()?.parse::<f64>() {
            Ok(value) if value.abs() <= most => Ok(value),
            _ => Err(item.wrong(format!("`{}` is no {name}", item.text()), help)),
        }
    };
    Ok(Coordinates {
        latitude: degrees("Latitude", 90.0)?,
        longitude: degrees("Longitude", 180.0)?,
    })
}

impl<'t> Item<'t> {
    fn is(&self, key: &str) -> bool {
        self.key == key
    }

    /// Creates an error at the key.
    fn wrong(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError::new(self.key_span(), message, help)
    }

    /// Returns the byte range of the key.
    fn key_span(&self) -> Range<usize> {
        self.span.start..self.span.start + self.key.len()
    }

    fn inner(&self) -> Result<&[Self], InputError> {
        match &self.value {
            Value::List(items) => Ok(items),
            Value::Word(_) => Err(self.wrong(format!("`{}` has no brackets", self.key), HELP)),
        }
    }

    /// Returns the first item with this key in the brackets of this item.
    fn get(&self, key: &'static str) -> Result<&Self, InputError> {
        let found = self.inner()?.iter().find(|item| item.is(key));
        found.ok_or_else(|| self.wrong(format!("this {} has no `{key}`", self.key), HELP))
    }

    fn word(&self) -> Result<&'t str, InputError> {
        match self.value {
            Value::Word(word) => Ok(word),
            Value::List(_) => Err(self.wrong(format!("`{}` is a list", self.key), HELP)),
        }
    }

    /// Returns the value, for messages.
    fn text(&self) -> &'t str {
        self.word().unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphmlConfig;

    /// Like files of the Topology Zoo: settings of the tool, a graph, nodes with coordinates.
    const MINI: &str = "Creator \"Topology Zoo Toolset\"\nVersion \"1.0\"\ngraph [\n  Network \"of ours\"\n  \
        hierarchic 1\n  node [\n    id 0\n    label \"New York\"\n    Longitude -74.0\n    Latitude 40.7\n  ]\n  \
        node [\n    id 2\n    label \"London\"\n    graphics [ x 1.5 y 2 ]\n    Longitude 0.0\n    Latitude 51.5\n  ]\n  \
        node [ id 1 label \"London\" Longitude 0 Latitude 0 ]\n  \
        edge [ source 0 target 2 LinkLabel \"a ] b\" ]\n  edge [ source 2 target 0 ]\n  \
        edge [ source 2 target 1 ]\n  edge [ source 1 target 1 ]\n]\n";

    fn config(delay: LinkDelay) -> GraphmlConfig {
        GraphmlConfig {
            delay,
            ..GraphmlConfig::new("mini.gml")
        }
    }

    #[test]
    fn a_graph_is_a_network() {
        let topology = config(LinkDelay::Geographic).read(MINI).expect("a network");
        assert_eq!(topology.hosts().len(), 3);
        assert_eq!(topology.links().len(), 3 + 2);
        let names: Vec<&str> = topology.switches().map(|it| topology.name(it)).collect();
        assert_eq!(names, ["New_York", "switch1", "switch2"]);
        let ocean = topology.links().iter().map(|link| link.delay.as_ps()).max();
        assert!(
            ocean.is_some_and(|delay| delay > 27_000_000_000),
            "{ocean:?}"
        );
    }

    #[test]
    fn errors_are_pointed_at() {
        for (right, wrong, place, message) in [
            ("target 1 ]", "target 9 ]", "target", "no node 9"),
            ("id 1", "id 2", "id", "another node 2"),
            ("[ id 1", "[ name 1", "node", "has no `id`"),
            (
                "Latitude 51.5",
                "Latitude 151.5",
                "Latitude",
                "is no Latitude",
            ),
            ("Latitude 51.5", "", "node", "has no Latitude"),
            ("graph [", "graf [", "C", "no graph"),
            ("\"a ] b\"", "\"a ] b", "\"", "is not closed"),
            ("target 1 ]\n]\n", "target 1 ]\n", "graph", "is not closed"),
            ("target 1 ]\n]\n", "target 1 ]\n]]\n", "]", "closes nothing"),
            (
                "[ source 0 target 2",
                "[ source [ target 2",
                "graph",
                "is not closed",
            ),
        ] {
            let text = MINI.replacen(right, wrong, 1);
            assert_ne!(text, MINI, "{right}");
            let error = config(LinkDelay::Geographic)
                .read(&text)
                .expect_err("refused");
            let found = text[error.span.clone()].to_owned();
            assert!(found.starts_with(place), "{wrong}: `{found}` {error}");
            assert!(error.message.contains(message), "{wrong}: {error}");
        }
        let deep = "graph [ ".repeat(1000);
        let error = config(LinkDelay::Geographic)
            .read(&deep)
            .expect_err("too deep");
        assert!(error.message.contains("brackets"), "{error}");
    }

    #[test]
    fn xml_is_told_apart() {
        assert!(is_gml("# of mine\n\ngraph [ ]"));
        assert!(!is_gml("<?xml version=\"1.0\"?>"));
        assert!(!is_gml(""));
    }
}
