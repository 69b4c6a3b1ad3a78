//! The telemetry that a packet collects along its path: one entry per switch.

use std::fmt;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::Hop;

use crate::path::{PathTrace, PortLabel};
use crate::scale::IntScale;
use crate::view::{ByteCounter, IntHop};

/// The difference between the entries of two packets at one hop.
#[derive(Clone, Copy, Debug)]
pub struct HopDifference {
    /// Nanoseconds between the two dequeues.
    pub interval_ns: f64,
    /// Bytes that the port sent between them.
    pub sent: u64,
    /// The shorter of the two queues.
    pub least_queue: Bytes,
    /// Rate code of the link.
    pub rate_code: u8,
}

/// A telemetry header with one entry per hop: the content of the slot of [`HasInt`](crate::HasInt).
/// Differences between the stacks of two packets on the same path take the wraparound of fields
/// into account.
pub trait IntHeader: Header {
    /// Maximum number of entries.
    const CAPACITY: usize;

    /// Adds the entry of a switch. `label` belongs to its egress port.
    fn push(&mut self, hop: &Hop, label: PortLabel, scale: &IntScale);

    /// Returns the number of switches passed. If it is above the capacity, the entries are not
    /// reliable.
    fn hops(&self) -> usize;

    /// Returns `true` if the packets of `earlier` and `self` took the same path, as far as their
    /// headers tell. Only then does the difference of two entries refer to a single port.
    fn same_path(&self, earlier: &Self) -> bool;

    /// Returns the nanoseconds between the dequeues of `earlier` and `self` at hop `index`.
    fn interval_ns(&self, index: usize, earlier: &Self) -> f64;

    /// Returns the bytes that the port of hop `index` sent between the two dequeues.
    fn sent_since(&self, index: usize, earlier: &Self, scale: &IntScale) -> u64;

    /// Returns the bytes in the queue at hop `index`.
    fn queue(&self, index: usize, scale: &IntScale) -> Bytes;

    /// Returns the rate code of the link at hop `index`.
    fn rate_code(&self, index: usize) -> u8;

    /// Calls `visit` for each hop with the difference between the stacks of two packets on the same
    /// path.
    #[inline]
    fn differences(&self, earlier: &Self, scale: &IntScale, mut visit: impl FnMut(HopDifference)) {
        for index in 0..self.hops().min(Self::CAPACITY) {
            visit(HopDifference {
                interval_ns: self.interval_ns(index, earlier),
                sent: self.sent_since(index, earlier, scale),
                least_queue: self.queue(index, scale).min(earlier.queue(index, scale)),
                rate_code: self.rate_code(index),
            });
        }
    }

    /// Copies the entries of `other` for which `wanted` returns `true`.
    fn copy_hops(&mut self, other: &Self, wanted: impl Fn(usize) -> bool);

    /// Returns the identity of the path, as far as the header tells.
    fn path(&self) -> u32 {
        0
    }

    /// Returns the decoded entry of hop `index`, which was written before `now`, or `None` if there
    /// is none.
    fn hop(&self, _index: usize, _now: Time, _scale: &IntScale) -> Option<IntHop> {
        None
    }
}

/// Returns the latest time before `now` that a field with `period` represents as `stamp`.
pub(crate) fn time_before(now: Time, stamp: u64, period: u64) -> Time {
    let age = (now.as_ps() % period + period - stamp % period) % period;
    Time::from_ps(now.as_ps().saturating_sub(age))
}

/// The empty slot: no telemetry.
impl IntHeader for () {
    const CAPACITY: usize = 0;

    fn push(&mut self, _hop: &Hop, _label: PortLabel, _scale: &IntScale) {}

    fn hops(&self) -> usize {
        0
    }

    fn same_path(&self, _earlier: &Self) -> bool {
        true
    }

    fn interval_ns(&self, _index: usize, _earlier: &Self) -> f64 {
        0.0
    }

    fn sent_since(&self, _index: usize, _earlier: &Self, _scale: &IntScale) -> u64 {
        0
    }

    fn queue(&self, _index: usize, _scale: &IntScale) -> Bytes {
        Bytes::ZERO
    }

    fn rate_code(&self, _index: usize) -> u8 {
        0
    }

