//! Finds the path of each flow as it starts.

use std::sync::{Arc, Mutex, PoisonError};

use fabricsim_core::flow::{FlowRequest, PathInfo};
use fabricsim_core::id::{FlowId, NodeId, PortId};
use fabricsim_core::network::{Change, NetworkControl};
use fabricsim_core::plugin::{FlowKey, PathResolver};
use fabricsim_core::units::Time;
use fabricsim_topology::{EqualPaths, Routes, SwitchRoutes};
use rustc_hash::FxHashMap;

use crate::failures::control::ControlPlane;
use crate::network::ideal::IdealFct;

/// The first source port that is given out.
const FIRST_PORT: u16 = 10_000;

/// Assignment of source ports to flows that specify none.
#[derive(Debug)]
pub(crate) enum SourcePorts {
    /// By the flow's number, wrapping around: needs no memory.
    ByFlow,
    /// Counted for each pair of hosts, as in the published simulator.
    ByPair(FxHashMap<(NodeId, NodeId), u16>),
}

/// The routes of a network, as the network asks for them.
#[derive(Debug)]
pub(crate) struct RouteControl {
    pub(crate) routes: Arc<Routes>,
    /// The shortest paths by `routes`, or by earlier ones.
    pub(crate) equal: EqualPaths,
    pub(crate) ideal: IdealFct,
    pub(crate) ports: SourcePorts,
    pub(crate) control: ControlPlane,
    /// Why the first flows without a route had none.
    pub(crate) refusals: Vec<String>,
}

/// Refusals that are kept in words.
const WORDED: usize = 1_000;

impl RouteControl {
    /// Why no route leads to the destination of `request`, which starts now.
    fn why_apart(&self, request: &FlowRequest) -> String {
        let why = self.control.why_apart(request.src, request.dst);
        format!("when it was to start ({}) there was {why}", request.start)
    }
}

/// Returns the path information of the idle network for `request`, whose source port is known, and
/// the NIC port through which the flow leaves.
fn path_and_nic(
    routes: &Routes,
    ideal: &IdealFct,
    request: &FlowRequest,
) -> Option<(PathInfo, PortId)> {
    let key = FlowKey {
        src: request.src,
        dst: request.dst,
        src_port: request.src_port?,
        dst_port: request.dst_port,
    };
    let nic = routes.nic_port(&key);
    let payload = ideal.payload(request);
    let path = routes.path_info(request.src, request.dst, payload);
    path.zip(nic)
}

/// Notes the path that flow `id` would be fastest on, if that is another one than its own.
fn choose_ideal(
    equal: &mut EqualPaths,
    ideal: &IdealFct,
    id: FlowId,
    request: &FlowRequest,
    own: &PathInfo,
) {
    if !equal.is_uniform() {
        let payload = ideal.payload(request);
        let paths = equal.between(request.src, request.dst, payload);
        ideal.choose(id, request, own, &paths);
    }
}

/// The routes of an instant, as hosts ask for them that start flows themselves.
#[derive(Debug)]
struct HostRoutes {
    routes: Arc<Routes>,
    ideal: IdealFct,
    /// The shortest paths, where those of a pair may differ.
    equal: Option<Mutex<EqualPaths>>,
}

impl PathResolver for HostRoutes {
    fn check(&self, request: &FlowRequest) -> Result<(), String> {
        let topology = self.routes.topology();
        if request.dst.index() >= topology.len() || !topology.is_host(request.dst) {
            return Err(format!(
                "its destination, node {}, is not a host",
                request.dst
            ));
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

    fn resolve(&self, id: FlowId, request: &FlowRequest) -> Option<(PathInfo, PortId)> {
        let found = path_and_nic(&self.routes, &self.ideal, request)?;
        if let Some(equal) = &self.equal {
            let mut equal = equal.lock().unwrap_or_else(PoisonError::into_inner);
            choose_ideal(&mut equal, &self.ideal, id, request, &found.0);
        }
        Some(found)
    }
}

impl NetworkControl<SwitchRoutes> for RouteControl {
    fn resolve(&mut self, id: FlowId, request: &mut FlowRequest) -> Option<(PathInfo, PortId)> {
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
        let found = path_and_nic(&self.routes, &self.ideal, request);
        if found.is_none() && self.refusals.len() < WORDED {
            let why = self.why_apart(request);
            self.refusals.push(why);
        }
        if let Some((path, _)) = &found
            && self.ideal.is_least()
        {
            if !Arc::ptr_eq(self.equal.routes(), &self.routes) {
                self.equal = EqualPaths::new(Arc::clone(&self.routes));
            }
            choose_ideal(&mut self.equal, &self.ideal, id, request, path);
        }
        found
    }

    fn resolver(&self) -> Option<Arc<dyn PathResolver>> {
        let equal = (self.ideal.is_least())
            .then(|| EqualPaths::new(Arc::clone(&self.routes)))
            .filter(|equal| !equal.is_uniform());
        Some(Arc::new(HostRoutes {
            routes: Arc::clone(&self.routes),
            ideal: self.ideal.clone(),
            equal: equal.map(Mutex::new),
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
