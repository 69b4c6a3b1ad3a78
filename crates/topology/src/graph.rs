//! The graph: nodes, links and the ports at their ends.

use std::ops::Range;
use std::sync::Arc;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::limits::{MAX_LINK_DELAY, MAX_RATE, MIN_RATE};
use fabricsim_base::units::{Duration, Rate};

use crate::error::TopologyError;
use crate::limits::{MAX_LINKS, MAX_NODES, MAX_PORTS};
use crate::names::NodeNames;
use crate::node_kind::NodeKind;

/// A full-duplex link. Both directions have the same delay and loss, and the same rate unless one
/// of the [ports](Port) overrides it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub a: NodeId,
    /// The other end.
    pub b: NodeId,
    /// Bits per second, in each direction.
    pub rate: Rate,
    /// One-way propagation delay, at least 1 ps.
    pub delay: Duration,
    /// Probability that the link loses a packet, 0 to 1.
    pub loss: f64,
}

/// One end of a link, seen from the node there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Port {
    /// The node at the other end.
    pub peer: NodeId,
    /// The port at the other end.
    pub peer_port: PortId,
    /// Rate at which the node sends, in bits per second.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Duration,
    /// Probability that the link loses a packet, 0 to 1.
    pub loss: f64,
    /// Position of the link in [`Topology::links`].
    pub link: u32,
}

/// A network that is fit for simulation: a chain of links joins all nodes.
///
/// Cloning is cheap because clones share all lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    pub(crate) kinds: Arc<[NodeKind]>,
    pub(crate) hosts: Arc<[NodeId]>,
    pub(crate) links: Arc<[Link]>,
    /// Ports of node `n` are `ports[first_port[n]..first_port[n + 1]]`.
    pub(crate) first_port: Arc<[usize]>,
    pub(crate) ports: Arc<[Port]>,
    pub(crate) names: NodeNames,
    /// From the hosts up; empty if tiers have no specific names.
    pub(crate) tier_names: Arc<[String]>,
    /// Numbers of the switches inside servers.
    pub(crate) inner: Range<u32>,
    /// `true` if links between hosts stay inside of servers.
    pub(crate) linked_servers: bool,
    /// Numbers of the aggregators.
    pub(crate) aggregators: Range<u32>,
    /// Number of trees of collectives that each aggregator has room for.
    pub(crate) trees: u32,
    /// Time of a packet's way through a host that forwards it; `None` if hosts do not forward.
    pub(crate) forwarding: Option<Duration>,
}

impl Topology {
    /// Like [`Topology::new`], but without the check that hosts can reach each other.
    pub(crate) fn unchecked(kinds: Vec<NodeKind>, links: Vec<Link>) -> Result<Self, TopologyError> {
        if kinds.len() > MAX_NODES as usize {
            return Err(TopologyError::TooManyNodes {
                count: kinds.len() as u64,
            });
        }
        if links.len() > MAX_LINKS as usize {
            return Err(TopologyError::TooManyLinks {
                count: links.len() as u64,
            });
        }
        let hosts: Arc<[NodeId]> = (0..kinds.len())
            .filter(|&n| kinds[n] == NodeKind::Host)
            .map(NodeId::from_index)
            .collect();
        if hosts.is_empty() {
            return Err(TopologyError::NoHosts);
        }
        let first_port = first_ports(kinds.len(), &links)?;
        let ports = list_ports(&first_port, &links);
        Ok(Self {
            names: NodeNames::by_number(&kinds),
            tier_names: Arc::default(),
            inner: 0..0,
            linked_servers: false,
            aggregators: 0..0,
            trees: 0,
            forwarding: None,
            kinds: kinds.into(),
            hosts,
            links: links.into(),
            first_port: first_port.into(),
            ports: ports.into(),
        })
    }

