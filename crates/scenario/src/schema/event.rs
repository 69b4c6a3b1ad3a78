//! Failures and repairs: the `[[event]]` tables of a scenario.

pub(crate) mod tables;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Rate, Time};
use fabricsim_topology::Topology;

pub use self::tables::KINDS;
use self::tables::LossTable;

/// A change of the network at a given time. It takes effect before any packet event of that time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time of the event.
    pub at: Time,
    /// Kind of the event.
    pub kind: EventKind,
}

/// Kind of a network event.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub enum EventKind {
    /// A link fails; packets on it and packets that wait for it are lost.
    LinkDown(LinkName),
    /// A link works again, with its original rate.
    LinkUp(LinkName),
    /// Packets that leave later use this rate, in both directions of a link.
    LinkRate(LinkName, Rate),
    /// A link loses each packet with this probability; 0 ends it.
    LinkLoss(LinkName, f64),
    /// A switch fails, and all its links with it.
    SwitchDown(NodeId),
    /// A switch works again, with all its links that have not failed themselves.
    SwitchUp(NodeId),
}

/// A link, named by the nodes at its ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct LinkName {
    /// The two nodes, in any order.
    pub ends: [NodeId; 2],
    /// Index of the link among several links between the two nodes, from 0 in the order of the
    /// topology; `None` means all of them.
    pub index: Option<u32>,
}

/// Returns `true` if the directions of link `number` have different rates.
fn is_uneven(topology: &Topology, number: u32) -> bool {
    let link = &topology.links()[number as usize];
    [link.a, link.b].into_iter().any(|node| {
        let mut ports = topology.ports(node).iter();
        ports.any(|port| port.link == number && port.rate != link.rate)
    })
}

impl Event {
    /// Checks that `topology` has the nodes and links of the event, and that its values have a
    /// meaning.
    ///
    /// # Errors
    /// Fails if not; the error has the key, a message and help.
    pub fn validate(&self, topology: &Topology) -> Result<(), ConfigError> {
        if self.at >= Time::HORIZON {
            return Err(ConfigError::new(
                "at",
                format!("{} is beyond the end of simulated time, 53 days", self.at),
                "give an earlier time",
            ));
        }
        match self.kind {
            EventKind::LinkDown(link) | EventKind::LinkUp(link) => link.find(topology).map(drop),
            EventKind::LinkRate(link, rate) => {
                let links = link.find(topology)?;
                if let Some(&number) = links.iter().find(|&&number| is_uneven(topology, number)) {
                    let ends = topology.links()[number as usize];
                    return Err(ConfigError::new(
                        "rate",
                        format!(
                            "the link of {} and {} has two rates, one for each direction",
                            topology.label(ends.a),
                            topology.label(ends.b)
                        ),
                        "leave the event out, or give both directions of the link one rate",
                    ));
                }
                // Buffers are sized for the original rate, so a link cannot become faster.
                let own = links
                    .iter()
                    .map(|&number| topology.links()[number as usize].rate);
                match own.min() {
                    Some(own) if rate > own => Err(ConfigError::new(
                        "rate",
                        format!("the link is built for {own}, and its buffers with it"),
                        "give a lower rate; `link-up` restores the link's own",
                    )),
                    _ => Ok(()),
                }
            }
            EventKind::LinkLoss(link, loss) => {
                link.find(topology)?;
                LossTable::with_required(self.at, Vec::new(), loss).validate_ranges()
            }
            EventKind::SwitchDown(switch) | EventKind::SwitchUp(switch) => {
                if topology.switches().any(|node| node == switch) {
                    return Ok(());
                }
                let what = if switch.index() < topology.len() {
                    format!("{} is a host", topology.label(switch))
                } else {
                    format!("node {switch} does not exist")
                };
                let switches: Vec<NodeId> = topology.switches().collect();
                let help = match (switches.first(), switches.last()) {
                    (Some(only), Some(_)) if switches.len() == 1 => {
                        format!("the only switch here is {}", topology.label(*only))
                    }
                    (Some(first), Some(last)) => {
                        let [first, last] = [first, last].map(|switch| topology.label(*switch));
                        format!("give a switch; they are {first} to {last} here")
                    }
                    _ => "this network has no switches; fail a link instead".to_owned(),
                };
                Err(ConfigError::new("switch", what, help))
            }
        }
    }

