//! The time that a step takes to compute.

use fabricsim_base::choices;
use fabricsim_base::units::Duration;

use super::model::Shape;
use crate::compute;

choices! {
    /// The model of a step's computing time.
    #[derive(Default)]
    pub enum StepTiming {
        /// The longer one of its operations at the device's peak rate and its reads at the rate of
        /// the device's memory.
        #[default]
        Roofline = "roofline" ("from the model's shape and the device"),
        /// A time for each prompt token, each decoded token and each token of context.
        Linear = "linear" ("from `prefill_token_time` and its neighbors"),
    }
}

/// The work of a step.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct StepLoad {
    /// Prompt tokens.
    pub(super) prefill: u64,
    /// Sequences that decode one token.
    pub(super) decode: u64,
    /// Tokens of context whose keys and values are read.
    pub(super) context: u64,
    /// Pairs of a query and a key.
    pub(super) pairs: u64,
}

impl StepLoad {
    pub(super) const fn tokens(&self) -> u64 {
        self.prefill + self.decode
    }
}

/// The parameters of the computing time of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// Time of each step at each stage, whatever its work.
    pub(super) fixed: Duration,
    pub(super) rates: Rates,
    /// Stages of the pipeline.
    pub(super) stages: u64,
}

/// The part that depends on the work.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rates {
    Roofline {
        shape: Shape,
        /// The rates that the device reaches.
        device: compute::Rates,
        /// Ranks that share the weights and the work of a layer.
        width: u64,
        /// Ranks that share the KV cache of a sequence.
        tp: u64,
    },
    Linear {
        prefill: Duration,
        decode: Duration,
        context: Duration,
    },
}

impl Timing {
    /// Returns the computing time of a step with `load` at one stage, in whole nanoseconds.
    pub(super) fn of(&self, load: &StepLoad) -> Duration {
        let work = match self.rates {
            Rates::Linear {
                prefill,
                decode,
                context,
            } => {
                let sum = prefill.saturating_mul(load.prefill);
                let sum = sum.saturating_add(decode.saturating_mul(load.decode));
                let sum = sum.saturating_add(context.saturating_mul(load.context));
                Duration::from_ps(sum.as_ps() / self.stages)
            }
            Rates::Roofline {
                shape,
                device,
                width,
                tp,
            } => {
                let tokens = load.tokens() as f64;
                let groups = (width / tp) as f64;
                // Two operations for each parameter, and those of pairs.
                let pairs = shape.pair_operations() as f64 * load.pairs as f64;
                let work = 2.0 * shape.active() * tokens + pairs;
                let head = 2.0 * (shape.vocabulary * shape.hidden) as f64 * tokens;
                let parts = shape.kv_parts(tp) as f64 * groups;
                let kv = shape.kv_bytes() as f64 * load.context as f64 / parts;
                let read = shape.read_weights(tokens, (tp, width)) + kv;
                let seconds = device.seconds((work + head) / width as f64, read);
                Duration::from_secs_f64(seconds / self.stages as f64)
            }
        };
        let all = self.fixed.saturating_add(work);
        Duration::from_ns(all.as_ns())
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::ServedModel;
    use super::*;
    use crate::compute::{Accelerator, RooflineKeys};

    #[test]
    fn a_roofline_reads_for_a_token_and_computes_for_a_prompt() {
        let timing = Timing {
            fixed: Duration::from_us(1),
            rates: Rates::Roofline {
                shape: ServedModel::Llama3Of8B.shape(),
                device: RooflineKeys::of(Accelerator::H100).rates().unwrap(),
                width: 1,
                tp: 1,
            },
            stages: 1,
        };
        // 7.505 G parameters of 2 bytes are read at 3.35 TB/s for one token.
        let decode = timing.of(&StepLoad {
            decode: 1,
            ..StepLoad::default()
        });
        assert_eq!(decode.as_ns() / 1_000, 4_481);
        // 1,000 prompt tokens: 2 operations for 7.505 G parameters each, at 989 TFLOP/s.
        let prompt = timing.of(&StepLoad {
            prefill: 1_000,
            ..StepLoad::default()
        });
        assert_eq!(prompt.as_ns() / 1_000, 15_177);
    }

    #[test]
    fn a_linear_step_is_the_sum_of_its_parts() {
        let timing = Timing {
            fixed: Duration::from_us(10),
            rates: Rates::Linear {
                prefill: Duration::from_us(2),
                decode: Duration::from_us(3),
                context: Duration::from_ns(4),
            },
            stages: 2,
        };
        let load = StepLoad {
            prefill: 100,
            decode: 10,
            context: 1_000,
            pairs: 77,
        };
        assert_eq!(timing.of(&load), Duration::from_us(10 + (200 + 30 + 4) / 2));
    }
}
