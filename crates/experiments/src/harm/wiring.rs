//! The nodes and ports of a harm test, and what its packets carry.

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_transport::tcp::TcpOnly;

/// The host that asks for data.
pub(super) const CLIENT: NodeId = NodeId(0);
/// The host that sends it.
pub(super) const SERVER: NodeId = NodeId(1);
/// The switch between them: its port 0 leads to the client, port 1 to the server.
pub(super) const SWITCH: NodeId = NodeId(2);

/// The switch's port to the client: the bottleneck of the data.
pub(super) const TO_CLIENT: PortId = PortId(0);
/// The switch's port to the server: the bottleneck of requests and acknowledgements.
pub(super) const TO_SERVER: PortId = PortId(1);

/// The header of every packet.
pub(super) type Header = TcpOnly;
