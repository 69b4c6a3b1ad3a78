//! The sending half of a connection: sends segments and processes acknowledgements.

mod checkpoint;
mod codepoints;
mod controller;
mod delivery_rate;
mod feedback;
mod outgoing;
mod pacing;
mod probes;
mod timeouts;
mod waits;

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::plugin::{DynController, EcnUse, Feedback, RoundTrip};

use super::config::{Detection, TcpParameters};
use super::probing::Probing;
use super::rack::Rack;
use super::recovery::ProportionalReduction;
use super::rtt::RttEstimator;
use super::scoreboard::Scoreboard;
use super::timers::LossTimers;
use crate::switch::Switch;

use controller::Controller;
use delivery_rate::RateSampler;
pub(super) use feedback::Incoming;
pub(super) use outgoing::Outgoing;

/// Phase of the sender's response to congestion.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
enum Phase {
    Open,
    /// Marks were echoed, so the window shrinks (CWR in Linux).
    Reducing,
    /// Retransmissions recover losses.
    Recovery,
    /// A timeout has expired.
    Loss,
}

/// A tail loss probe that is not yet accounted for (RFC 8985, section 7.3).
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Probe {
    /// The `snd_nxt` after the probe.
    end: u64,
    /// The probe was a second copy.
    again: bool,
}

/// A transmission that is allowed even if the window is full.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
enum Forced {
    Nothing,
    /// A tail loss probe.
    Probe,
    /// A retransmission after a timeout, while later segments are still in flight.
    Retransmission,
}

/// Use of the window in the last round trip (Linux, `tcp_cwnd_validate`).
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(absolute)]
struct WindowUse {
    most: u32,
    limited: bool,
    until: u64,
}

/// The sending half.
///
/// Differs from the paper: a reduction for a supposed loss is never undone (RFC 9438, section 4.9,
/// makes that optional), and there is no receive window (RFC 9293, section 3.8.6), because
/// applications read immediately.
// The field order matters: first the fields needed for each segment and each acknowledgement, and
// last the fields needed only for losses, at the end of the scoreboard.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
#[repr(C, align(64))]
pub(super) struct TcpSender {
    #[checkpoint(elsewhere)]
    cc: Controller,
    /// All bytes below `snd_una` are acknowledged; `snd_nxt` is the next byte to send.
    una: u64,
    next: u64,
    /// End of the data that the application has written, without the FIN.
    written: u64,
    /// Time at which pacing allows the next segment to leave.
    pub(super) paced: Time,
    pub(super) timers: LossTimers,
    #[checkpoint(rebuilt)]
    parameters: Arc<TcpParameters>,
    /// The `snd_nxt` at the beginning of the round trip.
    round_end: u64,
    usage: WindowUse,
    /// The `snd_nxt` at the beginning of the phase (recover in RFC 6582).
    recovery_point: u64,
    /// Samples of the delivery rate, if the controller needs them.
    sampler: Option<Box<RateSampler>>,
    /// Probes, if the controller needs them.
    probing: Option<Box<Probing>>,
    phase: Phase,
    forced: Forced,
    closed: bool,
    cwr_due: bool,
    /// Number of remaining segments that leave without pacing.
    unpaced: u8,
    /// Without SACK: a partial acknowledgement has restarted the timeout in this recovery.
    restarted: bool,
    /// Use of marks, as negotiated.
    #[checkpoint(rebuilt)]
    ecn: EcnUse,
    #[checkpoint(rebuilt)]
    pub(super) feedback: Feedback,
    pub(super) rtt: RttEstimator,
    rack: Rack,
    last_sent: Time,
    probe: Option<Probe>,
    /// Retransmitted payload bytes.
    pub(super) retransmitted: u64,
    reduction: ProportionalReduction,
    ce_count: u32,
    board: Scoreboard,
}

