//! What a congestion-control algorithm of TCP is told and what it answers. Windows are in segments, with
//! fractions.

use fabricsim_core::input::ConfigError;
use fabricsim_core::packet::Flags;
use fabricsim_core::units::{Bytes, Duration, Rate, Time};

use super::ecn::Feedback;

/// What an algorithm knows when its connection is opened.
#[derive(Clone, Copy, Debug)]
pub struct TcpStart {
    /// Bytes of a full segment on the wire.
    pub wire: u16,
    /// Bytes of its IP packet: without what the link adds.
    pub ip: u16,
    /// Segments in the first window (RFC 6928).
    pub initial_window: u32,
    /// The feedback of marks that the two sides have agreed on.
    pub feedback: Feedback,
}

/// Whether an acknowledgement is the first one of a new round trip.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Round {
    /// Of the same one as before.
    Same,
    /// All that was in flight when the last one began is acknowledged.
    New,
}

/// Whether a window may grow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Growth {
    /// It may.
    Allowed,
    /// The sender has not filled it (RFC 7661, section 4.3): more would mean nothing.
    Unused,
    /// It is just being reduced.
    Reducing,
}

/// Whether losses are being repaired, after they were found or after a timeout.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Recovering {
    /// They are, or this acknowledgement is the one that shows them.
    Yes,
    /// They are not.
    No,
}

/// An acknowledgement, as an algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub struct TcpAck {
    /// Now.
    pub now: Time,
    /// Segments newly acknowledged or selectively reported.
    pub delivered: u32,
    /// How many of them are reported as marked.
    pub marked: u32,
    /// From the sending of the last of them until now, if it was sent once.
    pub rtt: Option<Duration>,
    /// The least round-trip time of the connection; zero before the first sample.
    pub least_rtt: Duration,
    /// The smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Segments in flight after it.
    pub in_flight: u32,
    /// The first byte of the stream that is not acknowledged (SND.UNA).
    pub acknowledged: u64,
    /// The byte that is sent next (SND.NXT).
    pub sent: u64,
    /// Whether losses are being repaired.
    pub recovering: Recovering,
    /// Whether a new round trip begins.
    pub round: Round,
    /// Whether the window may grow.
    pub growth: Growth,
}

/// What speaks of congestion.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Signal {
    /// A segment is lost: an episode of recovery begins.
    Loss,
    /// A mark is echoed: once per window.
    Mark,
    /// The retransmission timeout, after which the window is one segment.
    Timeout,
    /// The same in a window for which the threshold has been lowered before: it stays.
    RepeatedTimeout,
}

/// Congestion, as an algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// Now.
    pub now: Time,
    /// What speaks of it.
    pub signal: Signal,
    /// Segments in flight before it was noticed.
    pub in_flight: u32,
}

/// Who answers marks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MarkResponse {
    /// The sender reports [`Signal::Mark`] once per window and brings down what is in flight by
    /// proportional rate reduction.
    OncePerWindow,
    /// The algorithm, by [`TcpAck::marked`].
    Own,
}

/// A congestion-control algorithm of TCP: one value for each connection.
pub trait TcpController: Send + std::fmt::Debug {
    /// Called for each acknowledgement that delivers something.
    fn on_ack(&mut self, ack: &TcpAck);

    /// Called for each signal of congestion: sets window and threshold.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// An episode of reduction has ended, and `window` segments may be in flight.
    fn on_recovery_exit(&mut self, window: f64);

    /// Called before the first segment after `idle` without anything in flight; `restart` is the most
    /// that the window may be (RFC 5681, section 4.1), or `None` where it is kept.
    fn on_idle(&mut self, idle: Duration, restart: Option<f64>);

    /// The congestion window in segments (cwnd).
    fn cwnd(&self) -> f64;

    /// The slow-start threshold in segments (ssthresh); infinite before the first congestion.
    fn ssthresh(&self) -> f64;

    /// The rate at which the payload of segments is spaced, or `None` to send when the window lets them go.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// The ECN codepoint of data where marks are fed back: [`Flags::ECT0`], [`Flags::ECT1`] or none.
    fn codepoint(&self) -> Flags {
        Flags::ECT0
    }

    /// Who answers marks.
    fn mark_response(&self) -> MarkResponse {
        MarkResponse::OncePerWindow
    }
}

/// The configuration of an algorithm: one table of a scenario, and the factory of the algorithms.
pub trait TcpCcConfig: Clone + Default + std::fmt::Debug {
    /// The keys of the table, each with what it means.
    const KEYS: &'static [(&'static str, &'static str)];

    /// The algorithm that is made.
    type Controller: TcpController;

    /// Refuses values without a meaning.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    fn validate(&self) -> Result<(), ConfigError>;

    /// The feedback of marks that the algorithm is made for: what its connections ask for where nothing else
    /// is said.
    fn feedback(&self) -> Feedback {
        Feedback::None
    }

    /// The bytes that a packet may leave behind in the queue of a port of `rate` without being marked,
    /// or `None` where the algorithm wants no marks.
    fn marking(&self, _rate: Rate) -> Option<Bytes> {
        None
    }

    /// The algorithm of a connection that is opened now.
    fn build(&self, start: &TcpStart) -> Self::Controller;
}
