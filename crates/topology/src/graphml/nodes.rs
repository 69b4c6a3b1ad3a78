//! The nodes of a graph and the links between them.

use std::ops::Range;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;
use roxmltree::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use super::elements::{Named, attribute, opening, wrong};
use crate::limits::MAX_NODES;

/// The switches of a graph.
pub(super) struct Nodes<'a> {
    /// The number of the switch with each id.
    numbers: FxHashMap<&'a str, u32>,
    /// Byte range of each switch in the file.
    pub(super) places: Vec<Range<usize>>,
}

impl<'a> Nodes<'a> {
    pub(super) fn read(graph: Node<'a, '_>) -> Result<Self, InputError> {
        let mut nodes = Self {
            numbers: FxHashMap::default(),
            places: Vec::new(),
        };
        for element in graph.descendants() {
            if element.has_tag_name_of("hyperedge") {
                let help = "write it as an <edge> for each two of its nodes";
                return Err(wrong(element, "links join two nodes, not more", help));
            }
            if !element.has_tag_name_of("node") {
                continue;
            }
            let id = attribute(element, "id", "give each node an id of its own")?;
            let number = nodes.count();
            if number == MAX_NODES {
                let message = format!("there are more than {MAX_NODES} nodes");
                return Err(wrong(element, message, "use a smaller network"));
            }
            if nodes.numbers.insert(id, number).is_some() {
                let message = format!("there is another node `{id}`");
                return Err(wrong(element, message, "give each node an id of its own"));
            }
            nodes.places.push(opening(element));
        }
        if nodes.places.is_empty() {
            return Err(wrong(
                graph,
                "the graph has no <node>",
                "give a graph with nodes",
            ));
        }
        Ok(nodes)
    }

    pub(super) fn count(&self) -> u32 {
        NodeId::from_index(self.places.len()).0
    }

    /// Returns the number of the node at one end of an edge.
    fn end(&self, edge: Node<'_, '_>, name: &str) -> Result<u32, InputError> {
        let help = "give an edge the ids of two nodes, in `source` and `target`";
        let id = attribute(edge, name, help)?;
        self.numbers.get(id).copied().ok_or_else(|| {
            wrong(
                edge,
                format!("there is no node `{id}`, the {name} of this edge"),
                help,
            )
        })
    }
}

/// Returns the links in the order in which the file first lists them.
pub(super) fn read_edges(
    graph: Node<'_, '_>,
    nodes: &Nodes<'_>,
) -> Result<Vec<(u32, u32)>, InputError> {
    let mut links = Vec::new();
    let mut seen = FxHashSet::default();
    let mut loops = 0u32;
    for edge in graph
        .descendants()
        .filter(|element| element.has_tag_name_of("edge"))
    {
        let (a, b) = (nodes.end(edge, "source")?, nodes.end(edge, "target")?);
        if a == b {
            loops += 1;
        } else if seen.insert((a.min(b), a.max(b))) {
            links.push((a, b));
        }
    }
    if links.is_empty() && nodes.count() > 1 {
        let left_out = match loops {
            0 => String::new(),
            _ => format!(" but for {loops} from a node to itself"),
        };
        let message = format!("the graph has no <edge>{left_out}");
        return Err(wrong(graph, message, "add edges that join all nodes"));
    }
    Ok(links)
}
