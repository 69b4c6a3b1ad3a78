//! The settings of a shared buffer.

use fabricsim_base::choices;
use fabricsim_base::units::{Bytes, Duration, Rate};
use serde::{Deserialize, Serialize};

use super::{ONE, Precision, QUEUES, part_of, share_of};

/// The longest packet that headroom must expect, in wire bytes.
const LONGEST_PACKET: u64 = 9_216;
/// Size of a pause frame on the wire.
const PAUSE_FRAME: u64 = 46;

/// Priority flow control: a switch pauses its neighbors before it runs out of buffer.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pfc {
    /// Lossless: a neighbor is paused when its share is used up, and headroom stores the packets on
    /// the way.
    On,
    /// Lossy: a packet beyond the threshold is dropped. There is no headroom.
    Off,
}

choices! {
    /// Headroom of an ingress port for packets that arrive after a pause was sent.
    pub enum Headroom {
        /// The maximum that can arrive: the packet that causes the pause, a round trip on the link,
        /// the longest packet that is on the wire at either end, and the pause frames of all
        /// priorities. No packet is dropped.
        ///
        /// Differs from the paper: the published simulator uses `3 x rate x one-way delay`, which
        /// drops packets on short or slow links (see [`Self::Published`]).
        WorstCase = "worst-case" ("default, never drops"),
        /// `3 x rate x delay`, as in the published HPCC simulator. As in that simulator, a packet
        /// without room in the headroom must fit completely into the shared part, regardless of its
        /// unused reserve.
        Published = "published" ("3 x rate x delay"),
    }
}

/// The settings of a switch's buffer.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BufferConfig {
    /// The whole buffer of one switch.
    pub size: Bytes,
    /// Lossless or lossy.
    pub pfc: Pfc,
    /// The rule for the headroom of a port.
    pub headroom: Headroom,
    /// Bytes of each (port, priority) that do not count as shared.
    pub reserve: Bytes,
    /// The switch resumes a paused neighbor when its share is this far below the threshold.
    pub resume_offset: Bytes,
    /// Number of priorities that carry flows. Headroom and reserve are set aside for each.
    ///
    /// Differs from the paper: the published simulator sets them aside once for each port, so a
    /// buffer can contain more than its size if several priorities are in use.
    pub priorities: u8,
    /// The threshold of a port at NIC rate is this share of the free shared buffer, up to 1, in
    /// steps of 1/16384; a port of twice the rate has twice the share, and so on.
    pub alpha: f64,
    /// The precision of the largest use.
    pub largest_use: Precision,
}

impl Default for BufferConfig {
    fn default() -> Self {
        Self {
            size: Bytes::new(32 << 20),
            pfc: Pfc::On,
            headroom: Headroom::WorstCase,
            reserve: Bytes::new(4 << 10),
            resume_offset: Bytes::new(3 << 10),
            priorities: 1,
            alpha: 0.125,
            largest_use: Precision::Bounded,
        }
    }
}

impl BufferConfig {
    /// Returns the bytes of one priority that may fill the headroom of an ingress port after a pause
    /// was sent.
    #[must_use]
    pub fn headroom_of(&self, port: &PortBuffer) -> Bytes {
        let one_way = port.rate.bytes_in(port.delay).get();
        Bytes::new(match (self.pfc, self.headroom) {
            (Pfc::Off, _) => 0,
            (Pfc::On, Headroom::Published) => one_way.saturating_mul(3),
            (Pfc::On, Headroom::WorstCase) => one_way
                .saturating_add(1)
                .saturating_mul(2)
                .saturating_add(Self::HEADROOM_WITHOUT_CABLE.get()),
        })
    }

    /// Returns the formula of [`Self::headroom_of`] with its constants in bytes.
    #[must_use]
    pub fn headroom_formula(&self) -> String {
        match (self.pfc, self.headroom) {
            (Pfc::Off, _) => "none, because pfc = false".to_owned(),
            (Pfc::On, Headroom::Published) => "3 x rate x delay".to_owned(),
            (Pfc::On, Headroom::WorstCase) => format!(
                "2 x (rate x delay + 1) + 3 x {LONGEST_PACKET} (longest packets) + {QUEUES} x \
                 {PAUSE_FRAME} (pause frames)"
            ),
        }
    }

    /// Returns the threshold of a port of `rate` as a share of the free bytes, in a network with
    /// hosts with NICs of `nic_rate`.
    #[must_use]
    pub fn share(&self, rate: Rate, nic_rate: Rate) -> f64 {
        share_of(self.alpha, nic_rate, rate) as f64 / ONE as f64
    }

    /// The part of [`Headroom::WorstCase`] that does not depend on the cable: three of the longest
    /// packets and the pause frames of all priorities.
    pub const HEADROOM_WITHOUT_CABLE: Bytes =
        Bytes::new(3 * LONGEST_PACKET + QUEUES as u64 * PAUSE_FRAME);

