//! A recorder of the time that each queue spends at each length.

use std::ops::Range;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::{Interest, Observer};

/// The total time that the queue of a switch port held at least `from` and less than `upto` bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QueueBin {
    /// The switch.
    pub node: NodeId,
    /// Egress port of the switch.
    pub port: PortId,
    /// The shortest length; zero for the bin of the empty queue.
    pub from: Bytes,
    /// The upper bound of the length, exclusive.
    pub upto: Bytes,
    /// Total time at these lengths.
    pub time: Duration,
}

/// The integral of a queue length over time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QueueArea {
    /// The switch.
    pub node: NodeId,
    /// Egress port of the switch.
    pub port: PortId,
    /// Length times time, in bytes x picoseconds.
    pub byte_ps: u128,
    /// The time for which the queue has been observed.
    pub time: Duration,
}

/// The queue lengths of one switch over time. They are exact, because every change is recorded. The
/// empty queue has its own bin, [0, 1).
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(crate) struct QueueTimes {
    #[checkpoint(rebuilt)]
    from: Time,
    #[checkpoint(rebuilt)]
    until: Time,
    #[checkpoint(rebuilt)]
    bin: u64,
    /// By port; `None` for ports that are not observed.
    ports: Vec<Option<PortTimes>>,
}

#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
struct PortTimes {
    /// The time of the last change of the length.
    since: Time,
    queue: u64,
    /// Time in each bin, in picoseconds.
    times: Vec<u64>,
    /// Length times time, in bytes x picoseconds.
    byte_ps: u128,
}

impl QueueTimes {
    /// Returns the recorder of a switch with `count` ports and empty queues. It observes the ports
    /// `chosen` within `time`, in bins of `bin` bytes.
    pub(super) fn new(
        time: Range<Time>,
        bin: Bytes,
        count: usize,
        chosen: impl Iterator<Item = PortId>,
    ) -> Self {
        let mut ports = vec![None; count];
        for port in chosen {
            ports[port.index()] = Some(PortTimes {
                since: time.start,
                queue: 0,
                times: Vec::new(),
                byte_ps: 0,
            });
        }
        Self {
            from: time.start,
            until: time.end,
            bin: bin.get(),
            ports,
        }
    }

    /// Records that the queue of `port` holds `queue` bytes as of `now`.
    fn change(&mut self, now: Time, port: PortId, queue: Bytes) {
        let now = now.max(self.from).min(self.until);
        if let Some(times) = &mut self.ports[port.index()] {
            let place = place(times.queue, self.bin);
            if place >= times.times.len() {
                times.times.resize(place + 1, 0);
            }
            let lasted = now.since(times.since).as_ps();
            times.times[place] += lasted;
            times.byte_ps += u128::from(times.queue) * u128::from(lasted);
            times.since = now;
            times.queue = queue.get();
        }
    }

    /// Returns the integral of each queue length over the time up to `now`.
    pub(crate) fn areas(&self, now: Time, node: NodeId) -> Vec<QueueArea> {
        let mut ended = self.clone();
        let mut areas = Vec::new();
        for index in 0..self.ports.len() {
            let port = PortId::from_index(index);
            ended.change(now, port, Bytes::ZERO);
            areas.extend(ended.ports[index].iter().map(|times| QueueArea {
                node,
                port,
                byte_ps: times.byte_ps,
                time: Duration::from_ps(times.times.iter().sum()),
            }));
        }
        areas
    }

    /// Returns the time spent in each bin up to `now`. Bins without any time are omitted.
    pub(crate) fn bins(&self, now: Time, node: NodeId) -> Vec<QueueBin> {
        let mut ended = self.clone();
        let mut bins = Vec::new();
        for index in 0..self.ports.len() {
            let port = PortId::from_index(index);
            ended.change(now, port, Bytes::ZERO);
            let times = ended.ports[index].iter().flat_map(|port| &port.times);
            let seen = (0..).zip(times).filter(|(_, ps)| **ps > 0);
            bins.extend(seen.map(|(place, &ps)| {
                let (from, upto) = bounds(place, self.bin);
                QueueBin {
                    node,
                    port,
                    from: Bytes::new(from),
                    upto: Bytes::new(upto),
                    time: Duration::from_ps(ps),
                }
            }));
        }
        bins
    }
}

impl Observer<()> for QueueTimes {
    fn interest(&self) -> Interest {
        Interest::QUEUES.and(Interest::ORDER)
    }

