//! Response of a sender to an expired retransmission timer.

use fabricsim_base::units::Time;
use fabricsim_core::plugin::{Recovering, Signal};

use super::{Forced, Phase, TcpSender};
use crate::tcp::config::Detection;

impl TcpSender {
    /// Recovers by slow start (RFC 5681, section 3.1; RFC 6298, rules 5.4 to 5.6; RFC 8985, section
    /// 6.3).
    ///
    /// Differs from the paper: the threshold falls once per window, as in Linux (`tcp_enter_loss`).
    /// RFC 5681 keeps the threshold only for segments that the timer has already retransmitted, so
    /// a timeout in fast recovery lowers it again.
    pub(super) fn on_timeout(&mut self, now: Time) {
        let in_flight = self.board.in_flight();
        let signal = if self.is_reduced() {
            Signal::RepeatedTimeout
        } else {
            Signal::Timeout
        };
        self.board.forget_duplicates();
        let before = match self.parameters.detection {
            Detection::Rack => {
                let window = self
                    .rack
                    .window(&self.rtt, self.board.sacked(), Recovering::Yes);
                Time::from_ps(now.as_ps().saturating_sub((self.rack.rtt + window).as_ps()))
            }
            Detection::DupAcks => now,
        };
        self.board.lose_on_timeout(before);
        self.phase = Phase::Loss;
        self.recovery_point = self.next;
        self.probe = None;
        self.forced = Forced::Retransmission;
        self.signal(now, signal, in_flight);
        self.timers.back_off();
        self.timers.reordering = Time::MAX;
        self.timers.start_timeout(now, &self.rtt, &self.parameters);
    }

