//! State that the hosts of a network with applications share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::flow::Flow;
use crate::id::{FlowId, NodeId};
use crate::plugin::{PathResolver, Received, StartError};

/// State shared by the hosts of a network with applications. Except for [`Self::in_flight`], it
/// changes only between epochs.
#[derive(Debug)]
pub(in crate::network) struct AppNetwork {
    current: RwLock<Current>,
    /// By the sender's address: the flows that have started and whose receiver has applications. A
    /// receiver takes a flow out when it has arrived, which is at least one epoch after the sender
    /// has put it in.
    in_flight: Vec<Mutex<InFlight>>,
    /// Number of hosts.
    pub(super) hosts: u32,
}

/// Flows of one sender that are under way, each with its tag.
#[derive(Debug, Default)]
struct InFlight {
    flows: BTreeMap<FlowId, (Flow, u64)>,
    /// By connection, receiver and end: both ends of a connection may stand here.
    messages: BTreeMap<(FlowId, NodeId, u64), (Flow, u64)>,
}

#[derive(Debug)]
struct Current {
    resolver: Option<Arc<dyn PathResolver>>,
    /// By node: whether it has applications.
    listens: Vec<bool>,
}

impl AppNetwork {
    /// A network of so many `nodes` and `hosts`, without applications or routes.
    pub(in crate::network) fn new(nodes: usize, hosts: u32) -> Self {
        Self {
            current: RwLock::new(Current {
                resolver: None,
                listens: vec![false; nodes],
            }),
            in_flight: (0..nodes).map(|_| Mutex::default()).collect(),
            hosts,
        }
    }

    /// From now on paths are found by `resolver`.
    pub(in crate::network) fn set_resolver(&self, resolver: Option<Arc<dyn PathResolver>>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.resolver = resolver;
    }

    /// Returns whether a resolver has been set.
    pub(in crate::network) fn has_resolver(&self) -> bool {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.resolver.is_some()
    }

    pub(super) fn listen(&self, host: NodeId) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.listens[host.index()] = true;
    }

    pub(super) fn resolver(&self) -> Result<Arc<dyn PathResolver>, StartError> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let none = || StartError::Refused("the network resolves no paths for hosts".to_owned());
        current.resolver.clone().ok_or_else(none)
    }

    /// Remembers `flow`, which starts now, for its receiver.
    pub(super) fn announce(&self, flow: &Flow, tag: u64) {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if current.listens[flow.request.dst.index()] {
            let flows = self.from(flow.ends.src);
            let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
            match &flow.stream {
                None => flows.flows.insert(flow.id, (*flow, tag)),
                Some(place) => {
                    let (dst, end) = (flow.request.dst, place.end(flow.request.size));
                    let key = (place.connection, dst, end);
                    flows.messages.insert(key, (*flow, tag))
                }
            };
        }
    }

    /// The flows from the address `src`, and from others that share their place: addresses of NICs
    /// are above those of hosts.
    fn from(&self, src: NodeId) -> &Mutex<InFlight> {
        &self.in_flight[src.index() % self.in_flight.len()]
    }

    /// Takes out what `received` from the address `src` completes at `host`, in the order in which
    /// it was sent. Messages that start meanwhile end beyond, so the order of threads does not show.
    pub(super) fn take(&self, host: NodeId, src: NodeId, received: Received) -> Vec<(Flow, u64)> {
        let flows = self.from(src);
        let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
        match received {
            Received::Flow(id) => flows.flows.remove(&id).into_iter().collect(),
            Received::Stream { connection, until } => {
                let whole = (connection, host, 0)..=(connection, host, until);
                let whole: Vec<_> = flows.messages.range(whole).map(|(&key, _)| key).collect();
                let messages = whole.iter().filter_map(|key| flows.messages.remove(key));
                messages.collect()
            }
        }
    }
}
