//! State that a switch keeps for one egress port.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Bytes, Time};

use crate::arithmetic::Link;
use crate::draws::Draws;

/// The utilization of one egress port, averaged over about a base round-trip time.
#[derive(Checkpointed, Clone, Debug)]
pub(crate) struct PortUtilization {
    #[checkpoint(rebuilt)]
    link: Link,
    /// U in the paper.
    utilization: f64,
    /// Departure time and size of the last packet.
    last: (Time, Bytes),
}

impl PortUtilization {
    /// An idle port.
    pub(crate) const fn new(link: Link) -> Self {
        Self {
            link,
            utilization: 0.0,
            last: (Time::ZERO, Bytes::ZERO),
        }
    }

    /// From now on the port has another link; what it has measured stays.
    pub(crate) fn set_link(&mut self, link: Link) {
        self.link = link;
    }

    /// A packet of `size` leaves at `now`, with `queue` behind it: the new utilization. What the
    /// wire has carried since the packet before is that packet.
    #[inline]
    pub(crate) fn measure(
        &mut self,
        now: Time,
        size: Bytes,
        queue: Bytes,
        draws: &mut impl Draws,
    ) -> f64 {
        let (then, before) = self.last;
        self.utilization = self
            .link
            .update(self.utilization, (then, now), queue, before, draws);
        self.last = (now, size);
        self.utilization
    }

    /// [`Self::measure`] in double precision, which draws nothing; `None`, and no change, by tables.
    #[inline]
    pub(crate) fn measure_exactly(&mut self, now: Time, size: Bytes, queue: Bytes) -> Option<f64> {
        let (then, before) = self.last;
        let link = &self.link;
        self.utilization = link.update_exactly(self.utilization, (then, now), queue, before)?;
        self.last = (now, size);
        Some(self.utilization)
    }

    /// A packet of `size` leaves at `now` and is not measured: what the one before has carried is
    /// lost.
    #[inline]
    pub(crate) const fn overlook(&mut self, now: Time, size: Bytes) {
        self.last = (now, size);
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::rng::{Purpose, Stream};
    use fabricsim_base::units::{Duration, Rate};

    use super::*;

    /// A port of 100 Gbps, where T carries 100,000 bytes.
    fn port() -> PortUtilization {
        PortUtilization::new(Link::new(
            Rate::from_gbps(100),
            Duration::from_ns(8_000),
            None,
        ))
    }

    fn measure(port: &mut PortUtilization, ns: u64, size: u64, queue: u64) -> f64 {
        let mut stream = Stream::new(1, 0, Purpose::Rounding);
        port.measure(
            Time::from_ns(ns),
            Bytes::new(size),
            Bytes::new(queue),
            &mut stream,
        )
    }

    #[test]
    fn an_idle_port_has_carried_nothing() {
        assert!(measure(&mut port(), 9_000, 1_000, 0) <= 0.0);
        // A queue is seen at once, for as long as the port exists.
        let found = measure(&mut port(), 4_000, 1_000, 10_000);
        assert!((found - 0.05).abs() < 1e-12, "{found}");
    }

    #[test]
    fn a_packet_counts_when_the_next_one_leaves() {
        let mut port = port();
        measure(&mut port, 9_000, 1_000, 0);
        let found = measure(&mut port, 9_080, 500, 0);
        assert!((found - 0.01).abs() < 1e-12, "{found}");
        let found = measure(&mut port, 9_880, 1_000, 0);
        assert!((found - (0.009 + 0.005)).abs() < 1e-12, "{found}");
    }

    #[test]
    fn an_overlooked_packet_takes_the_one_before_with_it() {
        let mut port = port();
        measure(&mut port, 9_000, 1_000, 0);
        port.overlook(Time::from_ns(9_080), Bytes::new(60));
        let found = measure(&mut port, 9_160, 1_000, 0);
        assert!((found - 0.0006).abs() < 1e-12, "{found}");
    }
}
