//! The segments of a window, in sixteen bytes each.

use std::collections::VecDeque;
use std::ops::Range;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::Time;

use crate::tcp::segment::{Segment, SegmentState};

/// Segments that are not fully acknowledged, in byte order and without gaps. They are numbered from
/// the first segment ever sent.
// The fields needed for each segment are first.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
#[repr(C)]
pub(super) struct Window {
    kept: VecDeque<Kept>,
    /// Number of the first segment.
    first: u64,
    /// First byte of the first segment.
    start: u64,
}

/// A segment in compact form, because long windows do not fit in a cache and an acknowledgement
/// needs the segments at the beginning.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Kept {
    sent_at: Time,
    /// From the lowest bit on: the lower bits of the byte number, the payload, the FIN bit, the
    /// retransmitted bit, and the state.
    packed: u64,
}

/// Number of stored bits of a byte number. Byte numbers within a window differ by less, because
/// blocks of selective acknowledgements reach 2^31 bytes.
const SEQ_BITS: u32 = 44;
const SEQ_MASK: u64 = (1 << SEQ_BITS) - 1;
const FIN_SHIFT: u32 = SEQ_BITS + u16::BITS;
const AGAIN: u64 = 1 << (FIN_SHIFT + 1);
const STATE_SHIFT: u32 = FIN_SHIFT + 2;
/// Bits that are nonzero if a segment was retransmitted or is not in flight.
const UNUSUAL: u64 = !0 << (FIN_SHIFT + 1);

/// The segments that a cumulative acknowledgement has removed from the beginning of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) count: u32,
    /// Payload bytes.
    pub(super) bytes: u64,
    /// Send time and end of the first segment.
    pub(super) first_sent: Time,
    pub(super) first_end: u64,
    /// Send time and end of the last segment.
    pub(super) last_sent: Time,
    pub(super) last_end: u64,
}

impl Kept {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the bits of the payload")]
    const fn payload(self) -> u16 {
        (self.packed >> SEQ_BITS) as u16
    }

    /// Returns 1 if the segment has the FIN, which takes one number.
    #[inline]
    const fn fin(self) -> u64 {
        self.packed >> FIN_SHIFT & 1
    }

    /// Returns the count of numbers that the segment takes.
    #[inline]
    const fn len(self) -> u64 {
        self.payload() as u64 + self.fin()
    }

    /// Returns the distance in bytes from `start` to the beginning of the segment.
    #[inline]
    const fn beyond(self, start: u64) -> u64 {
        self.packed.wrapping_sub(start) & SEQ_MASK
    }

    /// Returns the segment, which begins at `seq`.
    #[inline]
    const fn segment(self, seq: u64) -> Segment {
        Segment {
            seq,
            sent_at: self.sent_at,
            payload: self.payload(),
            fin: self.fin() != 0,
            state: match self.packed >> STATE_SHIFT {
                0 => SegmentState::InFlight,
                1 => SegmentState::Sacked,
                _ => SegmentState::Lost,
            },
            again: self.packed & AGAIN != 0,
        }
    }
}

impl Window {
    pub(super) const EMPTY: Self = Self {
        kept: VecDeque::new(),
        first: 0,
        start: 0,
    };

