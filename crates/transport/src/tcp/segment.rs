//! A sent segment.

use fabricsim_base::units::Time;

/// A segment in flight, or considered lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) seq: u64,
    /// Time at which the segment was last sent.
    pub(super) sent_at: Time,
    pub(super) payload: u16,
    /// The segment takes one more number, for the FIN.
    pub(super) fin: bool,
    pub(super) state: SegmentState,
    /// The segment has been sent more than once.
    pub(super) again: bool,
}

/// State of a segment, as far as the sender knows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SegmentState {
    InFlight,
    /// Reported by a selective acknowledgement.
    Sacked,
    /// Considered lost and not yet retransmitted.
    Lost,
}

impl Segment {
    #[inline]
    pub(super) const fn end(&self) -> u64 {
        self.seq + self.payload as u64 + self.fin as u64
    }
}