    /// Returns the event as written to `summary.json`.
    pub(crate) fn value(&self) -> serde_json::Value {
        let link = |kind: &str, link: LinkName| {
            let mut value = serde_json::json!({
                "kind": kind,
                "at": self.at,
                "link": link.ends,
            });
            if let Some(index) = link.index {
                value["index"] = index.into();
            }
            value
        };
        let switch = |kind: &str, switch: NodeId| serde_json::json!({ "kind": kind, "at": self.at, "switch": switch });
        match self.kind {
            EventKind::LinkDown(name) => link("link-down", name),
            EventKind::LinkUp(name) => link("link-up", name),
            EventKind::LinkRate(name, rate) => {
                let mut value = link("link-rate", name);
                value["rate"] = rate.to_string().into();
                value
            }
            EventKind::LinkLoss(name, loss) => {
                let mut value = link("link-loss", name);
                value["loss"] = loss.into();
                value
            }
            EventKind::SwitchDown(node) => switch("switch-down", node),
            EventKind::SwitchUp(node) => switch("switch-up", node),
        }
    }
}

impl EventKind {
    /// Returns the new rate of a link, if the event sets one.
    #[must_use]
    pub const fn rate(&self) -> Option<Rate> {
        match self {
            Self::LinkRate(_, rate) => Some(*rate),
            _ => None,
        }
    }
}

impl LinkName {
    /// Names all links between two nodes.
    #[must_use]
    pub const fn between(a: NodeId, b: NodeId) -> Self {
        Self {
            ends: [a, b],
            index: None,
        }
    }

    /// Finds the links by their indices in [`Topology::links`], ascending.
    ///
    /// # Errors
    /// Fails if there are none.
    pub fn find(&self, topology: &Topology) -> Result<Vec<u32>, ConfigError> {
        let [a, b] = self.ends;
        for node in self.ends {
            if node.index() >= topology.len() {
                return Err(ConfigError::new(
                    "link",
                    format!("there is no node {node}"),
                    format!("the nodes here are 0 to {}", topology.len() - 1),
                ));
            }
        }
        let ports = topology.ports(a).iter();
        let joining: Vec<u32> = ports
            .filter(|port| port.peer == b)
            .map(|port| port.link)
            .collect();
        if joining.is_empty() {
            return Err(ConfigError::new(
                "link",
                format!(
                    "no link joins {} and {}",
                    topology.label(a),
                    topology.label(b)
                ),
                format!(
                    "{} has links to {}",
                    topology.label(a),
                    neighbors(topology, a)
                ),
            ));
        }
        let Some(index) = self.index else {
            return Ok(joining);
        };
        match joining.get(index as usize) {
            Some(&link) => Ok(vec![link]),
            None => Err(ConfigError::new(
                "index",
                format!(
                    "{} and {} have no link {index}",
                    topology.label(a),
                    topology.label(b)
                ),
                format!("they are joined by {}, counted from 0", joining.len()),
            )),
        }
    }
}

/// Formats the first few neighbors of `node`.
fn neighbors(topology: &Topology, node: NodeId) -> String {
    const SHOWN: usize = 8;
    let mut peers: Vec<NodeId> = topology.ports(node).iter().map(|port| port.peer).collect();
    peers.sort_unstable_by_key(|&peer| (topology.is_host(peer), peer));
    peers.dedup();
    let mut text: Vec<String> = peers
        .iter()
        .take(SHOWN)
        .map(|&peer| topology.label(peer))
        .collect();
    if peers.len() > SHOWN {
        text.push(format!("{} more", peers.len() - SHOWN));
    }
    text.join(", ")
}
