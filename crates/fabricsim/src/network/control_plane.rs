//! Finds the path of each flow as it starts.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::{Ends, FlowRequest, ResolvedPath};
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::Time;
use fabricsim_core::network::{Change, NetworkControl};
use fabricsim_core::plugin::PathResolver;
use fabricsim_topology::{DownLinks, Routes, SwitchRoutes};
use rustc_hash::FxHashMap;

use crate::failures::control::ControlPlane;
use crate::network::ideal::IdealFct;
use crate::network::idle_paths::IdlePaths;
use crate::network::nic_rules::NicRules;

/// The first assigned source port.
const FIRST_PORT: u16 = 10_000;

/// Assignment of source ports to flows that specify none.
#[derive(Debug)]
pub(crate) enum SourcePorts {
    /// Derived from the flow's number, wrapping around. This needs no memory.
    ByFlow,
    /// Counted for each pair of hosts, as in the published simulator.
    ByPair(FxHashMap<(NodeId, NodeId), u16>),
}

/// The network's access to its routes.
#[derive(Debug)]
pub(crate) struct RouteControl {
    pub(crate) routes: Arc<Routes>,
    /// The shortest paths by `routes`, or by earlier routes.
    pub(crate) idle: Arc<IdlePaths>,
    pub(crate) ideal: IdealFct,
    pub(crate) ports: SourcePorts,
    pub(crate) nics: NicRules,
    /// If NICs take turns: the number of flows that each host has started.
    pub(crate) turns: FxHashMap<NodeId, u64>,
    pub(crate) control: ControlPlane,
    /// The reasons for the first flows without a route.
    pub(crate) refusals: Vec<String>,
}

/// Number of reasons that are kept.
const WORDED: usize = 1_000;

impl RouteControl {
    /// Returns the number of flows that `host` has started before this one if NICs take turns;
    /// otherwise 0.
    fn turn(&mut self, host: NodeId) -> u64 {
        if !self.nics.take_turns() {
            return 0;
        }
        let started = self.turns.entry(host).or_default();
        *started += 1;
        *started - 1
    }

    /// Returns the shortest paths by the current routes.
    pub(crate) fn idle_now(&self) -> Arc<IdlePaths> {
        match Arc::ptr_eq(self.idle.routes(), &self.routes) {
            true => Arc::clone(&self.idle),
            false => Arc::new(self.ideal.paths(&self.routes)),
        }
    }

    /// Describes why no route leads to the destination of `request`, which starts now.
    fn why_apart(&self, request: &FlowRequest) -> String {
        let missing = self.nics.missing(self.routes.topology(), request);
        let why = missing.unwrap_or_else(|| self.control.why_apart(request.src, request.dst));
        format!("when it was to start ({}) there was {why}", request.start)
    }
}

impl Checkpointed for SourcePorts {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::ByFlow => {}
            Self::ByPair(next) => next.store(out),
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        match self {
            Self::ByFlow => Ok(()),
            Self::ByPair(next) => next.load(input),
        }
    }
}

impl Checkpointed for RouteControl {
    fn save(&self, out: &mut Writer) {
        let Self {
            routes,
            idle: _,
            ideal: _,
            ports,
            nics: _,
            turns,
            control,
            refusals,
        } = self;
        routes.avoided().store(out);
        ports.save(out);
        turns.store(out);
        control.save(out);
        refusals.store(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let avoided = DownLinks::fetch(input)?;
        if !avoided.is_of(self.routes.topology()) {
            return Err(LoadError::new("it has another number of links"));
        }
        self.routes = self.control.routes_without(&avoided);
        self.ports.load(input)?;
        self.turns.load(input)?;
        self.control.load(input)?;
        self.refusals.load(input)
    }
}

/// The routes of an instant, for hosts that start flows themselves.
#[derive(Debug)]
struct HostRoutes {
    routes: Arc<Routes>,
    ideal: IdealFct,
    nics: NicRules,
    idle: Arc<IdlePaths>,
}

impl PathResolver for HostRoutes {
    fn check(&self, request: &FlowRequest) -> Result<(), String> {
        let topology = self.routes.topology();
        if request.dst.index() >= topology.len() || !topology.is_host(request.dst) {
            let there = request.dst.index() < topology.len();
            let node = match there {
                true => topology.label(request.dst),
                false => format!("node {}", request.dst),
            };
            return Err(format!("its destination, {node}, is not a host"));
        }
        if let Some(tcp) = self.ideal.tcp()
            && !tcp.may_use(request.class, request.priority)
        {
            return Err(format!(
                "its class {} and its priority {} are of different transports",
                request.class.0, request.priority
            ));
        }
        Ok(())
    }

    fn resolve(&self, turn: u64, request: &FlowRequest) -> Option<ResolvedPath> {
        let payload = self.ideal.payload(request);
        let found = self.nics.resolve(&self.routes, turn, request, payload)?;
        Some(ResolvedPath {
            ideal: self.ideal.at_start(&self.idle, request, &found),
            ..found
        })
    }

    fn resolve_between(&self, request: &FlowRequest, ends: Ends) -> Option<ResolvedPath> {
        let payload = self.ideal.payload(request);
        self.nics
            .resolve_between(&self.routes, request, ends, payload)
    }
}

impl NetworkControl<SwitchRoutes> for RouteControl {
    fn resolve(&mut self, id: FlowId, request: &mut FlowRequest) -> Option<ResolvedPath> {
        let src_port = request.src_port.unwrap_or_else(|| match &mut self.ports {
            SourcePorts::ByFlow => {
                let span = u32::from(u16::MAX - FIRST_PORT);
                FIRST_PORT + u16::try_from(id.0 % span).expect("below the span of a u16")
            }
            SourcePorts::ByPair(next) => {
                let port = next.entry((request.src, request.dst)).or_insert(FIRST_PORT);
                let own = *port;
                *port = port.wrapping_add(1);
                own
            }
        });
        request.src_port = Some(src_port);
        let turn = self.turn(request.src);
        let payload = self.ideal.payload(request);
        let found = self.nics.resolve(&self.routes, turn, request, payload);
        if found.is_none() && self.refusals.len() < WORDED {
            let why = self.why_apart(request);
            self.refusals.push(why);
        }
        let found = found?;
        self.idle = self.idle_now();
        Some(ResolvedPath {
            ideal: self.ideal.at_start(&self.idle, request, &found),
            ..found
        })
    }

    fn resolver(&self) -> Option<Arc<dyn PathResolver>> {
        Some(Arc::new(HostRoutes {
            routes: Arc::clone(&self.routes),
            ideal: self.ideal.clone(),
            nics: self.nics.clone(),
            idle: self.idle_now(),
        }))
    }

    fn on_unreachable(&mut self, place: usize, request: &FlowRequest) {
        if place <= self.refusals.len() {
            let why = self.why_apart(request);
            self.refusals.insert(place, why);
            self.refusals.truncate(WORDED);
        }
    }

    fn next_change(&self) -> Time {
        self.control.next_change()
    }

    fn change(&mut self) -> Vec<Change<SwitchRoutes>> {
        self.control.change(&mut self.routes)
    }
}
