//! GraphML, the format of the Internet Topology Zoo.
//!
//! A `graph` of `node`s with an `id` and `edge`s with a `source` and a `target`; `data` gives nodes
//! attributes, whose names `key`s declare. Of these only `Latitude` and `Longitude` are looked at.

mod components;
mod elements;
mod labels;
mod nodes;
mod places;

use std::collections::BTreeSet;
use std::path::PathBuf;

use fabricsim_core::id::NodeId;
use fabricsim_core::input::{ConfigError, InputError};
use fabricsim_core::settings;
use fabricsim_core::units::{Duration, Rate};
use roxmltree::Document;

use crate::builder::{Backbone, Hosts, LinkDelay, some_delay};
use crate::graph::Topology;
use crate::names::NodeNames;
use components::refuse_parts;
use elements::{graph_of, offset, wrong};
use labels::read_labels;
use nodes::{Nodes, read_edges};
use places::read_places;

settings! {
    /// A network of switches that a GraphML file describes, with hosts at each switch.
    ///
    /// Each node of the file is a switch. Several edges between the same two, in any direction, are
    /// one link, and edges from a node to itself are left out. Nodes are numbered hosts of the
    /// first switch, hosts of the second, ..., then the switches, in the order of the file. Switches
    /// have their labels as names, with `_` for blanks, where no other node has the same.
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
    /// The network of the file at `path`, with 100 Gbps and 1 ms for all links and a host at each
    /// switch.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_required(path.into())
    }

    /// Refuses what no file could make good.
    ///
    /// # Errors
    /// No hosts, or a delay of zero.
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
    /// The first error with its place: text that is no XML or no GraphML, a node without or with
    /// another's name, an edge to no node, a graph without links or in several parts, places on the
    /// map that are missing or impossible where delays follow from them, more hosts than there can
    /// be.
    pub fn read(&self, text: &str) -> Result<Topology, InputError> {
        let document = Document::parse(text).map_err(|error| {
            let at = offset(text, error.pos());
            let message = format!("this is not XML: {error}");
            InputError::new(
                at..at,
                message,
                "give a GraphML file, such as one of the Internet Topology Zoo",
            )
        })?;
        let graph = graph_of(&document)?;
        let nodes = Nodes::read(graph)?;
        let pairs = read_edges(graph, &nodes)?;
        refuse_parts(graph, &nodes.places, &pairs)?;
        let delays: Vec<Duration> = match self.delay {
            LinkDelay::Fixed(delay) => vec![delay; pairs.len()],
            LinkDelay::Geographic => {
                let places = read_places(&document, graph)?;
                let delay = |&(a, b): &(u32, u32)| places[a as usize].delay_to(places[b as usize]);
                pairs.iter().map(delay).collect()
            }
        };
        let links = pairs.iter().zip(delays);
        let backbone = Backbone {
            switches: nodes.count(),
            links: links.map(|(&(a, b), delay)| (a, b, delay)).collect(),
        };
        let hosts = Hosts {
            per_switch: self.hosts_per_switch,
            delay: self.delay.of_hosts(),
        };
        let topology = backbone.with_hosts(hosts, self.rate).map_err(|error| {
            wrong(
                graph,
                error.message,
                format!("{} `{}`", error.help, error.key),
            )
        })?;
        Ok(with_labels(topology, read_labels(&document, graph)))
    }
}

/// The same network, whose switches have `labels` as names, unless a node is called so already.
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