    /// Returns the same network with `pass` added to the one-way delay of each host's links, in
    /// both directions: the time through the host's stack. A link between two hosts gets it twice.
    ///
    /// # Errors
    /// Fails if a link then exceeds the maximum delay.
    pub fn with_stack_delay(&self, pass: Duration) -> Result<Self, TopologyError> {
        let delayed = self.links.iter().map(|link| {
            let hosts = [link.a, link.b]
                .into_iter()
                .filter(|&end| self.is_host(end));
            let passes = pass.saturating_mul(hosts.count() as u64);
            Link {
                delay: Duration::from_ps(link.delay.as_ps().saturating_add(passes.as_ps())),
                ..*link
            }
        });
        let delayed = Self::unchecked(self.kinds.to_vec(), delayed.collect())?;
        Ok(Self {
            names: self.names.clone(),
            tier_names: Arc::clone(&self.tier_names),
            inner: self.inner.clone(),
            linked_servers: self.linked_servers,
            aggregators: self.aggregators.clone(),
            trees: self.trees,
            forwarding: self.forwarding,
            ..delayed
        })
    }

    /// Returns the same network with `count` switches, starting at `first`, marked as inside
    /// servers, so that links to them are not NICs.
    pub(crate) fn with_inner_switches(self, first: NodeId, count: u32) -> Self {
        Self {
            inner: first.0..first.0 + count,
            ..self
        }
    }

    /// Returns the same network with links between hosts that are inside of servers, so that they
    /// are not NICs.
    pub(crate) fn with_linked_servers(self) -> Self {
        Self {
            linked_servers: true,
            ..self
        }
    }

    /// Yields the NICs of `host`: its ports except the ports that stay inside its server. If a host
    /// has no other ports, all of them are NICs.
    ///
    /// # Panics
    /// Panics if there is no such node.
    pub fn nics(&self, host: NodeId) -> impl Iterator<Item = &Port> {
        let ports = self.ports(host).iter();
        let stays = |port: &&Port| {
            self.is_inner(port.peer) || self.linked_servers && self.is_host(port.peer)
        };
        let has_others = ports.clone().any(|port| !stays(&port));
        ports.filter(move |port| !has_others || !stays(port))
    }

    /// Returns `true` if `node` is a switch inside a server.
    #[must_use]
    pub fn is_inner(&self, node: NodeId) -> bool {
        self.inner.contains(&node.0)
    }

    /// Returns the hosts, in ascending order.
    #[must_use]
    pub fn hosts(&self) -> &[NodeId] {
        &self.hosts
    }

    /// Yields the switches, in ascending order.
    pub fn switches(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.len())
            .map(NodeId::from_index)
            .filter(|&n| !self.is_host(n))
    }

    /// Returns `true` if `node` is a host or an [aggregator](Self::is_aggregator).
    ///
    /// # Panics
    /// Panics if there is no such node.
    #[inline]
    #[must_use]
    pub fn is_host(&self, node: NodeId) -> bool {
        self.kinds[node.index()] == NodeKind::Host
    }

    /// Returns the number of nodes: hosts and switches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns `false`, because a topology has at least one host.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Sets `rate` at all ports of `node`, for the direction in which it sends.
    pub(crate) fn sending_at(mut self, node: NodeId, rate: Rate) -> Self {
        let own = self.first_port[node.index()]..self.first_port[node.index() + 1];
        let mut ports = self.ports.to_vec();
        for port in &mut ports[own] {
            port.rate = rate;
        }
        self.ports = ports.into();
        self
    }

    /// Yields the rates of all ports: of each link in both directions.
    pub fn rates(&self) -> impl Iterator<Item = Rate> + '_ {
        self.ports.iter().map(|port| port.rate)
    }

    /// Returns the rate that most NICs of hosts have, and the higher one if two rates are as
    /// common; 100 Gbps if there are no hosts.
    #[must_use]
    pub fn commonest_nic_rate(&self) -> Rate {
        let hosts = self.hosts().iter();
        let nics = hosts.flat_map(|&host| self.nics(host));
        let mut rates: Vec<Rate> = nics.map(|port| port.rate).collect();
        rates.sort_unstable();
        rates
            .chunk_by(|a, b| a == b)
            .max_by_key(|same| (same.len(), same[0]))
            .map_or(Rate::from_gbps(100), |same| same[0])
    }

    /// Returns the higher rate of the two directions of the link of `port`.
    ///
    /// # Panics
    /// Panics if `port` does not belong to this topology.
    #[must_use]
    pub fn fastest_rate(&self, port: &Port) -> Rate {
        let back = &self.ports(port.peer)[port.peer_port.index()];
        port.rate.max(back.rate)
    }

    /// Returns the same network with `loss` for links without their own loss.
    #[must_use]
    pub fn with_default_loss(mut self, loss: f64) -> Self {
        let links = Arc::make_mut(&mut self.links).iter_mut();
        let ports = Arc::make_mut(&mut self.ports).iter_mut();
        let losses = links.map(|link| &mut link.loss);
        for own in losses.chain(ports.map(|port| &mut port.loss)) {
            if *own == 0.0 {
                *own = loss;
            }
        }
        self
    }

    /// Returns the links, in their original order.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the ports of `node`; the index into the list is the [`PortId`].
    ///
    /// # Panics
    /// Panics if there is no such node.
    #[inline]
    #[must_use]
    pub fn ports(&self, node: NodeId) -> &[Port] {
        &self.ports[self.first_port[node.index()]..self.first_port[node.index() + 1]]
    }
}

