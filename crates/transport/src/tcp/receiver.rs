//! The receiving half of a connection: records arrivals and decides when to acknowledge them.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;

use super::config::{Detection, TcpParameters};
use fabricsim_core::plugin::Feedback;

use super::ecn::Echo;
use super::ranges::Ranges;
use super::sack::SackBlock;

/// An arriving segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) seq: u64,
    pub(super) payload: u16,
    pub(super) fin: bool,
    /// The segment has a congestion mark.
    pub(super) marked: bool,
    /// The sender has received the echo.
    pub(super) cwr: bool,
    /// Timestamp of the segment.
    pub(super) sent_at: Time,
}

/// Contents of an acknowledgement, except for the blocks beyond the first gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Report {
    pub(super) cumulative: u64,
    pub(super) ece: bool,
    pub(super) ce_count: u32,
    /// Timestamp to echo.
    pub(super) echo: Time,
}

/// Consequences of an arriving segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Taken {
    /// Acknowledgement of the delayed segments, with the state from before this segment.
    pub(super) before: Option<Report>,
    /// The segment must be acknowledged now.
    pub(super) at_once: bool,
    /// Payload bytes that this segment delivers in order.
    pub(super) delivered: u64,
}

/// Number of blocks beyond the first gap that are remembered for reports.
const REMEMBERED: usize = 8;

/// The receiving half. It is one cache line, which is enough for segments in order.
///
/// Differs from the paper: the timestamp of a segment beyond a gap is echoed (RFC 7323, section
/// 4.3, echoes the one of the last segment in order), so that round trips are measured in recovery,
/// too.
#[derive(Debug, Stored)]
#[checkpoint(absolute)]
#[repr(C)]
pub(super) struct Receiver {
    /// End of the stream, after its FIN has arrived.
    end: Option<u64>,
    /// All bytes below this have arrived (rcv_nxt).
    next: u64,
    /// Time at which the delayed acknowledgement is due, or [`Time::MAX`] if there is none.
    pub(super) ack_by: Time,
    /// Timestamp of the first unacknowledged segment (RFC 7323, section 4.3), or of the last
    /// segment.
    timestamp: Time,
    /// Number of full segments with a delayed acknowledgement.
    waiting: u32,
    /// Number of remaining segments at the beginning of a connection that are acknowledged
    /// immediately.
    quick: u32,
    echo: Echo,
    /// Data that arrived beyond a gap or twice; `None` until there is any.
    gaps: Option<Box<Gaps>>,
}

/// Segments that arrived out of order.
#[derive(Debug, Default, Stored)]
#[checkpoint(absolute)]
struct Gaps {
    /// Bytes that have arrived beyond the first gap.
    beyond: Ranges,
    /// A byte in each recently reported block, the latest first.
    recent: Vec<u64>,
    /// A second copy to report (RFC 2883).
    duplicate: Option<(u64, u64)>,
}

impl Receiver {
    pub(super) fn new(feedback: Feedback, parameters: &TcpParameters) -> Self {
        Self {
            echo: Echo::new(feedback),
            next: 0,
            end: None,
            waiting: 0,
            ack_by: Time::MAX,
            timestamp: Time::ZERO,
            quick: parameters.quick_acks,
            gaps: None,
        }
    }

    /// Sets the negotiated feedback.
    pub(super) const fn agree(&mut self, feedback: Feedback) {
        self.echo.feedback = feedback;
    }

    /// Returns the payload bytes delivered in order.
    pub(super) fn delivered(&self) -> u64 {
        self.next - u64::from(self.is_ended())
    }

    /// Returns `true` if the whole stream has arrived.
    pub(super) fn is_ended(&self) -> bool {
        self.end.is_some_and(|end| self.next >= end)
    }