    fn on_queue_change(&mut self, now: Time, _node: NodeId, port: PortId, queue: Bytes) {
        self.change(now, port, queue);
    }

    fabricsim_base::saves_state!();
}

/// Returns the index of the bin that holds `queue`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a queue fits the memory of a switch, and bins are wider than a byte"
)]
const fn place(queue: u64, bin: u64) -> usize {
    match queue {
        0 => 0,
        _ => (1 + queue / bin) as usize,
    }
}

/// Returns the bounds of the bin at index `place`: the lower one inclusive, the upper one
/// exclusive.
const fn bounds(place: u64, bin: u64) -> (u64, u64) {
    match place {
        0 => (0, 1),
        1 => (1, bin),
        _ => ((place - 1) * bin, place * bin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a recorder that observes from `from` to `until` (ns), in bins of 1,000 bytes.
    fn times(from: u64, until: Option<u64>) -> QueueTimes {
        times_in_bins(from, until, 1_000)
    }

    fn times_in_bins(from: u64, until: Option<u64>, bin: u64) -> QueueTimes {
        let time = Time::from_ns(from)..until.map_or(Time::MAX, Time::from_ns);
        let ports = [PortId(0), PortId(2)].into_iter();
        QueueTimes::new(time, Bytes::new(bin), 3, ports)
    }

    fn rows(times: &QueueTimes, now: u64) -> Vec<(u16, u64, u64, u64)> {
        let bins = times.bins(Time::from_ns(now), NodeId(9));
        bins.iter()
            .map(|bin| (bin.port.0, bin.from.get(), bin.upto.get(), bin.time.as_ns()))
            .collect()
    }

    #[test]
    fn each_length_has_its_time() {
        let mut times = times(0, None);
        for (ns, queue) in [(10, 1_000), (30, 1_999), (35, 2_000), (45, 999), (70, 0)] {
            times.change(Time::from_ns(ns), PortId(2), Bytes::new(queue));
        }
        // Port 1 is not observed.
        times.change(Time::from_ns(50), PortId(1), Bytes::new(5_000));
        let expected = [
            (0, 0, 1, 100),
            (2, 0, 1, 10 + 30),
            (2, 1, 1_000, 25),
            (2, 1_000, 2_000, 20 + 5),
            (2, 2_000, 3_000, 10),
        ];
        assert_eq!(rows(&times, 100), expected);
        let areas = times.areas(Time::from_ns(100), NodeId(9));
        let area: u128 = areas.iter().map(|area| area.byte_ps / 1_000).sum();
        assert_eq!(area, 1_000 * 20 + 1_999 * 5 + 2_000 * 10 + 999 * 25);
        assert!(areas.iter().all(|area| area.time == Duration::from_ns(100)));
        // Reading the recorder changes nothing.
        assert_eq!(rows(&times, 100), expected);
    }

    #[test]
    fn only_the_time_that_was_asked_for_counts() {
        let mut times = times(20, Some(60));
        for (ns, queue) in [(10, 1_500), (50, 0), (55, 2_500), (90, 0)] {
            times.change(Time::from_ns(ns), PortId(0), Bytes::new(queue));
        }
        let own: Vec<_> = rows(&times, 100)
            .into_iter()
            .filter(|row| row.0 == 0)
            .collect();
        assert_eq!(
            own,
            [(0, 0, 1, 5), (0, 1_000, 2_000, 30), (0, 2_000, 3_000, 5)]
        );
    }

    proptest::proptest! {
        #[test]
        fn no_time_is_lost(
            changes in proptest::collection::vec((0u64..500, 0u64..100_000), 0..60),
            from in 0u64..4_000,
            length in 1u64..20_000,
            bin in 64u64..5_000,
        ) {
            let mut times = times_in_bins(from, Some(from + length), bin);
            let mut now = 0;
            for (wait, queue) in changes {
                now += wait;
                times.change(Time::from_ns(now), PortId(0), Bytes::new(queue));
            }
            let end = now.max(from);
            let observed = end.min(from + length) - from;
            for port in [0, 2] {
                let own = rows(&times, end);
                let sum: u64 = own.iter().filter(|row| row.0 == port).map(|row| row.3).sum();
                proptest::prop_assert_eq!(sum, observed);
            }
        }

        #[test]
        fn a_length_is_in_its_bin(queue in 0u64..10_000_000, bin in 64u64..5_000) {
            let (from, upto) = bounds(place(queue, bin) as u64, bin);
            proptest::prop_assert!(from <= queue && queue < upto);
        }
    }
}
