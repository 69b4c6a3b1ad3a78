//! Processing of acknowledgements at a sender.

use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::{
    Ack, Congestion, Feedback, Growth, MarkResponse, RateSample, Recovering, Round, Signal,
    TelemetryView,
};

use super::{Forced, Phase, TcpSender};
use crate::tcp::config::Detection;
use crate::tcp::header::CE_COUNTS;
use crate::tcp::rack::DUP_THRESHOLD;
use crate::tcp::recovery::{ProportionalReduction, Safe};
use crate::tcp::sack::SackBlock;
use crate::tcp::scoreboard::Delivery;

/// Controllers get no telemetry with an acknowledgement. Telemetry of probes is reported
/// separately.
static NO_TELEMETRY: TelemetryView = TelemetryView::EMPTY;

/// An arriving acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Incoming<'a> {
    pub(in crate::tcp) cumulative: u64,
    pub(in crate::tcp) blocks: &'a [SackBlock],
    pub(in crate::tcp) ece: bool,
    pub(in crate::tcp) ce_count: u32,
    /// The echoed timestamp; `None` on segments with payload.
    pub(in crate::tcp) echo: Option<Time>,
}

impl TcpSender {
    /// Processes an arriving acknowledgement. Returns the payload bytes that it newly covers.
    pub(in crate::tcp) fn on_ack(&mut self, now: Time, ack: &Incoming<'_>) -> u64 {
        let cumulative = ack.cumulative.min(self.next);
        if cumulative < self.una || self.board.outstanding() == 0 {
            return 0;
        }
        let before = self.board.in_flight();
        let lost_before = self.board.lost();
        self.rack.begin(now, ack.echo, self.rtt.least);
        let mut delivery = self
            .board
            .acknowledge(cumulative, ack.blocks, &mut self.rack);
        let moved = cumulative > self.una;
        self.una = cumulative;
        self.take_sample(now, &delivery, ack.echo);
        if moved {
            self.timers.recover();
            self.on_progress(now);
        }
        if delivery.duplicate {
            self.rack.on_duplicate(self.una, self.next);
        }
        self.account_probe(now, before, &delivery);
        let repeated = !moved && ack.echo.is_some() && delivery.segments == 0;
        match self.parameters.detection {
            Detection::Rack => self.detect(now),
            Detection::DupAcks if repeated => self.judge_duplicate(&mut delivery),
            Detection::DupAcks if moved => self.judge_progress(),
            Detection::DupAcks => {}
        }
        if self.has_ended() {
            self.end_episode();
        }
        let marked = self.marked(ack, delivery.segments);
        // Congestion controls average marks before they react to them (RFC 8257, section 3.3).
        if delivery.segments > 0 || marked > 0 {
            let sample = self.rate_sample(now, &delivery, before, lost_before);
            self.notify_controller(now, &delivery, marked, sample.as_ref());
        }
        self.start_episodes(now, before, marked);
        if matches!(self.phase, Phase::Recovery | Phase::Reducing) {
            let safe = if moved && self.board.lost() <= lost_before {
                Safe::Yes
            } else {
                Safe::No
            };
            self.reduce(delivery.segments, safe);
        }
        if self.board.outstanding() == 0 {
            self.timers.stop();
            self.forced = Forced::Nothing;
            self.probe = None;
        }
        delivery.bytes
    }

    /// Takes a round-trip sample. Segments that were sent once take precedence over the echoed
    /// timestamp (Karn's rule and RFC 7323, section 4).
    fn take_sample(&mut self, now: Time, delivery: &Delivery, echo: Option<Time>) {
        let sent = delivery
            .first_sent
            .or_else(|| echo.filter(|_| delivery.segments > 0));
        if let Some(sent) = sent {
            self.rtt.sample(now.since(sent));
        }
    }

    /// Handles an advance of the cumulative acknowledgement.
    fn on_progress(&mut self, now: Time) {
        let partial = self.parameters.detection == Detection::DupAcks
            && self.phase == Phase::Recovery
            && self.una < self.recovery_point;
        // RFC 6582, section 3.2, step 3 ("impatient"): only the first partial acknowledgement
        // restarts the timeout.
        if partial && std::mem::replace(&mut self.restarted, true) {
            return;
        }
        if self.board.outstanding() > 0 {
            self.timers.start_timeout(now, &self.rtt, &self.parameters);
            self.schedule_probe(now);
        }
    }

