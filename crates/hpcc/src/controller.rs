//! The algorithm of the sender (HPCC paper, section 3.3 and algorithm 1).

mod control;
mod paths;

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::plugin::quirks::EntryFormat;
use fabricsim_core::plugin::{
    Ack, CongestionControl, ControllerFactory, FlowStart, PathStability, scaled_window,
};

use crate::config::{HpccConfig, Reaction};
use crate::control::Control;
use crate::round::Round;
use crate::slot::HasInt;
use crate::stack::{HopDifference, IntHeader};
use control::{Constants, WindowRule};
pub(crate) use paths::OtherPaths;

/// HPCC for one flow.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
#[checkpoint(bound(S: Stored))]
pub struct Hpcc<S> {
    #[checkpoint(rebuilt)]
    constants: Arc<Constants>,
    single: Control,
    /// One per hop if rates are kept per hop, otherwise empty.
    per_hop: Vec<Control>,
    previous: S,
    /// Telemetry of all paths except `previous`, if packets take several paths.
    other_paths: Option<Box<OtherPaths<S>>>,
    /// The `snd_nxt` at the last commit of the reference, or 0 before the first acknowledgement.
    last_update_seq: u64,
    rate: Rate,
    window: Bytes,
    /// `true` if the last acknowledgement set a rate, even if it did not change.
    updated: bool,
}

impl<H: HasInt> ControllerFactory<H> for HpccConfig {
    type Controller = Hpcc<H::Int>;

    fn build(&self, start: &FlowStart<'_>) -> Hpcc<H::Int> {
        Hpcc::new(self, start)
    }
}

impl<S: IntHeader> Hpcc<S> {
    pub(crate) fn new(config: &HpccConfig, start: &FlowStart<'_>) -> Self {
        let constants = start.shared(
            |first: &Constants| first.serves(start),
            || Constants::new(config, start),
        );
        let control = Control::new(constants.rule.max_rate);
        let per_hop = if constants.per_hop_rates {
            vec![control; S::CAPACITY]
        } else {
            Vec::new()
        };
        Self {
            per_hop,
            constants,
            single: control,
            previous: S::default(),
            other_paths: match start.paths {
                PathStability::PerFlow => None,
                PathStability::PerPacket => Some(Box::default()),
            },
            last_update_seq: 0,
            rate: start.line_rate,
            window: start.bdp,
            updated: false,
        }
    }

    /// Returns the average utilization of the busiest link (U in the paper).
    #[must_use]
    pub const fn utilization(&self) -> f64 {
        self.single.utilization
    }

    /// Returns the utilization of a link (u_i in the paper) over the interval of `link`.
    #[inline]
    fn link_sample(constants: &Constants, link: &HopDifference) -> f64 {
        let seconds = link.interval_ns * 1e-9;
        let bits = link.sent * 8;
        let link_rate = constants.scale.rate_bps(link.rate_code);
        let queue = link.least_queue;
        // The value is far below 2^63, and converting a signed integer takes a single instruction.
        let mut sample = bits.cast_signed() as f64 / seconds / link_rate;
        // This is qlen / (B T), because the window is the data that the NIC sends in T (the
        // published model reads it from a script). Most queues are empty, and divisions are half of
        // the cost of an acknowledgement, so skip them if possible.
        if queue > Bytes::ZERO {
            sample += queue.as_f64() * constants.rule.max_rate / link_rate / constants.bdp;
        }
        sample
    }

    /// Updates the rate from the telemetry of all links; only the busiest link counts.
    #[inline]
    fn follow_busiest(&mut self, now: Time, stack: &S, round: Round) {
        let constants = &*self.constants;
        let mut busiest = 0.0;
        let mut measured_over = 0.0;
        stack.differences(&self.previous, &constants.scale, |link| {
            let sample = Self::link_sample(constants, &link);
            if sample > busiest {
                busiest = sample;
                measured_over = link.interval_ns;
            }
        });
        if stack.hops() > 0 {
            self.follow(now, busiest, measured_over, round);
        }
    }

    /// Updates the rate from the utilization `busiest`, measured over `measured_over` nanoseconds.
    #[inline]
    fn follow(&mut self, now: Time, busiest: f64, mut measured_over: f64, round: Round) {
        let rtt = self.constants.base_rtt_ns;
        if let Some(others) = &mut self.other_paths {
            measured_over = others.weight_ns(now, measured_over);
        }
        self.single.observe(busiest, measured_over, rtt);
        let (rate, stage) = self.single.step(&self.constants.rule);
        if round == Round::New {
            (self.single.reference, self.single.stage) = (rate, stage);
        }
        self.apply(rate);
        self.updated = true;
    }

    /// Updates the rate from the telemetry. The reference changes only at a new round.
    #[inline]
    fn update(&mut self, now: Time, stack: &S, round: Round) {
        if self.per_hop.is_empty() && !self.constants.sampled_feedback {
            self.follow_busiest(now, stack, round);
        } else {
            self.update_by_hop(now, stack, round);
        }
    }

