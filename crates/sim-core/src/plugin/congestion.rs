//! Congestion control for RDMA and TCP: it determines how fast a flow may send.
//!
//! A configuration ([`CcConfig`]) is the factory ([`ControllerFactory`]) of controllers
//! ([`CongestionControl`]), one for each flow. A sender reports acknowledgements, losses and marks
//! to its controller, and reads a window and a rate from it. Windows and thresholds are in bytes of
//! payload.

mod activity;
mod config;
mod credit;
mod dynamic;
mod limits;
mod probe;
mod rate_times;
mod sample;
mod view;

pub use activity::{CcActivity, CcEvents, ClassActivity};
pub use config::{
    CcConfig, CcContext, ControllerFactory, EcnUse, Feedback, FlowStart, MarkResponse,
    MarkingThresholds, Overflow, SharedConstants, TelemetryCarrier, Transport, default_min_rate,
    scaled_window,
};
pub use credit::{CREDIT_BEGINS, CreditDemand, CreditRules};
pub use dynamic::{DynController, DynFactory};
pub use limits::{Departure, SendLimits};
pub use probe::{ProbeForm, Probes, ReturnedProbe};
pub use rate_times::{RateClock, RateTimes};
pub use sample::{DeliveryRate, RateSample};
pub use view::{TelemetryReader, TelemetryView};

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};

/// Position of an acknowledgement in its round trip.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub enum Round {
    /// The acknowledgement belongs to the same round trip as the previous one.
    #[default]
    Same,
    /// The acknowledgement starts a new round trip: all bytes in flight when the last one began are
    /// acknowledged.
    New,
}

/// Permission for a window to grow.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub enum Growth {
    /// The window may grow.
    #[default]
    Allowed,
    /// The sender has not filled the window (RFC 7661, section 4.3), so a larger window would not
    /// be validated.
    Unused,
    /// The sender is reducing the window.
    Reducing,
}

/// Recovery of the sender from losses, after a fast retransmit or a timeout.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Recovering {
    /// The sender is recovering, or this acknowledgement reveals the losses.
    Yes,
    /// The sender is not recovering.
    #[default]
    No,
}

/// An acknowledgement in the form that a controller receives.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a, H> {
    /// Current time.
    pub now: Time,
    /// All bytes before this one have arrived.
    pub cumulative: u64,
    /// Payload bytes that this acknowledgement newly covers.
    pub newly_acked: Bytes,
    /// Bytes beyond a gap that it newly reports, minus the bytes of `newly_acked` that were
    /// reported before. Zero unless RDMA packets may arrive in any order. See [`Self::received`].
    pub reported: i64,
    /// The next byte to be sent (`snd_nxt`).
    pub next_seq: u64,
    /// Packets that it newly acknowledges or selectively reports; RDMA acknowledges each packet.
    pub delivered: u32,
    /// Packets that it reports as marked (ECN CE).
    pub marked: u32,
    /// Round-trip time of the packet that caused it; `None` if TCP cannot tell which transmission
    /// of a segment is acknowledged.
    pub rtt: Option<Duration>,
    /// The smallest round-trip time of the flow; zero before the first sample.
    pub least_rtt: Duration,
    /// The smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Bytes in flight after it; TCP counts whole segments.
    pub in_flight: Bytes,
    /// `Yes` if the sender is recovering from losses.
    pub recovering: Recovering,
    /// `New` if a new round trip begins. RDMA counts them only for controllers that
    /// [read](CongestionControl::reads_rounds) them.
    pub round: Round,
    /// `Allowed` if the window may grow.
    pub growth: Growth,
    /// Sample of the delivery rate, if the controller uses samples.
    pub sample: Option<&'a RateSample>,
    /// The telemetry of the packet that caused it.
    pub telemetry: &'a H,
}

impl<'a, H> Ack<'a, H> {
    /// Returns an acknowledgement at `now` for one unmarked packet with a round-trip time of `rtt`.
    /// All bytes before `cumulative` have arrived, and all bytes before `next_seq` were sent. For
    /// tests and drivers of controllers; set other fields by struct update.
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

