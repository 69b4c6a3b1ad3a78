//! The shortest paths of packets, link by link.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fabricsim_base::flow::{Ends, FlowKey, FlowRequest, ResolvedPath};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::plugin::quirks::IdealPath;
use fabricsim_topology::{Port, Routes};
use rustc_hash::FxHashMap;

/// Number of paths to one node that are kept if none beats another. This many exist only if all
/// links of a network differ.
const KEPT: usize = 64;

/// Largest number of pairs of a node and a host with stored paths.
const KEPT_PAIRS: usize = 1 << 16;

/// A link on a path, in one direction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Link {
    pub(crate) rate: Rate,
    pub(crate) delay: Duration,
}

/// A path from one node to another.
pub(crate) type Way = Vec<Link>;

/// Paths from one node to another, all with the same number of links.
pub(crate) type Ways = Vec<Way>;

/// The shortest paths of an idle network by its routes, without paths that another path beats at
/// every link.
#[derive(Debug)]
pub(crate) struct IdlePaths {
    routes: Arc<Routes>,
    /// The rule that selects among the shortest paths.
    tried: IdealPath,
    alike: Option<AlikeLinks>,
    /// Paths from a node to a host, or to the address of a NIC.
    known: Mutex<FxHashMap<(NodeId, NodeId), Arc<Ways>>>,
}

/// A network in which all links between switches are alike, and all links of each host are alike,
/// so that its shortest paths need no search.
#[derive(Debug)]
struct AlikeLinks {
    /// A link between switches; `None` if there is none.
    inside: Option<Link>,
}

impl From<&Port> for Link {
    fn from(port: &Port) -> Self {
        Self {
            rate: port.rate,
            delay: port.delay,
        }
    }
}

impl IdlePaths {
    /// Returns the paths by `routes`; under `profile = "ns3-hpcc"`, only the first one of each
    /// pair.
    pub(crate) fn new(routes: Arc<Routes>, tried: IdealPath) -> Self {
        let alike = routes.is_uniform().then(|| AlikeLinks {
            inside: routes.link_between_switches().map(Link::from),
        });
        Self {
            // If links are alike, the first path is as good as any.
            tried: match alike {
                Some(_) => IdealPath::First,
                None => tried,
            },
            routes,
            alike,
            known: Mutex::default(),
        }
    }

    pub(crate) const fn routes(&self) -> &Arc<Routes> {
        &self.routes
    }

    /// Returns the paths of the data of a flow that starts on `own`, and the paths of its ACKs.
    pub(crate) fn of_flow(&self, request: &FlowRequest, own: &ResolvedPath) -> [Ways; 2] {
        if let Some(alike) = &self.alike
            && own.ends == Ends::of_hosts(request)
            && let Some(ways) = self.alike(alike, request, own)
        {
            return ways;
        }
        let key = FlowKey {
            src: own.ends.src,
            dst: own.ends.dst,
            src_port: request.src_port.unwrap_or_default(),
            dst_port: request.dst_port,
        };
        [key, key.reversed()].map(|key| self.of(&key))
    }

    /// Returns the path of a flow between hosts and the reverse path if links are `alike`.
    fn alike(
        &self,
        alike: &AlikeLinks,
        request: &FlowRequest,
        own: &ResolvedPath,
    ) -> Option<[Ways; 2]> {
        let topology = self.routes.topology();
        let (src, dst) = (topology.ports(request.src), topology.ports(request.dst));
        let back = match dst.len() {
            1 => PortId::from_index(0),
            _ => *self.routes.nics(request.dst, request.src).first()?,
        };
        let (out, back) = (src.get(own.nic.index())?, dst.get(back.index())?);
        let other_end = |port: &Port| &topology.ports(port.peer)[port.peer_port.index()];
        let way = |up: &Port, down: &Port| -> Option<Ways> {
            let mut way = Vec::with_capacity(usize::from(own.path.switches) + 1);
            way.push(Link::from(up));
            if let Some(inside) = own.path.switches.checked_sub(1) {
                for _ in 0..inside {
                    way.push(alike.inside?);
                }
                way.push(Link::from(down));
            }
            Some(vec![way])
        };
        Some([way(out, other_end(back))?, way(back, other_end(out))?])
    }

