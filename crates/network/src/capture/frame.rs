//! Conversion of packets to Ethernet frames.
//!
//! A frame has the length that the simulator counts. If its real headers are longer than the
//! headers that the simulator counts, the payload is shorter by the difference. IP addresses are
//! derived from the numbers of nodes: node n is 10.x.y.z or fd00::n, with n in the last bytes.
//! Ethernet addresses belong to the nodes at the two ends of the link. The DSCP of a packet is the
//! class selector of its priority.

mod ioam;
mod pause;
mod roce;
mod segment;

use etherparse::{
    EtherType, Ethernet2Header, IpDscp, IpEcn, IpNumber, Ipv4Header, Ipv6FlowLabel, Ipv6Header,
};
use fabricsim_base::id::NodeId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Ecn, Packet, PacketKind};

use crate::headers::Observed;
pub use ioam::TraceRoom;

/// Bytes of the header of Ethernet.
const ETHERNET: usize = 14;
/// Bytes of the header of IPv4.
const IPV4: usize = 20;
/// Bytes of the header of IPv6.
const IPV6: usize = 40;
/// The hop limit of every packet. The simulator does not model hop limits.
const HOP_LIMIT: u8 = 64;

/// Writes the headers of frames.
#[derive(Debug)]
pub struct FrameWriter {
    /// Payload bytes of a full RDMA packet. Packet numbers are byte positions divided by it.
    mtu: u64,
    /// Room for telemetry, if frames include it.
    trace: Option<TraceRoom>,
}

impl FrameWriter {
    /// Returns a writer for the frames of a network. Full RDMA packets carry `mtu` bytes. Frames
    /// include telemetry if they have room for a `trace`.
    #[must_use]
    pub const fn new(mtu: Bytes, trace: Option<TraceRoom>) -> Self {
        Self {
            mtu: mtu.get(),
            trace,
        }
    }

    /// Writes the headers of `packet`, sent over `link` from the first node to the second, into
    /// `out`. Returns the number of bytes of the frame that may be stored; bytes after the headers
    /// are zero.
    pub(super) fn write<H: Observed>(
        &self,
        now: Time,
        link: (NodeId, NodeId),
        packet: &Packet<H>,
        out: &mut Vec<u8>,
    ) -> u16 {
        if packet.is(PacketKind::Pause) {
            pause::write(link.0, packet, out);
        } else if let Some(segment) = packet.telemetry.segment() {
            segment::write(link, packet, segment, out);
        } else {
            self.write_roce(now, link, packet, out);
        }
        let wire = usize::from(packet.wire);
        if out.len() <= wire {
            return packet.wire;
        }
        // If the frame is too short for a header, readers treat that header as not captured.
        let known = if wire < roce::LEAST {
            roce::LEAST_KNOWN
        } else {
            wire
        };
        out.truncate(known);
        u16::try_from(known).expect("no longer than the frame")
    }
}

/// Returns the Ethernet address of `node`, which is locally administered.
fn mac(node: NodeId) -> [u8; 6] {
    let [a, b, c, d] = node.0.to_be_bytes();
    [0x02, 0, a, b, c, d]
}

fn ethernet((from, to): (NodeId, NodeId), ether_type: EtherType) -> [u8; ETHERNET] {
    let header = Ethernet2Header {
        source: mac(from),
        destination: mac(to),
        ether_type,
    };
    header.to_bytes()
}

/// Returns the class selector of `priority` (RFC 2474, section 4.2.2).
fn dscp(priority: Priority) -> u8 {
    priority.get() << 3
}

/// Returns the ECN field for `ecn` (RFC 3168, section 5).
const fn codepoint(ecn: Ecn) -> IpEcn {
    match ecn {
        Ecn::NotCapable => IpEcn::ZERO,
        Ecn::Ect1 => IpEcn::ONE,
        Ecn::Ect0 => IpEcn::TWO,
        Ecn::Congestion => IpEcn::THREE,
    }
}

/// Returns the IPv4 header of `packet` with `payload` bytes after it.
fn ipv4<H: Observed>(
    packet: &Packet<H>,
    ecn: IpEcn,
    protocol: IpNumber,
    payload: u16,
) -> Ipv4Header {
    let address = |node: NodeId| {
        let [_, b, c, d] = node.0.to_be_bytes();
        [10, b, c, d]
    };
    let mut header = Ipv4Header {
        dscp: IpDscp::try_new(dscp(packet.priority())).expect("six bits"),
        ecn,
        total_len: u16::try_from(usize::from(payload) + IPV4).expect("shorter than the frame"),
        identification: 0,
        dont_fragment: true,
        time_to_live: HOP_LIMIT,
        protocol,
        source: address(packet.key.src),
        destination: address(packet.key.dst),
        ..Ipv4Header::default()
    };
    header.header_checksum = header.calc_header_checksum();
    header
}

/// Returns the IPv6 header of `packet` with `payload` bytes after it.
fn ipv6<H: Observed>(packet: &Packet<H>, ecn: IpEcn, next: IpNumber, payload: u16) -> Ipv6Header {
    let address = |node: NodeId| {
        let mut address = [0; 16];
        address[0] = 0xfd;
        address[12..].copy_from_slice(&node.0.to_be_bytes());
        address
    };
    Ipv6Header {
        traffic_class: dscp(packet.priority()) << 2 | ecn.value(),
        flow_label: Ipv6FlowLabel::ZERO,
        payload_length: payload,
        next_header: next,
        hop_limit: HOP_LIMIT,
        source: address(packet.key.src),
        destination: address(packet.key.dst),
    }
}
