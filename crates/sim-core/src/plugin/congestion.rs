//! Congestion control, which determines how fast a flow may send, of RDMA and TCP alike.
//!
//! A configuration ([`CcConfig`]) is the factory ([`ControllerFactory`]) of controllers
//! ([`CongestionControl`]), one for each flow. A sender tells its controller of acknowledgements,
//! losses and marks, and asks it for a window and a rate. Windows and thresholds are bytes of
//! payload.

mod config;
mod credit;
mod dynamic;
mod limits;
mod probe;
mod sample;
mod view;

pub use config::{
    CcConfig, CcContext, ControllerFactory, EcnUse, Feedback, FlowStart, MarkResponse,
    MarkingThresholds, Overflow, SharedConstants, TelemetryCarrier, Transport, default_min_rate,
    scaled_window,
};
pub use credit::{CREDIT_BEGINS, CreditDemand, CreditRules};
pub use dynamic::{DynController, DynFactory};
pub use limits::{Departure, SendLimits};
pub use probe::{ProbeForm, Probes, ReturnedProbe};
pub use sample::{DeliveryRate, RateSample};
pub use view::{TelemetryReader, TelemetryView};

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};

/// Whether an acknowledgement is the first one of a new round trip.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub enum Round {
    /// Of the same one as before.
    #[default]
    Same,
    /// All that was in flight when the last one began is acknowledged.
    New,
}

/// Whether a window may grow.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub enum Growth {
    /// It may.
    #[default]
    Allowed,
    /// The sender has not filled it (RFC 7661, section 4.3): more would mean nothing.
    Unused,
    /// It is just being reduced.
    Reducing,
}

/// Whether losses are being recovered from, after they were found or after a timeout.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Recovering {
    /// They are, or this acknowledgement is the one that shows them.
    Yes,
    /// They are not.
    #[default]
    No,
}

/// An acknowledgement, as a controller sees it.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a, H> {
    /// Now.
    pub now: Time,
    /// All bytes below this one have arrived.
    pub cumulative: u64,
    /// Payload bytes that this acknowledgement newly covers.
    pub newly_acked: Bytes,
    /// Bytes beyond a gap that it newly reports, less those of `newly_acked` that were reported before,
    /// where packets of RDMA arrive in any order; else 0. See [`Self::received`].
    pub reported: i64,
    /// The next byte that the sender would send (`snd_nxt`).
    pub next_seq: u64,
    /// Packets that it newly acknowledges or selectively reports; RDMA acknowledges each packet.
    pub delivered: u32,
    /// Packets that it reports as marked (ECN CE).
    pub marked: u32,
    /// From the sending of the packet that caused it until now; `None` where TCP cannot tell which
    /// transmission that was.
    pub rtt: Option<Duration>,
    /// The smallest round-trip time of the flow; zero before the first sample.
    pub least_rtt: Duration,
    /// The smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Bytes in flight after it; TCP counts whole segments.
    pub in_flight: Bytes,
    /// Whether losses are being recovered from.
    pub recovering: Recovering,
    /// Whether a new round trip begins.
    pub round: Round,
    /// Whether the window may grow.
    pub growth: Growth,
    /// The sample of the delivery rate that it brings, where the controller asks for it.
    pub sample: Option<&'a RateSample>,
    /// The telemetry of the packet that caused it.
    pub telemetry: &'a H,
}

impl<'a, H> Ack<'a, H> {
    /// Returns the acknowledgement at `now` of one unmarked packet after a round trip of `rtt`,
    /// with all bytes below `cumulative` arrived and those below `next_seq` sent. For tests and
    /// drivers of controllers; other fields are set by struct update.
    #[must_use]
    pub fn new(now: Time, cumulative: u64, next_seq: u64, rtt: Duration, telemetry: &'a H) -> Self {
        Self {
            now,
            cumulative,
            newly_acked: Bytes::ZERO,
            reported: 0,
            next_seq,
            delivered: 1,
            marked: 0,
            rtt: Some(rtt),
            least_rtt: rtt,
            smoothed_rtt: rtt,
            in_flight: Bytes::new(next_seq.saturating_sub(cumulative)),
            recovering: Recovering::No,
            round: Round::Same,
            growth: Growth::Allowed,
            sample: None,
            telemetry,
        }
    }

