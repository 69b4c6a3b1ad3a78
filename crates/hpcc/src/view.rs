//! INT for controllers without access to the header.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Rate, Time};

/// A count of bytes that wraps around after `period` bytes, like a header field.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct ByteCounter {
    bytes: u64,
    period: u64,
}

impl ByteCounter {
    /// Returns a counter at `bytes` that wraps around after `period` bytes (at least one).
    #[must_use]
    pub fn new(bytes: Bytes, period: Bytes) -> Self {
        let period = period.get().max(1);
        Self {
            bytes: bytes.get() % period,
            period,
        }
    }

    /// Returns the bytes counted since `earlier`, from the same port. The result is correct if
    /// fewer than one period has been counted.
    #[must_use]
    pub fn since(self, earlier: Self) -> Bytes {
        if self.bytes >= earlier.bytes {
            Bytes::new(self.bytes - earlier.bytes)
        } else {
            Bytes::new(self.bytes + (self.period - earlier.bytes))
        }
    }
}

/// The entry of one switch: the state of its egress port when the packet left.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct IntHop {
    /// Departure time of the packet, at the resolution of the header.
    pub at: Time,
    /// Bytes that the port had sent before.
    pub sent: ByteCounter,
    /// Bytes left in the port's queues.
    pub queue: Bytes,
    /// Rate of the port's link.
    pub rate: Rate,
}

/// The INT of a packet.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct IntView {
    /// Identity of the path. Entries refer to the same ports only if their paths are equal.
    pub path: u32,
    /// Entries of the switches on the path, in path order. Empty if the path has more switches than
    /// the header has room for.
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
