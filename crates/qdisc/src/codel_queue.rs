//! A queue with CoDel.

use fabricsim_core::input::ConfigError;
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_core::units::{Bytes, Duration, Time};
use serde::{Deserialize, Serialize};

use crate::aqm::DisciplineContext;
use crate::codel::{Candidate, Codel, CodelParams, CodelSettings, Source};
use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, EcnSelector, holds_one_line};
use crate::line::Line;
use crate::tail_drop::{LIMIT_BYTES_KEY, LIMIT_KEY, Limit};

/// Settings of [`CodelQueue`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodelConfig {
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
    /// A backlog of so many bytes is left alone; that of a full packet where nothing is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
    /// Compute as Linux does: times in 1,024 ns, square roots in 16 bits.
    pub linux_newton: bool,
    /// Packets that the queue holds; 1,000 where neither limit is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Bytes that the queue holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_bytes: Option<Bytes>,
}

impl Default for CodelConfig {
    fn default() -> Self {
        Self {
            target: Duration::from_ms(5),
            interval: Duration::from_ms(100),
            ecn: false,
            ce_threshold: None,
            ce_threshold_marks: EcnSelector::Capable,
            mtu: None,
            linux_newton: false,
            limit: None,
            limit_bytes: None,
        }
    }
}

/// The keys of CoDel's algorithm, which several disciplines have, but for `ecn`.
pub(crate) const TARGET_KEY: (&str, &str) =
    ("target", "how long packets may wait (default \"5ms\")");
pub(crate) const INTERVAL_KEY: (&str, &str) = (
    "interval",
    "how long they have to wait for longer before the first signal (default \"100ms\")",
);
pub(crate) const CE_THRESHOLD_KEY: (&str, &str) = (
    "ce_threshold",
    "mark packets that have waited for longer, whatever the algorithm says (default: none)",
);
pub(crate) const CE_THRESHOLD_MARKS_KEY: (&str, &str) = (
    "ce_threshold_marks",
    "\"capable\" for all packets that can be marked, \"ect1\" for those of L4S alone (default \"capable\")",
);
pub(crate) const MTU_KEY: (&str, &str) = (
    "mtu",
    "a backlog of so many bytes is left alone (default: a full packet on the wire)",
);
pub(crate) const LINUX_NEWTON_KEY: (&str, &str) = (
    "linux_newton",
    "compute as Linux does: times in 1024 ns, square roots in 16 bits (default false)",
);

/// Refuses times that CoDel cannot work with.
pub(crate) fn validate_times(target: Duration, interval: Duration) -> Result<(), ConfigError> {
    if target == Duration::ZERO {
        return Err(ConfigError::new(
            "target",
            "with a target of 0 every packet waits for too long",
            "give a time above 0, such as \"5ms\"",
        ));
    }
    if interval < target {
        return Err(ConfigError::new(
            "interval",
            format!("{interval} is shorter than the target, {target}"),
            "give the longest usual round-trip time, such as \"100ms\"",
        ));
    }
    if interval > Duration::from_ms(1_000_000) {
        return Err(ConfigError::new(
            "interval",
            format!("{interval} is longer than 1000s"),
            "give the longest usual round-trip time, such as \"100ms\"",
        ));
    }
    Ok(())
}

impl CodelConfig {
    /// Its keys with their meaning.
    pub const KEYS: &'static [(&'static str, &'static str)] = &[
        TARGET_KEY,
        INTERVAL_KEY,
        (
            "ecn",
            "mark packets that can be marked, and drop only the others (default false)",
        ),
        CE_THRESHOLD_KEY,
        CE_THRESHOLD_MARKS_KEY,
        MTU_KEY,
        LINUX_NEWTON_KEY,
        LIMIT_KEY,
        LIMIT_BYTES_KEY,
    ];

    /// # Errors
    /// Times that the algorithm cannot work with, and limits that let nothing in.
    pub fn validate(&self) -> Result<(), ConfigError> {
        validate_times(self.target, self.interval)?;
        self.limits().validate()
    }

    const fn limits(&self) -> Limit {
        Limit::new(self.limit, self.limit_bytes)
    }

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

/// First in, first out, kept short by CoDel (RFC 8289, by the rules of Linux's `codel`); what comes beyond
/// the limit is dropped.
#[derive(Clone, Debug)]
pub struct CodelQueue<H> {
    params: CodelParams,
    limit: Limit,
    cc: Codel,
    /// The mark of the packet that was shown.
    mark: Mark,
    line: Line<H>,
    counters: DisciplineCounters,
}

impl<H: Header> CodelQueue<H> {
    /// An empty queue.
    #[must_use]
    pub fn new(config: &CodelConfig, context: &DisciplineContext) -> Self {
        Self {
            params: config.params(context),
            limit: config.limits(),
            cc: Codel::default(),
            mark: Mark::None,
            line: Line::default(),
            counters: DisciplineCounters::default(),
        }
    }
}

/// The line as CoDel sees it.
struct LineSource<'a, H> {
    line: &'a mut Line<H>,
    counters: &'a mut DisciplineCounters,
    dropped: &'a mut Vec<Packet<H>>,
}

impl<H: Header> Source for LineSource<'_, H> {
    #[inline]
    fn candidate(&self) -> Option<Candidate> {
        use fabricsim_core::engine::Message;
        self.line.front().map(|packet| Candidate {
            arrival: packet.arrival(),
            ecn: packet.ecn(),
            left: self.line.bytes_behind(),
        })
    }

    fn give_up(&mut self) {
        self.line
            .give_up(DropCause::Aqm, self.counters, self.dropped);
    }
}

impl<H: Header> Discipline<H> for CodelQueue<H> {
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

    fn select(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> bool {
        let mut source = LineSource {
            line: &mut self.line,
            counters: &mut self.counters,
            dropped,
        };
        match self.cc.select(&self.params, now, &mut source) {
            Some(mark) => {
                self.mark = mark;
                true
            }
            None => false,
        }
    }

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        self.line.front()
    }

    #[inline]
    fn pop(&mut self, now: Time) -> Mark {
        self.line.leave(now, self.mark, &mut self.counters)
    }

    holds_one_line!(H);
}

#[cfg(test)]
mod tests;