    /// Returns the bytes that it newly tells to have arrived, beyond a gap or not. Packets beyond a gap
    /// count as full ones, so that the last one of a flow may count for a little too much.
    #[inline]
    #[must_use]
    pub const fn received(&self) -> Bytes {
        let newly = self.newly_acked.get();
        Bytes::new(match newly.checked_add_signed(self.reported) {
            Some(bytes) => bytes,
            None => 0,
        })
    }

    /// Returns the acknowledgement with `telemetry` in another form.
    #[must_use]
    pub const fn with_telemetry<'b, T>(&self, telemetry: &'b T) -> Ack<'b, T>
    where
        'a: 'b,
    {
        Ack {
            now: self.now,
            cumulative: self.cumulative,
            newly_acked: self.newly_acked,
            reported: self.reported,
            next_seq: self.next_seq,
            delivered: self.delivered,
            marked: self.marked,
            rtt: self.rtt,
            least_rtt: self.least_rtt,
            smoothed_rtt: self.smoothed_rtt,
            in_flight: self.in_flight,
            recovering: self.recovering,
            round: self.round,
            growth: self.growth,
            sample: self.sample,
            telemetry,
        }
    }
}

/// A signal of congestion.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Signal {
    /// A packet is lost: recovery begins, or the receiver of a go-back-N flow has reported a gap.
    Loss,
    /// A mark is echoed: once per window, where the sender reacts to marks
    /// ([`MarkResponse::OncePerWindow`]).
    Mark,
    /// Nothing was acknowledged for a retransmission timeout.
    Timeout,
    /// The same in a window for which the threshold has been lowered before: it stays.
    RepeatedTimeout,
}

/// Congestion, as a controller sees it.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// Now.
    pub now: Time,
    /// Signal by which the congestion was noticed.
    pub signal: Signal,
    /// Bytes in flight before it was noticed; TCP counts whole segments.
    pub in_flight: Bytes,
    /// The next byte that the sender would have sent.
    pub next_seq: u64,
}

/// A congestion controller: one value for each live flow. `H` is the header of the run's packets; a
/// controller that reads no telemetry is written for every `H`, one from outside of the workspace
/// that does for [`TelemetryView`].
///
/// A simple one needs three methods. Those about slow start and idle times are asked by TCP alone.
pub trait CongestionControl<H>: Send + std::fmt::Debug {
    /// Called for each data packet just before it leaves: prepares its empty telemetry header, and
    /// returns how many bytes that takes on the wire. The acknowledgement echoes them. RDMA alone.
    fn prepare(&mut self, _header: &mut H) -> u16 {
        0
    }

    /// Called for each data packet of `wire` bytes that has left, after it was timed: a rate that
    /// changes here holds from the next packet on.
    fn on_sent(&mut self, _wire: Bytes) {}

    /// Returns whether [`Self::on_sent`] does something. TCP asks once, when the connection begins, and
    /// does not call `on_sent` after `false`, which saves a call for each segment. True by default. RDMA
    /// does not ask, and always calls it.
    fn counts_sends(&self) -> bool {
        true
    }

    /// Called when the handshake of a connection has measured its round-trip time: the first sample,
    /// before the first segment leaves. TCP alone.
    fn on_handshake(&mut self, _now: Time, _rtt: Duration) {}

