//! The sender's view of each segment that is not fully acknowledged: when it was sent, and if it is
//! reported, considered lost or retransmitted (RFC 6675, section 3; RFC 8985, section 5.2).
//!
//! Segments are numbered in byte order; a retransmission sends the same segment again. The work per
//! acknowledgement is proportional to the newly delivered segments.

#[cfg(test)]
mod tests;
mod window;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Duration, Time};

use super::config::Detection;
use super::rack::Rack;
use super::ranges::Ranges;
use super::sack::SackBlock;
use super::segment::{Segment, SegmentState};
use window::Window;

/// Segments and bytes that an acknowledgement delivers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Delivery {
    /// Newly acknowledged or reported segments.
    pub(super) segments: u32,
    /// The number of these segments below the cumulative acknowledgement.
    pub(super) cumulative: u32,
    /// Payload bytes newly below the cumulative acknowledgement.
    pub(super) bytes: u64,
    /// Earliest and latest send times among these segments, for segments that were sent once.
    pub(super) first_sent: Option<Time>,
    pub(super) last_sent: Option<Time>,
    /// Latest send time among all these segments. For a retransmitted segment, its last send time
    /// counts.
    pub(super) newest: Option<Time>,
    /// A second copy of some data has arrived (RFC 2883).
    pub(super) duplicate: bool,
}

/// The scoreboard of one sender.
// The fields needed for each segment are first.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
#[repr(C)]
pub(super) struct Scoreboard {
    segments: Window,
    sacked: u32,
    lost: u32,
    /// Without SACK: the number of duplicate acknowledgements. Each represents an arrived segment.
    duplicates: u32,
    #[checkpoint(rebuilt)]
    detection: Detection,
    /// For RACK: below this number, no first transmission is still in flight. First transmissions
    /// of later segments were made in order of their numbers.
    unsettled: u64,
    /// Reported bytes above the cumulative acknowledgement.
    reported: Ranges,
    /// For RACK: number and time of each retransmission, in order of time.
    resent: VecDeque<(u64, Time)>,
    /// Numbers of lost segments. Some may have been delivered or retransmitted since.
    lost_numbers: BinaryHeap<Reverse<u64>>,
}

impl Scoreboard {
    pub(super) const fn new(detection: Detection) -> Self {
        Self {
            segments: Window::EMPTY,
            sacked: 0,
            lost: 0,
            reported: Ranges::EMPTY,
            lost_numbers: BinaryHeap::new(),
            unsettled: 0,
            resent: VecDeque::new(),
            detection,
            duplicates: 0,
        }
    }

    /// Returns the number of segments that are in the network, as far as known (pipe).
    #[inline]
    pub(super) fn in_flight(&self) -> u32 {
        self.outstanding() - self.sacked - self.lost - self.duplicates
    }

