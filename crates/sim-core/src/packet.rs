//! A packet, passed by value from node to node.

mod flags;
mod header;
mod message;
mod packed;
mod pause_change;
mod stamps;

pub use flags::{Ecn, Flags};
pub use header::Header;
pub use pause_change::PauseChange;
pub use stamps::Stamps;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Assign;
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

/// Purpose of a packet.
// Combining the kinds of several packets by OR shows if one is a pause frame: only these have bit
// 3.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum PacketKind {
    /// Payload of a flow. Switches write telemetry into data packets only.
    Data = 0,
    /// All bytes before `seq` have arrived.
    Ack = 1,
    /// All bytes before `seq` have arrived, and so have later ones: there is a gap.
    Nack = 2,
    /// A priority-based flow control frame (IEEE 802.1Qbb), for the neighbor only.
    Pause = 8,
    /// The receiver of a flow grants credit, up to the number in the header ([`Header::credit`]).
    /// Used only in networks with room for credit in the header.
    Grant = 4,
    /// The sender of a flow requests credit without a data packet to carry the number.
    Request = 5,
}

/// The kinds of several packets, combined by OR.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds(u8);

impl Kinds {
    /// Returns `true` if one of the packets is a pause frame.
    #[inline]
    pub(crate) const fn have_pause(self) -> bool {
        self.0 & PacketKind::Pause as u8 != 0
    }
}

/// A packet on a wire or in a queue: 48 bytes plus its header.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain, flow = flow)]
pub struct Packet<H> {
    /// Time at which the last byte arrives at the node at the end of the wire.
    arrival: Time,
    /// Time at which the data packet left its sender; echoed by the ACK or NACK.
    pub sent_at: Time,
    /// Data: the first payload byte. ACKs: the next byte that the receiver expects. ACKs of TCP
    /// also store the blocks that have arrived beyond a gap here and in `payload`.
    #[checkpoint(sequence)]
    pub seq: u64,
    /// Addresses and ports.
    pub key: FlowKey,
    /// The flow, for the hosts.
    pub flow: FlowId,
    /// Bytes on the wire, including headers.
    pub wire: u16,
    /// Data: payload bytes. ACKs carry no payload: see [`Packet::report_gap`].
    pub payload: u16,
    /// A port of the node that stores the packet.
    ///
    /// In a queue, it is the ingress port; telemetry reads that from
    /// [`Hop::ingress`](crate::plugin::Hop::ingress) instead, because packets may wait elsewhere.
    /// On the way to a switch with [fixed](crate::plugin::Routing::fixed) routes, it is the egress
    /// port, from the beginning of the epoch in which the packet arrives.
    pub port: PortId,
    kind_and_priority: u8,
    /// One-bit fields.
    pub flags: Flags,
    /// The telemetry header.
    pub telemetry: H,
}

/// Bits of a byte number in an ACK, which is sufficient for flows of up to 256 TiB.
const SEQ_BITS: u32 = 48;
const SEQ_MASK: u64 = (1 << SEQ_BITS) - 1;

/// Size of a pause frame on the wire (14 link + 20 network + 12 payload in the published
/// simulator).
///
/// Differs from the paper: IEEE 802.1Qbb pads the frame to 60 bytes, the Ethernet minimum before
/// the checksum.
pub const PAUSE_FRAME: u16 = 46;

impl<H: Header> Packet<H> {
    /// Returns a packet of `kind` with `priority`; all other fields are empty.
    #[inline]
    #[must_use]
    pub fn new(kind: PacketKind, priority: Priority, key: FlowKey, flow: FlowId) -> Self {
        Self {
            arrival: Time::ZERO,
            sent_at: Time::ZERO,
            seq: 0,
            key,
            flow,
            wire: 0,
            payload: 0,
            port: PortId(0),
            kind_and_priority: kind as u8 | (priority.get() << 4),
            flags: Flags::NONE,
            telemetry: H::default(),
        }
    }

