//! A queue that marks packets beyond one threshold.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::limit::{self, Limit};
use super::{Aqm, AqmKind, AqmPacket, DisciplineContext, Verdict};
use crate::discipline::EcnSelector;
use crate::short_form::{ShortForm, ShortOption};

settings! {
    /// Settings of a queue that marks packets beyond one threshold when they leave: by the queueing
    /// time (the step of RFC 9332 section 2.4), or by the remaining queue (DCTCP, SIGCOMM 2010,
    /// section 3.1). Packets that cannot be marked pass.
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
        #[note("(default: 1000, or any number if `limit_bytes` is given)")]
        pub limit: Option<u32> = none,
        /// Bytes that the queue holds.
        #[range(from "1B")]
        #[refused(limit::NO_BYTES, limit::BYTES)]
        #[note("(default: any number)")]
        pub limit_bytes: Option<Bytes> = none,
    }
}

impl StepConfig {
    fn threshold(&self) -> Threshold {
        match (self.bytes, self.packets) {
            (Some(bytes), _) => Threshold::Bytes(bytes),
            (None, Some(packets)) => Threshold::Packets(packets as usize),
            (None, None) => Threshold::Sojourn(self.sojourn.unwrap_or(Duration::from_ms(1))),
        }
    }
}

impl AqmKind for StepConfig {
    const NAME: &'static str = "step";
    const ABOUT: &'static str = "marks above one threshold of waiting time or length";
    const KEYS: Keys = Self::KEYS;
    const SHORT_FORMS: &'static [ShortForm] = &[ShortForm::new(
        "step",
        &[
            ShortOption::key("sojourn", "1ms"),
            ShortOption::key("bytes", "30KB"),
            ShortOption::key("packets", "20"),
            ShortOption::fixed("ect1", "marks", "ect1"),
            ShortOption::key("limit", "1000"),
            ShortOption::key("limit_bytes", "256KB"),
        ],
    )];

    fn validate(&self) -> Result<(), ConfigError> {
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

    fn rule(&self, _: &DisciplineContext) -> Box<dyn Aqm> {
        Box::new(StepMarking {
            threshold: self.threshold(),
            marks: self.marks,
            limit: Limit::new(self.limit, self.limit_bytes),
        })
    }
}

/// Threshold for marking, by the quantity that is compared with it.
#[derive(Clone, Copy, Debug)]
enum Threshold {
    Sojourn(Duration),
    Bytes(Bytes),
    Packets(usize),
}

#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
struct StepMarking {
    #[checkpoint(rebuilt)]
    threshold: Threshold,
    #[checkpoint(rebuilt)]
    marks: EcnSelector,
    #[checkpoint(rebuilt)]
    limit: Limit,
}

impl Aqm for StepMarking {
    fn on_arrival(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        self.limit.verdict(packet)
    }

    fn on_departure(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict {
        let is_beyond = match self.threshold {
            Threshold::Sojourn(longest) => now.since(packet.arrival) > longest,
            Threshold::Bytes(most) => packet.other_bytes > most,
            Threshold::Packets(most) => packet.others > most,
        };
        if is_beyond && self.marks.takes(packet.ecn) {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    // A packet that has not waited and leaves an empty queue is below every threshold.
    fn passes_up_to(&self) -> Bytes {
        self.limit.longest()
    }

    fn boxed_clone(&self) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use fabricsim_core::packet::Flags;

    use super::*;
    use crate::testing::{counters, offer, packet, rule_queue, serve, with};

    /// Sends four packets of 1,000 bytes that arrive at the same time and leave 400 us apart, the
    /// first after 400 us. Returns `true` for each marked packet.
    fn marks(config: &StepConfig, flags: Flags) -> Vec<bool> {
        let mut queue = rule_queue(config);
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