    fn copy_hops(&mut self, _other: &Self, _wanted: impl Fn(usize) -> bool) {}
}

/// Times are in units of 2^8 ps; 34 bits last 4.4 s.
const EXACT_TIME_SHIFT: u32 = 8;
const EXACT_TIME_BITS: u32 = 34;
const EXACT_TIME_MASK: u64 = (1 << EXACT_TIME_BITS) - 1;

/// One hop in 12 bytes: 34 bits of time in units of 256 ps, 32 bits of sent bytes, 24 bits of queue
/// in units of 16 bytes, 6 bits of rate code. The time wraps after 4.4 s and the count of bytes
/// after 4.3 GB. If a round trip comes close to these limits, the units are larger (see
/// [`IntScale`]).
type ExactHop = [u32; 3];

/// Bytes of an entry.
const HOP_BYTES: usize = 12;

/// Up to `N` hops at full resolution, and the identity of their path.
#[derive(Clone, Copy)]
pub struct ExactStack<const N: usize> {
    path: PathTrace,
    hops: [ExactHop; N],
}

/// Shows only the entries in use. All other entries are stale.
impl<const N: usize> fmt::Debug for ExactStack<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = N.min(self.path.hops());
        f.debug_struct("ExactStack")
            .field("path", &self.path)
            .field("hops", &&self.hops[..used])
            .finish()
    }
}

/// Stacks of at most this many entries are copied whole; larger ones only as far as they are
/// filled.
const COPIED_WHOLE: usize = 32;

impl<const N: usize> Header for ExactStack<N> {
    const PARTIAL: bool = N > COPIED_WHOLE;

    #[inline]
    fn assign(&mut self, other: &Self) {
        if Self::PARTIAL {
            self.path = other.path;
            let filled = N.min(other.path.hops());
            self.hops[..filled].copy_from_slice(&other.hops[..filled]);
        } else {
            *self = *other;
        }
    }

