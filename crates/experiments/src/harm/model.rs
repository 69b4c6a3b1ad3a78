//! The network of a harm test as the types of a model: a client, a server, and between them a
//! switch with a discipline in front of each.

use fabricsim_core::flow::{Ends, FlowRequest, PathInfo, ResolvedPath};
use fabricsim_core::id::{FlowId, PortId};
use fabricsim_core::network::NetworkControl;
use fabricsim_core::packet::{Packet, Priority};
use fabricsim_core::plugin::{
    Admission, Admit, ByNode, Model, NoTelemetry, PortStates, Release, Routing,
};
use fabricsim_core::units::{Bytes, Time};
use fabricsim_qdisc::ClassQueues;
use fabricsim_transport::tcp::Tcp;

use super::log::Log;
use super::wiring::{CLIENT, Header, TO_CLIENT, TO_SERVER};

/// TCP over disciplines, without a buffer that ports share.
#[derive(Debug)]
pub(super) struct Dumbbell;

impl Model for Dumbbell {
    type Header = Header;
    type Order = ByNode;
    type Telemetry = NoTelemetry;
    type Queue = ClassQueues<Header>;
    type Buffer = Unlimited;
    type Routing = ByDestination;
    type Endpoint = Tcp<Header>;
    type Observer = Log;
}

/// A buffer without a limit: what is dropped is dropped by disciplines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unlimited {
    used: Bytes,
}

impl Admission for Unlimited {
    #[inline]
    fn admit(
        &mut self,
        _ingress: PortId,
        _egress: PortId,
        _priority: Priority,
        size: Bytes,
    ) -> Admit {
        self.used += size;
        Admit::Accept
    }

    #[inline]
    fn release(
        &mut self,
        _ingress: PortId,
        _egress: PortId,
        _priority: Priority,
        size: Bytes,
    ) -> Release {
        self.used -= size;
        Release::Quiet
    }

    fn has_paused(&self, _ingress: PortId, _priority: Priority) -> bool {
        false
    }

    fn used(&self) -> Bytes {
        self.used
    }
}

/// The forwarding table of the switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByDestination;

impl Routing<Header> for ByDestination {
    #[inline]
    fn pick(&mut self, _: Time, packet: &Packet<Header>, _: impl PortStates) -> Option<PortId> {
        Some(if packet.key.dst == CLIENT {
            TO_CLIENT
        } else {
            TO_SERVER
        })
    }
}

/// The one path, and source ports by the number of the flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnePath(pub(super) PathInfo);

/// The first source port that is given out, and how many there are.
const FIRST_PORT: u32 = 10_000;
const PORTS: u32 = 50_000;

impl NetworkControl<ByDestination> for OnePath {
    fn resolve(&mut self, id: FlowId, request: &mut FlowRequest) -> Option<ResolvedPath> {
        let port = FIRST_PORT + id.0 % PORTS;
        request.src_port = Some(u16::try_from(port).expect("below 60,000"));
        Some(ResolvedPath {
            path: self.0,
            nic: PortId(0),
            ends: Ends::of_hosts(request),
        })
    }
}
