//! Expected distribution over links of the traffic between hosts: each hop's equal next hops take
//! equal shares, as ECMP's hashes do on average.

mod classes;
mod flow;
mod hosts;

use fabricsim_base::id::NodeId;

use crate::graph::Topology;
use classes::Classes;
use hosts::Ends;

/// The most steps (a class of destinations times a way between classes of nodes) that are worth it.
const MOST_STEPS: u64 = 20_000_000;

/// Traffic between hosts, in any unit. Hosts are meant by their positions in [`Topology::hosts`].
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// Traffic between all hosts.
    pub terms: Vec<Term>,
    /// Traffic between two hosts: from, to, how much.
    pub pairs: Vec<(usize, usize, f64)>,
}

/// Traffic from each host to each other one: what the one sends by what the other takes.
#[derive(Clone, Debug, Default)]
pub struct Term {
    /// A factor for each host as a sender.
    pub sent: Vec<f64>,
    /// A factor for each host as a receiver.
    pub taken: Vec<f64>,
}

/// Traffic that each link carries.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLoads {
    /// For each of [`Topology::links`]: from its `a` to its `b`, and back.
    pub loads: Vec<[f64; 2]>,
}

/// Why the traffic of links is not known.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NoSpread {
    /// Two hosts are linked to each other.
    LinkedHosts(NodeId, NodeId),
    /// The network is large, and too few of its switches are alike.
    TooLarge {
        /// Switches and groups of hosts that no other one is like.
        classes: usize,
    },
}

/// The expected traffic of each link of `topology` under `demand`.
///
/// Exact for hosts that choose next hops independently at each hop. Switches with the same
/// neighbors and the same traffic are counted once, so that fabrics of ten thousands of hosts take
/// milliseconds; networks in which hardly any two switches are alike are refused above a few
/// thousand switches.
///
/// # Errors
/// When the topology cannot be counted, or only slowly.
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
