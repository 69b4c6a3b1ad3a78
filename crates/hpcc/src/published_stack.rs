//! The header of the published simulator.

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::Hop;

use crate::path::PortLabel;
use crate::scale::IntScale;
use crate::stack::{IntHeader, time_before};
use crate::view::{ByteCounter, IntHop};

const PUBLISHED_HOPS: usize = 5;
const TIME_BITS: u32 = 24;
const SENT_BITS: u32 = 20;
const QUEUE_BITS: u32 = 17;
const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The header of the published simulator: five hops of 64 bits each (24 bits of time in
/// nanoseconds, 20 bits of sent bytes in units of 128 m, 17 bits of queue in units of 80 m bytes, 3
/// bits of rate code). Unlike the paper's header, it does not identify the path, so paths of equal
/// length appear equal.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed(4))]
pub struct PublishedStack {
    pub(crate) hops: [u64; PUBLISHED_HOPS],
    pub(crate) len: u32,
}

impl Header for PublishedStack {}

impl Stored for PublishedStack {
    fn store(&self, out: &mut Writer) {
        let Self { hops, len } = *self;
        hops.store(out);
        len.store(out);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let (hops, len) = Stored::fetch(input)?;
        Ok(Self { hops, len })
    }
}

impl PublishedStack {
    #[inline]
    const fn field(&self, index: usize, shift: u32, bits: u32) -> u64 {
        let hops = self.hops;
        (hops[index] >> shift) & mask(bits)
    }
}

impl IntHeader for PublishedStack {
    const CAPACITY: usize = PUBLISHED_HOPS;

    #[inline]
    fn push(&mut self, hop: &Hop, label: PortLabel, scale: &IntScale) {
        let entry = (hop.now.as_ns() & mask(TIME_BITS))
            | ((hop.sent.get() / scale.sent_unit) & mask(SENT_BITS)) << TIME_BITS
            | ((hop.queue.get() / scale.queue_unit) & mask(QUEUE_BITS)) << (TIME_BITS + SENT_BITS)
            | u64::from(label.rate_code() & 7) << (TIME_BITS + SENT_BITS + QUEUE_BITS);
        let mut hops = self.hops;
        hops[self.len as usize % PUBLISHED_HOPS] = entry;
        self.hops = hops;
        self.len += 1;
    }

    #[inline]
    fn hops(&self) -> usize {
        self.len as usize
    }

    #[inline]
    fn same_path(&self, earlier: &Self) -> bool {
        let (ours, theirs) = (self.len, earlier.len);
        ours == theirs
    }

    #[inline]
    fn interval_ns(&self, index: usize, earlier: &Self) -> f64 {
        let difference = self
            .field(index, 0, TIME_BITS)
            .wrapping_sub(earlier.field(index, 0, TIME_BITS));
        (difference & mask(TIME_BITS)) as f64
    }

    #[inline]
    fn sent_since(&self, index: usize, earlier: &Self, scale: &IntScale) -> u64 {
        let now = self.field(index, TIME_BITS, SENT_BITS);
        let before = earlier.field(index, TIME_BITS, SENT_BITS);
        (now.wrapping_sub(before) & mask(SENT_BITS)) * scale.sent_unit
    }

    #[inline]
    fn queue(&self, index: usize, scale: &IntScale) -> Bytes {
        Bytes::new(self.field(index, TIME_BITS + SENT_BITS, QUEUE_BITS) * scale.queue_unit)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "masked to 3 bits")]
    fn rate_code(&self, index: usize) -> u8 {
        self.field(index, TIME_BITS + SENT_BITS + QUEUE_BITS, 3) as u8
    }

    fn copy_hops(&mut self, other: &Self, wanted: impl Fn(usize) -> bool) {
        let (mut hops, theirs) = (self.hops, other.hops);
        for index in (0..PUBLISHED_HOPS).filter(|&index| wanted(index)) {
            hops[index] = theirs[index];
        }
        self.hops = hops;
    }

    fn path(&self) -> u32 {
        self.len
    }

    fn hop(&self, index: usize, now: Time, scale: &IntScale) -> Option<IntHop> {
        if index >= self.hops().min(PUBLISHED_HOPS) {
            return None;
        }
        let ns = Duration::from_ns(1).as_ps();
        let stamp = self.field(index, 0, TIME_BITS) * ns;
        let sent = self.field(index, TIME_BITS, SENT_BITS) * scale.sent_unit;
        let period = scale.sent_unit << SENT_BITS;
        Some(IntHop {
            at: time_before(now, stamp, ns << TIME_BITS),
            sent: ByteCounter::new(Bytes::new(sent), Bytes::new(period)),
            queue: self.queue(index, scale),
            rate: scale.rate(self.rate_code(index)),
        })
    }
}
