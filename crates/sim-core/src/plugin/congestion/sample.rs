//! Samples of the delivery rate of a connection (draft-cheng-iccrg-delivery-rate-estimation).

use fabricsim_base::units::{Duration, Rate};

/// The sample of a TCP acknowledgement, if the controller uses samples
/// ([`CongestionControl::delivery_rate`](super::CongestionControl::delivery_rate)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Payload rate of the data delivered between the departure of the newest delivered segment and
    /// now. `None` if that interval is shorter than the smallest round-trip time, or if the segment
    /// is unknown.
    pub rate: Option<Rate>,
    /// Time over which the rate was measured.
    pub interval: Duration,
    /// Segments delivered by the connection so far.
    pub delivered: u64,
    /// Segments delivered before the newest delivered segment was sent; `None` if unknown.
    pub prior_delivered: Option<u64>,
    /// Segments in flight before the acknowledgement.
    pub prior_in_flight: u32,
    /// Segments newly detected as lost by the acknowledgement.
    pub lost: u32,
    /// `true` if the sender had no more data when the newest delivered segment left, so the sample
    /// may be below the rate of the path.
    pub application_limited: bool,
}

/// The use of delivery-rate samples by a controller.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum DeliveryRate {
    /// The controller uses no samples.
    #[default]
    Unused,
    /// Acknowledgements carry samples. The window of such a controller always applies: the sender
    /// does not reduce it on its own during loss recovery.
    Sampled,
}
