//! The names of nodes at the end of a link list.

use std::ops::Range;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;
use rustc_hash::FxHashMap;

use super::words::NumberReader;
use crate::error::TopologyError;
use crate::graph::Topology;
use crate::node_finder::is_name;

/// The word before the names.
pub(super) const BEGIN: &str = "names";

/// Names of nodes, with their positions in the file.
pub(super) struct GivenNames {
    given: FxHashMap<NodeId, (String, Range<usize>)>,
    all: Range<usize>,
}

impl GivenNames {
    /// Reads pairs `node name` up to the end of the file.
    pub(super) fn read(words: &mut NumberReader<'_>, nodes: u32) -> Result<Self, InputError> {
        const HELP: &str = "write a node and its name on each line, such as `320 rack0/tor`";
        let mut given = FxHashMap::default();
        let mut all: Option<Range<usize>> = None;
        while let Some(number) = words.next() {
            let node = number.node(nodes)?;
            let name = words.need(&format!("the name of node {node}"), HELP)?;
            if !is_name(name.text) {
                let message = format!("node {node} cannot be called `{}`", name.text);
                let help = "write up to 100 letters, digits and `_`, `-`, `.`, `/` and `:`, with a letter among them";
                return Err(name.wrong(message, help));
            }
            let start = all.map_or(number.span.start, |all| all.start);
            all = Some(start..name.span.end);
            let text = name.text.to_owned();
            if given.insert(node, (text, name.span)).is_some() {
                let message = format!("node {node} has a name already");
                return Err(number.wrong(message, "name each node once"));
            }
        }
        Ok(Self {
            given,
            all: all.unwrap_or(0..0),
        })
    }

    /// Names the nodes of `topology`; nodes without a name keep kind and number.
    pub(super) fn give(self, topology: Topology) -> Result<Topology, InputError> {
        let nodes = (0..topology.len()).map(NodeId::from_index);
        let names: Vec<String> = nodes
            .map(|node| match self.given.get(&node) {
                Some((name, _)) => name.clone(),
                None => topology.name(node).to_owned(),
            })
            .collect();
        topology.with_names(&names).map_err(|error| {
            let place = match &error {
                TopologyError::SameName { a, b, .. } => {
                    self.given.get(b).or_else(|| self.given.get(a))
                }
                _ => None,
            };
            let span = place.map_or_else(|| self.all.clone(), |(_, span)| span.clone());
            InputError::new(span, error.to_string(), "give each node its own name")
        })
    }
}