    /// Returns `true` if the threshold has already fallen for the window in flight: for a loss or a
    /// mark in it, or for a timeout without any acknowledgement since.
    fn is_reduced(&self) -> bool {
        let same_window = self.una < self.recovery_point;
        match self.phase {
            Phase::Open => false,
            Phase::Reducing | Phase::Recovery => same_window,
            Phase::Loss => same_window && self.timers.timeouts_in_a_row() > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fabricsim_base::units::{Bytes, Duration, Rate};
    use fabricsim_core::plugin::{CcContext, DynFactory, Feedback, FlowStart};

    use super::super::Incoming;
    use super::*;
    use crate::cc::{NewRenoConfig, PragueConfig};
    use crate::tcp::config::TcpConfig;
    use crate::tcp::sack::SackBlock;

    const RTT: Duration = Duration::from_ms(40);
    const MSS: u64 = 1_448;

    /// Returns a sender with its first window of ten segments in flight, and the time one round
    /// trip later.
    fn sending(config: &dyn DynFactory, feedback: Feedback) -> (TcpSender, Time) {
        let rate = Rate::from_gbps(10);
        let network = CcContext::of_nics(rate);
        let cc = config.build_dyn(&FlowStart {
            wire: Bytes::new(1_514),
            ip: Bytes::new(1_500),
            initial_window: Bytes::new(10 * MSS),
            feedback,
            ..FlowStart::new(rate, RTT, Bytes::new(MSS), &network)
        });
        let parameters = Arc::new(TcpConfig::default().parameters());
        let mut sender = TcpSender::new(
            (cc, Rate::from_gbps(10)),
            config.ecn(feedback),
            feedback,
            parameters,
        );
        sender.write(1_000 * MSS);
        fill(&mut sender, Time::ZERO);
        (sender, Time::ZERO + RTT)
    }

    fn fill(sender: &mut TcpSender, now: Time) {
        while sender.may_send() {
            sender.send(now);
        }
    }

    /// Acknowledges `cumulative` segments and the next `beyond`, with `marks` so far.
    fn acknowledge(sender: &mut TcpSender, now: Time, cumulative: u64, beyond: u64, marks: u32) {
        let blocks = [SackBlock {
            offset: i32::try_from(MSS).expect("small"),
            len: u32::try_from(beyond * MSS).expect("small"),
        }];
        sender.on_ack(
            now,
            &Incoming {
                cumulative: cumulative * MSS,
                blocks: if beyond == 0 { &[] } else { &blocks },
                ece: marks > 0,
                ce_count: marks,
                echo: Some(Time::from_ps(now.as_ps() - RTT.as_ps())),
            },
        );
        fill(sender, now);
    }

    /// Expires the retransmission timer, and returns the threshold after it in tenths of a segment.
    fn time_out(sender: &mut TcpSender) -> u64 {
        let phase = sender.phase;
        loop {
            let at = sender.timers.deadline();
            assert!(at < Time::MAX, "no timer runs in {phase:?}");
            let timed_out = sender.on_deadline(at);
            fill(sender, at);
            if timed_out {
                return tenths(sender.cc.slow_start_threshold());
            }
        }
    }

    fn tenths(threshold: Option<Bytes>) -> u64 {
        threshold.expect("there was congestion").get() * 10 / MSS
    }

    /// Returns the bytes of `count` segments.
    fn segments(count: u64) -> Option<Bytes> {
        Some(Bytes::new(count * MSS))
    }

    #[test]
    fn the_threshold_falls_once_for_a_window() {
        // No acknowledgement arrives: half of ten segments, then no further reduction.
        let (mut sender, _) = sending(&NewRenoConfig::default(), Feedback::None);
        assert_eq!(time_out(&mut sender), 50);
        assert_eq!(time_out(&mut sender), 50);
        // Five of the ten are acknowledged, then none any more: half of the remaining five.
        let later = sender.last_sent + RTT;
        acknowledge(&mut sender, later, 5, 0, 0);
        assert_eq!(time_out(&mut sender), 25);

        // In fast recovery.
        let (mut sender, now) = sending(&NewRenoConfig::default(), Feedback::None);
        acknowledge(&mut sender, now, 0, 8, 0);
        assert_eq!(
            (sender.phase, sender.cc.slow_start_threshold()),
            (Phase::Recovery, segments(5))
        );
        assert_eq!(time_out(&mut sender), 50);

        // After an echo of marks in the same window.
        let (mut sender, now) = sending(&NewRenoConfig::default(), Feedback::Classic);
        acknowledge(&mut sender, now, 1, 0, 1);
        assert_eq!(sender.phase, Phase::Reducing);
        let threshold = tenths(sender.cc.slow_start_threshold());
        assert_eq!(time_out(&mut sender), threshold);
    }

    /// RFC 8985 detects the loss immediately, because more than three segments beyond it are
    /// reported.
    #[test]
    fn prague_reduces_for_a_loss_and_not_for_the_marks_beside_it() {
        let (mut sender, now) = sending(&PragueConfig::default(), Feedback::Accurate);
        acknowledge(&mut sender, now, 0, 5, 2);
        assert_eq!(
            (sender.phase, sender.cc.window()),
            (Phase::Recovery, segments(5))
        );
        acknowledge(&mut sender, now, 0, 9, 4);
        assert_eq!(
            (sender.phase, sender.cc.window()),
            (Phase::Recovery, segments(5))
        );
    }

    /// One window of 1,500-byte IP packets per round trip, or two in slow start; 1,448 bytes of
    /// each are payload.
    #[test]
    fn a_paced_segment_takes_the_time_of_its_payload() {
        let (mut sender, now) = sending(&PragueConfig::default(), Feedback::Accurate);
        sender.on_ack(
            now,
            &Incoming {
                cumulative: MSS,
                blocks: &[],
                ece: false,
                ce_count: 0,
                echo: Some(Time::ZERO),
            },
        );
        sender.send(now);
        let gap = sender.paced.since(now).as_secs_f64();
        let expected = 0.04 / (2.0 * 11.0) * 1_448.0 / 1_500.0;
        assert!((gap / expected - 1.0).abs() < 1e-6, "{gap} and {expected}");
        let rate = sender.pacing_rate().expect("it paces");
        assert_eq!(sender.paced, now + rate.transmission(Bytes::new(MSS)));
    }
}
