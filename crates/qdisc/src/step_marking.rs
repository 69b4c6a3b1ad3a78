//! A queue whose packets are marked beyond one threshold.

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;

use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, EcnSelector, holds_one_line, mark_if};
use crate::line::Line;
use crate::tail_drop::{Limit, limit};

settings! {
    /// Settings of [`StepMarking`].
    pub struct StepConfig {
        /// Mark a packet that has waited for longer.
        #[note("(default \"1ms\")")]
        pub sojourn: Option<Duration> = none,
        /// Mark a packet that leaves more bytes behind, instead of `sojourn`.
        #[note("(default: none)")]
        pub bytes: Option<Bytes> = none,
        /// Mark a packet that leaves more packets behind, instead of `sojourn`.
        #[note("(default: none)")]
        pub packets: Option<u32> = none,
        /// Packets that are marked.
        pub marks: EcnSelector = "capable",
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

/// Threshold for marking, by the quantity that is compared with it.
#[derive(Clone, Copy, Debug)]
enum Threshold {
    Sojourn(Duration),
    Bytes(u64),
    Packets(usize),
}

impl StepConfig {
    /// # Errors
    /// Several thresholds, or a limit that lets nothing in.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let given = [
            ("sojourn", self.sojourn.is_some()),
            ("bytes", self.bytes.is_some()),
            ("packets", self.packets.is_some()),
        ];
        let mut given = given.iter().filter(|(_, given)| *given);
        if let (Some((first, _)), Some((second, _))) = (given.next(), given.next()) {
            return Err(ConfigError::new(
                second,
                format!("there is a threshold already: `{first}`"),
                "give one of `sojourn`, `bytes` and `packets`",
            ));
        }
        self.validate_ranges()
    }

    const fn limits(&self) -> Limit {
        Limit::new(self.limit, self.limit_bytes)
    }

    fn threshold(&self) -> Threshold {
        match (self.bytes, self.packets) {
            (Some(bytes), _) => Threshold::Bytes(bytes.get()),
            (None, Some(packets)) => Threshold::Packets(packets as usize),
            (None, None) => Threshold::Sojourn(self.sojourn.unwrap_or(Duration::from_ms(1))),
        }
    }
}

/// First in, first out, with marks beyond one threshold, decided when a packet leaves: by how long
/// it has waited (the step of RFC 9332 section 2.4), or by what it leaves behind (DCTCP, SIGCOMM
/// 2010, section 3.1). Packets that cannot be marked pass; what comes beyond the limit is dropped.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(bound(H: Stored))]
pub struct StepMarking<H> {
    #[checkpoint(rebuilt)]
    threshold: Threshold,
    #[checkpoint(rebuilt)]
    marks: EcnSelector,
    #[checkpoint(rebuilt)]
    limit: Limit,
    line: Line<H>,
    counters: DisciplineCounters,
}

impl<H: Header> StepMarking<H> {
    /// An empty queue.
    #[must_use]
    pub fn new(config: &StepConfig) -> Self {
        Self {
            threshold: config.threshold(),
            marks: config.marks,
            limit: config.limits(),
            line: Line::default(),
            counters: DisciplineCounters::default(),
        }
    }

    /// `packet` passes the empty queue on its way to an idle wire, unless it is longer than the limit.
    /// It has not waited and leaves nothing behind, which is not beyond any threshold.
    #[inline]
    pub(crate) fn pass(&mut self, packet: &Packet<H>) -> Option<Mark> {
        self.limit.pass(packet.size(), &mut self.counters)
    }

    /// Returns whether the first packet is beyond the threshold.
    #[inline]
    fn is_beyond(&self, now: Time) -> bool {
        match self.threshold {
            Threshold::Sojourn(longest) => self.line.wait(now) > longest,
            Threshold::Bytes(most) => self.line.bytes_behind() > most,
            Threshold::Packets(most) => self.line.len() > most + 1,
        }
    }
}

impl<H: Header> Discipline<H> for StepMarking<H> {
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
        let first = self.line.front();
        let takes = first.is_some_and(|packet| self.marks.takes(packet.ecn()));
        let mark = mark_if(takes && self.is_beyond(now));
        self.line.leave(now, mark, &mut self.counters)
    }

    holds_one_line!(H);
}

#[cfg(test)]
mod tests {
    use fabricsim_core::packet::Flags;

    use super::*;
    use crate::testing::{counters, offer, packet, serve, with};

    /// Returns which of four packets of 1,000 bytes are marked that come at once and leave 400 us
    /// apart, the first after 400 us.
    fn marks(config: &StepConfig, flags: Flags) -> Vec<bool> {
        config.validate().expect("one threshold");
        let mut queue = StepMarking::new(config);
        for _ in 0..4 {
            assert!(offer(&mut queue, Time::ZERO, &with(packet(1, 1_000), flags)).0);
        }
        let marks: Vec<bool> = (1..5)
            .map(|turn| serve(&mut queue, Time::from_ns(turn * 400_000)).marked)
            .collect();
        let marked = marks.iter().filter(|&&marked| marked).count();
        assert_eq!(counters(&queue).marked, marked as u64);
        marks
    }

    #[test]
    fn each_threshold_marks_above_it() {
        let by_time = StepConfig::default();
        assert_eq!(marks(&by_time, Flags::ECT1), [false, false, true, true]);
        let exactly = StepConfig {
            sojourn: Some(Duration::from_us(1_200)),
            ..StepConfig::default()
        };
        assert_eq!(marks(&exactly, Flags::ECT0), [false, false, false, true]);
        let by_bytes = StepConfig {
            bytes: Some(Bytes::new(1_000)),
            ..StepConfig::default()
        };
        assert_eq!(marks(&by_bytes, Flags::ECT0), [true, true, false, false]);
        let by_packets = StepConfig {
            packets: Some(2),
            ..StepConfig::default()
        };
        assert_eq!(marks(&by_packets, Flags::ECT0), [true, false, false, false]);
    }

    #[test]
    fn only_those_that_it_is_about_are_marked() {
        let all = StepConfig::default();
        let l4s = StepConfig {
            marks: EcnSelector::Ect1,
            ..all.clone()
        };
        assert_eq!(marks(&all, Flags::NONE), [false; 4]);
        assert_eq!(marks(&l4s, Flags::ECT0), [false; 4]);
        assert_eq!(marks(&l4s, Flags::ECT1), [false, false, true, true]);
    }

    #[test]
    fn two_thresholds_are_refused() {
        let config = StepConfig {
            sojourn: Some(Duration::from_ms(1)),
            packets: Some(20),
            ..StepConfig::default()
        };
        let error = config.validate().expect_err("two thresholds");
        assert_eq!(error.key, "packets");
        assert!(error.message.contains("`sojourn`"), "{error}");
    }
}
