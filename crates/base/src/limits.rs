//! The largest and smallest quantities that a user may give.
//!
//! Times, sizes and rates are whole numbers of 64 bits, and the packet path adds and multiplies
//! them without looking for overflow. What is read from a text, and what a program hands to a
//! simulation, is therefore held to these limits. They lie far beyond any real network, and far
//! enough below 2^64 that sums and products of a few of them cannot wrap:
//!
//! * 18 of the longest times fit 64 bits of picoseconds, and [`Time::HORIZON`], where a run ends,
//!   leaves room for 13 of them;
//! * there and back over 65,536 of the longest and slowest links takes a packet of 9,216 bytes less
//!   than 2^64 ps;
//! * 65,536 ports of the highest rate have a sum below 2^64 bits per second;
//! * 18,000 of the largest sizes fit 64 bits. Sums over flows, which may be more, saturate.

use crate::units::{Bytes, Duration, Rate, Time};

/// The latest instant and the longest time that can be given: 1,000,000 s, more than eleven days.
pub const MAX_DURATION: Duration = Duration::from_ms(1_000_000_000);
/// The longest one-way delay of a link.
pub const MAX_LINK_DELAY: Duration = Duration::from_ms(10_000);
/// The longest time that a packet may take to cross the network on an idle path and come back. The
/// highest rate carries less than 2^64 bytes in it.
pub const MAX_BASE_RTT: Duration = Duration::from_ms(100_000_000);
/// The largest size of a flow, a buffer or a threshold: 1,000 TB.
pub const MAX_SIZE: Bytes = Bytes::new(1_000_000_000_000_000);
/// The highest rate that can be given.
pub const MAX_RATE: Rate = Rate::from_gbps(100_000);
/// The lowest rate that can be given.
pub const MIN_RATE: Rate = match Rate::from_bps(1_000) {
    Some(rate) => rate,
    None => panic!("a rate is never zero"),
};
/// The most flows of one run: their numbers have 32 bits.
pub const MAX_FLOWS: u32 = u32::MAX;
/// The most flows that may be under way at once. Each takes a kilobyte of memory or a little more.
pub const MAX_LIVE_FLOWS: u64 = 5_000_000;
/// The most acknowledgements that may wait at one host for its links.
pub const MAX_WAITING_ACKS: usize = 1 << 20;

/// The number of the first flow that an application starts; flows of workloads have smaller ones.
pub const FIRST_APP_FLOW: u32 = 1 << 31;

/// Timers of the applications of one host that may go off at one instant, one after the other.
pub const MAX_TIMERS_AT_ONCE: u32 = 1_000_000;

/// The latest instant that can be given.
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
