//! A queue with CoDel.

mod algorithm;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::limit::{self, Limit};
use super::{Aqm, AqmKind, AqmPacket, DisciplineContext, Verdict};
use crate::discipline::EcnSelector;
use crate::short_form::{ShortForm, ShortOption};
pub(crate) use algorithm::{Candidate, Codel, CodelParams, CodelSettings};

settings! {
    /// Settings of a queue that CoDel keeps short (RFC 8289, by the rules of Linux's `codel`).
    pub struct CodelConfig {
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
        pub ecn: bool = false,
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

/// Rejects an interval that is shorter than the target.
pub(crate) fn validate_times(target: Duration, interval: Duration) -> Result<(), ConfigError> {
    if interval >= target {
        return Ok(());
    }
    Err(ConfigError::new(
        "interval",
        format!("{interval} is shorter than the target, {target}"),
        "give the longest usual round-trip time, such as \"100ms\"",
    ))
}

impl CodelConfig {
    fn params(&self, context: &DisciplineContext) -> CodelParams {
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

impl AqmKind for CodelConfig {
    const NAME: &'static str = "codel";
    const ABOUT: &'static str = "CoDel: keeps the waiting time at a target";
    const KEYS: Keys = Self::KEYS;
    const SHORT_FORMS: &'static [ShortForm] = &[ShortForm::new(
        "codel",
        &[
            ShortOption::key("limit", "1000"),
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

    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm> {
        Box::new(CodelRule {
            params: self.params(context),
            limit: Limit::new(self.limit, self.limit_bytes),
            codel: Codel::default(),
        })
    }
}

#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
struct CodelRule {
    #[checkpoint(rebuilt)]
    params: CodelParams,
    #[checkpoint(rebuilt)]
    limit: Limit,
    codel: Codel,
}

impl Aqm for CodelRule {
    fn on_arrival(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        self.limit.verdict(packet)
    }

    fn on_departure(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict {
        let candidate = Candidate {
            arrival: packet.arrival,
            ecn: packet.ecn,
            left: packet.other_bytes,
            is_last: packet.others == 0,
        };
        self.codel.decide(&self.params, now, &candidate)
    }

    fn boxed_clone(&self) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
