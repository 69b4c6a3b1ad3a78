//! Settings of FQ-CoDel.

use fabricsim_core::input::ConfigError;
use fabricsim_core::units::{Bytes, Duration};
use serde::{Deserialize, Serialize};

use crate::aqm::DisciplineContext;
use crate::codel::{CodelParams, CodelSettings};
use crate::codel_queue::{
    CE_THRESHOLD_KEY, CE_THRESHOLD_MARKS_KEY, INTERVAL_KEY, LINUX_NEWTON_KEY, MTU_KEY, TARGET_KEY,
    validate_times,
};
use crate::discipline::{EcnSelector, MTU};

/// Settings of [`FqCodel`](super::FqCodel).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct FqCodelConfig {
    /// Queues among which flows are spread by a hash.
    pub flows: u32,
    /// Bytes that a queue may send in its turn.
    pub quantum: Bytes,
    /// Packets that all queues hold.
    pub limit: u32,
    /// Bytes on the wire of the packets that all queues hold.
    pub memory_limit: Bytes,
    /// Most packets that are dropped at once when a limit is exceeded.
    pub drop_batch: u32,
    /// Packets may wait for this long.
    pub target: Duration,
    /// How long they have to wait for longer before the first signal.
    pub interval: Duration,
    /// Mark packets that can be marked.
    pub ecn: bool,
    /// Mark packets that have waited for longer, whatever the algorithm says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<Duration>,
    /// Which packets `ce_threshold` marks.
    pub ce_threshold_marks: EcnSelector,
    /// A backlog of so many bytes, in all queues together, is left alone; that of a full packet where
    /// nothing is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
    /// Compute as Linux does: times in 1,024 ns, square roots in 16 bits.
    pub linux_newton: bool,
}

impl Default for FqCodelConfig {
    fn default() -> Self {
        Self {
            flows: 1_024,
            quantum: Bytes::new(MTU),
            limit: 10_240,
            memory_limit: Bytes::new(32 << 20),
            drop_batch: 64,
            target: Duration::from_ms(5),
            interval: Duration::from_ms(100),
            ecn: true,
            ce_threshold: None,
            ce_threshold_marks: EcnSelector::Capable,
            mtu: None,
            linux_newton: false,
        }
    }
}

/// The most queues that Linux takes.
const MOST_FLOWS: u32 = 65_536;

impl FqCodelConfig {
    /// Its keys with their meaning.
    pub const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "flows",
            "queues among which flows are spread by a hash, 1 to 65536 (default 1024)",
        ),
        (
            "quantum",
            "bytes that a queue may send in its turn (default \"1514B\")",
        ),
        (
            "limit",
            "packets that all queues hold together (default 10240)",
        ),
        (
            "memory_limit",
            "bytes that all queues hold together (default \"32MiB\")",
        ),
        (
            "drop_batch",
            "most packets that the fattest queue loses when a limit is exceeded (default 64)",
        ),
        TARGET_KEY,
        INTERVAL_KEY,
        (
            "ecn",
            "mark packets that can be marked, and drop only the others (default true)",
        ),
        CE_THRESHOLD_KEY,
        CE_THRESHOLD_MARKS_KEY,
        MTU_KEY,
        LINUX_NEWTON_KEY,
    ];

    /// # Errors
    /// Numbers out of range, and times that the algorithm cannot work with.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(1..=MOST_FLOWS).contains(&self.flows) {
            return Err(ConfigError::new(
                "flows",
                format!("{} queues are not possible", self.flows),
                "give a number from 1, which makes a single queue, to 65536, such as 1024",
            ));
        }
        for (key, value, example) in [
            ("limit", u64::from(self.limit), "10240"),
            ("drop_batch", u64::from(self.drop_batch), "64"),
            ("quantum", self.quantum.get(), "\"1514B\""),
            ("memory_limit", self.memory_limit.get(), "\"32MiB\""),
        ] {
            if value == 0 {
                return Err(ConfigError::new(
                    key,
                    "nothing could ever leave with 0",
                    format!("give a value above 0, such as {example}"),
                ));
            }
        }
        if self.quantum > Bytes::new(1 << 30) {
            return Err(ConfigError::new(
                "quantum",
                format!("{} is more than 1GiB", self.quantum),
                "give the size of a packet, such as \"1514B\"",
            ));
        }
        validate_times(self.target, self.interval)
    }

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