    /// Turns a received packet into a reply of `kind` and `priority` to its sender, without
    /// payload. All other fields stay.
    #[inline]
    pub fn make_reply(&mut self, kind: PacketKind, priority: Priority) {
        self.kind_and_priority = kind as u8 | (priority.get() << 4);
        self.key = self.key.reversed();
        self.payload = 0;
        self.port = PortId(0);
    }

    /// Returns the packet without its payload, as control. Its headers still identify it.
    #[must_use]
    pub const fn trimmed(&self) -> Self {
        let mut headers = *self;
        headers.wire = self.wire - self.payload;
        headers.payload = 0;
        headers.kind_and_priority = self.kind() as u8 | (Priority::CONTROL.get() << 4);
        headers.flags.set(Flags::TRIMMED);
        headers
    }

    /// Returns `true` if the packet was [trimmed](Self::trimmed): other data is never control.
    #[inline]
    #[must_use]
    pub const fn is_trimmed(&self) -> bool {
        self.is(PacketKind::Data) && self.priority().is_control()
    }

    /// Returns a frame that pauses or resumes the neighbor's `priority`.
    #[must_use]
    pub fn pause(priority: Priority, change: PauseChange) -> Self {
        let nowhere = FlowKey {
            src: fabricsim_base::id::NodeId(0),
            dst: fabricsim_base::id::NodeId(0),
            src_port: u16::from(priority.get()),
            dst_port: 0,
        };
        let mut frame = Self::new(PacketKind::Pause, Priority::CONTROL, nowhere, FlowId(0));
        frame.wire = PAUSE_FRAME;
        frame.flags = match change {
            PauseChange::Pause => Flags::STOP,
            PauseChange::Resume => Flags::NONE,
        };
        frame
    }

    /// Returns the packet without its telemetry header.
    #[must_use]
    pub const fn without_telemetry(&self) -> Packet<()> {
        self.with_telemetry(())
    }

    /// Returns the packet with another telemetry header.
    #[inline]
    #[must_use]
    pub const fn with_telemetry<T: Copy>(&self, telemetry: T) -> Packet<T> {
        Packet {
            arrival: self.arrival,
            sent_at: self.sent_at,
            seq: self.seq,
            key: self.key,
            flow: self.flow,
            wire: self.wire,
            payload: self.payload,
            port: self.port,
            kind_and_priority: self.kind_and_priority,
            flags: self.flags,
            telemetry,
        }
    }

    /// Returns `true` if switches write telemetry into the packet: into all data of RDMA, and into
    /// the packets that a TCP sender has chosen.
    #[inline]
    #[must_use]
    pub fn takes_telemetry(&self) -> bool {
        let wanted = !self.telemetry.is_probed() || self.flags.has(Flags::PROBE);
        self.is(PacketKind::Data) && wanted
    }

    /// Returns the purpose of the packet.
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> PacketKind {
        match self.kind_and_priority & 0xf {
            0 => PacketKind::Data,
            1 => PacketKind::Ack,
            2 => PacketKind::Nack,
            4 => PacketKind::Grant,
            8 => PacketKind::Pause,
            _ => PacketKind::Request,
        }
    }

    /// Returns `true` if the purpose is `kind`, which takes only one comparison.
    #[inline]
    #[must_use]
    pub const fn is(&self, kind: PacketKind) -> bool {
        self.kind_and_priority & 0xf == kind as u8
    }

    /// Adds the kind of the packet to `kinds`.
    #[inline(always)]
    pub(crate) const fn add_kind(&self, kinds: &mut Kinds) {
        kinds.0 |= self.kind_and_priority;
    }

    /// Returns the priority of the packet.
    #[inline]
    #[must_use]
    pub const fn priority(&self) -> Priority {
        Priority::from_bits(self.kind_and_priority >> 4)
    }

