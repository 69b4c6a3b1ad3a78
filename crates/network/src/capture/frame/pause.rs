//! Priority-based flow control: MAC control frames (IEEE 802.1Qbb, clause 36 of 802.1Q).

use etherparse::{EtherType, Ethernet2Header};
use fabricsim_base::id::NodeId;
use fabricsim_core::packet::{Packet, PauseChange};

use super::mac;
use crate::headers::Observed;

/// EtherType of MAC control frames.
const MAC_CONTROL: EtherType = EtherType(0x8808);
/// Opcode of priority-based flow control.
const PFC: u16 = 0x0101;
/// Destination of MAC control frames: the station at the other end of the link.
const DESTINATION: [u8; 6] = [0x01, 0x80, 0xc2, 0, 0, 0x01];

/// Writes the frame of a pause or resume that `from` sends.
///
/// Pauses of the simulator last until they are ended, so a pause frame has the largest number of
/// quanta.
pub(super) fn write<H: Observed>(from: NodeId, packet: &Packet<H>, out: &mut Vec<u8>) {
    let header = Ethernet2Header {
        source: mac(from),
        destination: DESTINATION,
        ether_type: MAC_CONTROL,
    };
    let priority = packet.paused_priority().get();
    let quanta: u16 = match packet.pause_change() {
        PauseChange::Pause => u16::MAX,
        PauseChange::Resume => 0,
    };
    out.extend(header.to_bytes());
    out.extend(PFC.to_be_bytes());
    out.extend((1u16 << priority).to_be_bytes());
    for class in 0..8 {
        let time = if class == priority { quanta } else { 0 };
        out.extend(time.to_be_bytes());
    }
}
