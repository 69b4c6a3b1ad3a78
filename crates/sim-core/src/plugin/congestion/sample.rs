//! Samples of the rate at which a connection delivers (draft-cheng-iccrg-delivery-rate-estimation).

use fabricsim_base::units::{Duration, Rate};

/// Sample that an acknowledgement of TCP brings, for controllers that ask for it
/// ([`CongestionControl::delivery_rate`](super::CongestionControl::delivery_rate)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Payload rate of what was delivered between the sending of the newest delivered segment and
    /// now; `None` where that span is shorter than the smallest round-trip time, or the segment is
    /// not known.
    pub rate: Option<Rate>,
    /// Time over which it was measured.
    pub interval: Duration,
    /// Segments delivered by the connection so far.
    pub delivered: u64,
    /// Those that had been when the newest delivered segment was sent; `None` where that is not
    /// known.
    pub prior_delivered: Option<u64>,
    /// Segments in flight before the acknowledgement.
    pub prior_in_flight: u32,
    /// Segments that it shows to be lost.
    pub lost: u32,
    /// The sender had nothing to send when the newest delivered segment left, so that the rate may
    /// be less than that of the path.
    pub application_limited: bool,
}

/// Whether a controller asks for samples of the delivery rate.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum DeliveryRate {
    /// It does not.
    #[default]
    Unused,
    /// Acknowledgements bring them. The window of such a controller holds at all times: the sender
    /// does not reduce it by itself while losses are recovered from.
    Sampled,
}