/// Checks each link, and returns the index of each node's first port, followed by the number of
/// ports.
fn first_ports(nodes: usize, links: &[Link]) -> Result<Vec<usize>, TopologyError> {
    let mut degree = vec![0usize; nodes];
    for (index, link) in links.iter().enumerate() {
        for node in [link.a, link.b] {
            if node.index() >= nodes {
                return Err(TopologyError::UnknownNode { link: index, node });
            }
            degree[node.index()] += 1;
            if degree[node.index()] > MAX_PORTS as usize {
                return Err(TopologyError::TooManyPorts { node });
            }
        }
        if link.a == link.b {
            return Err(TopologyError::SelfLoop {
                link: index,
                node: link.a,
            });
        }
        if link.delay == Duration::ZERO {
            return Err(TopologyError::ZeroDelay { link: index });
        }
        if link.delay > MAX_LINK_DELAY {
            return Err(TopologyError::LongDelay {
                link: index,
                delay: link.delay,
            });
        }
        if !(MIN_RATE..=MAX_RATE).contains(&link.rate) {
            return Err(TopologyError::Rate {
                link: index,
                rate: link.rate,
            });
        }
        if !(0.0..=1.0).contains(&link.loss) {
            return Err(TopologyError::Loss {
                link: index,
                loss: link.loss,
            });
        }
    }
    // A node without links can neither send nor forward; it is most likely a wrong number in the
    // list.
    if let Some(node) = degree.iter().position(|&d| d == 0) {
        return Err(TopologyError::Isolated {
            node: NodeId::from_index(node),
        });
    }
    // Prefix sums of the degrees: the ports of all nodes share one list.
    let mut first = Vec::with_capacity(nodes + 1);
    let mut total = 0;
    first.push(0);
    for d in degree {
        total += d;
        first.push(total);
    }
    Ok(first)
}

/// Lists the ports of all nodes, node by node.
fn list_ports(first: &[usize], links: &[Link]) -> Vec<Port> {
    let mut used = vec![0usize; first.len() - 1];
    let mut places = Vec::with_capacity(2 * links.len());
    for (index, link) in (0u32..).zip(links) {
        let [a, b] = [link.a, link.b].map(|node| {
            let port = PortId::from_index(used[node.index()]);
            used[node.index()] += 1;
            (node, port)
        });
        for ((node, port), (peer, peer_port)) in [(a, b), (b, a)] {
            let Link {
                rate, delay, loss, ..
            } = *link;
            let end = Port {
                peer,
                peer_port,
                rate,
                delay,
                loss,
                link: index,
            };
            places.push((first[node.index()] + port.index(), end));
        }
    }
    places.sort_unstable_by_key(|&(place, _)| place);
    places.into_iter().map(|(_, port)| port).collect()
}

#[cfg(test)]
mod tests;
