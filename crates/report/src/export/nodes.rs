//! Kinds of nodes, from a `topology.csv`.

use std::collections::{BTreeMap, BTreeSet};

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;

use crate::table::read_columns;

/// The switches of a network, and the neighbors of all ports.
#[derive(Debug)]
pub(super) struct Nodes {
    switches: BTreeSet<NodeId>,
    peers: BTreeMap<(NodeId, PortId), NodeId>,
}

impl Nodes {
    pub(super) fn read(text: &str) -> Result<Self, InputError> {
        let columns = ["node", "kind", "port", "peer"];
        let rows = read_columns(text, "topology.csv", columns, |[node, kind, port, peer]| {
            let is_switch = match kind.text {
                "switch" => true,
                "host" => false,
                other => {
                    let message = format!("`{other}` does not fit `kind`");
                    return Err(kind.error(message, "write `host` or `switch`"));
                }
            };
            Ok((
                NodeId(node.integer("node")?),
                is_switch,
                PortId(port.integer("port")?),
                NodeId(peer.integer("peer")?),
            ))
        })?;
        let switches = rows.iter().filter(|row| row.1).map(|row| row.0);
        Ok(Self {
            switches: switches.collect(),
            peers: rows.iter().map(|row| ((row.0, row.2), row.3)).collect(),
        })
    }

    pub(super) fn is_switch(&self, node: NodeId) -> bool {
        self.switches.contains(&node)
    }

    /// Returns the ports from switches with hosts to other switches.
    pub(super) fn uplinks(&self) -> BTreeSet<(NodeId, PortId)> {
        let racks: BTreeSet<NodeId> = (self.peers.iter())
            .filter(|((node, _), peer)| self.is_switch(*node) && !self.is_switch(**peer))
            .map(|((node, _), _)| *node)
            .collect();
        let is_uplink = |((node, _), peer): &(&(NodeId, PortId), &NodeId)| {
            racks.contains(node) && self.is_switch(**peer)
        };
        self.peers
            .iter()
            .filter(is_uplink)
            .map(|(port, _)| *port)
            .collect()
    }
}
