//! The lengths of queues that adaptive policies compare.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::PortStates;

/// The bytes queued at the ports of a switch: the current numbers, or samples. A sample is taken
/// when the policy first reads a port after a multiple of the interval.
///
/// A port with a failed link counts as the longest queue. This holds from the instant of the
/// failure to the instant of the repair, because the interval applies only to lengths.
#[derive(Checkpointed, Debug)]
// A number of intervals since the start of the run has no relative form.
#[checkpoint(absolute)]
pub(super) struct QueueLengths {
    #[checkpoint(rebuilt)]
    interval: Duration,
    /// For each port: the number of the interval, from 1, and the bytes queued in it.
    seen: Vec<(u64, u64)>,
}

impl QueueLengths {
    /// Creates lengths that are sampled each `interval`; 0 reads them always.
    pub(super) const fn new(interval: Duration) -> Self {
        Self {
            interval,
            seen: Vec::new(),
        }
    }

    /// Returns the length of the queue of `port`.
    pub(super) fn of(&mut self, now: Time, port: PortId, ports: &dyn PortStates) -> u64 {
        if !ports.is_up(port) {
            return u64::MAX;
        }
        let length = || ports.queued(port).get();
        let Some(interval) = now.as_ps().checked_div(self.interval.as_ps()) else {
            return length();
        };
        let number = interval + 1;
        if port.index() >= self.seen.len() {
            self.seen.resize(port.index() + 1, (0, 0));
        }
        let seen = &mut self.seen[port.index()];
        if seen.0 != number {
            *seen = (number, length());
        }
        seen.1
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::testing::Ports;

    use super::*;

    #[test]
    fn a_length_is_renewed_once_an_interval() {
        let mut lengths = QueueLengths::new(Duration::from_us(1));
        let mut at = |ns, waiting| {
            let mut ports = Ports::default();
            ports.queued[2] = waiting;
            lengths.of(Time::from_ns(ns), PortId(2), &ports)
        };
        assert_eq!(
            [
                at(100, 5),
                at(999, 7),
                at(1_000, 8),
                at(1_500, 9),
                at(5_000, 1)
            ],
            [5, 5, 8, 8, 1]
        );
    }

    #[test]
    fn a_link_fails_and_recovers_within_an_interval() {
        let mut lengths = QueueLengths::new(Duration::from_us(1));
        let mut ports = Ports::default();
        ports.queued[0] = 3;
        let mut at = |ns, down| {
            ports.down[0] = down;
            lengths.of(Time::from_ns(ns), PortId(0), &ports)
        };
        let seen = [at(10, false), at(20, true), at(30, false)];
        assert_eq!(seen, [3, u64::MAX, 3]);
    }

    #[test]
    fn without_an_interval_they_are_those_of_now() {
        let mut lengths = QueueLengths::new(Duration::ZERO);
        let mut ports = Ports::default();
        ports.queued[0] = 3;
        assert_eq!(lengths.of(Time::from_ns(1), PortId(0), &ports), 3);
        ports.queued[0] = 4;
        assert_eq!(lengths.of(Time::from_ns(1), PortId(0), &ports), 4);
        ports.down[0] = true;
        assert_eq!(lengths.of(Time::from_ns(1), PortId(0), &ports), u64::MAX);
    }
}
