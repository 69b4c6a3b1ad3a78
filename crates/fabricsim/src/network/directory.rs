//! Finds the path of each flow as it starts.

use std::sync::Arc;

use fabricsim_core::flow::{FlowRequest, PathInfo};
use fabricsim_core::id::{FlowId, NodeId, PortId};
use fabricsim_core::network::{Change, Directory};
use fabricsim_core::plugin::FlowKey;
use fabricsim_core::units::Time;
use fabricsim_topology::{EqualPaths, Routes, SwitchRoutes};
use rustc_hash::FxHashMap;

use crate::failures::control::ControlPlane;
use crate::network::ideal::IdealFct;

/// The first source port that is given out.
const FIRST_PORT: u16 = 10_000;

/// How source ports are given to flows that name none.
#[derive(Debug)]
pub(crate) enum SourcePorts {
    /// By the flow's number, in a circle: needs no memory.
    ByFlow,
    /// Counted for each pair of hosts, as in the published simulator.
    ByPair(FxHashMap<(NodeId, NodeId), u16>),
}

/// The routes of a network, as the network asks for them.
#[derive(Debug)]
pub(crate) struct RouteDirectory {
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

impl Directory<SwitchRoutes> for RouteDirectory {
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
        let key = FlowKey {
            src: request.src,
            dst: request.dst,
            src_port,
            dst_port: request.dst_port,
        };
        let nic = self.routes.nic_port(&key);
        let payload = self.ideal.payload(request);
        let path = self.routes.path_info(request.src, request.dst, payload);
        let found = path.zip(nic);
        if found.is_none() && self.refusals.len() < WORDED {
            let why = self.control.why_apart(request.src, request.dst);
            self.refusals.push(format!(
                "when it was to start ({}) there was {why}",
                request.start
            ));
        }
        if let Some((path, _)) = &found
            && self.ideal.is_least()
        {
            if !Arc::ptr_eq(self.equal.routes(), &self.routes) {
                self.equal = EqualPaths::new(Arc::clone(&self.routes));
            }
            if !self.equal.is_uniform() {
                let paths = self.equal.between(request.src, request.dst, payload);
                self.ideal.choose(id, request, path, &paths);
            }
        }
        found
    }

    fn next_change(&self) -> Time {
        self.control.next_change()
    }

    fn change(&mut self) -> Vec<Change<SwitchRoutes>> {
        self.control.change(&mut self.routes)
    }
}
