//! Errors that make a list of links unfit for simulation.

use fabricsim_base::id::NodeId;
use fabricsim_base::limits::{MAX_LINK_DELAY, MAX_RATE, MIN_RATE};
use fabricsim_base::units::{Duration, Rate};

use crate::limits::{MAX_LINKS, MAX_NODES, MAX_PORTS};

/// Reason why nodes and links do not form a topology. `link` is an index into the list of links.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TopologyError {
    /// There is no host, so nothing can be sent.
    #[error("there is no host")]
    NoHosts,
    /// More than [`MAX_NODES`] nodes.
    #[error("{count} nodes are more than the {MAX_NODES} that a topology can have")]
    TooManyNodes {
        /// Number of nodes requested.
        count: u64,
    },
    /// More than [`MAX_LINKS`] links.
    #[error("{count} links are more than the {MAX_LINKS} that a topology can have")]
    TooManyLinks {
        /// Number of links requested.
        count: u64,
    },
    /// A link names a node that does not exist.
    #[error("link {link} names node {node}, which does not exist")]
    UnknownNode {
        /// Index of the link.
        link: usize,
        /// The missing node.
        node: NodeId,
    },
    /// A link joins a node with itself.
    #[error("link {link} joins node {node} with itself")]
    SelfLoop {
        /// Index of the link.
        link: usize,
        /// The node at both ends.
        node: NodeId,
    },
    /// A link has no propagation delay.
    #[error("link {link} has a delay of zero: the window engine needs a delay of at least 1ps")]
    ZeroDelay {
        /// Index of the link.
        link: usize,
    },
    /// A link has a longer propagation delay than can be simulated.
    #[error(
        "link {link} has a delay of {delay}, more than the {MAX_LINK_DELAY} that a link can have"
    )]
    LongDelay {
        /// Index of the link.
        link: usize,
        /// The given delay.
        delay: Duration,
    },
    /// A link has a lower or higher rate than can be simulated.
    #[error("link {link} has a rate of {rate}, which is not between {MIN_RATE} and {MAX_RATE}")]
    Rate {
        /// Index of the link.
        link: usize,
        /// The given rate.
        rate: Rate,
    },
    /// A link's loss is not a probability.
    #[error("link {link} has a loss of {loss}, which is not a probability from 0 to 1")]
    Loss {
        /// Index of the link.
        link: usize,
        /// The given loss.
        loss: f64,
    },
    /// A node has more than [`MAX_PORTS`] links.
    #[error("node {node} has more than the {MAX_PORTS} links that a node can have")]
    TooManyPorts {
        /// The node.
        node: NodeId,
    },
    /// A node has no link.
    #[error("node {node} has no link")]
    Isolated {
        /// The node.
        node: NodeId,
    },
    /// The number of names differs from the number of nodes.
    #[error("{names} names are not one for each of {nodes} nodes")]
    Names {
        /// Number of names given.
        names: usize,
        /// Number of nodes in the topology.
        nodes: usize,
    },
    /// A text is not a valid name of a node.
    #[error("node {node} cannot be called `{name}`: names have letters, digits and _-./:")]
    Name {
        /// The node.
        node: NodeId,
        /// The invalid name.
        name: String,
    },
    /// Two nodes have the same name.
    #[error("nodes {a} and {b} are both called `{name}`")]
    SameName {
        /// One of the nodes.
        a: NodeId,
        /// The other node.
        b: NodeId,
        /// The name.
        name: String,
    },
    /// No chain of links joins two hosts.
    #[error("hosts {a} and {b} cannot reach each other: no chain of links joins them")]
    Disconnected {
        /// One of the hosts.
        a: NodeId,
        /// The other host.
        b: NodeId,
    },
}