    /// Checks if a tail probe has recovered a loss (RFC 8985, section 7.4.2).
    fn account_probe(&mut self, now: Time, in_flight: u32, delivery: &Delivery) {
        let Some(probe) = self.probe.filter(|probe| self.una >= probe.end) else {
            return;
        };
        if !probe.again || delivery.duplicate {
            self.probe = None;
        } else if self.una > probe.end {
            self.probe = None;
            if self.phase == Phase::Open {
                self.begin_episode(now, Phase::Reducing, Signal::Loss, in_flight);
            }
        }
    }

    /// Detects losses by time.
    pub(super) fn detect(&mut self, now: Time) {
        let recovering = match self.phase {
            Phase::Recovery | Phase::Loss => Recovering::Yes,
            Phase::Open | Phase::Reducing => Recovering::No,
        };
        let window = self.rack.window(&self.rtt, self.board.sacked(), recovering);
        let (_, again) = self.board.detect(now, &self.rack, window);
        self.timers.reordering = again;
    }

    /// Checks for a loss after a duplicate acknowledgement (RFC 6582, section 3.2, step 2).
    fn judge_duplicate(&mut self, delivery: &mut Delivery) {
        delivery.segments = 1;
        let count = self.board.count_duplicate();
        // Only acknowledgements above `recover` may indicate a loss. Three duplicates of `recover`
        // itself can result from unnecessary retransmissions, and would cause more of them.
        let fresh = self.una > self.recovery_point || self.recovery_point == 0;
        if count >= DUP_THRESHOLD && self.phase != Phase::Recovery && fresh {
            self.retransmit_first();
        }
    }

    /// Marks the first segment as lost and allows its immediate retransmission, regardless of the
    /// data in flight (RFC 5681, section 3.2, step 3; RFC 6582, section 3.2, step 3).
    fn retransmit_first(&mut self) {
        if self.board.lose_first() {
            self.forced = Forced::Retransmission;
        }
    }

    /// Marks the next segment as lost after a partial acknowledgement (RFC 6582, section 3.2, step
    /// 3). Any other progress resets the count of duplicates (RFC 5681, section 3.2), because
    /// duplicates without a loss would otherwise allow more than a window in flight.
    fn judge_progress(&mut self) {
        if self.phase == Phase::Recovery && self.una < self.recovery_point {
            self.retransmit_first();
        } else {
            self.board.forget_duplicates();
        }
    }

    /// Returns the number of marks that `ack` reports.
    fn marked(&mut self, ack: &Incoming<'_>, delivered: u32) -> u32 {
        match self.feedback {
            Feedback::None => 0,
            Feedback::Classic => u32::from(ack.ece),
            Feedback::Dctcp => u32::from(ack.ece) * delivered,
            Feedback::Accurate => {
                // Acknowledgements may be reordered, but counts only grow.
                let more = ack.ce_count.wrapping_sub(self.ce_count) % CE_COUNTS;
                if more > CE_COUNTS / 2 {
                    return 0;
                }
                self.ce_count = ack.ce_count;
                more
            }
        }
    }

    /// Returns `true` if the phase has ended: all data sent before it is acknowledged. Echoes of
    /// marks continue until the next segment has arrived, because it carries the confirmation of
    /// the echo (RFC 3168, section 6.1.2).
    fn has_ended(&self) -> bool {
        match self.phase {
            Phase::Open => false,
            Phase::Reducing => self.una > self.recovery_point || self.board.outstanding() == 0,
            Phase::Recovery | Phase::Loss => self.una >= self.recovery_point,
        }
    }

    /// Returns `true` if there is a loss that no recovery repairs yet.
    fn loses(&self) -> bool {
        self.board.lost() > 0 && matches!(self.phase, Phase::Open | Phase::Reducing)
    }

