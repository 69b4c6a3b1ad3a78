//! Serialized packets in transit to another rank.

use super::{Flags, Header, Packet};
use fabricsim_base::checkpoint::{LoadError, Reader, Writer};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::units::Time;

/// Bytes of a packet without its header.
const BYTES: usize = 48;

impl<H: Header> Packet<H> {
    /// Appends the packet: its fields in little-endian order, then its header.
    #[inline]
    pub(super) fn pack_into(&self, out: &mut Writer) {
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
        } = self;
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&arrival.as_ps().to_le_bytes());
        bytes[8..16].copy_from_slice(&sent_at.as_ps().to_le_bytes());
        bytes[16..24].copy_from_slice(&seq.to_le_bytes());
        bytes[24..28].copy_from_slice(&key.src.0.to_le_bytes());
        bytes[28..32].copy_from_slice(&key.dst.0.to_le_bytes());
        bytes[32..34].copy_from_slice(&key.src_port.to_le_bytes());
        bytes[34..36].copy_from_slice(&key.dst_port.to_le_bytes());
        bytes[36..40].copy_from_slice(&flow.0.to_le_bytes());
        bytes[40..42].copy_from_slice(&wire.to_le_bytes());
        bytes[42..44].copy_from_slice(&payload.to_le_bytes());
        bytes[44..46].copy_from_slice(&port.0.to_le_bytes());
        bytes[46] = *kind_and_priority;
        bytes[47] = flags.bits();
        out.bytes(&bytes);
        telemetry.pack(out);
    }

    /// Returns the packet that [`Self::pack_into`] has written.
    #[inline]
    pub(super) fn unpack_from(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let bytes: [u8; BYTES] = input.array()?;
        let two = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let four = |at: usize| u32::from(two(at)) | u32::from(two(at + 2)) << 16;
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        Ok(Self {
            arrival: Time::from_ps(eight(0)),
            sent_at: Time::from_ps(eight(8)),
            seq: eight(16),
            key: FlowKey {
                src: NodeId(four(24)),
                dst: NodeId(four(28)),
                src_port: two(32),
                dst_port: two(34),
            },
            flow: FlowId(four(36)),
            wire: two(40),
            payload: two(42),
            port: PortId(two(44)),
            kind_and_priority: bytes[46],
            flags: Flags::from_bits(bytes[47]),
            telemetry: H::unpack(input)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PacketKind, Priority};
    use super::*;
    use fabricsim_base::checkpoint::Stored;
    use fabricsim_engine::Message;

    #[test]
    fn a_packet_arrives_as_it_left() {
        let key = FlowKey {
            src: NodeId(0x0102_0304),
            dst: NodeId(u32::MAX),
            src_port: 10_000,
            dst_port: 65_535,
        };
        let priority = Priority::new(3);
        let mut packet = Packet::<u32>::new(PacketKind::Data, priority, key, FlowId(1 << 31));
        packet.set_arrival(Time::from_ps(u64::MAX - 1));
        packet.sent_at = Time::from_ps(0x0123_4567_89ab_cdef);
        packet.seq = 1 << 47 | 5;
        packet.wire = 1_090;
        packet.payload = 1_000;
        packet.port = PortId(513);
        packet.flags.set(Flags::CONGESTION);
        packet.telemetry = 77;
        let mut out = Writer::default();
        packet.pack(&mut out);
        let bytes = out.finish().expect("packets are never refused");
        let mut input = Reader::new(&bytes);
        let again = Packet::<u32>::unpack(&mut input).expect("it was packed");
        assert!(input.rest().is_empty());
        let stored = |packet: &Packet<u32>| {
            let mut out = Writer::default();
            packet.store(&mut out);
            out.finish()
        };
        assert_eq!(stored(&again), stored(&packet));
        assert!(Packet::<u32>::unpack(&mut Reader::new(&bytes[..40])).is_err());
    }

    impl Header for u32 {}
}
