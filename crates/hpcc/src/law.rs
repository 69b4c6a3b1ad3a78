//! The law of the sender (HPCC paper, section 3.3 and algorithm 1).

use std::sync::Arc;

use fabricsim_core::plugin::{Ack, CongestionControl, FlowStart};
use fabricsim_core::units::{Bytes, Duration, Rate};

use crate::config::{Form, HpccLaws, Reaction, Rounding};
use crate::stack::{IntHeader, IntScale};
use crate::window::scaled_window;

/// What flows over NICs of one rate share.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    scale: IntScale,
    eta: f64,
    max_stage: u32,
    /// bit/s.
    additive_increase: f64,
    min_rate: f64,
    max_rate: f64,
    /// T in nanoseconds.
    base_rtt_ns: f64,
    /// W in bytes.
    bdp: f64,
    reaction: Reaction,
    per_hop_rates: bool,
    sampled_feedback: bool,
    form: Form,
    rounding: Rounding,
    line_rate: Rate,
    base_rtt: Duration,
    full_window: Bytes,
    mtu: Bytes,
}

impl Constants {
    fn new(laws: &HpccLaws, start: &FlowStart) -> Self {
        let config = &laws.config;
        let bps = |rate: Option<Rate>| rate.map_or(0.0, Rate::as_bps_f64);
        let base_rtt_ns = match laws.rounding {
            Rounding::Exact => start.base_rtt.as_ps() as f64 / 1_000.0,
            Rounding::WholeBits => start.base_rtt.as_ns() as f64,
        };
        Self {
            scale: laws.scale.clone(),
            eta: config.eta,
            max_stage: config.max_stage,
            additive_increase: bps(config.additive_increase),
            min_rate: match config.form {
                Form::Rate => bps(config.min_rate),
                Form::Window => start.mtu.as_f64() * 8e9 / base_rtt_ns,
            },
            max_rate: start.line_rate.as_bps_f64(),
            base_rtt_ns,
            bdp: start.bdp.as_f64(),
            reaction: config.reaction,
            per_hop_rates: config.per_hop_rates,
            sampled_feedback: config.sampled_feedback,
            form: config.form,
            rounding: laws.rounding,
            line_rate: start.line_rate,
            base_rtt: start.base_rtt,
            full_window: start.bdp,
            mtu: start.mtu,
        }
    }

    /// Whether a flow that begins like `start` has these constants.
    fn serves(&self, start: &FlowStart) -> bool {
        (self.line_rate, self.base_rtt, self.full_window, self.mtu)
            == (start.line_rate, start.base_rtt, start.bdp, start.mtu)
    }
}

/// What follows the utilisation: of the busiest link, or of each link.
#[derive(Clone, Copy, Debug)]
struct Control {
    /// Utilisation, averaged over a round trip (U). It starts at 1.
    utilisation: f64,
    /// The reference rate (R_c), bit/s.
    reference: f64,
    /// Additive increases since the last multiplicative change (incStage).
    stage: u32,
}

impl Control {
    const fn new(line_rate: f64) -> Self {
        Self {
            utilisation: 1.0,
            reference: line_rate,
            stage: 0,
        }
    }

    /// Averages `sample`, measured over `interval_ns`, into the utilisation.
    #[inline]
    fn observe(&mut self, sample: f64, interval_ns: f64, constants: &Constants) {
        let rtt = constants.base_rtt_ns;
        let interval = interval_ns.min(rtt);
        self.utilisation = (self.utilisation * (rtt - interval) + sample * interval) / rtt;
    }

    /// The rate and stage that follow from the utilisation.
    #[inline]
    fn step(&self, constants: &Constants) -> (f64, u32) {
        let load = self.utilisation / constants.eta;
        let (rate, stage) = if load >= 1.0 || self.stage >= constants.max_stage {
            let scaled = self.reference / load;
            let scaled = match constants.rounding {
                Rounding::Exact => scaled,
                Rounding::WholeBits => scaled.trunc(),
            };
            (scaled + constants.additive_increase, 0)
        } else {
            (self.reference + constants.additive_increase, self.stage + 1)
        };
        // Not `clamp`: an idle path has no load, and the quotient may not be a number.
        (
            if rate < constants.max_rate {
                rate.max(constants.min_rate)
            } else {
                constants.max_rate
            },
            stage,
        )
    }
}

