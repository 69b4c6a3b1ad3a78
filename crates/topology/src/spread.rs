//! Expected load of links under traffic between hosts. The equal next hops of each hop get equal
//! shares, as with ECMP hashes on average.

mod classes;
mod flow;
mod hosts;

use fabricsim_base::id::NodeId;

use crate::graph::Topology;
use classes::Classes;
use hosts::Ends;

/// Maximum number of steps (classes of destinations x ways between classes) of a computation.
const MOST_STEPS: u64 = 20_000_000;

/// Traffic between hosts, in any unit. Hosts are given by their index in [`Topology::hosts`].
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// Traffic between all hosts.
    pub terms: Vec<Term>,
    /// Traffic between two hosts: from, to, amount.
    pub pairs: Vec<(usize, usize, f64)>,
}

/// Traffic from each host to every other host: the product of the sender's and the receiver's
/// factor.
#[derive(Clone, Debug, Default)]
pub struct Term {
    /// A factor for each host as a sender.
    pub sent: Vec<f64>,
    /// A factor for each host as a receiver.
    pub taken: Vec<f64>,
}

/// Expected traffic on each link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLoads {
    /// For each of [`Topology::links`], the traffic from its `a` to its `b`, and back.
    pub loads: Vec<[f64; 2]>,
}

/// Reason why the load of links cannot be computed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NoSpread {
    /// Two hosts are linked to each other.
    LinkedHosts(NodeId, NodeId),
    /// The network is large, and too few of its switches are equivalent.
    TooLarge {
        /// Number of classes of equivalent switches and groups of hosts.
        classes: usize,
    },
}

/// Computes the expected traffic on each link of `topology` under `demand`.
///
/// The result is exact if next hops are chosen independently at each hop. Switches with the same
/// neighbors and the same traffic are counted once, so fabrics of tens of thousands of hosts take
/// milliseconds. If hardly any two switches are equivalent, networks of more than a few thousand
/// switches are rejected.
///
/// # Errors
/// Fails if the computation does not support the topology, or would take too long.
pub fn spread(topology: &Topology, demand: &Demand) -> Result<LinkLoads, NoSpread> {
    let ends = Ends::of(topology, demand)?;
    let classes = Classes::of(topology, demand, &ends);
    let steps = classes.destinations() * classes.ways();
    if steps > MOST_STEPS {
        return Err(NoSpread::TooLarge {
            classes: classes.len(),
        });
    }
    let carried = flow::carried(&classes);
    let mut loads = LinkLoads {
        loads: vec![[0.0; 2]; topology.links().len()],
    };
    classes.expand(topology, &ends, &carried, &mut loads);
    hosts::add_own_links(topology, demand, &ends, &mut loads);
    Ok(loads)
}