    /// Same as [`Self::update`], for rates per hop or sampled feedback.
    // Kept out of line, so that the code of the paper's default stays short.
    #[inline(never)]
    fn update_by_hop(&mut self, now: Time, stack: &S, round: Round) {
        let constants = Arc::clone(&self.constants);
        let mut busiest = 0.0;
        let mut measured_over = 0.0;
        let mut lowest = constants.rule.max_rate;
        let mut any = false;
        let mut index = 0;
        let previous = self.previous;
        stack.differences(&previous, &constants.scale, |link| {
            let own = self.per_hop.get_mut(index);
            let skip = constants.sampled_feedback
                && round == Round::Same
                && stack.queue(index, &constants.scale) == Bytes::ZERO;
            index += 1;
            // An empty queue within a round trip adds no information, but the link's old rate still
            // limits the flow.
            if skip {
                if let Some(hop) = own {
                    lowest = lowest.min(hop.reference);
                }
                return;
            }
            any = true;
            let sample = Self::link_sample(&constants, &link);
            if let Some(hop) = own {
                hop.observe(sample, link.interval_ns, constants.base_rtt_ns);
                let (rate, stage) = hop.step(&constants.rule);
                lowest = lowest.min(rate);
                if round == Round::New {
                    (hop.reference, hop.stage) = (rate, stage);
                }
            } else if sample > busiest {
                busiest = sample;
                measured_over = link.interval_ns;
            }
        });
        // If all links were skipped, the flow keeps its rate.
        if !any {
            return;
        }
        if self.per_hop.is_empty() {
            self.follow(now, busiest, measured_over, round);
        } else {
            self.apply(lowest);
            self.updated = true;
        }
    }

    #[inline]
    fn apply(&mut self, bps: f64) {
        let constants = &*self.constants;
        self.rate = Rate::from_bps_f64(bps);
        self.window = match constants.window {
            WindowRule::Fixed => constants.full_window,
            WindowRule::Scaled => {
                scaled_window(constants.full_window, self.rate, constants.line_rate)
            }
            WindowRule::OfRate => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a positive number of bytes, at most the bandwidth-delay product"
                )]
                let bytes = (bps * constants.base_rtt_ns / 8e9) as u64;
                Bytes::new(bytes).max(constants.mtu)
            }
        };
    }

    /// Drops the records of the previous path, which is the purpose of the paper's `pathID`: the
    /// difference between entries of two ports is meaningless. The flow's rate and average
    /// utilization stay and adapt to the new path within a round trip.
    ///
    /// Rates per hop belong to links. All rates of the new path start with the lowest one of the
    /// previous path, just as a single rate would continue.
    ///
    /// If each packet takes its own path, the records of all paths are kept. Returns `true` if
    /// there is one for the path of `stack`.
    #[cold]
    fn change_path(&mut self, stack: &S) -> bool {
        if let Some(others) = &mut self.other_paths {
            return others.swap_in(&mut self.previous, stack);
        }
        if self.constants.format == EntryFormat::Exact {
            let passed = self.previous.hops().min(self.per_hop.len());
            let slowest = |a: &&Control, b: &&Control| a.reference.total_cmp(&b.reference);
            if let Some(&ruling) = self.per_hop[..passed].iter().min_by(slowest) {
                self.per_hop.fill(ruling);
            }
        }
        self.previous = *stack;
        false
    }

    /// Replaces the remembered stack, except for hops skipped by a sampled update.
    #[inline]
    fn remember(&mut self, stack: &S, round: Round) {
        if self.constants.sampled_feedback && round == Round::Same {
            let empty = |index| stack.queue(index, &self.constants.scale) == Bytes::ZERO;
            if (0..stack.hops()).any(empty) {
                self.previous.copy_hops(stack, |index| !empty(index));
                return;
            }
        }
        self.previous = *stack;
    }
}

impl<S: IntHeader, H: HasInt<Int = S>> CongestionControl<H> for Hpcc<S> {
    #[inline]
    fn prepare(&mut self, _header: &mut H) -> u16 {
        self.constants.telemetry_bytes
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let stack = ack.telemetry.int();
        let round = Round::of(ack.cumulative, self.last_update_seq);
        self.updated = false;
        if self.last_update_seq == 0 {
            // There is nothing to compare the first acknowledgement with. It may acknowledge a
            // later packet than the first one if a switch trimmed that.
            self.previous = *stack;
            self.last_update_seq = ack.next_seq;
        } else if !stack.same_path(&self.previous) && !self.change_path(stack) {
            // There is no earlier telemetry of this path to compare with.
        } else if stack.hops() <= S::CAPACITY
            && (round == Round::New || self.constants.reaction == Reaction::PerAck)
        {
            self.update(ack.now, stack, round);
            self.remember(stack, round);
        }
        if round == Round::New {
            self.last_update_seq = self.last_update_seq.max(ack.next_seq);
        }
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        Some(self.window)
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    #[inline]
    fn reschedules(&self) -> bool {
        self.updated
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