    /// Returns the number of segments that are not fully acknowledged.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a window has fewer than 2^32"
    )]
    pub(super) fn outstanding(&self) -> u32 {
        self.segments.len() as u32
    }

    #[inline]
    pub(super) const fn lost(&self) -> u32 {
        self.lost
    }

    #[inline]
    pub(super) const fn sacked(&self) -> u32 {
        self.sacked
    }

    /// Adds a new segment, which leaves now.
    #[inline]
    pub(super) fn send(&mut self, now: Time, seq: u64, payload: u16, fin: bool) {
        self.segments.push(now, seq, payload, fin);
    }

    /// Retransmits the first lost segment, if there is one.
    pub(super) fn resend_lost(&mut self, now: Time) -> Option<Segment> {
        while let Some(Reverse(number)) = self.lost_numbers.pop() {
            let segment = self.segments.get(number);
            if segment.is_some_and(|s| s.state == SegmentState::Lost) {
                self.lost -= 1;
                return Some(self.resend(now, number));
            }
        }
        None
    }

    /// Retransmits the last segment that was not reported, as a probe.
    pub(super) fn resend_last(&mut self, now: Time) -> Option<Segment> {
        let mut numbers = self.segments.numbers().rev();
        let (number, segment) = numbers.find_map(|number| {
            let segment = self.segments.get(number)?;
            (segment.state != SegmentState::Sacked).then_some((number, segment))
        })?;
        if segment.state == SegmentState::Lost {
            self.lost -= 1;
        }
        Some(self.resend(now, number))
    }

    fn resend(&mut self, now: Time, number: u64) -> Segment {
        if self.detection == Detection::Rack {
            self.resent.push_back((number, now));
        }
        self.segments.resend(now, number)
    }

    /// Processes an acknowledgement of all bytes below `cumulative` and of `blocks` beyond. Informs
    /// `rack` of each delivered segment.
    pub(super) fn acknowledge(
        &mut self,
        cumulative: u64,
        blocks: &[SackBlock],
        rack: &mut Rack,
    ) -> Delivery {
        let mut delivery = self.acknowledge_in_order(cumulative, rack);
        while let Some(segment) = self.segments.take_first(cumulative) {
            delivery.cumulative += 1;
            delivery.bytes += u64::from(segment.payload);
            match segment.state {
                SegmentState::Sacked => {
                    self.sacked -= 1;
                    continue;
                }
                SegmentState::Lost => self.lost -= 1,
                SegmentState::InFlight => {}
            }
            delivery.add(&segment);
            rack.on_delivered(&segment);
        }
        if self.duplicates > 0 && delivery.cumulative > 0 {
            // One of the segments was the hole; the rest were counted as duplicates.
            let eaten = (delivery.cumulative - 1).min(self.duplicates);
            self.duplicates -= eaten;
            delivery.segments -= eaten;
            self.limit_duplicates();
        }
        if !self.reported.is_empty() {
            self.reported.remove_below(cumulative);
        }
        for block in blocks.iter().take_while(|block| block.len > 0) {
            let start = cumulative.wrapping_add_signed(i64::from(block.offset));
            let end = start + u64::from(block.len);
            if end <= cumulative {
                delivery.duplicate = true;
            } else {
                self.report(start.max(cumulative)..end, rack, &mut delivery);
            }
        }
        delivery
    }

    /// Acknowledges all bytes below `cumulative`, up to the first segment that is not in flight for
    /// the first time.
    #[inline]
    fn acknowledge_in_order(&mut self, cumulative: u64, rack: &mut Rack) -> Delivery {
        let Some(taken) = self.segments.take_in_order(cumulative) else {
            return Delivery::default();
        };
        rack.on_delivered_in_order(taken.first_end, taken.last_sent, taken.last_end);
        Delivery {
            segments: taken.count,
            cumulative: taken.count,
            bytes: taken.bytes,
            first_sent: Some(taken.first_sent),
            last_sent: Some(taken.last_sent),
            newest: Some(taken.last_sent),
            duplicate: false,
        }
    }

    fn report(&mut self, range: Range<u64>, rack: &mut Rack, delivery: &mut Delivery) {
        let Self {
            segments,
            sacked,
            lost,
            reported,
            ..
        } = self;
        reported.insert(range, |gap| {
            let mut number = segments.number_from(gap.start);
            while let Some(segment) = segments.get(number).filter(|s| s.end() <= gap.end) {
                if segment.state == SegmentState::Lost {
                    *lost -= 1;
                }
                segments.set_state(number, SegmentState::Sacked);
                *sacked += 1;
                delivery.add(&segment);
                rack.on_delivered(&segment);
                number += 1;
            }
        });
    }

    /// Finds lost segments by their send times (RFC 8985, section 6.2, step 5). Returns the number
    /// of newly lost segments, and when to check again if no acknowledgement arrives.
    pub(super) fn detect(&mut self, now: Time, rack: &Rack, window: Duration) -> (u32, Time) {
        let mut found = 0;
        while let Some((number, segment)) = self.earliest_in_flight() {
            if !rack.is_after(&segment) {
                return (found, Time::MAX);
            }
            let due = segment.sent_at.saturating_add(rack.rtt + window);
            if due > now {
                return (found, due);
            }
            self.mark_lost(number);
            found += 1;
        }
        (found, Time::MAX)
    }

    /// Returns the segment in flight with the earliest last send time, and its number. For RACK.
    #[inline]
    fn earliest_in_flight(&mut self) -> Option<(u64, Segment)> {
        self.unsettled = self.unsettled.max(self.segments.first());
        let sent_once = loop {
            match self.segments.get(self.unsettled) {
                Some(segment) if segment.state == SegmentState::InFlight && !segment.again => {
                    break Some((self.unsettled, segment));
                }
                Some(_) => self.unsettled += 1,
                None => break None,
            }
        };
        if self.resent.is_empty() {
            return sent_once;
        }
        let resent = self.earliest_resent();
        match (sent_once, resent) {
            (Some(one), Some(other)) if one.1.sent_at <= other.1.sent_at => Some(one),
            (_, Some(other)) => Some(other),
            (one, None) => one,
        }
    }

    /// Same as [`Self::earliest_in_flight`], among retransmitted segments only.
    fn earliest_resent(&mut self) -> Option<(u64, Segment)> {
        while let Some(&(number, sent_at)) = self.resent.front() {
            let live = self.segments.get(number).filter(|segment| {
                segment.sent_at == sent_at && segment.state == SegmentState::InFlight
            });
            if let Some(segment) = live {
                return Some((number, segment));
            }
            self.resent.pop_front();
        }
        None
    }

    fn mark_lost(&mut self, number: u64) {
        self.segments.set_state(number, SegmentState::Lost);
        self.lost += 1;
        self.lost_numbers.push(Reverse(number));
    }

    /// Marks the first segment as lost if it is in flight. Returns `true` if it was.
    pub(super) fn lose_first(&mut self) -> bool {
        let first = self.segments.first();
        let segment = self.segments.get(first);
        let found = segment.is_some_and(|s| s.state == SegmentState::InFlight);
        if found {
            self.mark_lost(first);
        }
        found
    }

    /// Handles a timeout: marks the first segment as lost, and each segment that was sent at
    /// `before` or earlier (RFC 8985, section 6.3).
    pub(super) fn lose_on_timeout(&mut self, before: Time) {
        let first = self.segments.first();
        for number in self.segments.numbers() {
            let segment = self.segments.get(number);
            let is_lost = segment.is_some_and(|segment| {
                segment.state == SegmentState::InFlight
                    && (number == first || segment.sent_at <= before)
            });
            if is_lost {
                self.mark_lost(number);
            }
        }
    }

    /// Without SACK: records a duplicate acknowledgement. Returns the number of duplicates.
    pub(super) fn count_duplicate(&mut self) -> u32 {
        self.duplicates += 1;
        self.limit_duplicates();
        self.duplicates
    }

    /// Limits the duplicates to the segments after the first one, which is missing.
    fn limit_duplicates(&mut self) {
        let others = self.outstanding() - self.lost;
        let most = if self.lost > 0 {
            others
        } else {
            others.saturating_sub(1)
        };
        self.duplicates = self.duplicates.min(most);
    }

    /// Without SACK: discards all duplicates after a timeout, because their segments are
    /// retransmitted.
    pub(super) fn forget_duplicates(&mut self) {
        self.duplicates = 0;
    }
}

impl Delivery {
    #[inline]
    fn add(&mut self, segment: &Segment) {
        self.segments += 1;
        self.newest = self.newest.max(Some(segment.sent_at));
        if !segment.again {
            self.first_sent = Some(
                self.first_sent
                    .map_or(segment.sent_at, |at| at.min(segment.sent_at)),
            );
            self.last_sent = Some(
                self.last_sent
                    .map_or(segment.sent_at, |at| at.max(segment.sent_at)),
            );
        }
    }
}
