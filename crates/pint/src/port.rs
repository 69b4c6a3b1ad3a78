//! State of a switch for one egress port.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Bytes, Time};

use crate::arithmetic::Link;
use crate::draws::Draws;

/// Utilization of one egress port, averaged over about a base round-trip time.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(crate) struct PortUtilization {
    #[checkpoint(rebuilt)]
    link: Link,
    /// Average utilization (U in the HPCC paper).
    utilization: f64,
    /// Departure time and size of the last packet.
    last: (Time, Bytes),
}

impl PortUtilization {
    /// Returns an idle port.
    pub(crate) const fn new(link: Link) -> Self {
        Self {
            link,
            utilization: 0.0,
            last: (Time::ZERO, Bytes::ZERO),
        }
    }

    /// Replaces the link of the port. The measured utilization stays.
    pub(crate) fn set_link(&mut self, link: Link) {
        self.link = link;
    }

    /// Returns the new utilization when a packet of `size` leaves at `now` and `queue` remains
    /// behind it. Since the previous packet left, the wire has carried that packet, so this one
    /// counts next time.
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

    /// Same as [`Self::measure`], in double precision and without drawing. For tables, returns
    /// `None` and changes nothing.
    #[inline]
    pub(crate) fn measure_exactly(&mut self, now: Time, size: Bytes, queue: Bytes) -> Option<f64> {
        let (then, before) = self.last;
        let link = &self.link;
        self.utilization = link.update_exactly(self.utilization, (then, now), queue, before)?;
        self.last = (now, size);
        Some(self.utilization)
    }

    /// Records that a packet of `size` leaves at `now` without a measurement. This loses the bytes
    /// of the previous packet.
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

    /// A port of 100 Gbps; T carries 100,000 bytes.
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
        // The port sees the queue immediately, with the time since its creation as the interval.
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
