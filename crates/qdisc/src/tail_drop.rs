//! First in, first out, up to a limit.

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;

use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, holds_one_line};
use crate::line::Line;

/// Limit of a queue: in packets, in bytes, or whichever is reached first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    packets: Option<u32>,
    bytes: Option<Bytes>,
}

impl Limit {
    /// The length of a Linux interface's transmit queue, which `pfifo` takes.
    const USUAL: u32 = 1_000;

    /// The limits that are given, or the usual one where none is.
    pub(crate) const fn new(packets: Option<u32>, bytes: Option<Bytes>) -> Self {
        match (packets, bytes) {
            (None, None) => Self {
                packets: Some(Self::USUAL),
                bytes,
            },
            _ => Self { packets, bytes },
        }
    }

    /// Returns whether a packet of `size` fits behind `packets` packets of `bytes` bytes.
    #[inline]
    pub(crate) fn has_room(self, packets: usize, bytes: Bytes, size: Bytes) -> bool {
        self.packets.is_none_or(|limit| packets < limit as usize)
            && self.bytes.is_none_or(|limit| bytes + size <= limit)
    }

    /// A packet of `size` passes an empty queue unmarked, unless it is longer than the limit.
    #[inline]
    pub(crate) fn pass(self, size: Bytes, counters: &mut DisciplineCounters) -> Option<Mark> {
        self.has_room(0, Bytes::ZERO, size).then(|| {
            counters.on_pass(size, Mark::None);
            Mark::None
        })
    }
}

/// The words that refuse limits and say what would be right.
pub(crate) mod limit {
    /// The message that refuses a limit in packets.
    pub(crate) const NO_PACKETS: &str = "a queue of 0 packets drops everything";
    /// The limits in packets that are possible.
    pub(crate) const PACKETS: &str = "give a number of packets above 0, such as 1000";
    /// The message that refuses a limit in bytes.
    pub(crate) const NO_BYTES: &str = "a queue of 0 bytes drops everything";
    /// The limits in bytes that are possible.
    pub(crate) const BYTES: &str = "give a size above 0, such as \"256KB\"";
}

settings! {
    /// Settings of [`TailDrop`].
    pub struct TailDropConfig {
        /// Packets that the queue holds.
        #[range(from 1)]
        #[refused(limit::NO_PACKETS, limit::PACKETS)]
        #[note("(default: 1000, or any number where `limit_bytes` is given)")]
        pub limit: Option<u32> = none,
        /// Bytes that the queue holds.
        #[range(from "1B")]
        #[refused(limit::NO_BYTES, limit::BYTES)]
        #[note("(default: any number)")]
        pub limit_bytes: Option<Bytes> = none,
    }
}

impl TailDropConfig {
    /// # Errors
    /// A limit that lets nothing in.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    const fn limits(&self) -> Limit {
        Limit::new(self.limit, self.limit_bytes)
    }
}

/// First in, first out; what comes beyond the limit is dropped, and nothing is marked. Linux calls
/// it `pfifo` or `bfifo`.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(bound(H: Stored))]
pub struct TailDrop<H> {
    #[checkpoint(rebuilt)]
    limit: Limit,
    line: Line<H>,
    counters: DisciplineCounters,
}

impl<H: Header> TailDrop<H> {
    /// An empty queue.
    #[must_use]
    pub fn new(config: &TailDropConfig) -> Self {
        Self {
            limit: config.limits(),
            line: Line::default(),
            counters: DisciplineCounters::default(),
        }
    }

    /// `packet` passes the empty queue on its way to an idle wire, unless it is longer than the limit.
    #[inline]
    pub(crate) fn pass(&mut self, packet: &Packet<H>) -> Option<Mark> {
        self.limit.pass(packet.size(), &mut self.counters)
    }
}

impl<H: Header> Discipline<H> for TailDrop<H> {
    #[inline]
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        _dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>> {
        let (held, bytes) = (self.line.len(), self.line.bytes());
        if !self.limit.has_room(held, bytes, packet.size()) {
            self.counters.on_refusal(packet.size(), DropCause::Tail);
            return None;
        }
        Some(self.line.push(now, packet, &mut self.counters))
    }

    #[inline]
    fn select(&mut self, _now: Time, _dropped: &mut Vec<Packet<H>>) -> bool {
        !self.line.is_empty()
    }

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        self.line.front()
    }

    #[inline]
    fn pop(&mut self, now: Time) -> Mark {
        self.line.leave(now, Mark::None, &mut self.counters)
    }

    holds_one_line!(H);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet;

    fn stored(config: TailDropConfig, sizes: &[u16]) -> Vec<bool> {
        config.validate().expect("good limits");
        let mut queue = TailDrop::<()>::new(&config);
        let mut dropped = Vec::new();
        sizes
            .iter()
            .map(|&wire| {
                let packet = packet(1, wire);
                queue.enqueue(Time::ZERO, &packet, &mut dropped).is_some()
            })
            .collect()
    }

    #[test]
    fn each_limit_counts() {
        let config = TailDropConfig {
            limit: Some(3),
            limit_bytes: None,
        };
        assert_eq!(
            stored(config, &[1_514, 60, 60, 60]),
            [true, true, true, false]
        );
        let config = TailDropConfig {
            limit: None,
            limit_bytes: Some(Bytes::new(1_600)),
        };
        // A small packet still finds room where a large one does not.
        assert_eq!(
            stored(config, &[1_514, 87, 86, 1]),
            [true, false, true, false]
        );
    }

    #[test]
    fn a_thousand_packets_fit_where_nothing_is_said() {
        let stored = stored(TailDropConfig::default(), &[60; 1_001]);
        assert_eq!(stored.iter().filter(|&&stored| stored).count(), 1_000);
    }

    #[test]
    fn a_limit_of_nothing_is_refused() {
        let config = TailDropConfig {
            limit: Some(0),
            limit_bytes: None,
        };
        let error = config.validate().expect_err("nothing gets in");
        assert_eq!(error.key, "limit");
    }
}
