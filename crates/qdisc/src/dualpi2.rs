//! Two queues with one controller, for low latency and for other traffic.

mod config;
mod controller;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::{Ecn, Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_engine::Message;

use crate::aqm::DisciplineContext;
use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, is_capable, mark_if};
use crate::line::Line;
use crate::sojourn::SojournTimes;
pub use config::{ControlledDelay, DualPi2Config, DualScheduler};
use controller::{Controller, Heads};

/// One of the two queues of DualPI2.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
enum Which {
    /// ECT(1) and CE.
    Low,
    /// ECT(0) and Not-ECT.
    Classic,
}

/// Decision about the head of a queue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fate {
    Leaves(Mark),
    Dropped(DropCause),
}

/// DualPI2 (RFC 9332 appendix A, following Linux's `dualpi2`): packets with the identifier of L4S
/// have a separate queue, which is served first as long as the classic queue gets its share.
///
/// One controller adjusts the base probability p' to keep the longer delay at the target. Packets
/// of the classic queue are marked with probability p'^2, or dropped if their sender does not
/// understand marks. Packets of the low-latency queue are marked with probability `coupling` x p',
/// and always if they have waited longer than `step`. So p_L = 2 sqrt(p_C) for a coupling of 2. If
/// that exceeds 1, because p_C is above 25%, marks no longer help, and packets of both queues are
/// dropped with p'^2.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
#[checkpoint(bound(H: Stored))]
pub struct DualPi2<H> {
    #[checkpoint(rebuilt)]
    config: DualPi2Config,
    controller: Controller,
    /// Bytes of two full packets.
    #[checkpoint(rebuilt)]
    two_packets: u64,
    /// If it is below zero, the low-latency queue is served. In bytes times percent.
    credit: i64,
    shown: Which,
    mark: Mark,
    draws: Stream,
    low: Line<H>,
    classic: Line<H>,
    low_sojourn: SojournTimes,
    classic_sojourn: SojournTimes,
    counters: DisciplineCounters,
}

impl<H: Header> DualPi2<H> {
    /// Returns empty queues.
    #[must_use]
    pub fn new(config: &DualPi2Config, context: &DisciplineContext) -> Self {
        Self {
            config: config.clone(),
            controller: Controller::new(config),
            two_packets: context.packet.get() * 2,
            credit: first_credit(config),
            shown: Which::Low,
            mark: Mark::None,
            draws: Stream::new(context.seed, context.entity, Purpose::Marking),
            low: Line::default(),
            classic: Line::default(),
            low_sojourn: SojournTimes::default(),
            classic_sojourn: SojournTimes::default(),
            counters: DisciplineCounters::default(),
        }
    }

    /// Returns the base probability p' at its last step.
    #[must_use]
    pub const fn base_probability(&self) -> f64 {
        self.controller.base()
    }

    /// Returns the queueing times of packets that have left the low-latency queue.
    #[must_use]
    pub const fn low_latency_sojourn(&self) -> &SojournTimes {
        &self.low_sojourn
    }

    /// Returns the queueing times of packets that have left the classic queue.
    #[must_use]
    pub const fn classic_sojourn(&self) -> &SojournTimes {
        &self.classic_sojourn
    }

    /// Runs all due steps of the controller, with the current queues.
    #[inline]
    fn advance_to(&mut self, now: Time) {
        let head = |line: &Line<H>| line.front().map(Message::arrival);
        let heads = Heads {
            low: head(&self.low),
            classic: head(&self.classic),
        };
        self.controller.advance_to(now, heads);
    }

    /// Returns the queue to serve.
    fn choose(&self, now: Time) -> Option<Which> {
        match (self.low.is_empty(), self.classic.is_empty()) {
            (true, true) => return None,
            (false, true) => return Some(Which::Low),
            (true, false) => return Some(Which::Classic),
            (false, false) => {}
        }
        let low_first = match self.config.scheduler {
            DualScheduler::Wrr => self.credit <= 0,
            DualScheduler::TimeShifted => {
                self.low.wait(now) + self.config.time_shift >= self.classic.wait(now)
            }
        };
        Some(if low_first {
            Which::Low
        } else {
            Which::Classic
        })
    }

    const fn line(&self, which: Which) -> &Line<H> {
        match which {
            Which::Low => &self.low,
            Which::Classic => &self.classic,
        }
    }