    /// Returns the bytes that it newly reports as arrived, beyond a gap or not. Packets beyond a
    /// gap count as full packets, so the last packet of a flow may count for slightly too much.
    #[inline]
    #[must_use]
    pub const fn received(&self) -> Bytes {
        let newly = self.newly_acked.get();
        Bytes::new(match newly.checked_add_signed(self.reported) {
            Some(bytes) => bytes,
            None => 0,
        })
    }

    /// Returns the acknowledgement with its telemetry replaced.
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
    /// A mark is echoed: once per window, if the sender reacts to marks
    /// ([`MarkResponse::OncePerWindow`]).
    Mark,
    /// No acknowledgement arrived during a retransmission timeout.
    Timeout,
    /// Another timeout in the same window: the threshold was already lowered and does not change.
    RepeatedTimeout,
}

/// A congestion event in the form that a controller receives.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// Current time.
    pub now: Time,
    /// The signal that revealed the congestion.
    pub signal: Signal,
    /// Bytes in flight before the signal; TCP counts whole segments.
    pub in_flight: Bytes,
    /// The next byte to be sent.
    pub next_seq: u64,
}

/// A congestion controller: one value for each live flow. `H` is the header of the run's packets.
/// If your controller reads no telemetry, implement the trait for every `H`; if it does and is not
/// part of the workspace, implement it for [`TelemetryView`].
///
/// A simple controller needs three methods. Only TCP calls the methods about slow start and idle
/// times.
pub trait CongestionControl<H>: Send + std::fmt::Debug {
    /// Called for each data packet just before it leaves: prepares its empty telemetry header, and
    /// returns the number of bytes that the header adds on the wire. The acknowledgement echoes the
    /// header. RDMA only.
    fn prepare(&mut self, _header: &mut H) -> u16 {
        0
    }

    /// Called for each data packet of `wire` bytes that has left. A new rate takes effect from the
    /// next packet on, because the packet's departure time is already fixed.
    fn on_sent(&mut self, _wire: Bytes) {}

    /// Returns `true` if [`Self::on_sent`] has an effect. TCP reads this once, when the connection
    /// begins; if it is `false`, TCP never calls `on_sent`, which saves a call for each segment.
    /// RDMA always calls `on_sent`.
    fn counts_sends(&self) -> bool {
        true
    }

    /// Returns `true` if [`Self::on_ack`] reads [`Ack::round`]. RDMA reads this once, when the flow
    /// starts. If it is `false`, the state of a flow at full rate may repeat after a packet instead
    /// of after a round trip, so that runs can skip more.
    fn reads_rounds(&self) -> bool {
        true
    }

    /// Called when the handshake of a connection has measured the first round-trip time, before the
    /// first segment leaves. TCP only.
    fn on_handshake(&mut self, _now: Time, _rtt: Duration) {}