    /// Records an arriving segment with payload or FIN.
    #[inline(always)]
    pub(super) fn on_segment(
        &mut self,
        now: Time,
        arrival: &Arrival,
        parameters: &TcpParameters,
    ) -> Taken {
        // If the marks change, DCTCP must acknowledge the delayed segments with the old mark first.
        let urgency = self.echo.urgency(arrival.marked);
        let mut taken = Taken {
            before: (urgency.before && self.waiting > 0).then(|| self.report()),
            at_once: urgency.at_once,
            delivered: 0,
        };
        if taken.before.is_some() {
            self.waiting = 0;
        }
        self.echo.take(arrival.marked, arrival.cwr);
        let end = arrival.seq + u64::from(arrival.payload) + u64::from(arrival.fin);
        if arrival.fin {
            self.end = Some(end);
        }
        // Segments in order need no list of ranges, so they touch a single cache line.
        let gaps = self.gaps.as_ref();
        let complete = gaps.is_none_or(|gaps| gaps.beyond.is_empty());
        if complete && arrival.seq <= self.next && end > self.next {
            let delivered = self.delivered();
            self.next = end;
            taken.delivered = self.delivered() - delivered;
            if self.waiting == 0 {
                self.timestamp = arrival.sent_at;
            }
            self.waiting += 1;
        } else {
            taken.delivered = self.take_beyond(arrival.seq, end, parameters.detection);
            self.timestamp = arrival.sent_at;
            taken.at_once = true;
        }
        // RFC 5681, section 4.2.
        taken.at_once |= self.waiting >= parameters.ack_every || self.is_ended();
        if self.quick > 0 {
            self.quick -= 1;
            taken.at_once = true;
        }
        if taken.at_once {
            return taken;
        }
        self.ack_by = self.ack_by.min(now.saturating_add(parameters.ack_delay));
        taken
    }

    /// Records a segment that is out of order or fills a gap. Returns the payload bytes that it
    /// delivers in order.
    #[cold]
    fn take_beyond(&mut self, seq: u64, end: u64, detection: Detection) -> u64 {
        let delivered = self.delivered();
        let gaps = self.gaps.get_or_insert_default();
        if let Some(first) = gaps.insert(seq, end, self.next, detection) {
            self.next = first;
        }
        self.delivered() - delivered
    }

    /// Returns the contents of an acknowledgement to send now.
    pub(super) fn report(&self) -> Report {
        Report {
            cumulative: self.next,
            ece: self.echo.ece(),
            ce_count: match self.echo.feedback {
                Feedback::Accurate => self.echo.ce_count,
                Feedback::None | Feedback::Classic | Feedback::Dctcp => 0,
            },
            echo: self.timestamp,
        }
    }

    /// Returns the blocks for [`Self::report`]: a second copy first, then the latest blocks (RFC
    /// 2018, section 4; RFC 2883, section 4).
    #[inline]
    pub(super) fn blocks(&mut self, detection: Detection) -> [SackBlock; 3] {
        match &mut self.gaps {
            Some(gaps) if detection == Detection::Rack => gaps.blocks(self.next),
            _ => Default::default(),
        }
    }

    /// Records that an acknowledgement of all segments has been created.
    #[inline]
    pub(super) const fn on_acked(&mut self) {
        self.waiting = 0;
        self.ack_by = Time::MAX;
    }
}

impl Gaps {
    /// Records the segment from `seq` to `end`; all bytes below `next` have arrived. If this closes
    /// the first gap, returns the new end of the bytes in order.
    fn insert(&mut self, seq: u64, end: u64, next: u64, detection: Detection) -> Option<u64> {
        let Self { beyond, recent, .. } = self;
        let mut new = 0;
        if end > next {
            beyond.insert(seq.max(next)..end, |range| new += range.end - range.start);
        }
        if new == 0 && detection == Detection::Rack {
            self.duplicate = Some((seq, end));
        }
        if let Some(first) = beyond.around(next) {
            beyond.remove_below(first.end);
            recent.retain(|&byte| beyond.around(byte).is_some());
            return Some(first.end);
        }
        if new > 0 {
            let block = beyond.around(seq);
            recent.retain(|&byte| beyond.around(byte) != block);
            recent.truncate(REMEMBERED - 1);
            recent.insert(0, seq);
        }
        None
    }

