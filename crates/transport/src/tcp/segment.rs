//! A segment that has been sent.

use fabricsim_base::units::Time;

/// A segment in flight, or believed lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) seq: u64,
    /// Time at which the segment was last sent.
    pub(super) sent_at: Time,
    pub(super) payload: u16,
    /// It takes one number more, for the FIN.
    pub(super) fin: bool,
    pub(super) state: SegmentState,
    /// It has been sent more than once.
    pub(super) again: bool,
}

/// State of a segment, as far as the sender knows it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SegmentState {
    InFlight,
    /// Reported by a selective acknowledgement.
    Sacked,
    /// Believed lost and not yet retransmitted.
    Lost,
}

impl Segment {
    #[inline]
    pub(super) const fn end(&self) -> u64 {
        self.seq + self.payload as u64 + self.fin as u64
    }
}
