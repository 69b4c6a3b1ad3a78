//! A packet, carried by value from node to node.

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
// The kinds of several packets are seen at once, bit by bit: only pause frames have bit 3.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum PacketKind {
    /// Payload of a flow. Switches write telemetry into data packets only.
    Data = 0,
    /// All bytes below `seq` have arrived.
    Ack = 1,
    /// All bytes below `seq` have arrived and later ones were seen: a gap.
    Nack = 2,
    /// A priority-based flow control frame (IEEE 802.1Qbb), for the neighbor only.
    Pause = 8,
    /// The receiver of a flow grants it credit, up to the number in the header
    /// ([`Header::credit`]). Hosts know it in networks whose headers hold credit.
    Grant = 4,
    /// The sender of a flow asks for credit without data to put the number on.
    Request = 5,
}

/// The kinds of several packets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds(u8);

impl Kinds {
    /// Returns whether there is a pause frame among the packets.
    #[inline]
    pub(crate) const fn have_pause(self) -> bool {
        self.0 & PacketKind::Pause as u8 != 0
    }
}

/// A packet on a wire or in a queue: 48 bytes and its header.
#[derive(Clone, Copy, Debug, Stored)]
pub struct Packet<H> {
    /// Time at which the last byte arrives at the node at the end of the wire.
    arrival: Time,
    /// Time at which the data packet left its sender; echoed by the ACK or NACK.
    pub sent_at: Time,
    /// Data: the first payload byte. ACKs: the next byte that the receiver expects; those of TCP have
    /// blocks of what has arrived beyond a gap here and in `payload`.
    pub seq: u64,
    /// Addresses and ports.
    pub key: FlowKey,
    /// The flow, for the hosts.
    pub flow: FlowId,
    /// Bytes on the wire, headers included.
    pub wire: u16,
    /// Data: payload bytes. ACKs carry no payload: see [`Packet::report_gap`].
    pub payload: u16,
    /// A port of the node that holds the packet. In a queue: the port through which it came (telemetry
    /// finds it in [`Hop::ingress`](crate::plugin::Hop::ingress), as packets may wait elsewhere). On its
    /// way to a switch whose routes are [fixed](crate::plugin::Routing::fixed): the port by which it
    /// is to leave, from the beginning of the epoch in which it arrives.
    pub port: PortId,
    kind_and_priority: u8,
    /// One-bit facts.
    pub flags: Flags,
    /// The telemetry header.
    pub telemetry: H,
}

/// Bits of a byte number in an ACK: flows of up to 256 TiB.
const SEQ_BITS: u32 = 48;
const SEQ_MASK: u64 = (1 << SEQ_BITS) - 1;

/// Size on the wire of a pause frame (14 link + 20 network + 12 payload in the published
/// simulator).
///
/// Differs from the paper: IEEE 802.1Qbb pads the frame to the 60 bytes that are least on Ethernet
/// before the checksum.
pub const PAUSE_FRAME: u16 = 46;

impl<H: Header> Packet<H> {
    /// A packet of `kind` in priority queue `priority` with everything else empty.
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

    /// Makes a received packet into one of `kind` and `priority` that goes back to its sender,
    /// without payload; all else stays as it came.
    #[inline]
    pub fn make_reply(&mut self, kind: PacketKind, priority: Priority) {
        self.kind_and_priority = kind as u8 | (priority.get() << 4);
        self.key = self.key.reversed();
        self.payload = 0;
    }

    /// Returns the packet with its payload cut off, as control: its headers, which say what it was.
    #[must_use]
    pub const fn trimmed(&self) -> Self {
        let mut headers = *self;
        headers.wire = self.wire - self.payload;
        headers.payload = 0;
        headers.kind_and_priority = self.kind() as u8 | (Priority::CONTROL.get() << 4);
        headers.flags.set(Flags::TRIMMED);
        headers
    }

    /// Returns `true` if it is what [`Self::trimmed`] has left of a packet: data is never control
    /// otherwise.
    #[inline]
    #[must_use]
    pub const fn is_trimmed(&self) -> bool {
        self.is(PacketKind::Data) && self.priority().is_control()
    }

    /// A frame that stops the neighbor's `priority` or lets it go on.
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

    /// Returns the packet with another header.
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

    /// Returns `true` if switches write telemetry into it: into all data of RDMA, and into the packets of
    /// TCP that their sender has chosen.
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

    /// Returns whether its purpose is `kind`, which takes one comparison.
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

    /// The priority queue of the packet.
    #[inline]
    #[must_use]
    pub const fn priority(&self) -> Priority {
        Priority::from_bits(self.kind_and_priority >> 4)
    }

    /// The priority that a pause frame is about.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a frame is made from a priority"
    )]
    pub const fn paused_priority(&self) -> Priority {
        Priority::from_bits(self.key.src_port as u8)
    }

    /// Returns the change that a pause frame asks for.
    #[inline]
    #[must_use]
    pub const fn pause_change(&self) -> PauseChange {
        if self.flags.has(Flags::STOP) {
            PauseChange::Pause
        } else {
            PauseChange::Resume
        }
    }

    /// Makes a NACK say that byte `expected` is missing, and that the packet which lies `beyond`
    /// full packets further on has arrived; 0 for none. Held in `seq` (48 bits of byte and the
    /// upper half of the distance) and `payload` (its lower half).
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the distance is cut in two halves"
    )]
    pub const fn report_gap(&mut self, expected: u64, beyond: u32) {
        self.seq = expected & SEQ_MASK | (beyond as u64 >> 16) << SEQ_BITS;
        self.payload = beyond as u16;
    }

    /// The byte of an ACK: all below have arrived.
    #[inline]
    #[must_use]
    pub const fn cumulative(&self) -> u64 {
        self.seq & SEQ_MASK
    }

    /// Returns how many full packets beyond its byte a NACK reports one that has arrived; 0 for
    /// none.
    #[inline]
    #[must_use]
    pub const fn gap_distance(&self) -> u32 {
        ((self.seq >> SEQ_BITS) as u32) << 16 | self.payload as u32
    }

    /// Payload bytes of a data packet; none for others, whose field `payload` means something else.
    #[inline]
    #[must_use]
    pub const fn payload_bytes(&self) -> Bytes {
        match self.kind() {
            PacketKind::Data => Bytes::new(self.payload as u64),
            _ => Bytes::ZERO,
        }
    }

    /// The ECN field. A mark hides what the sender had set; of the two kinds of sender ECT(1) wins.
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
    /// Acknowledgements of TCP are Not-ECT (RFC 3168, section 6.1.4), and nothing reads a mark of an
    /// acknowledgement of RDMA. Senders of RDMA understand marks but set no codepoint here; queue
    /// disciplines leave out the data of TCP senders that do not.
    #[inline]
    #[must_use]
    pub const fn takes_mark(&self) -> bool {
        self.is(PacketKind::Data) && !self.flags.has(Flags::CONGESTION)
    }

    /// Bytes on the wire.
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