impl TcpSender {
    pub(super) fn new(
        (cc, line_rate): (DynController, Rate),
        ecn: EcnUse,
        feedback: Feedback,
        parameters: Arc<TcpParameters>,
    ) -> Self {
        let probing = cc.probes().map(|probes| Box::new(Probing::new(probes)));
        let sampler = RateSampler::wanted(cc.delivery_rate());
        Self {
            cc: Controller::new(cc, parameters.mss, line_rate),
            ecn,
            feedback,
            board: Scoreboard::new(parameters.detection),
            parameters,
            rack: Rack::default(),
            rtt: RttEstimator::default(),
            timers: LossTimers::default(),
            written: 0,
            closed: false,
            una: 0,
            next: 0,
            phase: Phase::Open,
            recovery_point: 0,
            reduction: ProportionalReduction::default(),
            restarted: false,
            round_end: 0,
            usage: WindowUse::default(),
            probe: None,
            forced: Forced::Nothing,
            unpaced: pacing::UNPACED,
            paced: Time::ZERO,
            last_sent: Time::ZERO,
            ce_count: 0,
            cwr_due: false,
            retransmitted: 0,
            probing,
            sampler,
        }
    }

    /// Adds `bytes` to the data that the application has written.
    pub(super) fn write(&mut self, bytes: u64) {
        debug_assert!(!self.closed, "nothing is written after the end");
        self.written = self.written.saturating_add(bytes);
    }

    /// Ends the stream after the written data.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Returns `true` if all written data is acknowledged, including the end of the stream if it is
    /// closed.
    pub(super) fn is_done(&self) -> bool {
        self.una == self.written.saturating_add(u64::from(self.closed))
    }

    /// Returns the acknowledged payload bytes.
    pub(super) fn acknowledged(&self) -> u64 {
        self.una.min(self.written)
    }

    fn has_new(&self) -> bool {
        self.next < self.written.saturating_add(u64::from(self.closed))
    }

    /// Returns the number of segments that may be in flight now.
    fn window(&self) -> u32 {
        let reduced = self.parameters.detection == Detection::Rack
            && self.sampler.is_none()
            && matches!(self.phase, Phase::Recovery | Phase::Reducing);
        if reduced {
            return self.reduction.window;
        }
        self.cc.segments()
    }

    /// Returns the payload bytes of `count` full segments.
    fn bytes(&self, count: u32) -> Bytes {
        Bytes::new(u64::from(count) * u64::from(self.parameters.mss))
    }

    /// Returns `true` if a segment may leave as soon as pacing allows it.
    #[inline(always)]
    pub(super) fn may_send(&self) -> bool {
        let lost = self.board.lost() > 0;
        match self.forced {
            Forced::Probe => return true,
            Forced::Retransmission if lost => return true,
            Forced::Retransmission | Forced::Nothing => {}
        }
        (lost || self.has_new()) && self.board.in_flight() < self.window()
    }

    /// Returns `true` if sent data is unacknowledged. Otherwise, an acknowledgement changes
    /// nothing.
    #[inline]
    pub(super) fn awaits_ack(&self) -> bool {
        self.board.outstanding() > 0
    }

    /// Returns the congestion window in payload bytes.
    pub(super) fn window_bytes(&self) -> Bytes {
        self.bytes(self.window())
    }

    /// Returns the measured round-trip times; `None` before the first measurement.
    pub(super) fn round_trip(&self) -> Option<RoundTrip> {
        Some(RoundTrip {
            smoothed: self.rtt.smoothed?,
            least: self.rtt.least,
        })
    }

    /// Sends the next segment. Only allowed if [`Self::may_send`] returns `true`.
    pub(super) fn send(&mut self, now: Time) -> Outgoing {
        let probing = std::mem::replace(&mut self.forced, Forced::Nothing) == Forced::Probe;
        let sent_next = self.next;
        // A tail probe sends new data if possible (RFC 8985, section 7.3); otherwise losses are
        // first.
        let again = if probing && self.has_new() {
            None
        } else if probing {
            self.board.resend_last(now)
        } else {
            self.board.resend_lost(now)
        };
        let (seq, payload, fin, resent) = match again {
            Some(segment) => (segment.seq, segment.payload, segment.fin, true),
            None => self.send_new(now),
        };
        if probing {
            self.probe = Some(Probe {
                end: self.next,
                again: resent,
            });
        }
        if resent {
            self.retransmitted += u64::from(payload);
        }
        if matches!(self.phase, Phase::Recovery | Phase::Reducing) {
            self.reduction.on_send();
        }
        let cwr = !resent && std::mem::take(&mut self.cwr_due);
        let in_flight = self.board.in_flight();
        self.note_use(in_flight);
        self.note_transmission(now);
        // After a probe, the timeout limits the wait for its acknowledgement.
        if self.timers.timeout == Time::MAX && self.timers.probe == Time::MAX || probing {
            self.timers.start_timeout(now, &self.rtt, &self.parameters);
        }
        if !resent && !probing {
            self.schedule_probe(now);
        }
        self.space(now, payload);
        let headers = self.parameters.headers;
        self.cc.note_sent(Bytes::new(u64::from(payload + headers)));
        self.last_sent = now;
        let telemetry = if self.probing.is_some() {
            self.probe_with_segment(now, seq, sent_next)
        } else {
            None
        };
        Outgoing {
            seq,
            payload,
            fin,
            again: resent,
            cwr,
            telemetry,
            codepoint: if resent {
                self.codepoint_of_copies()
            } else {
                self.codepoint()
            },
        }
    }