    /// Called for each acknowledgement that reaches the sender; with TCP, only if it reports newly
    /// delivered data.
    fn on_ack(&mut self, ack: &Ack<'_, H>);

    /// Called for each signal of congestion: when an episode of recovery begins, at each timeout,
    /// and for marks if the sender reacts to them.
    fn on_congestion(&mut self, _congestion: &Congestion) {}

    /// Called for each subsequent trimmed packet of an episode of recovery; the first one begins
    /// the episode. RDMA only.
    fn on_trimmed(&mut self, _congestion: &Congestion) {}

    /// Called at the end of an episode of reduction: the window becomes the threshold, limited to
    /// `most`.
    fn on_recovery_exit(&mut self, _most: Option<Bytes>) {}

    /// Called before the first packet after `idle` time with nothing in flight. `restart` is the
    /// upper limit for the window (RFC 5681, section 4.1), or `None` if the window is kept.
    fn on_idle(&mut self, _idle: Duration, _restart: Option<Bytes>) {}

    /// Returns the probes that a TCP connection sends for the controller, one in each round trip,
    /// or `None` if it needs none. Read once, when the connection begins.
    fn probes(&self) -> Option<Probes> {
        None
    }

    /// Called for each returning probe.
    fn on_probe(&mut self, _probe: &ReturnedProbe<'_, H>) {}

    /// Returns `Sampled` if the controller needs samples of the delivery rate. Called once, when
    /// the connection begins. TCP only.
    fn delivery_rate(&self) -> DeliveryRate {
        DeliveryRate::Unused
    }

    /// Returns the maximum number of bytes in flight, or `None` without a window. The sender checks
    /// it before each packet: the last packet of RDMA may exceed it, TCP sends whole segments
    /// within it.
    fn window(&self) -> Option<Bytes>;

    /// Returns `true` if the receiver's credit allows one more packet. RDMA only; read together
    /// with the window if the configuration uses credit ([`CcConfig::credit`]).
    fn has_credit(&self) -> bool {
        true
    }

    /// Returns the number up to which the flow requests credit, or `None` if it uses none. RDMA
    /// only; called for each data packet that leaves, after [`Self::on_sent`], and when the sender
    /// requests credit without data.
    ///
    /// Numbers count bytes on the wire, starting at [`CREDIT_BEGINS`]. A request is cumulative, so
    /// the next one makes up for a lost one.
    fn ask_for_credit(&mut self, _demand: &CreditDemand) -> Option<u64> {
        None
    }

    /// Called when the receiver has granted credit up to the number `granted`. RDMA only.
    fn on_credit(&mut self, _now: Time, _granted: u64) {}

    /// Returns the slow-start threshold (ssthresh), to which the window falls during loss recovery.
    /// `None` before the first congestion, and if the algorithm has no threshold.
    fn slow_start_threshold(&self) -> Option<Bytes> {
        None
    }

    /// Returns `true` if the window is below the threshold. It may then grow even if only half of
    /// it is used.
    fn in_slow_start(&self) -> bool {
        false
    }

    /// Returns the rate at which packets are spaced, or `None` to send whenever window and port
    /// allow.
    fn pacing_rate(&self) -> Option<Rate>;

    /// Returns `true` if the last acknowledgement reschedules the packet that waits for its pacing:
    /// it then leaves as if the previous packet had left at the new rate. Otherwise a new rate
    /// takes effect from the next packet on.
    fn reschedules(&self) -> bool {
        true
    }

    /// Returns the time of the next call to [`Self::on_timer`]; [`Time::MAX`] for never.
    fn deadline(&self) -> Time {
        Time::MAX
    }

    /// Called when `deadline` is reached.
    fn on_timer(&mut self, _now: Time) {}

    /// Returns window, rate and deadline, which senders keep until the next event, because a
    /// separate call for each use would cost more. Algorithms implement neither this method nor the
    /// next three.
    #[inline]
    fn limits(&self) -> SendLimits {
        SendLimits {
            window: self.window(),
            rate: self.pacing_rate(),
            deadline: self.deadline(),
        }
    }

    /// Calls [`Self::on_ack`], then writes the new limits to `limits`. Returns `true` if the
    /// waiting packet is rescheduled ([`Self::reschedules`]).
    // An output parameter because returned limits would be read back immediately and in wider loads
    // than the stores, so that the processor would wait until all earlier stores have reached the
    // cache.
    #[inline]
    fn acknowledge(&mut self, ack: &Ack<'_, H>, limits: &mut SendLimits) -> bool {
        self.on_ack(ack);
        *limits = self.limits();
        self.reschedules()
    }

    /// Calls [`Self::on_sent`], then writes the new limits to `limits`. TCP only.
    #[inline]
    fn note_sent(&mut self, wire: Bytes, limits: &mut SendLimits) {
        self.on_sent(wire);
        *limits = self.limits();
    }

    /// Calls [`Self::prepare`] and [`Self::on_sent`] for a data packet with `header` and `wire`
    /// bytes besides its telemetry. RDMA only.
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
