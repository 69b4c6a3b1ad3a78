//! State of one port besides its queue and its wire: counters that packets without marks and losses
//! do not touch.

use super::egress::Egress;
use super::pause_clock::PauseClock;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Time};

/// The state of one port of a host or a switch, and what has happened there since the start.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct PortSample {
    /// The node.
    pub node: NodeId,
    /// Its port.
    pub port: PortId,
    /// Bytes that wait there, of all priorities; none at a host, whose flows are its queues.
    pub queue: Bytes,
    /// Bytes of all packets that have begun to leave.
    pub sent: Bytes,
    /// Packets that have begun to leave.
    pub packets: u64,
    /// For how long the wire has been taken, by the rate of the link: where the times of a link are
    /// rounded down (profile `ns3-hpcc`), the wire is free a little sooner than this says.
    pub busy: Duration,
    /// Packets marked there (CE).
    pub marked: u64,
    /// Packets that were dropped at its queue, or lost on the link into which it sends.
    pub dropped: u64,
    /// For how long the neighbor has paused some priority, a pause that lasts included.
    pub paused: Duration,
}

impl PortSample {
    /// The share of the time since `earlier`, `interval` ago, in which the wire was taken, 0 to 1.
    #[must_use]
    pub fn utilization_since(&self, earlier: &Self, interval: Duration) -> f64 {
        let busy = self.busy.saturating_sub(earlier.busy).as_ps() as f64;
        (busy / interval.as_ps().max(1) as f64).min(1.0)
    }
}

/// Counters of one port that are updated as events happen.
#[derive(Clone, Copy, Debug, Default, Stored)]
pub(super) struct Meter {
    /// Packets marked.
    pub(super) marked: u64,
    /// Packets dropped at the port's queue or lost with its link, but not by a loss of the link.
    pub(super) dropped: u64,
    /// Transmission time of everything sent before the rate last changed; `sent` is the number of
    /// bytes.
    taken: Duration,
    sent: u64,
}

impl Meter {
    /// The rate of `egress`, at which all has been sent since the last change, is going to change.
    pub(super) fn settle_rate(&mut self, egress: &Egress) {
        self.taken = self.taken(egress);
        self.sent = egress.sent;
    }

    /// Returns the total transmission time of all packets that have begun to leave.
    fn taken(&self, egress: &Egress) -> Duration {
        let since = Bytes::new(egress.sent - self.sent);
        self.taken + egress.rate().transmission(since)
    }

    /// Returns a sample of the port `at`, a node and its port, at `now`, with an empty queue.
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
        // 1,250 bytes take 100 ns, from 50 on.
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
        // Links whose times are rounded down send more than their rate.
        assert!((share(90) - 1.0).abs() < 1e-12);
    }
}