    /// Returns the longest one-way delay at which `headroom` stores every packet that may arrive on
    /// a link of `rate`, according to [`Headroom::WorstCase`]; `None` if it cannot store them on any
    /// link.
    #[must_use]
    pub fn longest_delay(headroom: Bytes, rate: Rate) -> Option<Duration> {
        let cable = headroom
            .get()
            .checked_sub(Self::HEADROOM_WITHOUT_CABLE.get())?;
        let one_way = (cable / 2).checked_sub(1)?;
        // The delay in which one more byte would be under way is too long.
        let (bits, rate) = (u128::from(one_way + 1) * 8, u128::from(rate.as_bps()));
        let ps = (bits * 1_000_000_000_000).div_ceil(rate.max(1)) - 1;
        Some(Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX)))
    }

    /// Returns the bytes of the shared part at which a port of `rate` reaches its threshold if
    /// `ports` such ports fill a shared part of `capacity` evenly, in a network with hosts with NICs
    /// of `nic_rate`.
    #[must_use]
    pub fn threshold(&self, capacity: Bytes, rate: Rate, nic_rate: Rate, ports: u64) -> Bytes {
        let [capacity, alpha, one] =
            [capacity.get(), share_of(self.alpha, nic_rate, rate), ONE].map(u128::from);
        let reached = capacity * alpha / (one + u128::from(ports) * alpha);
        Bytes::new(u64::try_from(reached).expect("at most the capacity"))
    }

    /// Returns the part of the reserve that a packet may use if there is no other room.
    ///
    /// Differs from the paper: the published simulator drops such a packet unless the shared part
    /// has room for the whole packet, like [`Headroom::Published`].
    #[must_use]
    pub fn usable_reserve(&self) -> Bytes {
        match self.headroom {
            Headroom::WorstCase => self.reserve,
            Headroom::Published => Bytes::ZERO,
        }
    }

    /// Returns the bytes that a switch with `ports` sets aside for headroom and reserves, for each
    /// priority in use. Only the rest of its buffer is shared. Saturates at 2^64 - 1 bytes.
    #[must_use]
    pub fn set_aside(&self, ports: &[PortBuffer]) -> Bytes {
        let of_port = |port| self.headroom_of(port).saturating_add(self.reserve);
        let sum: Bytes = ports.iter().map(of_port).sum();
        sum.saturating_mul(u64::from(self.priorities.max(1)))
    }

    /// Returns the share of `free` bytes that a port of NIC rate may use.
    #[must_use]
    pub fn alpha_of(&self, free: Bytes) -> Bytes {
        let nic = Rate::from_gbps(1);
        Bytes::new(part_of(free.get(), share_of(self.alpha, nic, nic)))
    }
}

/// The properties of a port that determine its part of the buffer.
#[derive(Clone, Copy, Debug)]
pub struct PortBuffer {
    /// The rate of its link, the higher one of both directions.
    pub rate: Rate,
    /// The one-way delay of its link.
    pub delay: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_of_300_metres_needs_64_kib_of_headroom() {
        let config = BufferConfig::default();
        for (gbps, ns, bytes) in [
            (100, 1_500, 2 * 18_751 + 28_016),
            (400, 1_500, 2 * 75_001 + 28_016),
            (25, 0, 2 + 28_016),
        ] {
            let (rate, delay) = (Rate::from_gbps(gbps), Duration::from_ns(ns));
            let headroom = config.headroom_of(&PortBuffer { rate, delay });
            assert_eq!(headroom.get(), bytes, "{gbps} Gbps, {ns} ns");
            // It is enough for this cable, and a longer one needs more.
            let longest = BufferConfig::longest_delay(headroom, rate).expect("a cable");
            assert!(longest >= delay);
            for (delay, fits) in [(longest, true), (longest + Duration::from_ps(1), false)] {
                let needed = config.headroom_of(&PortBuffer { rate, delay });
                assert_eq!(needed <= headroom, fits, "{delay:?}");
            }
        }
        let short = Bytes::new(28_017);
        assert_eq!(
            BufferConfig::longest_delay(short, Rate::from_gbps(100)),
            None
        );
    }

    #[test]
    fn thresholds_are_shares_of_the_free_bytes() {
        let config = BufferConfig::default();
        let [nic, fast] = [100, 400].map(Rate::from_gbps);
        let capacity = Bytes::new(9_000_000);
        // x = (capacity - ports x) / 8, and half of the free bytes at four times the rate.
        for (rate, ports, bytes) in [(nic, 1, 1_000_000), (nic, 2, 900_000), (fast, 1, 3_000_000)] {
            let reached = config.threshold(capacity, rate, nic, ports);
            assert_eq!(reached.get(), bytes);
        }
    }
}
