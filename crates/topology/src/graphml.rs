//! GraphML and GML, the formats of the Internet Topology Zoo.
//!
//! GraphML is XML: a `graph` of `node`s with an `id` and `edge`s with a `source` and a `target`.
//! `data` elements give nodes attributes with names that `key` elements declare; we use only
//! `Latitude`, `Longitude` and labels.

mod components;
mod elements;
mod gml;
mod labels;
mod nodes;
mod places;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::settings;
use fabricsim_base::units::Rate;
use roxmltree::Document;

use crate::builder::{Backbone, Coordinates, Hosts, LinkDelay, some_delay};
use crate::graph::Topology;
use crate::names::NodeNames;
use components::refuse_parts;
use elements::{graph_of, offset, opening};
use labels::read_labels;
use nodes::{Nodes, read_edges};
use places::read_places;

settings! {
    /// A network of switches that a GraphML or GML file describes, with hosts at each switch.
    ///
    /// Each node of the file is a switch. Several edges between the same two nodes, in any
    /// direction, become one link, and edges from a node to itself are ignored. Nodes are numbered
    /// hosts of the first switch, hosts of the second, ..., then the switches, in the order of the
    /// file. The label of a switch is its name, with `_` for blanks, unless another node has the
    /// same label.
    pub struct GraphmlConfig {
        /// The file, relative to the scenario.
        pub path: PathBuf = required,
        /// Rate of every link.
        pub rate: Rate = "100Gbps",
        /// One-way delay of every link, or "geographic": 5us for each km between Latitude and
        /// Longitude of its ends.
        pub delay: LinkDelay = "1ms",
        /// Hosts at each switch.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_switch: u32 = 1,
    }
}

impl GraphmlConfig {
    /// Creates the configuration of the file at `path`, with 100 Gbps and 1 ms for all links and
    /// one host at each switch.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_required(path.into())
    }

    /// Checks the settings that are wrong for any file.
    ///
    /// # Errors
    /// Fails if there are no hosts, or the delay is zero.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        match self.delay {
            LinkDelay::Fixed(delay) => some_delay("delay", delay),
            LinkDelay::Geographic => Ok(()),
        }
    }

    /// Reads the network from `text`, the content of the file.
    ///
    /// # Errors
    /// Returns the first error with its position: text that is neither XML nor GML, a missing
    /// graph, a missing or repeated id of a node, an edge to an unknown node, a graph without links
    /// or in several parts, or too many hosts. If delays depend on coordinates, also missing or
    /// impossible coordinates.
    pub fn read(&self, text: &str) -> Result<Topology, InputError> {
        let graph = match gml::is_gml(text) {
            true => gml::read(text, &self.delay)?,
            false => self.read_xml(text)?,
        };
        self.network(graph)
    }

    /// Reads a GraphML file.
    fn read_xml(&self, text: &str) -> Result<Graph, InputError> {
        let document = Document::parse(text).map_err(|error| {
            let at = offset(text, error.pos());
            let message = format!("this is not XML: {error}");
            InputError::new(
                at..at,
                message,
                "give a GraphML file or a GML file, such as one of the Internet Topology Zoo",
            )
        })?;
        let graph = graph_of(&document)?;
        let nodes = Nodes::read(graph)?;
        let links = read_edges(graph, &nodes)?;
        Ok(Graph {
            coordinates: match self.delay {
                LinkDelay::Fixed(_) => Vec::new(),
                LinkDelay::Geographic => read_places(&document, graph)?,
            },
            labels: read_labels(&document, graph),
            links,
            whole: graph.range(),
            beginning: opening(graph),
            places: nodes.places,
        })
    }

    /// Builds the network of a graph.
    fn network(&self, graph: Graph) -> Result<Topology, InputError> {
        refuse_parts(graph.whole, &graph.places, &graph.links)?;
        let at = &graph.coordinates;
        let delay = |&(a, b): &(u32, u32)| match self.delay {
            LinkDelay::Fixed(delay) => delay,
            LinkDelay::Geographic => at[a as usize].delay_to(at[b as usize]),
        };
        let links = graph.links.iter();
        let backbone = Backbone {
            switches: NodeId::from_index(graph.places.len()).0,
            links: links.map(|link| (link.0, link.1, delay(link))).collect(),
        };
        let hosts = Hosts {
            per_switch: self.hosts_per_switch,
            delay: self.delay.of_hosts(),
        };
        let topology = backbone.with_hosts(hosts, self.rate).map_err(|error| {
            let help = format!("{} `{}`", error.help, error.key);
            InputError::new(graph.beginning.clone(), error.message, help)
        })?;
        Ok(with_labels(topology, graph.labels))
    }
}

/// A graph of switches, read from either format.
#[derive(Debug)]
struct Graph {
    /// Byte range of each switch in the file.
    places: Vec<Range<usize>>,
    /// Names of switches.
    labels: Vec<Option<String>>,
    /// Coordinates of switches; empty if delays do not depend on them.
    coordinates: Vec<Coordinates>,
    /// Pairs of linked switches, each once, in the order in which the file first lists them.
    links: Vec<(u32, u32)>,
    /// Byte range of the graph in the file, and (`beginning`) of its opening.
    whole: Range<usize>,
    beginning: Range<usize>,
}

/// Renames the switches to `labels`, except for labels that another node already has as its name.
fn with_labels(topology: Topology, labels: Vec<Option<String>>) -> Topology {
    let given = |node: NodeId| topology.name(node).to_owned();
    let own: BTreeSet<String> = (0..topology.len())
        .map(|node| given(NodeId::from_index(node)))
        .collect();
    let hosts = topology.hosts().iter().map(|&host| given(host));
    let switches = topology.switches().zip(labels).map(|(switch, label)| {
        let label = label.filter(|label| !own.contains(label));
        label.unwrap_or_else(|| given(switch))
    });
    let names = NodeNames::of(hosts.chain(switches));
    topology.called(names)
}

#[cfg(test)]
mod tests;
