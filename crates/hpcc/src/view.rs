//! INT as controllers see it that know no header.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Rate, Time};

/// A count of bytes that begins anew after `period` bytes, as fields of headers do.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct ByteCounter {
    bytes: u64,
    period: u64,
}

impl ByteCounter {
    /// Returns a counter at `bytes` and begins anew after `period` bytes, at least one.
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

/// The INT of a packet.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
pub struct IntView {
    /// The identity of the path: only entries of one path are about the same ports.
    pub path: u32,
    /// The entries of the switches on the path, in the order in which they were passed. There are
    /// none when the path has more than the header holds.
    pub hops: Vec<IntHop>,
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
