//! The rarely changed state of a port: counters that packets without marks and losses do not touch.

use super::egress::Egress;
use super::pause_clock::PauseClock;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Time};

/// The state of one port of a host or a switch, with counters since the start.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct PortSample {
    /// The node.
    pub node: NodeId,
    /// Number of the port at the node.
    pub port: PortId,
    /// Bytes that wait there, over all priorities; 0 at a host, because its flows are its queues.
    pub queue: Bytes,
    /// Bytes of all packets that have begun to leave.
    pub sent: Bytes,
    /// Packets that have begun to leave.
    pub packets: u64,
    /// Time for which the wire was busy, computed from the rate of the link. If the times of a link
    /// are rounded down (profile `ns3-hpcc`), the wire is free slightly earlier.
    pub busy: Duration,
    /// Packets marked there (CE).
    pub marked: u64,
    /// Packets that were dropped at its queue, or lost on its link.
    pub dropped: u64,
    /// Time for which the neighbor has paused some priority, including a current pause.
    pub paused: Duration,
}

impl PortSample {
    /// Returns the share of busy time, 0 to 1, during the `interval` since the sample `earlier`.
    #[must_use]
    pub fn utilization_since(&self, earlier: &Self, interval: Duration) -> f64 {
        let busy = self.busy.saturating_sub(earlier.busy).as_ps() as f64;
        (busy / interval.as_ps().max(1) as f64).min(1.0)
    }
}

/// Counters of one port that are updated as events happen.
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(counter)]
pub(super) struct Meter {
    /// Packets marked.
    pub(super) marked: u64,
    /// Packets dropped at the port's queue or lost because its link went down, excluding random
    /// losses of the link.
    pub(super) dropped: u64,
    /// Transmission time of everything sent before the last change of the rate or factor, and the
    /// number of these bytes.
    taken: Duration,
    sent: u64,
}

impl Meter {
    /// Prepares for a change of the rate or factor of `egress` by adding up the transmission times so far.
    pub(super) fn settle_rate(&mut self, egress: &Egress) {
        self.taken = self.taken(egress);
        self.sent = egress.sent;
    }

    /// Returns the total transmission time of all packets that have begun to leave.
    fn taken(&self, egress: &Egress) -> Duration {
        let since = Bytes::new(egress.sent - self.sent);
        self.taken + egress.time_of(since)
    }

    /// Returns a sample of the port `at` (node and port) at `now`, with an empty queue.
    pub(super) fn sample(
        &self,
        now: Time,
        at: (NodeId, PortId),
        egress: &Egress,
        pauses: &PauseClock,
    ) -> PortSample {
        let losses = egress.lost();
        let left = egress.busy_until.since(now);
        PortSample {
            node: at.0,
            port: at.1,
            queue: Bytes::ZERO,
            sent: Bytes::new(egress.sent),
            packets: egress.packets,
            busy: self.taken(egress).saturating_sub(left),
            marked: self.marked,
            dropped: self.dropped + losses,
            paused: pauses.ended() + now.since(pauses.since()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{LineTiming, LinkConfig};
    use crate::plugin::PortFactor;
    use fabricsim_base::units::Rate;

    fn egress(gbps: u64) -> Egress {
        let rate = Rate::from_gbps(gbps);
        Egress::new(LinkConfig {
            rate,
            timing: LineTiming::new(rate),
            delay: Duration::from_us(1),
            loss: None,
        })
    }

    fn busy_ns(meter: &Meter, ns: u64, egress: &Egress) -> u64 {
        let at = (NodeId(0), PortId(0));
        let sample = meter.sample(Time::from_ns(ns), at, egress, &PauseClock::default());
        sample.busy.as_ns()
    }

    #[test]
    fn what_is_under_way_counts_as_far_as_it_has_come() {
        let mut egress = egress(100);
        let meter = Meter::default();
        // 1,250 bytes take 100 ns, from 50 ns on.
        egress.sent = 1_250;
        egress.busy_until = Time::from_ns(150);
        assert_eq!(busy_ns(&meter, 50, &egress), 0);
        assert_eq!(busy_ns(&meter, 80, &egress), 30);
        assert_eq!(busy_ns(&meter, 150, &egress), 100);
        assert_eq!(busy_ns(&meter, 900, &egress), 100);
    }

    #[test]
    fn a_change_of_the_rate_leaves_the_past_alone() {
        let mut egress = egress(100);
        let mut meter = Meter::default();
        egress.sent = 1_250;
        meter.settle_rate(&egress);
        let slower = Rate::from_gbps(10);
        egress.set_rate(slower, LineTiming::new(slower));
        assert_eq!(busy_ns(&meter, 1_000, &egress), 100);
        egress.sent += 1_250;
        assert_eq!(busy_ns(&meter, 5_000, &egress), 1_100);
    }

    /// 1,250 bytes take 100 ns at full speed, then 150 ns, then 1,500 ns at a tenth of the rate.
    #[test]
    fn slowed_packets_keep_the_wire_busy_for_longer() {
        let mut egress = egress(100);
        let mut meter = Meter::default();
        egress.sent = 1_250;
        meter.settle_rate(&egress);
        egress.slow(PortFactor::from_millionths(1_500_000).unwrap());
        egress.sent += 1_250;
        assert_eq!(busy_ns(&meter, 5_000, &egress), 250);
        meter.settle_rate(&egress);
        let slower = Rate::from_gbps(10);
        egress.set_rate(slower, LineTiming::new(slower));
        egress.sent += 1_250;
        assert_eq!(busy_ns(&meter, 5_000, &egress), 1_750);
        assert_eq!(egress.rate(), slower);
    }

    #[test]
    fn utilization_is_a_share() {
        let at = (NodeId(0), PortId(0));
        let mut egress = egress(100);
        let meter = Meter::default();
        let sample = |ns, egress: &Egress| {
            meter.sample(Time::from_ns(ns), at, egress, &PauseClock::default())
        };
        let before = sample(0, &egress);
        egress.sent = 1_250;
        egress.busy_until = Time::from_ns(100);
        let after = sample(400, &egress);
        let share = |ns| after.utilization_since(&before, Duration::from_ns(ns));
        assert!((share(400) - 0.25).abs() < 1e-12);
        // Links with rounded-down times send more than their rate.
        assert!((share(90) - 1.0).abs() < 1e-12);
    }
}