    /// Returns the priority in a pause frame.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a frame is made from a priority"
    )]
    pub const fn paused_priority(&self) -> Priority {
        Priority::from_bits(self.key.src_port as u8)
    }

    /// Returns the action that a pause frame requests.
    #[inline]
    #[must_use]
    pub const fn pause_change(&self) -> PauseChange {
        if self.flags.has(Flags::STOP) {
            PauseChange::Pause
        } else {
            PauseChange::Resume
        }
    }

    /// Makes a NACK report that byte `expected` is missing, and that the packet `beyond` full
    /// later packets has arrived; 0 if there is none. Stored in `seq` (48 bits of the byte and
    /// the upper half of the distance) and `payload` (its lower half).
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the distance is cut in two halves"
    )]
    pub const fn report_gap(&mut self, expected: u64, beyond: u32) {
        self.seq = expected & SEQ_MASK | (beyond as u64 >> 16) << SEQ_BITS;
        self.payload = beyond as u16;
    }

    /// Returns the byte number of an ACK: all bytes before it have arrived.
    #[inline]
    #[must_use]
    pub const fn cumulative(&self) -> u64 {
        self.seq & SEQ_MASK
    }

    /// Returns the distance in full packets from the missing byte of a NACK to a packet that has
    /// arrived; 0 if there is none.
    #[inline]
    #[must_use]
    pub const fn gap_distance(&self) -> u32 {
        ((self.seq >> SEQ_BITS) as u32) << 16 | self.payload as u32
    }

    /// Returns the payload bytes of a data packet. Zero for other packets, which use the field
    /// `payload` differently.
    #[inline]
    #[must_use]
    pub const fn payload_bytes(&self) -> Bytes {
        match self.kind() {
            PacketKind::Data => Bytes::new(self.payload as u64),
            _ => Bytes::ZERO,
        }
    }

    /// Returns the ECN field. A mark hides the sender's codepoint; if both ECT flags are set,
    /// ECT(1) wins.
    #[inline]
    #[must_use]
    pub const fn ecn(&self) -> Ecn {
        if self.flags.has(Flags::CONGESTION) {
            Ecn::Congestion
        } else if self.flags.has(Flags::ECT1) {
            Ecn::Ect1
        } else if self.flags.has(Flags::ECT0) {
            Ecn::Ect0
        } else {
            Ecn::NotCapable
        }
    }

    /// Returns `true` if a switch can mark this packet (CE): it is data and not marked yet.
    ///
    /// TCP acknowledgements are Not-ECT (RFC 3168, section 6.1.4), and marks on RDMA
    /// acknowledgements are never read. RDMA senders understand marks but set no codepoint here;
    /// queueing disciplines do not mark the data of TCP senders that do not understand marks.
    #[inline]
    #[must_use]
    pub const fn takes_mark(&self) -> bool {
        self.is(PacketKind::Data) && !self.flags.has(Flags::CONGESTION)
    }

    /// Returns the bytes on the wire.
    #[inline]
    #[must_use]
    pub const fn size(&self) -> Bytes {
        Bytes::new(self.wire as u64)
    }
}

impl<H: Header> Assign for Packet<H> {
    #[inline]
    fn assign(&mut self, other: &Self) {
        if !H::PARTIAL {
            *self = *other;
            return;
        }
        let Self {
            arrival,
            sent_at,
            seq,
            key,
            flow,
            wire,
            payload,
            port,
            kind_and_priority,
            flags,
            telemetry,
        } = other;
        self.arrival = *arrival;
        self.sent_at = *sent_at;
        self.seq = *seq;
        self.key = *key;
        self.flow = *flow;
        self.wire = *wire;
        self.payload = *payload;
        self.port = *port;
        self.kind_and_priority = *kind_and_priority;
        self.flags = *flags;
        self.telemetry.assign(telemetry);
    }
}

#[cfg(test)]
mod tests;