    /// Returns the paths of packets with `key`. Packets between the addresses of NICs leave by the
    /// NIC of their source address.
    pub(crate) fn of(&self, key: &FlowKey) -> Ways {
        let routes = &self.routes;
        let (src, dst) = (routes.host_of(key.src), routes.host_of(key.dst));
        let nics = if (src, dst) == (key.src, key.dst) {
            routes.nics(src, dst)
        } else {
            routes.nic_port(key).into_iter().collect()
        };
        let mut found = Ways::new();
        for nic in nics.into_iter().take(self.most()) {
            let port = &routes.topology().ports(src)[nic.index()];
            match port.peer == dst {
                true => add(&mut found, vec![Link::from(port)]),
                false => spread(
                    Link::from(port),
                    &self.beyond(port.peer, key.dst),
                    &mut found,
                    Order::Before,
                ),
            }
        }
        found
    }

    /// Returns the paths from `node` to `dst`, a host or the address of a NIC.
    fn beyond(&self, node: NodeId, dst: NodeId) -> Arc<Ways> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&(node, dst)) {
            return Arc::clone(found);
        }
        let found = Arc::new(self.search(node, dst));
        let mut known = known();
        if known.len() >= KEPT_PAIRS {
            known.clear();
        }
        known.insert((node, dst), Arc::clone(&found));
        found
    }

    /// Extends all shortest paths together, hop by hop. All paths to a node have the same length,
    /// so each node is on one level.
    fn search(&self, node: NodeId, dst: NodeId) -> Ways {
        let routes = &self.routes;
        let end = routes.host_of(dst);
        let mut level = BTreeMap::from([(node, vec![Way::new()])]);
        while level.keys().any(|&node| node != end) {
            let mut next: BTreeMap<NodeId, Ways> = BTreeMap::new();
            for (&node, ways) in &level {
                let hops = routes.next_hops(node, dst).into_iter();
                let pass = routes.topology().pass_delay(node);
                for (_, port) in hops.take(self.most()) {
                    let port = &routes.topology().ports(node)[port.index()];
                    let mut link = Link::from(port);
                    link.delay = link.delay + pass;
                    spread(
                        link,
                        ways,
                        next.entry(port.peer).or_default(),
                        Order::Behind,
                    );
                }
            }
            level = next;
        }
        level.remove(&end).unwrap_or_default()
    }

    /// Returns the number of equal next hops to try.
    const fn most(&self) -> usize {
        match self.tried {
            IdealPath::Least => usize::MAX,
            IdealPath::First => 1,
        }
    }
}

/// The position of an added link in a path.
#[derive(Clone, Copy)]
enum Order {
    Before,
    Behind,
}

/// Adds `ways`, extended by `link`, to the paths `there`.
fn spread(link: Link, ways: &Ways, there: &mut Ways, order: Order) {
    for way in ways {
        let (way, link) = (way.iter().copied(), [link]);
        let longer = match order {
            Order::Before => link.into_iter().chain(way).collect(),
            Order::Behind => way.chain(link).collect(),
        };
        add(there, longer);
    }
}

/// Adds `way` unless one of `ways` is at least as good; removes the ways that it beats.
fn add(ways: &mut Ways, way: Way) {
    let beats = |a: &[Link], b: &[Link]| {
        let mut links = a.iter().zip(b);
        links.all(|(a, b)| a.rate >= b.rate && a.delay <= b.delay)
    };
    if ways.len() < KEPT && !ways.iter().any(|known| beats(known, &way)) {
        ways.retain(|known| !beats(&way, known));
        ways.push(way);
    }
}
