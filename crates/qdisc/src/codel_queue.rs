//! A queue with CoDel.

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;

use crate::aqm::DisciplineContext;
use crate::codel::{Candidate, Codel, CodelParams, CodelSettings, Source};
use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, EcnSelector, holds_one_line};
use crate::line::Line;
use crate::tail_drop::{Limit, limit};

settings! {
    /// Settings of [`CodelQueue`].
    pub struct CodelConfig {
        /// Time that packets may wait.
        #[range(above "0s")]
        #[refused(
            "with a target of 0 every packet waits for too long",
            "give a time above 0, such as \"5ms\""
        )]
        pub target: Duration = "5ms",
        /// Time for which packets have to wait longer than `target` before the first signal.
        #[range(to "1000s")]
        #[refused(
            "{value} is longer than 1000s",
            "give the longest usual round-trip time, such as \"100ms\""
        )]
        pub interval: Duration = "100ms",
        /// Mark packets that can be marked, and drop only the others.
        pub ecn: bool = false,
        /// Mark packets that have waited for longer, whatever the algorithm says.
        #[note("(default: none)")]
        pub ce_threshold: Option<Duration> = none,
        /// Packets that `ce_threshold` marks.
        pub ce_threshold_marks: EcnSelector = "capable",
        /// A backlog of so many bytes is left alone.
        #[note("(default: a full packet on the wire)")]
        pub mtu: Option<Bytes> = none,
        /// Compute as Linux does: times in 1024 ns, square roots in 16 bits.
        pub linux_newton: bool = false,
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

/// Refuses an interval that is shorter than the target.
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
    /// # Errors
    /// Times that the algorithm cannot work with, and limits that let nothing in.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        validate_times(self.target, self.interval)
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

/// First in, first out, kept short by CoDel (RFC 8289, by the rules of Linux's `codel`); what comes
/// beyond the limit is dropped.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(bound(H: Stored))]
pub struct CodelQueue<H> {
    #[checkpoint(rebuilt)]
    params: CodelParams,
    #[checkpoint(rebuilt)]
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
        use fabricsim_engine::Message;
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