    /// Called for each acknowledgement that reaches the sender; with TCP for each that delivers
    /// something.
    fn on_ack(&mut self, ack: &Ack<'_, H>);

    /// Called for each signal of congestion: when an episode of recovery begins, at each timeout,
    /// and for marks where the sender reacts to them.
    fn on_congestion(&mut self, _congestion: &Congestion) {}

    /// Called for each further packet of an episode of recovery that a switch has trimmed; the first
    /// one begins the episode. RDMA alone.
    fn on_trimmed(&mut self, _congestion: &Congestion) {}

    /// Called when an episode of reduction has ended: the window becomes the threshold, at most
    /// `most`.
    fn on_recovery_exit(&mut self, _most: Option<Bytes>) {}

    /// Called before the first packet after `idle` without anything in flight; `restart` is the
    /// most that the window may be (RFC 5681, section 4.1), or `None` where it is kept.
    fn on_idle(&mut self, _idle: Duration, _restart: Option<Bytes>) {}

    /// Returns the probes that a connection of TCP sends for the controller, one in each round trip,
    /// or `None` where it needs none. It is asked once, when the connection begins.
    fn probes(&self) -> Option<Probes> {
        None
    }

    /// Called for each of those probes that comes back.
    fn on_probe(&mut self, _probe: &ReturnedProbe<'_, H>) {}

    /// Returns whether acknowledgements bring samples of the delivery rate. It is asked once, when
    /// the connection begins. TCP alone.
    fn delivery_rate(&self) -> DeliveryRate {
        DeliveryRate::Unused
    }

    /// Returns the most bytes that may be in flight, or `None` without a window. It is checked
    /// before a packet is sent: RDMA's last one may overshoot, TCP sends whole segments within it.
    fn window(&self) -> Option<Bytes>;

    /// Returns whether the receiver's credit lets one more packet go. It is asked beside the window,
    /// where the configuration uses credit ([`CcConfig::credit`]). RDMA alone.
    fn has_credit(&self) -> bool {
        true
    }

    /// Called for each data packet that leaves, after [`Self::on_sent`], and when the sender asks
    /// without data: returns the number up to which the flow asks for credit, or `None` where it
    /// uses none. Numbers count bytes on the wire from [`CREDIT_BEGINS`] on, so that one that is
    /// lost is made up for by the next. RDMA alone.
    fn ask_for_credit(&mut self, _demand: &CreditDemand) -> Option<u64> {
        None
    }

    /// Called when the receiver has granted credit up to `granted`. RDMA alone.
    fn on_credit(&mut self, _now: Time, _granted: u64) {}

    /// Returns the slow-start threshold (ssthresh), to which the window falls while losses are
    /// recovered from; `None` before the first congestion, and where there is none.
    fn slow_start_threshold(&self) -> Option<Bytes> {
        None
    }

    /// Returns whether the window is below the threshold: it may then grow although half of it is
    /// used.
    fn in_slow_start(&self) -> bool {
        false
    }

    /// Returns the rate at which packets are spaced, or `None` to send whenever window and port let
    /// them go.
    fn pacing_rate(&self) -> Option<Rate>;

    /// Returns whether the last acknowledgement rescheduled the packet that waits for its pacing:
    /// it then leaves when it would have if the packet before it had left at the new rate. Without
    /// this a new rate holds from the next packet on.
    fn reschedules(&self) -> bool {
        true
    }

    /// Returns when [`Self::on_timer`] wants to be called; [`Time::MAX`] for never.
    fn deadline(&self) -> Time {
        Time::MAX
    }

    /// Called when `deadline` has come.
    fn on_timer(&mut self, _now: Time) {}

    /// Returns window, rate and deadline, which senders keep until the next event: a call for each of
    /// them where it is needed would cost more than what it returns. Algorithms implement neither
    /// this method nor the next three.
    #[inline]
    fn limits(&self) -> SendLimits {
        SendLimits {
            window: self.window(),
            rate: self.pacing_rate(),
            deadline: self.deadline(),
        }
    }

    /// Calls [`Self::on_ack`]. Writes to `limits` what holds from now on, and returns whether the
    /// waiting packet is rescheduled ([`Self::reschedules`]).
    // Limits that were returned would be read back at once and in wider parts than they were written
    // in, for which the processor waits until all that was written before has reached the cache.
    #[inline]
    fn acknowledge(&mut self, ack: &Ack<'_, H>, limits: &mut SendLimits) -> bool {
        self.on_ack(ack);
        *limits = self.limits();
        self.reschedules()
    }

    /// Calls [`Self::on_sent`], and writes to `limits` what holds from now on. TCP alone.
    #[inline]
    fn note_sent(&mut self, wire: Bytes, limits: &mut SendLimits) {
        self.on_sent(wire);
        *limits = self.limits();
    }

    /// Calls [`Self::prepare`] and [`Self::on_sent`] for a data packet with `header` and `wire` bytes
    /// besides its telemetry. RDMA alone.
    #[inline]
    fn send(&mut self, header: &mut H, wire: u16) -> Departure {
        let telemetry = self.prepare(header);
        let rate = self.pacing_rate();
        self.on_sent(Bytes::new(u64::from(wire + telemetry)));
        Departure {
            telemetry,
            rate,
            limits: self.limits(),
        }
    }

    fabricsim_base::plugin_state!("the congestion control");
}