    /// Returns `true` if there are marks that the sender reacts to.
    fn reacts_to_marks(&self, marked: u32) -> bool {
        marked > 0 && self.phase == Phase::Open && self.ecn.response == MarkResponse::OncePerWindow
    }

    pub(super) fn start_episodes(&mut self, now: Time, in_flight: u32, marked: u32) {
        if self.loses() {
            self.begin_recovery(now, in_flight);
        } else if self.reacts_to_marks(marked) {
            self.begin_episode(now, Phase::Reducing, Signal::Mark, in_flight);
            self.cwr_due = self.feedback == Feedback::Classic;
        }
    }

    fn begin_recovery(&mut self, now: Time, in_flight: u32) {
        // A window that already shrinks for marks is not reduced twice.
        if self.phase == Phase::Reducing && self.una < self.recovery_point {
            self.phase = Phase::Recovery;
            self.recovery_point = self.next;
        } else {
            self.begin_episode(now, Phase::Recovery, Signal::Loss, in_flight);
        }
        self.timers.start_timeout(now, &self.rtt, &self.parameters);
    }

    fn begin_episode(&mut self, now: Time, phase: Phase, signal: Signal, in_flight: u32) {
        self.phase = phase;
        self.recovery_point = self.next;
        self.restarted = false;
        self.reduction = ProportionalReduction::new(in_flight);
        self.signal(now, signal, in_flight);
        self.reduce(0, Safe::No);
    }

    /// Reports congestion to the controller, with `in_flight` segments in flight before it.
    pub(super) fn signal(&mut self, now: Time, signal: Signal, in_flight: u32) {
        let in_flight = self.bytes(in_flight);
        let congestion = Congestion {
            now,
            signal,
            in_flight,
            next_seq: self.next,
        };
        self.cc.report(|cc| cc.on_congestion(&congestion));
    }

    fn reduce(&mut self, delivered: u32, safe: Safe) {
        let threshold = self.cc.slow_start_threshold();
        let ssthresh = threshold.map_or(u32::MAX, |size| self.cc.whole(size));
        self.reduction
            .on_ack(delivered, self.board.in_flight(), ssthresh, safe);
    }

    fn end_episode(&mut self) {
        if matches!(self.phase, Phase::Recovery | Phase::Reducing) {
            let most = match self.parameters.detection {
                Detection::Rack => None,
                // RFC 6582, section 3.2, step 3, option 1: avoids a burst.
                Detection::DupAcks => Some(self.bytes(self.board.in_flight().max(1) + 1)),
            };
            self.cc.tell(|cc| cc.on_recovery_exit(most));
            self.rack.on_recovery_exit();
        }
        self.phase = Phase::Open;
    }

    fn notify_controller(
        &mut self,
        now: Time,
        delivery: &Delivery,
        marked: u32,
        sample: Option<&RateSample>,
    ) {
        let round = if self.una > self.round_end {
            self.round_end = self.next;
            Round::New
        } else {
            Round::Same
        };
        let growth = match self.phase {
            Phase::Recovery | Phase::Reducing => Growth::Reducing,
            Phase::Open if self.loses() || self.reacts_to_marks(marked) => Growth::Reducing,
            Phase::Open | Phase::Loss if self.uses_window() => Growth::Allowed,
            Phase::Open | Phase::Loss => Growth::Unused,
        };
        let recovering = match self.phase {
            Phase::Open | Phase::Reducing if !self.loses() => Recovering::No,
            _ => Recovering::Yes,
        };
        let in_flight = self.bytes(self.board.in_flight());
        self.cc.acknowledge(&Ack {
            now,
            cumulative: self.una,
            newly_acked: Bytes::new(delivery.bytes),
            reported: 0,
            next_seq: self.next,
            delivered: delivery.segments,
            marked,
            rtt: delivery.last_sent.map(|sent| now.since(sent)),
            least_rtt: self.rtt.least,
            smoothed_rtt: self.rtt.smoothed.unwrap_or(Duration::ZERO),
            in_flight,
            recovering,
            round,
            growth,
            sample,
            telemetry: &NO_TELEMETRY,
        });
    }
}

#[cfg(test)]
mod tests;