    /// Decides if the head of `which` leaves, with which mark, or is dropped. The controller does
    /// not act if less than two packets are left in the queues.
    fn decide(&mut self, now: Time, which: Which) -> Option<Fate> {
        let head = self.line(which).front()?;
        let (ecn, behind) = (head.ecn(), self.bytes() - head.size());
        let base = if behind.get() < self.two_packets {
            0.0
        } else {
            self.controller.base()
        };
        let coupled = self.config.coupling * base;
        let overloaded = coupled > 1.0;
        Some(match which {
            Which::Classic => {
                if !self.chance(base * base) {
                    Fate::Leaves(Mark::None)
                } else if overloaded {
                    Fate::Dropped(DropCause::Overload)
                } else if is_capable(ecn) {
                    Fate::Leaves(Mark::Congestion)
                } else {
                    Fate::Dropped(DropCause::Aqm)
                }
            }
            Which::Low => {
                if overloaded && self.config.drop_overload && self.chance(base * base) {
                    Fate::Dropped(DropCause::Overload)
                } else {
                    let native = self.native(self.low.wait(now));
                    Fate::Leaves(mark_if(self.chance(native.max(coupled))))
                }
            }
        })
    }

    /// Returns the probability that a packet of the low-latency queue is marked because of its own
    /// `wait`.
    fn native(&self, wait: Duration) -> f64 {
        let DualPi2Config { step, ramp, .. } = self.config;
        let beyond = wait.saturating_sub(step);
        if beyond == Duration::ZERO {
            0.0
        } else if beyond >= ramp {
            1.0
        } else {
            beyond.as_secs_f64() / ramp.as_secs_f64()
        }
    }

    fn chance(&mut self, probability: f64) -> bool {
        probability >= 1.0 || probability > 0.0 && self.draws.chance(probability)
    }
}

/// Returns the credit of empty queues: the queue with the larger weight goes first.
fn first_credit(config: &DualPi2Config) -> i64 {
    let classic = i64::from(config.c_protection);
    1_514 * (classic - (100 - classic))
}

impl<H: Header> Discipline<H> for DualPi2<H> {
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        _dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>> {
        self.advance_to(now);
        if self.packets() >= self.config.limit as usize {
            self.counters.on_refusal(packet.size(), DropCause::Tail);
            return None;
        }
        let line = match packet.ecn() {
            Ecn::Ect1 | Ecn::Congestion => &mut self.low,
            Ecn::NotCapable | Ecn::Ect0 => &mut self.classic,
        };
        Some(line.push(now, packet, &mut self.counters))
    }

    fn select(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> bool {
        self.advance_to(now);
        while let Some(which) = self.choose(now) {
            match self.decide(now, which) {
                Some(Fate::Leaves(mark)) => {
                    (self.shown, self.mark) = (which, mark);
                    return true;
                }
                Some(Fate::Dropped(cause)) => {
                    let line = match which {
                        Which::Low => &mut self.low,
                        Which::Classic => &mut self.classic,
                    };
                    line.give_up(cause, &mut self.counters, dropped);
                }
                None => break,
            }
        }
        false
    }

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        self.line(self.shown).front()
    }

    fn pop(&mut self, now: Time) -> Mark {
        let classic_share = i64::from(self.config.c_protection);
        let size = self.front().map_or(0, |packet| i64::from(packet.wire));
        // The credit changes only while both queues have packets.
        let (line, sojourn, change) = match self.shown {
            Which::Low if self.classic.is_empty() => (&mut self.low, &mut self.low_sojourn, 0),
            Which::Low => (&mut self.low, &mut self.low_sojourn, classic_share),
            Which::Classic => {
                let change = if self.low.is_empty() {
                    0
                } else {
                    classic_share - 100
                };
                (&mut self.classic, &mut self.classic_sojourn, change)
            }
        };
        self.credit += change * size;
        sojourn.record(line.wait(now));
        let mark = line.leave(now, self.mark, &mut self.counters);
        if self.low.is_empty() && self.classic.is_empty() {
            self.credit = first_credit(&self.config);
        }
        mark
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        self.low.bytes() + self.classic.bytes()
    }

    #[inline]
    fn packets(&self) -> usize {
        self.low.len() + self.classic.len()
    }

    fn for_each(&self, visit: impl FnMut(&Packet<H>)) {
        self.low.iter().chain(self.classic.iter()).for_each(visit);
    }

    fn counters(&self) -> Option<DisciplineCounters> {
        Some(self.counters.settled())
    }
}

#[cfg(test)]
mod tests;
