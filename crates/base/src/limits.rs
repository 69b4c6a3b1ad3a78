//! The largest and smallest quantities that a user may set.
//!
//! Times, sizes and rates are 64-bit integers, and the packet path adds and multiplies them without
//! overflow checks. So values that are read from a text, and values that a program passes to a
//! simulation, must be within these limits. They are far beyond any real network, and far enough
//! below 2^64 that sums and products of a few of them cannot wrap:
//!
//! * 18 of the longest times fit 64 bits of picoseconds, and [`Time::HORIZON`], at which a run
//!   ends, leaves room for 13 of them;
//! * a packet of 9,216 bytes takes less than 2^64 ps for a round trip over 65,536 of the longest
//!   and slowest links;
//! * the sum of 65,536 ports of the highest rate is below 2^64 bits per second;
//! * 18,000 of the largest sizes fit 64 bits. Sums over flows, which may be more, saturate.

use crate::units::{Bytes, Duration, Rate, Time};

/// The latest time and the longest duration: 1,000,000 s, more than eleven days.
pub const MAX_DURATION: Duration = Duration::from_ms(1_000_000_000);
/// The longest one-way delay of a link.
pub const MAX_LINK_DELAY: Duration = Duration::from_ms(10_000);
/// The longest round-trip time of a packet across the idle network. The highest rate carries less
/// than 2^64 bytes in it.
pub const MAX_BASE_RTT: Duration = Duration::from_ms(100_000_000);
/// The largest size of a flow, a buffer or a threshold: 1,000 TB.
pub const MAX_SIZE: Bytes = Bytes::new(1_000_000_000_000_000);
/// The highest rate.
pub const MAX_RATE: Rate = Rate::from_gbps(100_000);
/// The lowest rate.
pub const MIN_RATE: Rate = match Rate::from_bps(1_000) {
    Some(rate) => rate,
    None => panic!("a rate is never zero"),
};
/// Maximum number of flows in one run: flow numbers have 32 bits.
pub const MAX_FLOWS: u32 = u32::MAX;
/// Maximum number of live flows. Each takes a kilobyte of memory or slightly more.
pub const MAX_LIVE_FLOWS: u64 = 5_000_000;
/// Maximum number of acknowledgements that may wait at one host for its links.
pub const MAX_WAITING_ACKS: usize = 1 << 20;

/// The number of the first flow that an application starts; flows of workloads have smaller
/// numbers.
pub const FIRST_APP_FLOW: u32 = 1 << 31;

/// Maximum number of timers that may expire at the same time, one after the other, over the
/// applications of one host.
pub const MAX_TIMERS_AT_ONCE: u32 = 1_000_000;

/// The latest time.
pub const MAX_TIME: Time = Time::from_ps(MAX_DURATION.as_ps());

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: u128 = 1 << 64;

    fn ps(span: Duration) -> u128 {
        span.as_ps().into()
    }

    #[test]
    fn sums_and_products_of_a_few_fit_64_bits() {
        let horizon = u128::from(Time::HORIZON.as_ps());
        assert!(18 * ps(MAX_DURATION) < ROOM && horizon + 13 * ps(MAX_DURATION) < ROOM);
        let packet = MIN_RATE.transmission(Bytes::new(9_216));
        assert!(65_536 * (2 * ps(MAX_LINK_DELAY) + ps(packet)) < ROOM);
        assert!(65_536 * u128::from(MAX_RATE.as_bps()) < ROOM);
        assert!(18_000 * u128::from(MAX_SIZE.get()) < ROOM);
        let carried = MAX_RATE.bytes_in(MAX_BASE_RTT);
        assert!(10 * u128::from(carried.get()) < ROOM);
        // A packet-sized product stays within 64 bits: see `Rate::transmission`.
        const { assert!((1u128 << 20) * 8 * 1_000_000_000_000 < ROOM) };
    }
}
