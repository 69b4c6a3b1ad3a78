//! State that the hosts of a network with applications share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::plugin::{PathResolver, Received, StartError};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::{FlowId, NodeId};

/// State shared by the hosts of a network with applications. Except for [`Self::in_flight`] and
/// `leaving`, it changes only between epochs.
#[derive(Debug)]
pub(in crate::network) struct AppNetwork {
    current: RwLock<Current>,
    /// The started flows with applications at the receiver, by the sender's address. A receiver
    /// removes a flow on arrival, which is at least one epoch after the sender has inserted it.
    pub(super) in_flight: Vec<Mutex<InFlight>>,
    /// Number of hosts.
    pub(super) hosts: u32,
    /// `true` for each node of this rank.
    here: Vec<bool>,
    /// Flows that have started in this epoch with a receiver on another rank.
    leaving: Mutex<Vec<(Flow, u64)>>,
}

/// Flows of one sender that are in flight.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct InFlight {
    /// Index of each flow in `kept`.
    flows: BTreeMap<FlowId, u32>,
    /// Index of each message in `kept`, by connection, receiver and end in the stream. The receiver
    /// is part of the key because both ends of a connection may have messages here.
    messages: BTreeMap<(FlowId, NodeId, u64), u32>,
    kept: Kept,
}

/// Flows with their tags, stored outside of the maps to keep the maps' nodes small.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
struct Kept {
    places: Vec<(Flow, u64)>,
    /// Indices without a flow.
    free: Vec<u32>,
}

impl Kept {
    fn put(&mut self, flow: Flow, tag: u64) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = (flow, tag);
            return place;
        }
        let place = u32::try_from(self.places.len()).expect("flows are numbered by 32 bits");
        self.places.push((flow, tag));
        place
    }

    fn take(&mut self, place: u32) -> (Flow, u64) {
        self.free.push(place);
        self.places[place as usize]
    }
}

/// The current routes.
#[derive(Clone, Debug)]
pub(super) struct InForce {
    pub(super) resolver: Arc<dyn PathResolver>,
    /// Identifies these routes: the number of resolvers set so far.
    pub(super) number: u64,
}

#[derive(Debug)]
struct Current {
    resolver: Option<Arc<dyn PathResolver>>,
    /// The number of times that a resolver was set.
    number: u64,
    /// `true` if the last resolver was set before a checkpoint and must be set again.
    again: bool,
    /// `true` for each node with applications.
    listens: Vec<bool>,
}

impl AppNetwork {
    /// Returns a network of `hosts` hosts, without applications or routes. `here` is `true` for
    /// each node of this rank.
    pub(in crate::network) fn new(here: Vec<bool>, hosts: u32) -> Self {
        let nodes = here.len();
        Self {
            here,
            leaving: Mutex::default(),
            current: RwLock::new(Current {
                resolver: None,
                number: 0,
                again: false,
                listens: vec![false; nodes],
            }),
            in_flight: (0..nodes).map(|_| Mutex::default()).collect(),
            hosts,
        }
    }

    /// Uses `resolver` for paths from now on.
    pub(in crate::network) fn set_resolver(&self, resolver: Option<Arc<dyn PathResolver>>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.resolver = resolver;
        current.number += u64::from(!current.again);
        current.again = false;
    }

    /// Returns the number of times that a resolver was set.
    pub(super) fn times_set(&self) -> u64 {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.number
    }

    /// Expects the resolver that was set last before a checkpoint, when it had been set `number`
    /// times. Setting it again does not count.
    pub(super) fn expect_resolver_again(&self, number: u64) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.resolver = None;
        current.number = number;
        current.again = number > 0;
    }

    /// Returns `true` if a resolver is set.
    pub(in crate::network) fn has_resolver(&self) -> bool {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.resolver.is_some()
    }

    /// Marks `host` as a host with applications.
    pub(in crate::network) fn listen(&self, host: NodeId) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.listens[host.index()] = true;
    }

    pub(super) fn routes(&self) -> Result<InForce, StartError> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let none = || StartError::Refused("the network resolves no paths for hosts".to_owned());
        let resolver = current.resolver.clone().ok_or_else(none)?;
        Ok(InForce {
            resolver,
            number: current.number,
        })
    }

    /// Announces `flow`, which starts now, to its receiver.
    pub(super) fn announce(&self, flow: &Flow, tag: u64) {
        if !self.here[flow.request.dst.index()] {
            let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
            leaving.push((*flow, tag));
            return;
        }
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if current.listens[flow.request.dst.index()] {
            let flows = self.from(flow.ends.src);
            let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = flows.kept.put(*flow, tag);
            match &flow.stream {
                None => flows.flows.insert(flow.id, kept),
                Some(place) => {
                    let (dst, end) = (flow.request.dst, place.end(flow.request.size));
                    let key = (place.connection, dst, end);
                    flows.messages.insert(key, kept)
                }
            };
        }
    }

    /// Returns and clears the started flows with a receiver on another rank, with their tags.
    pub(in crate::network) fn take_leaving(&self) -> Vec<(Flow, u64)> {
        let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *leaving)
    }

    /// Announces flows that have started on other ranks to their receivers on this rank.
    pub(in crate::network) fn welcome(&self, flows: &[(Flow, u64)]) {
        for (flow, tag) in flows {
            if self.here[flow.request.dst.index()] {
                self.announce(flow, *tag);
            }
        }
    }

    /// Returns the flows from the address `src`. Other addresses may share the slot: addresses of
    /// NICs are above the addresses of hosts.
    fn from(&self, src: NodeId) -> &Mutex<InFlight> {
        &self.in_flight[src.index() % self.in_flight.len()]
    }

    /// Returns the next flow, with its tag, that `received` from the address `src` completes at
    /// `host`, in the order they were sent. Messages that start at the same time end further on in
    /// the stream, so the order of threads has no effect.
    pub(super) fn take(
        &self,
        (host, src): (NodeId, NodeId),
        received: Received,
    ) -> Option<(Flow, u64)> {
        let flows = self.from(src);
        let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
        let InFlight {
            flows,
            messages,
            kept,
        } = &mut *flows;
        let place = match received {
            Received::Flow(id) => flows.remove(&id)?,
            Received::Stream { connection, until } => {
                let first = (connection, host, 0);
                let end = (connection, host, until);
                let (&key, &place) = messages.range(first..=end).next()?;
                messages.remove(&key);
                place
            }
        };
        Some(kept.take(place))
    }
}
