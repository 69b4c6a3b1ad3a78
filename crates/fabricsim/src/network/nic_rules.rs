//! The NICs that flows use at hosts with several NICs.

use std::sync::Arc;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::flow::{Ends, FlowRequest, ResolvedPath};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::nics::{NicChoice, NicRule};
use fabricsim_scenario::schema::routing::RoutingSettings;
use fabricsim_topology::{PathStats, Routes, Topology};

/// The rules of `[routing]` for NICs. Cheap to clone; by default, flows run between hosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct NicRules {
    /// `None` if flows run between hosts with a single address for all NICs.
    bound: Option<Arc<RoutingSettings>>,
}

/// The NICs by which a flow may leave, and the destination address of its packets.
struct Choice {
    /// Equally good NICs, one of which the flow uses; not empty.
    nics: Vec<PortId>,
    /// The index of the flow's NIC among them (modulo their number), if no hash decides.
    turn: Option<u64>,
    dst: NodeId,
}

impl NicRules {
    /// Returns the rules of `scenario`.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let routing = scenario.routing();
        Self {
            bound: routing.binds_nics().then(|| Arc::new(routing.clone())),
        }
    }

    /// Returns `true` if the NICs of a host take turns.
    pub(crate) fn take_turns(&self) -> bool {
        let bound = self.bound.as_deref();
        bound.is_some_and(|settings| settings.nic == NicChoice::RoundRobin)
    }

    /// Returns the path over `routes` of a flow that starts as `request`; `payload` is the payload
    /// of a full packet, and `turn` the number of flows that its host has started before.
    pub(crate) fn resolve(
        &self,
        routes: &Routes,
        turn: u64,
        request: &FlowRequest,
        payload: Bytes,
    ) -> Option<ResolvedPath> {
        let Some(settings) = self.bound.as_deref() else {
            return between_hosts(routes, request, payload);
        };
        let choice = choice(settings, routes, turn, request)?;
        let count = choice.nics.len() as u64;
        let nic = match choice.turn {
            Some(turn) => choice.nics[usize::try_from(turn % count).ok()?],
            None => routes.nic_port(&key(request, choice.dst)?)?,
        };
        let path = routes.path_info_from(request.src, nic, choice.dst, payload)?;
        let src = match choice.turn {
            Some(_) => routes.nic_address(request.src, nic)?,
            None => request.src,
        };
        let dst = choice.dst;
        Some(ResolvedPath {
            path,
            nic,
            ends: Ends { src, dst },
            ideal: Duration::ZERO,
        })
    }

    /// Describes a NIC that the scenario names for the class of `request` but that its host does
    /// not have.
    pub(crate) fn missing(&self, topology: &Topology, request: &FlowRequest) -> Option<String> {
        let rule = self.bound.as_deref()?.nics_of(request.class)?;
        let ends = [(request.src, rule.from()), (request.dst, rule.to())];
        let lacks = |&(host, nic): &(NodeId, Option<PortId>)| {
            nic.is_some_and(|nic| nic.index() >= topology.ports(host).len())
        };
        let (host, nic) = ends.into_iter().find(lacks)?;
        Some(format!("no NIC {} at {}", nic?, topology.label(host)))
    }

    /// Returns the path of a message of a connection between the addresses `ends`, by the NICs that
    /// the connection has used before.
    pub(crate) fn resolve_between(
        &self,
        routes: &Routes,
        request: &FlowRequest,
        ends: Ends,
        payload: Bytes,
    ) -> Option<ResolvedPath> {
        if self.bound.is_none() {
            return between_hosts(routes, request, payload);
        }
        let nic = if ends.src == request.src {
            routes.nic_port(&key(request, ends.dst)?)?
        } else {
            // The NIC of this address, even if the reverse path is longer than by another NIC.
            let nics = 0..routes.topology().ports(request.src).len();
            let mut own = nics
                .map(PortId::from_index)
                .filter(|&nic| routes.nic_address(request.src, nic) == Some(ends.src));
            own.next()?
        };
        Some(ResolvedPath {
            path: routes.path_info_from(request.src, nic, ends.dst, payload)?,
            nic,
            ends,
            ideal: Duration::ZERO,
        })
    }
}

/// Returns the maxima over the paths of `routes` that flows can take under `routing`.
pub(crate) fn path_stats(routes: &Routes, routing: &RoutingSettings, mtu: Bytes) -> PathStats {
    if routing.nics.is_empty() {
        routes.path_stats(mtu)
    } else {
        routes.nic_path_stats(mtu)
    }
}

/// Returns the path of a flow between hosts with a single address for all NICs.
fn between_hosts(routes: &Routes, request: &FlowRequest, payload: Bytes) -> Option<ResolvedPath> {
    let nic = routes.nic_port(&key(request, request.dst)?)?;
    Some(ResolvedPath {
        path: routes.path_info(request.src, request.dst, payload)?,
        nic,
        ends: Ends::of_hosts(request),
        ideal: Duration::ZERO,
    })
}

fn key(request: &FlowRequest, dst: NodeId) -> Option<FlowKey> {
    Some(FlowKey {
        src: request.src,
        dst,
        src_port: request.src_port?,
        dst_port: request.dst_port,
    })
}

fn choice(
    settings: &RoutingSettings,
    routes: &Routes,
    turn: u64,
    request: &FlowRequest,
) -> Option<Choice> {
    let rule = settings.nics_of(request.class);
    let dst = match rule.and_then(NicRule::to) {
        Some(nic) => routes.nic_address(request.dst, nic)?,
        None => request.dst,
    };
    if let Some(nic) = rule.and_then(NicRule::from) {
        return Some(Choice {
            nics: vec![nic],
            turn: Some(0),
            dst,
        });
    }
    let mut nics = routes.nics(request.src, dst);
    nics.sort_unstable();
    let in_turn = settings.nic == NicChoice::RoundRobin;
    (!nics.is_empty()).then(|| Choice {
        nics,
        turn: in_turn.then_some(turn),
        dst,
    })
}
