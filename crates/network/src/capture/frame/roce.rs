//! RDMA packets as RoCEv2 (InfiniBand Architecture Specification, volume 1, chapter 9 and annex
//! A17).

use etherparse::{EtherType, IpEcn, IpNumber, UdpHeader};
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Ecn, Flags, Packet, PacketKind};

use super::ioam;
use super::{ETHERNET, FrameWriter, IPV4, IPV6, codepoint, ethernet, ipv4, ipv6};
use crate::headers::Observed;

/// UDP port of RoCEv2.
const ROCE: u16 = 4_791;
const UDP: usize = 8;
/// Bytes of the base transport header.
const BTH: usize = 12;
/// Bytes of the extended header of acknowledgements.
const AETH: usize = 4;
/// Bytes of the invariant checksum, which is zero here.
const ICRC: usize = 4;

/// Bytes that may be stored of a frame that is too short for its base transport header.
pub(super) const LEAST_KNOWN: usize = ETHERNET + IPV4 + UDP;
/// Bytes of the shortest frame with a base transport header.
pub(super) const LEAST: usize = LEAST_KNOWN + BTH;

const SEND_FIRST: u8 = 0x00;
const SEND_MIDDLE: u8 = 0x01;
const SEND_LAST: u8 = 0x02;
const SEND_ONLY: u8 = 0x04;
const ACKNOWLEDGE: u8 = 0x11;
/// The first opcode reserved for manufacturers, used here because credit has no standard opcode.
const GRANT: u8 = 0xc0;
const REQUEST: u8 = 0xc1;

const DEFAULT_PARTITION: u16 = 0xffff;
/// Bit of backward congestion notification, in the byte after the partition.
const BECN: u8 = 0x40;
/// Syndrome of a positive acknowledgement that sets no limit of credit.
const POSITIVE: u8 = 0x1f;
/// Syndrome of a negative acknowledgement: a packet is missing.
const SEQUENCE_ERROR: u8 = 0x60;
/// Mask of packet and queue-pair numbers, which have 24 bits.
const NUMBER: u64 = (1 << 24) - 1;
/// The queue pair of flow 0. Lower numbers are left free, because the first two are for management.
const FIRST_QUEUE_PAIR: u64 = 16;

impl FrameWriter {
    /// Writes the headers of an RDMA packet.
    pub(super) fn write_roce<H: Observed>(
        &self,
        now: Time,
        link: (NodeId, NodeId),
        packet: &Packet<H>,
        out: &mut Vec<u8>,
    ) {
        let is_data = packet.is(PacketKind::Data);
        let replies = matches!(packet.kind(), PacketKind::Ack | PacketKind::Nack);
        let wire = usize::from(packet.wire);
        let least = UDP + BTH + ICRC + if replies { AETH } else { 0 };
        // Data fills the frame. Replies are followed by padding.
        let udp = |headers: usize| match is_data {
            true => wire.saturating_sub(headers),
            false => wire.saturating_sub(headers).min(least),
        };
        // Data packets of RDMA are sent as ECN-capable, because switches mark all of them.
        let ecn = match packet.ecn() {
            Ecn::NotCapable if is_data => IpEcn::TWO,
            other => codepoint(other),
        };
        // The entropy is the source port in both directions, as RoCEv2 receivers send
        // acknowledgements.
        let port = if is_data {
            packet.key.src_port
        } else {
            packet.key.dst_port
        };
        let mut transport = Vec::with_capacity(BTH + AETH);
        self.write_transport(packet, &mut transport);

        let trace = self
            .trace
            .as_ref()
            .filter(|_| wire >= ETHERNET + IPV6 + least);
        let Some(trace) = trace else {
            let len = u16::try_from(udp(ETHERNET + IPV4)).expect("shorter than the frame");
            out.extend(ethernet(link, EtherType::IPV4));
            out.extend(ipv4(packet, ecn, IpNumber::UDP, len).to_bytes());
            // RoCEv2 sends no UDP checksum over IPv4.
            let header = UdpHeader {
                source_port: port,
                destination_port: ROCE,
                length: len,
                checksum: 0,
            };
            out.extend(header.to_bytes());
            out.extend(&transport);
            return;
        };
        let mut extension = Vec::new();
        if is_data && wire >= ETHERNET + IPV6 + trace.bytes() + least {
            ioam::write(trace, now, packet.telemetry.int(), &mut extension);
        }
        let len = u16::try_from(udp(ETHERNET + IPV6 + extension.len())).expect("below the frame");
        let next = match extension.is_empty() {
            true => IpNumber::UDP,
            false => IpNumber::IPV6_HEADER_HOP_BY_HOP,
        };
        let extended = u16::try_from(extension.len()).expect("options are short") + len;
        let ip = ipv6(packet, ecn, next, extended);
        let mut header = UdpHeader {
            source_port: port,
            destination_port: ROCE,
            length: len,
            checksum: 0,
        };
        // IPv6 requires a checksum (RFC 8200, section 8.1).
        let mut payload = transport.clone();
        payload.resize(usize::from(len) - UDP, 0);
        header.checksum = header
            .calc_checksum_ipv6(&ip, &payload)
            .expect("shorter than the frame");
        out.extend(ethernet(link, EtherType::IPV6));
        out.extend(ip.to_bytes());
        out.extend(&extension);
        out.extend(header.to_bytes());
        out.extend(&transport);
    }

    /// Writes the headers after UDP.
    fn write_transport<H: Observed>(&self, packet: &Packet<H>, out: &mut Vec<u8>) {
        let flags = packet.flags;
        let byte = packet.cumulative();
        let (opcode, number, syndrome) = match packet.kind() {
            PacketKind::Data | PacketKind::Pause => {
                let starts = packet.seq == 0 || flags.has(Flags::STREAM);
                let ends = flags.has(Flags::LAST) || flags.has(Flags::STREAM);
                let opcode = match (starts, ends) {
                    (true, true) => SEND_ONLY,
                    (true, false) => SEND_FIRST,
                    (false, true) => SEND_LAST,
                    (false, false) => SEND_MIDDLE,
                };
                (opcode, packet.seq / self.mtu, None)
            }
            // The last packet that has arrived completely.
            PacketKind::Ack => {
                let number = byte.div_ceil(self.mtu).wrapping_sub(1);
                (ACKNOWLEDGE, number, Some(POSITIVE))
            }
            // The missing packet.
            PacketKind::Nack => (ACKNOWLEDGE, byte / self.mtu, Some(SEQUENCE_ERROR)),
            PacketKind::Grant => (GRANT, packet.telemetry.credit() / self.mtu, None),
            PacketKind::Request => (REQUEST, packet.telemetry.credit() / self.mtu, None),
        };
        let queue_pair = (u64::from(packet.flow.0) + FIRST_QUEUE_PAIR) & NUMBER;
        let three = |number: u64| {
            let [.., a, b, c] = (number & NUMBER).to_be_bytes();
            [a, b, c]
        };
        let echo = flags.has(Flags::ECHO) && syndrome.is_some();
        out.extend([opcode, 0]);
        out.extend(DEFAULT_PARTITION.to_be_bytes());
        out.push(if echo { BECN } else { 0 });
        out.extend(three(queue_pair.max(2)));
        out.push(0);
        out.extend(three(number));
        if let Some(syndrome) = syndrome {
            let messages = u64::from(flags.has(Flags::COMPLETE));
            out.push(syndrome);
            out.extend(three(messages));
        }
        // The invariant checksum is among the zeros that follow.
        if packet.wire != 0 && syndrome.is_some() {
            out.extend([0; ICRC]);
        }
    }
}