/// HPCC for one flow.
#[derive(Clone, Debug)]
pub struct Hpcc<S> {
    constants: Arc<Constants>,
    single: Control,
    /// One for each hop when rates are kept per hop.
    per_hop: Vec<Control>,
    previous: S,
    /// The `snd_nxt` at the last commit of the reference; 0 before the first acknowledgement.
    last_update_seq: u64,
    rate: Rate,
    window: Bytes,
    /// Whether the last acknowledgement led to a rate, be it the same one.
    updated: bool,
}

impl<S: IntHeader> Hpcc<S> {
    pub(crate) fn new(laws: &HpccLaws, start: &FlowStart) -> Self {
        // Nearly always the constants of the first flow; then they are one piece of memory for all.
        let first = laws
            .constants
            .get_or_init(|| Arc::new(Constants::new(laws, start)));
        let constants = if first.serves(start) {
            Arc::clone(first)
        } else {
            Arc::new(Constants::new(laws, start))
        };
        let control = Control::new(constants.max_rate);
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
            last_update_seq: 0,
            rate: start.line_rate,
            window: start.bdp,
            updated: false,
        }
    }

    /// The averaged utilisation of the busiest link (U in the paper).
    #[must_use]
    pub const fn utilisation(&self) -> f64 {
        self.single.utilisation
    }

    /// What hop `index` says of its link: utilisation (u_i in the paper) and the nanoseconds over
    /// which it was measured.
    #[inline]
    fn link_sample(&self, stack: &S, index: usize) -> (f64, f64) {
        let constants = &*self.constants;
        let interval = stack.interval_ns(index, &self.previous);
        let seconds = interval * 1e-9;
        let bits = stack.sent_since(index, &self.previous, &constants.scale) * 8;
        let link_rate = constants.scale.rate_bps(stack.rate_code(index));
        let queue = stack
            .queue(index, &constants.scale)
            .min(self.previous.queue(index, &constants.scale))
            .as_f64();
        let sample = bits as f64 / seconds / link_rate
            + queue * constants.max_rate / link_rate / constants.bdp;
        (sample, interval)
    }

    /// Follows the telemetry; `commit` when a round trip has passed since the last commit.
    fn update(&mut self, stack: &S, commit: bool) {
        let hops = stack.hops();
        let mut busiest = 0.0;
        let mut measured_over = 0.0;
        let mut lowest = self.constants.max_rate;
        let mut any = false;
        for index in 0..hops {
            let skip = self.constants.sampled_feedback
                && !commit
                && stack.queue(index, &self.constants.scale) == Bytes::ZERO;
            if skip {
                if let Some(hop) = self.per_hop.get(index) {
                    lowest = lowest.min(hop.reference);
                }
                continue;
            }
            any = true;
            let (sample, interval) = self.link_sample(stack, index);
            if let Some(hop) = self.per_hop.get_mut(index) {
                hop.observe(sample, interval, &self.constants);
                let (rate, stage) = hop.step(&self.constants);
                lowest = lowest.min(rate);
                if commit {
                    (hop.reference, hop.stage) = (rate, stage);
                }
            } else if sample > busiest {
                busiest = sample;
                measured_over = interval;
            }
        }
        if !any {
            return;
        }
        let rate = if self.per_hop.is_empty() {
            self.single.observe(busiest, measured_over, &self.constants);
            let (rate, stage) = self.single.step(&self.constants);
            if commit {
                (self.single.reference, self.single.stage) = (rate, stage);
            }
            rate
        } else {
            lowest
        };
        self.apply(rate);
        self.updated = true;
    }

    #[inline]
    fn apply(&mut self, bps: f64) {
        let constants = &*self.constants;
        self.rate = Rate::from_bps_f64(bps);
        self.window = match constants.form {
            Form::Rate => scaled_window(constants.full_window, self.rate, constants.line_rate),
            Form::Window => {
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

    /// Replaces the remembered stack, but for the hops that a sampled update has skipped.
    #[inline]
    fn remember(&mut self, stack: &S, commit: bool) {
        if self.constants.sampled_feedback && !commit {
            let empty = |index| stack.queue(index, &self.constants.scale) == Bytes::ZERO;
            if (0..stack.hops()).any(empty) {
                self.previous.copy_hops(stack, |index| !empty(index));
                return;
            }
        }
        self.previous = *stack;
    }
}

impl<S: IntHeader> CongestionControl<S> for Hpcc<S> {
    fn on_ack(&mut self, ack: &Ack<'_, S>) {
        let stack = ack.telemetry;
        let commit = ack.cumulative > self.last_update_seq;
        self.updated = false;
        if self.last_update_seq == 0 || stack.hops() != self.previous.hops() {
            // The first acknowledgement, or another path: nothing to compare with.
            self.previous = *stack;
        } else if stack.hops() <= S::CAPACITY
            && (commit || self.constants.reaction == Reaction::PerAck)
        {
            self.update(stack, commit);
            self.remember(stack, commit);
        }
        if commit {
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
    fn retimes(&self) -> bool {
        self.updated
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::flow::{Flow, FlowRequest, PathInfo};
    use fabricsim_core::id::{ClassId, FlowId, NodeId, PortId};
    use fabricsim_core::plugin::{Fidelity, Hop, LawConfig, LawContext, LawFactory};
    use fabricsim_core::units::Time;

    use super::*;
    use crate::config::HpccConfig;
    use crate::stack::ExactStack;

    type Stack = ExactStack<5>;

    const LINE: Rate = Rate::from_gbps(100);
    /// T of the tests.
    const T_NS: u64 = 10_000;

    fn laws(config: HpccConfig, fidelity: Fidelity) -> HpccLaws {
        let link_rates = [LINE];
        config.laws(&LawContext {
            nic_rate: LINE,
            link_rates: &link_rates,
            fidelity,
        })
    }

    fn flow(laws: &HpccLaws) -> Hpcc<Stack> {
        let request = FlowRequest {
            src: NodeId(0),
            dst: NodeId(1),
            size: Bytes::new(1 << 30),
            start: Time::ZERO,
            class: ClassId(0),
            priority: 3,
            src_port: Some(10_000),
            dst_port: 100,
        };
        let path = PathInfo {
            base_rtt: Duration::from_ns(T_NS),
            bottleneck: LINE,
            switches: 1,
        };
        laws.build(&FlowStart {
            flow: Flow {
                id: FlowId(0),
                request,
                path,
            },
            now: Time::ZERO,
            line_rate: LINE,
            base_rtt: path.base_rtt,
            bdp: path.bdp(),
            mtu: Bytes::new(1_000),
        })
    }

    /// One hop, seen at `ns` with `sent` bytes sent and `queue` bytes waiting.
    fn seen(laws: &HpccLaws, ns: u64, sent: u64, queue: u64) -> Stack {
        let mut stack = Stack::default();
        let hop = Hop {
            now: Time::from_ns(ns),
            port: PortId(0),
            rate: LINE,
            queue: Bytes::new(queue),
            sent: Bytes::new(sent),
        };
        stack.push(&hop, 0, &laws.scale);
        stack
    }

    fn ack(law: &mut Hpcc<Stack>, stack: &Stack, cumulative: u64, next_seq: u64) {
        law.on_ack(&Ack {
            now: Time::ZERO,
            cumulative,
            newly_acked: Bytes::new(1_000),
            next_seq,
            rtt: Duration::ZERO,
            congestion: false,
            telemetry: stack,
        });
    }

    fn gbps(law: &Hpcc<Stack>) -> f64 {
        law.rate.as_bps_f64() / 1e9
    }

    #[test]
    fn the_first_acknowledgement_only_sets_the_scene() {
        let laws = laws(HpccConfig::default(), Fidelity::Exact);
        let mut law = flow(&laws);
        ack(&mut law, &seen(&laws, 1_024, 0, 0), 1_000, 100_000);
        assert_eq!(law.rate, LINE);
        assert_eq!(law.window(), Some(Bytes::new(125_000)));
        assert!(!law.retimes());
    }

    #[test]
    fn a_half_idle_link_over_a_whole_round_trip_doubles_the_reference() {
        let laws = laws(HpccConfig::default(), Fidelity::Exact);
        let mut law = flow(&laws);
        // Start from half the line rate.
        law.single.reference = 50e9;
        ack(&mut law, &seen(&laws, 1_024, 0, 0), 1_000, 100_000);
        // 62,500 bytes in 10,000 ns are 50 Gbps: u = 0.5, measured over the whole of T.
        ack(
            &mut law,
            &seen(&laws, 1_024 + T_NS, 62_500, 0),
            101_000,
            200_000,
        );
        assert!(
            (law.utilisation() - 0.5).abs() < 1e-3,
            "{}",
            law.utilisation()
        );
        // 50 / (0.5 / 0.95) + 0.05 = 95.05 Gbps; the resolution of the stamps is 256 ps.
        assert!((gbps(&law) - 95.05).abs() < 0.1, "{}", gbps(&law));
    }

    #[test]
    fn a_standing_queue_counts_like_load() {
        let laws = laws(HpccConfig::default(), Fidelity::Exact);
        let mut law = flow(&laws);
        ack(&mut law, &seen(&laws, 1_024, 0, 125_008), 1_000, 100_000);
        // Line rate and one bandwidth-delay product of queue: u = 2.
        ack(
            &mut law,
            &seen(&laws, 1_024 + T_NS, 125_000, 125_008),
            101_000,
            200_000,
        );
        assert!(
            (law.utilisation() - 2.0).abs() < 1e-2,
            "{}",
            law.utilisation()
        );
        assert!(
            (gbps(&law) - (100.0 * 0.95 / 2.0 + 0.05)).abs() < 0.2,
            "{}",
            gbps(&law)
        );
        let window = law.window().map_or(0, Bytes::get);
        assert!((59_000..=60_000).contains(&window), "{window}");
    }

    #[test]
    fn between_commits_the_rate_moves_and_the_reference_stays() {
        let laws = laws(HpccConfig::default(), Fidelity::Exact);
        let mut law = flow(&laws);
        ack(&mut law, &seen(&laws, 1_024, 0, 0), 1_000, 100_000);
        ack(&mut law, &seen(&laws, 1_124, 1_250, 50_000), 2_000, 101_000);
        assert!(law.rate < LINE);
        assert!((law.single.reference - 100e9).abs() < 1.0);
        // The first acknowledgement beyond what had been sent commits.
        ack(
            &mut law,
            &seen(&laws, 1_224, 2_500, 50_000),
            101_000,
            200_000,
        );
        assert!((law.single.reference - law.rate.as_bps_f64()).abs() < 1.0);
    }

    #[test]
    fn per_rtt_reaction_ignores_what_comes_between() {
        let config = HpccConfig {
            reaction: Reaction::PerRtt,
            ..HpccConfig::default()
        };
        let laws = laws(config, Fidelity::Exact);
        let mut law = flow(&laws);
        ack(&mut law, &seen(&laws, 1_024, 0, 90_000), 1_000, 100_000);
        ack(
            &mut law,
            &seen(&laws, 6_024, 62_500, 90_000),
            2_000,
            101_000,
        );
        assert_eq!(law.rate, LINE);
        ack(
            &mut law,
            &seen(&laws, 1_024 + T_NS, 125_000, 90_000),
            101_000,
            200_000,
        );
        assert!(law.rate < LINE);
    }

    #[test]
    fn additive_stages_come_before_a_multiplicative_change() {
        let config = HpccConfig {
            max_stage: 1,
            ..HpccConfig::default()
        };
        let laws = laws(config, Fidelity::Exact);
        let mut law = flow(&laws);
        law.single.reference = 10e9;
        law.single.utilisation = 0.1;
        ack(&mut law, &seen(&laws, 1_024, 0, 0), 1_000, 100_000);
        ack(
            &mut law,
            &seen(&laws, 1_024 + T_NS, 12_500, 0),
            101_000,
            200_000,
        );
        assert!((gbps(&law) - 10.05).abs() < 1e-6, "{}", gbps(&law));
        ack(
            &mut law,
            &seen(&laws, 1_024 + 2 * T_NS, 25_000, 0),
            201_000,
            300_000,
        );
        assert!(gbps(&law) > 90.0, "{}", gbps(&law));
    }

    #[test]
    fn rate_and_window_form_agree_up_to_clamping() {
        let forms = [Form::Rate, Form::Window].map(|form| {
            let laws = laws(
                HpccConfig {
                    form,
                    ..HpccConfig::default()
                },
                Fidelity::Exact,
            );
            let mut law = flow(&laws);
            for step in 0..50u64 {
                let stack = seen(&laws, 1_024 + step * 500, step * 5_000, (step % 7) * 8_000);
                ack(&mut law, &stack, step * 1_000 + 1, step * 1_000 + 100_000);
            }
            (law.rate, law.window())
        });
        assert_eq!(forms[0].0, forms[1].0);
        let [rate, window] = forms.map(|(_, window)| window.map_or(0, Bytes::get));
        assert!(rate.abs_diff(window) <= 1, "{rate} {window}");
    }

    #[test]
    fn with_rates_per_hop_the_busiest_link_rules() {
        let config = HpccConfig {
            per_hop_rates: true,
            ..HpccConfig::default()
        };
        let laws = laws(config, Fidelity::Exact);
        let mut law = flow(&laws);
        let two = |ns, sent: [u64; 2], queue| {
            let mut stack = seen(&laws, ns, sent[0], 0);
            let hop = Hop {
                now: Time::from_ns(ns),
                port: PortId(0),
                rate: LINE,
                queue: Bytes::new(queue),
                sent: Bytes::new(sent[1]),
            };
            stack.push(&hop, 0, &laws.scale);
            stack
        };
        ack(&mut law, &two(1_024, [0, 0], 125_008), 1_000, 100_000);
        ack(
            &mut law,
            &two(1_024 + T_NS, [12_500, 125_000], 125_008),
            101_000,
            200_000,
        );
        assert!(
            (gbps(&law) - (100.0 * 0.95 / 2.0 + 0.05)).abs() < 0.2,
            "{}",
            gbps(&law)
        );
        assert!(law.per_hop[0].reference > law.per_hop[1].reference);
    }

    #[test]
    fn another_path_starts_the_comparison_anew() {
        let laws = laws(HpccConfig::default(), Fidelity::Exact);
        let mut law = flow(&laws);
        ack(&mut law, &seen(&laws, 1_024, 0, 0), 1_000, 100_000);
        let mut longer = seen(&laws, 2_048, 5_000, 0);
        longer.push(
            &Hop {
                now: Time::from_ns(3_000),
                port: PortId(0),
                rate: LINE,
                queue: Bytes::ZERO,
                sent: Bytes::ZERO,
            },
            0,
            &laws.scale,
        );
        ack(&mut law, &longer, 2_000, 101_000);
        assert_eq!(law.rate, LINE);
        assert!(!law.retimes());
    }

    #[test]
    fn published_rates_are_whole_bits() {
        let laws = laws(HpccConfig::default(), Fidelity::Published);
        let control = Control {
            utilisation: 0.97,
            reference: 33_333_333_333.0,
            stage: 0,
        };
        let law = flow(&laws);
        let (rate, _) = control.step(&law.constants);
        let exact: f64 = 33_333_333_333.0 / (0.97 / 0.95);
        assert!((rate - (exact.trunc() + 40e6)).abs() < 1e-3, "{rate}");
    }
}
