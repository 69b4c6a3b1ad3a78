//! TCP (RFC 9293) with the options that fit: selective acknowledgements (RFC 2018), timestamps (RFC
//! 7323), and the options of a segment that opens a connection.
//!
//! Sequence numbers begin at 0 with the SYN. Bytes that the simulator counts beyond the headers of
//! IP and TCP, such as a preamble, follow the IP packet.

use etherparse::{EtherType, IpNumber, TcpHeader, TcpOptionElement};
use fabricsim_base::id::NodeId;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_transport::tcp::{
    Bits, Feedback, SackBlock, TcpHeader as Segment, first_byte, sack_blocks, timestamps,
};

use super::{ETHERNET, IPV4, codepoint, ethernet, ipv4};
use crate::headers::Observed;

/// Bytes of the TCP header without options.
const TCP: usize = 20;
/// Largest number of bytes of options.
const OPTIONS: usize = 40;
/// Bytes of a timestamp option with its padding.
const TIMESTAMP: usize = 12;
/// Bytes of the options of a segment that opens a connection, with and without a timestamp.
const OPENING: usize = 20;
const OPENING_ALONE: usize = 12;
/// The receive window of every segment. The simulator does not model receive windows.
const WINDOW: u16 = u16::MAX;
/// The window scale, with which the window is 1 GB.
const WINDOW_SCALE: u8 = 14;

/// Writes the headers of `packet`. Its TCP fields are in `segment`.
pub(super) fn write<H: Observed>(
    link: (NodeId, NodeId),
    packet: &Packet<H>,
    segment: &Segment,
    out: &mut Vec<u8>,
) {
    let seq = first_byte(packet, segment);
    let payload = match packet.kind() {
        PacketKind::Data => packet.payload,
        _ => 0,
    };
    // While a connection opens with data, the simulator sets SYN in all segments. On the wire, only
    // the first segment has it.
    let syn = segment.bits.has(Bits::SYN) && seq == 0;
    let ack = segment.bits.has(Bits::ACK);
    let mut header = TcpHeader::new(
        packet.key.src_port,
        packet.key.dst_port,
        number(seq, !syn),
        WINDOW,
    );
    header.syn = syn;
    header.ack = ack;
    header.fin = segment.bits.has(Bits::FIN);
    header.psh = header.fin && payload > 0;
    header.acknowledgment_number = if ack { number(segment.ack(), true) } else { 0 };
    header.ece = segment.bits.has(Bits::ECE);
    header.cwr = segment.bits.has(Bits::CWR);
    if syn {
        let asks = !ack;
        let (_, feedback) = segment.opening();
        header.ns = asks && feedback == Feedback::Accurate;
        header.cwr = asks && feedback != Feedback::None || feedback == Feedback::Accurate;
        header.ece = match feedback {
            Feedback::None => false,
            Feedback::Classic | Feedback::Dctcp => true,
            Feedback::Accurate => asks,
        };
    }
    let beside = ETHERNET + IPV4 + TCP + usize::from(payload);
    let room = usize::from(packet.wire).saturating_sub(beside).min(OPTIONS);
    let options = options(packet, segment, (syn, payload), room);
    header
        .set_options(&options)
        .expect("options are chosen by their room");
    let len = header.header_len_u16() + payload;
    let ip = ipv4(packet, codepoint(packet.ecn()), IpNumber::TCP, len);
    header.checksum = header
        .calc_checksum_ipv4(&ip, &vec![0; usize::from(payload)])
        .expect("shorter than the frame");
    out.extend(ethernet(link, EtherType::IPV4));
    out.extend(ip.to_bytes());
    out.extend(header.to_bytes());
}

/// Returns the sequence number of byte `position` of a stream. `after_syn` adds the SYN's number.
#[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap")]
const fn number(position: u64, after_syn: bool) -> u32 {
    position.wrapping_add(after_syn as u64) as u32
}

/// Returns the options that fit into `room` bytes.
fn options<H: Observed>(
    packet: &Packet<H>,
    segment: &Segment,
    (syn, payload): (bool, u16),
    mut room: usize,
) -> Vec<TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted,
        Timestamp, WindowScale,
    };
    let mut options = Vec::new();
    let times = timestamps(packet, segment);
    if syn && room >= OPENING_ALONE {
        options.extend([MaximumSegmentSize(1_460), SelectiveAcknowledgementPermitted]);
        match times.filter(|_| room >= OPENING) {
            Some((sent, echoed)) => options.push(Timestamp(sent, echoed)),
            None => options.extend([Noop, Noop]),
        }
        options.extend([Noop, WindowScale(WINDOW_SCALE)]);
        room = 0;
    } else if payload == 0 && !syn {
        let blocks = sack_blocks(packet, segment);
        let blocks = blocks.iter().filter(|block| block.len > 0);
        let fit = room.saturating_sub(4) / 8;
        let mut blocks = blocks.map(|block| edges(segment.ack(), block)).take(fit);
        if let Some(first) = blocks.next() {
            let rest = [blocks.next(), blocks.next(), None];
            options.extend([Noop, Noop, SelectiveAcknowledgement(first, rest)]);
            room -= 4 + 8 * (1 + rest.iter().flatten().count());
        }
    }
    if let Some((sent, echoed)) = times.filter(|_| room >= TIMESTAMP) {
        options.extend([Noop, Noop, Timestamp(sent, echoed)]);
    }
    options
}

/// Returns the edges of `block`, which is stored relative to byte `ack`.
fn edges(ack: u64, block: &SackBlock) -> (u32, u32) {
    let left = ack.wrapping_add_signed(i64::from(block.offset));
    let right = left.wrapping_add(u64::from(block.len));
    (number(left, true), number(right, true))
}
