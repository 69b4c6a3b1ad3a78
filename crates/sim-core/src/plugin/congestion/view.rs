//! Telemetry in a form that no header decides.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Rate, Time};

/// A count of bytes that begins anew after `period` bytes, as fields of headers do.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct ByteCounter {
    bytes: u64,
    period: u64,
}

impl ByteCounter {
    /// Returns a counter that stands at `bytes` and begins anew after `period` bytes, at least one.
    #[must_use]
    pub fn new(bytes: Bytes, period: Bytes) -> Self {
        let period = period.get().max(1);
        Self {
            bytes: bytes.get() % period,
            period,
        }
    }

    /// Returns the bytes counted since `earlier` of the same port, unless they were a period or
    /// more.
    #[must_use]
    pub fn since(self, earlier: Self) -> Bytes {
        if self.bytes >= earlier.bytes {
            Bytes::new(self.bytes - earlier.bytes)
        } else {
            Bytes::new(self.bytes + (self.period - earlier.bytes))
        }
    }
}

/// The entry of one switch: its egress port when the packet left it.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub struct IntHop {
    /// Time at which the packet left, to the resolution of the header.
    pub at: Time,
    /// Bytes that the port had sent before.
    pub sent: ByteCounter,
    /// Bytes left in its queues.
    pub queue: Bytes,
    /// The rate of its link.
    pub rate: Rate,
}

/// The telemetry that an acknowledgement brings back, decoded.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
pub struct TelemetryView {
    path: u32,
    hops: Vec<IntHop>,
    utilization: Option<f64>,
}

impl TelemetryView {
    /// No telemetry.
    pub const EMPTY: Self = Self {
        path: 0,
        hops: Vec::new(),
        utilization: None,
    };

    /// Returns the entries of the switches on the path, in the order in which they were passed.
    /// There are none unless the configuration requires
    /// [`RequiredTelemetry::Int`](super::RequiredTelemetry::Int), or when the path has more than
    /// the header holds.
    #[must_use]
    pub fn int_hops(&self) -> &[IntHop] {
        &self.hops
    }

    /// Returns the identity of the path: only entries of one path are about the same ports.
    #[must_use]
    pub const fn path(&self) -> u32 {
        self.path
    }

    /// Returns the utilization of the busiest link that the digest of PINT holds, if the packet
    /// carried one and the configuration requires
    /// [`RequiredTelemetry::Digest`](super::RequiredTelemetry::Digest).
    #[must_use]
    pub const fn pint_digest(&self) -> Option<f64> {
        self.utilization
    }

    /// Replaces the entries by `hops` of `path`.
    pub fn set_int(&mut self, path: u32, hops: impl IntoIterator<Item = IntHop>) {
        self.path = path;
        self.hops.clear();
        self.hops.extend(hops);
    }

    /// Replaces the digest by `utilization`.
    pub const fn set_digest(&mut self, utilization: Option<f64>) {
        self.utilization = utilization;
    }
}

/// Decodes the telemetry of packets with the header `H`.
pub trait TelemetryReader<H>: Send + Sync + std::fmt::Debug {
    /// Puts the entries of `header`, which were all written before `now`, into `view`.
    fn read(&self, header: &H, now: Time, view: &mut TelemetryView);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_goes_on_where_it_begins_anew() {
        let counter = |bytes| ByteCounter::new(Bytes::new(bytes), Bytes::new(1 << 32));
        assert_eq!(counter(1_500).since(counter(500)), Bytes::new(1_000));
        let before = counter((1 << 32) - 100);
        assert_eq!(counter((1 << 32) + 900).since(before), Bytes::new(1_000));
    }
}