    /// Returns the number of segments.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns the number of the first segment, or of the next one to send if there is none.
    #[inline]
    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// Returns the numbers of all segments.
    pub(super) fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.kept.len() as u64
    }

    /// Adds a segment that begins at `seq`, which must be the end of the last one.
    #[inline]
    pub(super) fn push(&mut self, now: Time, seq: u64, payload: u16, fin: bool) {
        if self.kept.is_empty() {
            self.start = seq;
        }
        debug_assert!(
            self.kept
                .back()
                .is_none_or(|last| self.start + last.beyond(self.start) + last.len() == seq),
            "no byte is missing"
        );
        self.kept.push_back(Kept {
            sent_at: now,
            packed: seq & SEQ_MASK | u64::from(payload) << SEQ_BITS | u64::from(fin) << FIN_SHIFT,
        });
    }

    fn index(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    /// Returns the segment with this number if it is not acknowledged.
    #[inline]
    pub(super) fn get(&self, number: u64) -> Option<Segment> {
        let kept = self.kept.get(self.index(number)?)?;
        Some(kept.segment(self.start + kept.beyond(self.start)))
    }

    fn kept_mut(&mut self, number: u64) -> &mut Kept {
        let index = self.index(number);
        let kept = index.and_then(|index| self.kept.get_mut(index));
        kept.expect("the segment is in the window")
    }

    /// Sets the state of the segment with this number.
    pub(super) fn set_state(&mut self, number: u64, state: SegmentState) {
        let kept = self.kept_mut(number);
        let state: u64 = match state {
            SegmentState::InFlight => 0,
            SegmentState::Sacked => 1,
            SegmentState::Lost => 2,
        };
        kept.packed = kept.packed & !(!0 << STATE_SHIFT) | state << STATE_SHIFT;
    }

    /// Records a retransmission of the segment with this number, and returns the segment.
    pub(super) fn resend(&mut self, now: Time, number: u64) -> Segment {
        self.set_state(number, SegmentState::InFlight);
        let kept = self.kept_mut(number);
        kept.sent_at = now;
        kept.packed |= AGAIN;
        self.get(number).expect("it has just been changed")
    }

    /// Returns the number of the first segment that begins at or after `seq`.
    pub(super) fn number_from(&self, seq: u64) -> u64 {
        let distance = seq.saturating_sub(self.start);
        let index = self
            .kept
            .partition_point(|kept| kept.beyond(self.start) < distance);
        self.first + index as u64
    }

    /// Removes and returns the first segment if it ends at or before `cumulative`.
    #[inline]
    pub(super) fn take_first(&mut self, cumulative: u64) -> Option<Segment> {
        let segment = self.kept.front()?.segment(self.start);
        if segment.end() > cumulative {
            return None;
        }
        self.kept.pop_front();
        self.first += 1;
        self.start = segment.end();
        Some(segment)
    }

    /// Removes all segments that end at or before `cumulative`, up to the first one that is not in
    /// flight for the first time.
    #[inline]
    pub(super) fn take_in_order(&mut self, cumulative: u64) -> Option<Taken> {
        let ends_at = |kept: &Kept, start: u64| {
            let end = start + kept.len();
            (kept.packed & UNUSUAL == 0 && end <= cumulative).then_some(end)
        };
        let first = *self.kept.front()?;
        let first_end = ends_at(&first, self.start)?;
        let mut taken = Taken {
            count: 0,
            bytes: 0,
            first_sent: first.sent_at,
            first_end,
            last_sent: first.sent_at,
            last_end: self.start,
        };
        while let Some(kept) = self.kept.front()
            && let Some(end) = ends_at(kept, taken.last_end)
        {
            taken.count += 1;
            taken.bytes += u64::from(kept.payload());
            taken.last_sent = kept.sent_at;
            taken.last_end = end;
            self.kept.pop_front();
        }
        self.first += u64::from(taken.count);
        self.start = taken.last_end;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::from_ps(us * 1_000_000)
    }

    /// Returns segments of 100, 1 and 65,535 bytes and one with only a FIN, starting at `start`.
    fn four(start: u64) -> Window {
        let mut window = Window::EMPTY;
        window.push(at(1), start, 100, false);
        window.push(at(2), start + 100, 1, false);
        window.push(at(3), start + 101, u16::MAX, false);
        window.push(at(4), start + 101 + 65_535, 0, true);
        window
    }

    #[test]
    fn a_segment_takes_sixteen_bytes() {
        assert_eq!(size_of::<Kept>(), 16);
    }

    #[test]
    fn segments_come_back_as_they_were_sent() {
        // Includes byte numbers with lower bits that wrap around within the window.
        for start in [
            0,
            1 << 40,
            SEQ_MASK - 100,
            SEQ_MASK - 101,
            SEQ_MASK,
            u64::MAX / 2,
        ] {
            let mut window = four(start);
            let fields = |segment: Segment| (segment.seq - start, segment.payload, segment.fin);
            let all: Vec<_> = window
                .numbers()
                .filter_map(|n| window.get(n))
                .map(fields)
                .collect();
            let expected = [
                (0, 100, false),
                (100, 1, false),
                (101, u16::MAX, false),
                (65_636, 0, true),
            ];
            assert_eq!(all, expected);
            let from = [0, 1, 100, 101, 102, 65_636, 65_637];
            let found = from.map(|seq| window.number_from(start + seq));
            assert_eq!(found, [0, 1, 1, 2, 3, 3, 4], "from {start}");

            window.set_state(1, SegmentState::Sacked);
            window.set_state(2, SegmentState::Lost);
            let again = window.resend(at(9), 2);
            assert_eq!((again.again, again.sent_at), (true, at(9)));
            assert_eq!(window.get(1).unwrap().state, SegmentState::Sacked);
            assert_eq!(window.get(2).unwrap().state, SegmentState::InFlight);
            assert_eq!(
                fields(window.get(2).unwrap()),
                expected[2],
                "all else is kept"
            );
        }
    }

    #[test]
    fn what_is_in_its_first_flight_is_taken_at_once() {
        let start = SEQ_MASK - 100;
        let mut window = four(start);
        assert!(window.take_in_order(start + 99).is_none());
        let taken = window.take_in_order(start + 101).unwrap();
        assert_eq!((taken.count, taken.bytes), (2, 101));
        assert_eq!((taken.first_sent, taken.last_sent), (at(1), at(2)));
        assert_eq!(
            (taken.first_end, taken.last_end),
            (start + 100, start + 101)
        );
        window.resend(at(5), 2);
        assert!(
            window.take_in_order(u64::MAX).is_none(),
            "it was retransmitted"
        );
        let again = window.take_first(u64::MAX).unwrap();
        assert_eq!((again.seq, again.again), (start + 101, true));
        assert_eq!(window.take_in_order(u64::MAX).unwrap().count, 1);
        assert_eq!((window.len(), window.first()), (0, 4));
    }
}
