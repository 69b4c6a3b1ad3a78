//! Timestamps of segments (RFC 7323) for packet captures: TSval and TSecr.
//!
//! `Packet::sent_at` is the timestamp for measuring round trips: TSval of a segment with payload,
//! TSecr of an acknowledgement. The other one, in microseconds, is stored in the header if there is
//! room. An acknowledgement with three blocks has no room.

use fabricsim_base::units::Time;
use fabricsim_core::packet::{Header, Packet, PacketKind};

use super::header::{Bits, TcpHeader};
use super::sack;

/// The clock of timestamps in microseconds, which wraps around.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "timestamps wrap")]
pub(super) const fn clock(time: Time) -> u32 {
    (time.as_ps() / 1_000_000) as u32
}

/// Returns the later of two timestamps (RFC 7323, section 5.2).
#[inline]
pub(super) const fn later(one: u32, other: u32) -> u32 {
    if one.wrapping_sub(other) < 1 << 31 {
        one
    } else {
        other
    }
}

/// Returns the own timestamp of `packet`, a pure acknowledgement with the TCP header `header`, if
/// it has room for one.
#[inline]
pub(super) fn of_acknowledgement<H: Header>(packet: &Packet<H>, header: &TcpHeader) -> Option<u32> {
    let has_room = packet.seq == 0 || sack::third_block(packet, header).len == 0;
    has_room.then(|| header.timestamp())
}

/// Returns TSval and TSecr of `packet` with the TCP header `header`, or `None` if it has no room
/// for both. TSecr is zero without [`Bits::ACK`] (RFC 7323, section 3.2).
#[must_use]
pub fn timestamps<H: Header>(packet: &Packet<H>, header: &TcpHeader) -> Option<(u32, u32)> {
    let sent = clock(packet.sent_at);
    if sack::may_report(packet, header) {
        return Some((of_acknowledgement(packet, header)?, sent));
    }
    let echo = if packet.is(PacketKind::Ack) || !header.bits.has(Bits::ACK) {
        0
    } else if !header.bits.has(Bits::SYN) {
        header.timestamp()
    } else if packet.payload == 0 {
        echo_of_syn(header)
    } else {
        // Without a handshake, no timestamp of the other side has arrived yet.
        0
    };
    Some((sent, echo))
}

/// Returns the timestamp that a SYN-ACK with `header` echoes.
#[expect(clippy::cast_possible_truncation, reason = "it was set as 32 bits")]
const fn echo_of_syn(header: &TcpHeader) -> u32 {
    header.aside().get() as u32
}