    #[inline]
    fn pack(&self, out: &mut Writer) {
        out.bytes(&self.path.to_bytes());
        for hop in &self.hops[..N.min(self.path.hops())] {
            let mut bytes = [0; HOP_BYTES];
            for (bytes, part) in bytes.chunks_exact_mut(4).zip(hop) {
                bytes.copy_from_slice(&part.to_le_bytes());
            }
            out.bytes(&bytes);
        }
    }

    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let mut stack = Self {
            path: PathTrace::from_bytes(input.array()?),
            ..Self::default()
        };
        let used = N.min(stack.path.hops());
        let bytes = input.bytes(used * HOP_BYTES)?;
        for (hop, bytes) in stack.hops.iter_mut().zip(bytes.chunks_exact(HOP_BYTES)) {
            for (part, bytes) in hop.iter_mut().zip(bytes.chunks_exact(4)) {
                *part = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        Ok(stack)
    }
}

/// A checkpoint contains only the entries in use.
impl<const N: usize> Stored for ExactStack<N> {
    fn store(&self, out: &mut Writer) {
        self.path.store(out);
        let used = N.min(self.path.hops());
        self.hops[..used].iter().for_each(|hop| hop.store(out));
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let mut stack = Self {
            path: Stored::fetch(input)?,
            ..Self::default()
        };
        let used = N.min(stack.path.hops());
        for hop in &mut stack.hops[..used] {
            *hop = Stored::fetch(input)?;
        }
        Ok(stack)
    }
}

impl<const N: usize> Default for ExactStack<N> {
    fn default() -> Self {
        const {
            assert!(
                N < PathTrace::MAX_HOPS,
                "the count of hops tells when it is above N"
            )
        };
        Self {
            path: PathTrace::default(),
            hops: [[0; 3]; N],
        }
    }
}

/// Returns the time of `entry`, in its units.
#[inline]
fn time(entry: &ExactHop) -> u64 {
    u64::from(entry[0]) | u64::from(entry[2] & 3) << 32
}

/// Returns the nanoseconds between the dequeues of `before` and `entry`.
#[inline]
fn interval_ns(entry: &ExactHop, before: &ExactHop) -> f64 {
    let low = u64::from(entry[0]).wrapping_sub(u64::from(before[0]));
    let high = u64::from(entry[2].wrapping_sub(before[2])) << 32;
    // The left shift discards all bits above the time.
    let top = u64::BITS - EXACT_TIME_BITS;
    let ps = low.wrapping_add(high) << top >> (top - EXACT_TIME_SHIFT);
    // The value is far below 2^63, and converting a signed integer takes a single instruction.
    ps.cast_signed() as f64 / 1_000.0
}

#[inline]
const fn rate_code(entry: &ExactHop) -> u8 {
    (entry[2] >> 2 & 63) as u8
}

impl<const N: usize> IntHeader for ExactStack<N> {
    const CAPACITY: usize = N;

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "fields are cut to their documented widths"
    )]
    fn push(&mut self, hop: &Hop, label: PortLabel, scale: &IntScale) {
        if let Some(entry) = self.hops.get_mut(self.path.hops()) {
            // There is room, so the hop count is below its maximum.
            self.path.pass_counted(label);
            let time = (hop.now.as_ps() >> EXACT_TIME_SHIFT) & EXACT_TIME_MASK;
            let queue = (hop.queue.get() >> scale.queue_shift).min((1 << 24) - 1) as u32;
            *entry = [
                time as u32,
                (hop.sent.get() >> scale.sent_shift) as u32,
                (time >> 32) as u32 | (u32::from(label.rate_code() & 63) << 2) | (queue << 8),
            ];
        } else {
            self.path.pass(label);
        }
    }

    #[inline]
    fn hops(&self) -> usize {
        self.path.hops()
    }

    #[inline]
    fn same_path(&self, earlier: &Self) -> bool {
        self.path == earlier.path
    }

    #[inline]
    fn interval_ns(&self, index: usize, earlier: &Self) -> f64 {
        interval_ns(&self.hops[index], &earlier.hops[index])
    }

    #[inline]
    fn sent_since(&self, index: usize, earlier: &Self, scale: &IntScale) -> u64 {
        u64::from(self.hops[index][1].wrapping_sub(earlier.hops[index][1])) << scale.sent_shift
    }

    #[inline]
    fn queue(&self, index: usize, scale: &IntScale) -> Bytes {
        Bytes::new(u64::from(self.hops[index][2] >> 8) << scale.queue_shift)
    }

    #[inline]
    fn rate_code(&self, index: usize) -> u8 {
        rate_code(&self.hops[index])
    }

    // Slices avoid the bounds check for each field of each entry, which halves the instructions.
    #[inline]
    fn differences(&self, earlier: &Self, scale: &IntScale, mut visit: impl FnMut(HopDifference)) {
        let filled = N.min(self.path.hops());
        let earlier = &earlier.hops[..filled];
        for (entry, before) in self.hops[..filled].iter().zip(earlier) {
            visit(HopDifference {
                interval_ns: interval_ns(entry, before),
                sent: u64::from(entry[1].wrapping_sub(before[1])) * scale.sent_unit,
                least_queue: Bytes::new(
                    u64::from((entry[2] >> 8).min(before[2] >> 8)) * scale.queue_unit,
                ),
                rate_code: rate_code(entry),
            });
        }
    }

    fn copy_hops(&mut self, other: &Self, wanted: impl Fn(usize) -> bool) {
        for index in (0..N).filter(|&index| wanted(index)) {
            self.hops[index] = other.hops[index];
        }
    }

    fn path(&self) -> u32 {
        self.path.identity()
    }

    fn hop(&self, index: usize, now: Time, scale: &IntScale) -> Option<IntHop> {
        if index >= self.hops().min(N) {
            return None;
        }
        let stamp = time(&self.hops[index]) << EXACT_TIME_SHIFT;
        let sent = u64::from(self.hops[index][1]) << scale.sent_shift;
        let period = Bytes::new(1 << (32 + scale.sent_shift));
        Some(IntHop {
            at: time_before(now, stamp, 1 << (EXACT_TIME_BITS + EXACT_TIME_SHIFT)),
            sent: ByteCounter::new(Bytes::new(sent), period),
            queue: self.queue(index, scale),
            rate: scale.rate(self.rate_code(index)),
        })
    }
}

#[cfg(test)]
mod tests;
