//! Settings of FQ-CoDel.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration};

use crate::aqm::DisciplineContext;
use crate::aqm::codel::{CodelParams, CodelSettings, validate_times};
use crate::discipline::EcnSelector;
use crate::discipline_config::{DisciplineConfig, DisciplineKind};
use crate::short_form::{ShortForm, ShortOption};

settings! {
    /// Settings of [`FqCodel`](super::FqCodel).
    pub struct FqCodelConfig {
        /// Queues among which flows are spread by a hash.
        #[range(from 1, to 65536)]
        #[refused(
            "{value} queues are not possible",
            "give a number from 1, which makes a single queue, to 65536, such as 1024"
        )]
        pub flows: u32 = 1024,
        /// Bytes that a queue may send in its turn.
        #[range(from "1B", to "1GiB")]
        #[refused(
            "{value} is not a turn that a queue can have",
            "give the size of a packet, such as \"1514B\""
        )]
        pub quantum: Bytes = "1514B",
        /// Packets that all queues hold together.
        #[range(from 1)]
        #[refused(NOTHING_LEAVES, "give a value above 0, such as 10240")]
        pub limit: u32 = 10240,
        /// Bytes that all queues hold together.
        #[range(from "1B")]
        #[refused(NOTHING_LEAVES, "give a value above 0, such as \"32MiB\"")]
        pub memory_limit: Bytes = "32MiB",
        /// Most packets that the fattest queue loses when a limit is exceeded.
        #[range(from 1)]
        #[refused(NOTHING_LEAVES, "give a value above 0, such as 64")]
        pub drop_batch: u32 = 64,
        /// Time that packets may wait.
        #[range(above "0s")]
        #[refused(
            "with a target of 0 every packet waits for too long",
            "give a time above 0, such as \"5ms\""
        )]
        pub target: Duration = "5ms",
        /// Time for which packets must wait longer than `target` before the first signal.
        #[range(to "1000s")]
        #[refused(
            "{value} is longer than 1000s",
            "give the longest usual round-trip time, such as \"100ms\""
        )]
        pub interval: Duration = "100ms",
        /// Mark ECN-capable packets, and drop only other packets.
        pub ecn: bool = true,
        /// Mark packets that have waited for longer, independent of the algorithm.
        #[note("(default: none)")]
        pub ce_threshold: Option<Duration> = none,
        /// Packets that `ce_threshold` marks.
        pub ce_threshold_marks: EcnSelector = "capable",
        /// Backlog up to which the algorithm does nothing.
        #[note("(default: a full packet on the wire)")]
        pub mtu: Option<Bytes> = none,
        /// Compute as Linux does: times in 1024 ns, square roots in 16 bits.
        pub linux_newton: bool = false,
    }
}

/// The error message for limits of 0.
const NOTHING_LEAVES: &str = "with 0 no packet could ever leave";

impl DisciplineKind for FqCodelConfig {
    const NAME: &'static str = "fq-codel";
    const ABOUT: &'static str = "a queue with CoDel for each flow, served in turns";
    const KEYS: Keys = Self::KEYS;
    const SHORT_FORMS: &'static [ShortForm] = &[ShortForm::new(
        "fq_codel|fq-codel",
        &[
            ShortOption::key("limit", "10240"),
            ShortOption::key("flows", "1024"),
            ShortOption::key("quantum", "1514"),
            ShortOption::key("memory_limit", "32MiB"),
            ShortOption::key("drop_batch", "64"),
            ShortOption::key("target", "5ms"),
            ShortOption::key("interval", "100ms"),
            ShortOption::fixed("ecn", "ecn", "true"),
            ShortOption::fixed("noecn", "ecn", "false"),
            ShortOption::key("ce_threshold", "1ms"),
            ShortOption::fixed("ce_threshold_ect1", "ce_threshold_marks", "ect1"),
            ShortOption::fixed("linux_newton", "linux_newton", "true"),
        ],
    )];

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        validate_times(self.target, self.interval)
    }

    fn into_config(self) -> DisciplineConfig {
        DisciplineConfig::FqCodel(self)
    }
}

impl FqCodelConfig {
    pub(super) fn params(&self, context: &DisciplineContext) -> CodelParams {
        CodelParams::from(CodelSettings {
            target: self.target,
            interval: self.interval,
            mtu: self.mtu.unwrap_or(context.packet),
            ecn: self.ecn,
            ce_threshold: self.ce_threshold,
            ce_threshold_marks: self.ce_threshold_marks,
            linux_newton: self.linux_newton,
        })
    }
}
