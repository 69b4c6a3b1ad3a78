//! In-band network telemetry as a pre-allocated IOAM trace in a hop-by-hop option of IPv6 (RFC
//! 9197, section 4.4; RFC 9486).
//!
//! The entry of a switch holds the packet's departure time, the remaining queue, the bytes that the
//! port had sent before (lower 32 bits) and the rate of the link in Mbps. The newest entry is the
//! first.

use fabricsim_base::units::{Bytes, Time};
use fabricsim_hpcc::{ByteCounter, IntHeader, IntHop, IntScale};

/// The largest number of entries that fit into the length of an option.
const MOST_SLOTS: usize = 12;
/// Bytes of an entry.
const ENTRY: usize = 20;
/// Bytes before the entries: the headers of the extension, a padding, the option and the trace.
const BEFORE: usize = 16;
/// The next header is UDP.
const UDP: u8 = 17;
/// Type of the IOAM option. Its data change along the path.
const IOAM: u8 = 0x31;
const PAD_N: u8 = 1;
const PRE_ALLOCATED: u8 = 0;
/// The namespace that defines the last eight bytes of an entry.
const NAMESPACE: u16 = 1;
/// Flag of a trace that had no room for an entry.
const OVERFLOW: u16 = 0x8;
/// Fields of an entry: seconds, fraction of a second, queue depth, data of the namespace (wide).
const FIELDS: u32 = 1 << (23 - 2) | 1 << (23 - 3) | 1 << (23 - 6) | 1 << (23 - 10);

/// Room for a trace.
#[derive(Clone, Debug)]
pub struct TraceRoom {
    scale: IntScale,
    slots: usize,
}

impl TraceRoom {
    /// Returns room for one entry for each of `switches`, up to the limit of an option. Entries are
    /// decoded with `scale`.
    #[must_use]
    pub fn new(scale: IntScale, switches: u16) -> Self {
        let slots = usize::from(switches).clamp(1, MOST_SLOTS);
        Self { scale, slots }
    }

    /// Returns the length of the whole extension header, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        (BEFORE + ENTRY * self.slots).next_multiple_of(8)
    }
}

/// Writes the extension header with the entries of `stack`, decoded at `now`.
pub(super) fn write<I: IntHeader>(room: &TraceRoom, now: Time, stack: &I, out: &mut Vec<u8>) {
    let slots = room.slots;
    let hops = stack.hops();
    let used = hops.min(slots);
    let byte = |count: usize| u8::try_from(count).expect("an option is shorter than 256 bytes");
    out.extend([UDP, byte(room.bytes() / 8 - 1), PAD_N, 0]);
    out.extend([IOAM, byte(BEFORE - 6 + ENTRY * slots), 0, PRE_ALLOCATED]);
    out.extend(NAMESPACE.to_be_bytes());
    let words = u16::from(byte(ENTRY / 4));
    let left = u16::from(byte((slots - used) * ENTRY / 4));
    let flags = if hops > slots { OVERFLOW } else { 0 };
    out.extend((words << 11 | flags << 7 | left).to_be_bytes());
    out.extend((FIELDS << 8).to_be_bytes());
    out.resize(out.len() + (slots - used) * ENTRY, 0);
    for index in (0..used).rev() {
        match stack.hop(index, now, &room.scale) {
            Some(hop) => out.extend(entry(&hop)),
            None => out.extend([0; ENTRY]),
        }
    }
    if !slots.is_multiple_of(2) {
        out.extend([PAD_N, 2, 0, 0]);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "fields are cut to 32 bits")]
fn entry(hop: &IntHop) -> [u8; ENTRY] {
    const SECOND: u64 = 1_000_000_000;
    let time = hop.at.as_ns();
    let sent = hop
        .sent
        .since(ByteCounter::new(Bytes::ZERO, Bytes::new(u64::MAX)));
    let words = [
        time / SECOND,
        time % SECOND,
        hop.queue.get(),
        sent.get(),
        hop.rate.as_bps() / 1_000_000,
    ];
    let mut entry = [0; ENTRY];
    for (bytes, word) in entry.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&(word as u32).to_be_bytes());
    }
    entry
}