    /// Returns the blocks for an acknowledgement of all bytes below `next`.
    fn blocks(&mut self, next: u64) -> [SackBlock; 3] {
        let mut blocks = [SackBlock::default(); 3];
        let copy = self.duplicate.take();
        let latest = self.recent.iter();
        let latest = latest.filter_map(|&byte| self.beyond.around(byte));
        let ranges = copy
            .map(|(start, end)| start..end)
            .into_iter()
            .chain(latest);
        for (block, range) in blocks.iter_mut().zip(ranges) {
            *block = SackBlock::between(&range, next);
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;
    use fabricsim_base::units::Duration;

    const MSS: u64 = 1_448;

    fn parameters(quick_acks: u32) -> TcpParameters {
        TcpConfig {
            quick_acks: Some(quick_acks),
            ..TcpConfig::default()
        }
        .parameters()
    }

    fn segment(number: u64) -> Arrival {
        Arrival {
            seq: number * MSS,
            payload: 1_448,
            fin: false,
            marked: false,
            cwr: false,
            sent_at: Time::from_ns(number),
        }
    }

    /// Records segment `number`. Returns `true` if it must be acknowledged now.
    fn take(receiver: &mut Receiver, number: u64, parameters: &TcpParameters) -> bool {
        let taken = receiver.on_segment(Time::ZERO, &segment(number), parameters);
        if taken.at_once {
            receiver.on_acked();
        }
        taken.at_once
    }

    #[test]
    fn every_second_segment_is_acknowledged_and_one_alone_after_forty_milliseconds() {
        let parameters = parameters(0);
        let mut receiver = Receiver::new(Feedback::None, &parameters);
        let acked: Vec<bool> = (0..5)
            .map(|n| take(&mut receiver, n, &parameters))
            .collect();
        assert_eq!(acked, [false, true, false, true, false]);
        assert_eq!(receiver.ack_by, Time::ZERO + Duration::from_ms(40));
        // The delayed acknowledgement echoes the timestamp of the waiting segment.
        assert_eq!(receiver.report().echo, Time::from_ns(4));
    }

    #[test]
    fn the_first_sixteen_segments_are_acknowledged_at_once() {
        let parameters = parameters(16);
        let mut receiver = Receiver::new(Feedback::None, &parameters);
        let acked: Vec<bool> = (0..20)
            .map(|n| take(&mut receiver, n, &parameters))
            .collect();
        assert_eq!(acked[..16], [true; 16]);
        assert_eq!(acked[16..], [false, true, false, true]);
    }

    #[test]
    fn what_is_out_of_order_or_fills_a_gap_is_acknowledged_at_once() {
        let parameters = parameters(0);
        let mut receiver = Receiver::new(Feedback::None, &parameters);
        assert!(take(&mut receiver, 1, &parameters));
        assert!(take(&mut receiver, 3, &parameters));
        assert!(take(&mut receiver, 0, &parameters), "fills the first gap");
        assert_eq!(receiver.report().cumulative, 2 * MSS);
        assert!(take(&mut receiver, 2, &parameters));
        assert_eq!(receiver.delivered(), 4 * MSS);
        assert!(!take(&mut receiver, 4, &parameters));
    }

    #[test]
    fn blocks_name_the_latest_first_and_copies_before_all() {
        let parameters = parameters(0);
        let mut receiver = Receiver::new(Feedback::None, &parameters);
        let block = |from: i32, count: u32| SackBlock {
            offset: from * 1_448,
            len: count * 1_448,
        };
        for number in [0, 2, 4, 6, 8, 5] {
            take(&mut receiver, number, &parameters);
        }
        // The first segment is complete; 2, 4 to 6, and 8 are beyond it.
        let blocks = receiver.blocks(Detection::Rack);
        assert_eq!(blocks, [block(3, 3), block(7, 1), block(1, 1)]);
        take(&mut receiver, 0, &parameters);
        let blocks = receiver.blocks(Detection::Rack);
        assert_eq!(blocks, [block(-1, 1), block(3, 3), block(7, 1)]);
        assert_eq!(
            receiver.blocks(Detection::Rack)[0],
            block(3, 3),
            "told once"
        );
        assert_eq!(
            receiver.blocks(Detection::DupAcks),
            [SackBlock::default(); 3]
        );
    }

    #[test]
    fn the_end_of_the_stream_is_acknowledged_at_once_and_is_no_payload() {
        let parameters = parameters(0);
        let mut receiver = Receiver::new(Feedback::None, &parameters);
        let mut last = segment(0);
        last.fin = true;
        let taken = receiver.on_segment(Time::ZERO, &last, &parameters);
        assert!(taken.at_once && receiver.is_ended());
        assert_eq!((taken.delivered, receiver.delivered()), (MSS, MSS));
        assert_eq!(receiver.report().cumulative, MSS + 1);
    }

    #[test]
    fn dctcp_acknowledges_what_waits_before_the_state_changes() {
        let parameters = parameters(0);
        let mut receiver = Receiver::new(Feedback::Dctcp, &parameters);
        assert!(!take(&mut receiver, 0, &parameters));
        let mut marked = segment(1);
        marked.marked = true;
        let taken = receiver.on_segment(Time::ZERO, &marked, &parameters);
        let before = taken.before.expect("one waits");
        assert_eq!((before.cumulative, before.ece), (MSS, false));
        assert!(taken.at_once);
        let after = receiver.report();
        assert_eq!((after.cumulative, after.ece), (2 * MSS, true));
    }
}