    fn send_new(&mut self, now: Time) -> (u64, u16, bool, bool) {
        if self.board.outstanding() == 0 && self.next > 0 {
            let idle = now.since(self.last_sent);
            if idle > self.rtt.timeout(&self.parameters) {
                let restart = self.parameters.slow_start_after_idle == Switch::On;
                let initial = self.bytes(self.parameters.initial_window);
                self.cc
                    .tell(|cc| cc.on_idle(idle, restart.then_some(initial)));
            }
        }
        let mss = self.parameters.mss;
        let left = self.written - self.next.min(self.written);
        let payload = u16::try_from(left).map_or(mss, |left| left.min(mss));
        let fin = self.closed && u64::from(payload) == left;
        let seq = self.next;
        self.board.send(now, seq, payload, fin);
        self.next += u64::from(payload) + u64::from(fin);
        (seq, payload, fin, false)
    }

    fn note_use(&mut self, in_flight: u32) {
        let limited = in_flight >= self.window();
        let outstanding = self.board.outstanding();
        let usage = &mut self.usage;
        if self.una >= usage.until || limited || !usage.limited && outstanding > usage.most {
            usage.limited = limited;
            usage.most = outstanding;
            usage.until = self.next;
        }
    }

    /// Returns `true` if the use of the window justifies growth (Linux, `tcp_is_cwnd_limited`).
    fn uses_window(&self) -> bool {
        let segments = u64::from(self.cc.segments());
        let is_half_used = segments < 2 * u64::from(self.usage.most);
        self.usage.limited || (is_half_used || self.cc.is_unlimited()) && self.cc.in_slow_start()
    }

    fn schedule_probe(&mut self, now: Time) {
        let wanted = self.parameters.tail_loss_probe == Switch::On
            && self.parameters.detection == Detection::Rack
            && matches!(self.phase, Phase::Open | Phase::Reducing)
            && self.board.sacked() == 0
            && self.probe.is_none()
            && self.timers.timeouts_in_a_row() == 0;
        if wanted {
            let outstanding = self.board.outstanding();
            self.timers
                .start_probe(now, outstanding, &self.rtt, &self.parameters);
        }
    }

    /// Returns the time of the next call to [`Self::on_deadline`].
    #[inline(always)]
    pub(super) fn deadline(&self) -> Time {
        let own = self.timers.deadline().min(self.cc.due());
        match &self.probing {
            None => own,
            Some(probing) => own.min(probing.deadline()),
        }
    }

    /// Handles due timers. Returns `true` if the retransmission timeout expired.
    pub(super) fn on_deadline(&mut self, now: Time) -> bool {
        if self.cc.due() <= now {
            self.cc.report(|cc| cc.on_timer(now));
        }
        if self.timers.reordering <= now {
            let in_flight = self.board.in_flight();
            self.detect(now);
            self.start_episodes(now, in_flight, 0);
        }
        if self.timers.probe <= now {
            self.timers.probe = Time::MAX;
            self.timers.start_timeout(now, &self.rtt, &self.parameters);
            self.forced = Forced::Probe;
        }
        if self.timers.timeout > now {
            return false;
        }
        self.on_timeout(now);
        true
    }
}
