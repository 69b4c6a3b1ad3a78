//! Checks of the keys of a serving workload.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Bytes, Duration, Rate};

use super::plan::{Layout, TensorNetwork};
use super::requests::{Draws, ServingRequest};
use super::scheduler::Limits;
use super::timing::{Rates, StepTiming, Timing};
use super::{ServingConfig, ServingRouting};
use crate::check;
use crate::compute::{self, Precision};
use crate::context::WorkloadContext;
use crate::placement::Order;

/// Defaults of keys that only some settings have.
const COUNT: u32 = 1_000;
const INPUT: u32 = 512;
const OUTPUT: u32 = 128;
/// Fourth-generation `NVLink` of an H100: 900 GB/s in both directions together.
const SCALE_UP_GBPS: u64 = 3_600;
/// The latency of a ring's step over `NVLink` with NCCL's protocol LL (`hwLat` in its
/// `src/graph/tuning.cc`).
const SCALE_UP_LATENCY: Duration = Duration::from_ns(600);

fn refuse<T>(key: &'static str, message: String, help: &str) -> Result<T, ConfigError> {
    Err(ConfigError::new(key, message, help))
}

impl ServingConfig {
    /// Checks the keys that do not depend on hosts and requests.
    pub(super) fn check_keys(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        check::instant("start", self.start)?;
        check::priority(self.priority)?;
        for (key, span) in [
            ("step_time", Some(self.step_time)),
            ("prefill_token_time", self.prefill_token_time),
            ("decode_token_time", self.decode_token_time),
            ("context_token_time", self.context_token_time),
            ("scale_up_latency", self.scale_up_latency),
            ("ttft_limit", self.ttft_limit),
            ("tpot_limit", self.tpot_limit),
        ] {
            check::span(key, span.unwrap_or_default())?;
        }
        for (key, size) in [
            ("control_size", self.control_size),
            ("token_size", self.token_size),
        ] {
            if size == Bytes::ZERO || size > Bytes::new(1 << 20) {
                return refuse(
                    key,
                    format!("{size} is outside the range 1B to 1MiB"),
                    "write for example \"64B\"",
                );
            }
        }
        self.check_effects()?;
        self.check_modes()?;
        self.check_shape()
    }

    /// Rejects keys without an effect.
    fn check_effects(&self) -> Result<(), ConfigError> {
        let drawn = self.requests.are_drawn();
        let linear = self.timing == StepTiming::Linear;
        let scaled = self.tensor_network == TensorNetwork::ScaleUp;
        let poisson = "it is a key of requests = \"poisson\"";
        let roofline = "it is a key of timing = \"roofline\"";
        let of_linear = "it is a key of timing = \"linear\"";
        let scale_up = "it is a key of tensor_network = \"scale-up\"";
        for (key, given, help) in [
            ("rate", !drawn && self.rate.is_some(), poisson),
            (
                "input_tokens",
                !drawn && self.input_tokens.is_some(),
                poisson,
            ),
            (
                "output_tokens",
                !drawn && self.output_tokens.is_some(),
                poisson,
            ),
            ("device", linear && self.device.is_some(), roofline),
            (
                "compute_efficiency",
                linear && self.compute_efficiency.is_some(),
                roofline,
            ),
            (
                "memory_efficiency",
                linear && self.memory_efficiency.is_some(),
                roofline,
            ),
            (
                "prefill_token_time",
                !linear && self.prefill_token_time.is_some(),
                of_linear,
            ),
            (
                "decode_token_time",
                !linear && self.decode_token_time.is_some(),
                of_linear,
            ),
            (
                "context_token_time",
                !linear && self.context_token_time.is_some(),
                of_linear,
            ),
            (
                "scale_up_rate",
                !scaled && self.scale_up_rate.is_some(),
                scale_up,
            ),
            (
                "scale_up_latency",
                !scaled && self.scale_up_latency.is_some(),
                scale_up,
            ),
        ] {
            if given {
                return refuse(
                    key,
                    format!("`{key}` has no effect with the other keys here"),
                    help,
                );
            }
        }
        Ok(())
    }

    /// Checks keys that need others.
    fn check_modes(&self) -> Result<(), ConfigError> {
        if self.requests.are_drawn() && self.rate.is_none() {
            return refuse(
                "rate",
                "nothing says how often requests arrive".to_owned(),
                "write `rate`, in requests per second, or the file of a trace as `requests`",
            );
        }
        if self.routing == ServingRouting::LeastOutstanding && self.front_end.is_none() {
            return refuse(
                "routing",
                "without a front end nobody knows the open requests of instances".to_owned(),
                "write `front_end`, the number of a host, or choose another routing",
            );
        }
        let is_empty = self.timing == StepTiming::Linear
            && [self.prefill_token_time, self.decode_token_time]
                .iter()
                .all(|time| time.unwrap_or_default() == Duration::ZERO)
            && self.step_time == Duration::ZERO;
        if is_empty {
            return refuse(
                "timing",
                "the linear times of a step are all zero".to_owned(),
                "write `prefill_token_time` and `decode_token_time`, or `step_time`",
            );
        }
        Ok(())
    }

    /// Checks the division of the model.
    fn check_shape(&self) -> Result<(), ConfigError> {
        let shape = self.model.shape();
        let (tp, pp, ep) = (u64::from(self.tp), u64::from(self.pp), u64::from(self.ep));
        let divides = |part: u64, whole: u64| whole.is_multiple_of(part);
        let heads = shape.divided_heads();
        if !divides(tp, heads) {
            return refuse(
                "tp",
                format!("{tp} ranks cannot share {heads} heads"),
                "write a divisor of them",
            );
        }
        if pp > 1 && shape.dense > 0 {
            return refuse(
                "pp",
                format!(
                    "stages cannot have equal parts: the first {} of {} layers have no experts",
                    shape.dense, shape.layers
                ),
                "write 1",
            );
        }
        if !divides(pp, shape.layers) {
            return refuse(
                "pp",
                format!(
                    "{pp} stages cannot have equal parts of {} layers",
                    shape.layers
                ),
                "write a divisor of them",
            );
        }
        if ep > 1 && (shape.experts == 1 || !divides(ep, shape.experts) || !divides(tp, ep)) {
            let experts = match shape.experts {
                1 => "the model has no experts".to_owned(),
                count => format!("{ep} ranks cannot share {count} experts in groups of {tp}"),
            };
            return refuse(
                "ep",
                experts,
                "write a multiple of `tp` that divides the experts, or 1",
            );
        }
        if self
            .chunk_tokens
            .is_some_and(|chunk| chunk > self.batch_tokens)
        {
            return refuse(
                "chunk_tokens",
                format!(
                    "a chunk is above the {} tokens of a step",
                    self.batch_tokens
                ),
                "write at most `batch_tokens`",
            );
        }
        Ok(())
    }

    /// Places the instances.
    pub(super) fn layout(&self, context: &WorkloadContext) -> Result<Layout, ConfigError> {
        if let Some(host) = self.front_end
            && context.position(host).is_none()
        {
            let hosts = format!("the hosts are numbered {}", context.host_numbers());
            return refuse(
                "front_end",
                format!("{} is not a host", context.names.label(host)),
                &hosts,
            );
        }
        let order = Order {
            hosts: self.hosts.as_deref(),
            placement: self.placement,
            stride: self.placement_stride,
            skip: self.skip,
        };
        let mut hosts = order.placed(context)?;
        if self.hosts.is_none() {
            hosts.retain(|host| Some(*host) != self.front_end);
        }
        if self.front_end.is_some_and(|host| hosts.contains(&host)) {
            return refuse(
                "front_end",
                "this host is also among `hosts`".to_owned(),
                "leave it out there: a front end has a host of its own",
            );
        }
        let width = self.tp.max(self.ep);
        let ranks = u64::from(width) * u64::from(self.pp);
        let fit = u32::try_from(hosts.len() as u64 / ranks).unwrap_or(u32::MAX);
        let instances = self.instances.unwrap_or(fit);
        if instances > fit || instances == 0 {
            return refuse(
                if self.instances.is_some() {
                    "instances"
                } else {
                    "tp"
                },
                format!(
                    "instances of {ranks} ranks: {fit} of them fit on {} hosts",
                    hosts.len()
                ),
                "choose fewer ranks for each instance, fewer instances, or more hosts",
            );
        }
        if self.prefill_instances >= instances {
            return refuse(
                "prefill_instances",
                format!(
                    "of {instances} instances, {} that only prefill leave none to decode",
                    self.prefill_instances
                ),
                "write fewer, or 0: then all instances do both",
            );
        }
        hosts.truncate(usize::try_from(u64::from(instances) * ranks).unwrap_or(usize::MAX));
        Ok(Layout {
            hosts: hosts.into(),
            instances,
            prefill: self.prefill_instances,
            tp: self.tp,
            stages: self.pp,
            width,
        })
    }

    /// Returns the requests, checked against the limits of an instance.
    pub(super) fn listed(
        &self,
        context: &WorkloadContext,
    ) -> Result<Arc<[ServingRequest]>, ConfigError> {
        let requests = match (self.requests.list(), self.rate) {
            (Some(list), _) => match self.count {
                Some(count) if (count as usize) < list.len() => list[..count as usize].into(),
                _ => Arc::clone(list),
            },
            (None, Some(rate)) if self.requests.are_drawn() => {
                let draws = Draws {
                    count: self.count.unwrap_or(COUNT),
                    mean_gap: 1.0 / rate,
                    tokens: self.tokens,
                    input: self.input_tokens.unwrap_or(INPUT),
                    output: self.output_tokens.unwrap_or(OUTPUT),
                };
                draws.draw(context.seed, context.entity())
            }
            _ => {
                let message = format!("the file `{}` has not been loaded", self.requests.name());
                return refuse("requests", message, "load it, or write \"poisson\"");
            }
        };
        let longest = requests.iter().map(|one| one.input).max().unwrap_or(0);
        if self.chunk_tokens.is_none() && longest > self.batch_tokens {
            return refuse(
                "batch_tokens",
                format!(
                    "a prompt of {longest} tokens does not fit into a step of {}",
                    self.batch_tokens
                ),
                "raise it, or set `chunk_tokens` to divide prompts",
            );
        }
        let most = requests
            .iter()
            .map(|one| u64::from(one.input) + u64::from(one.output) - 1);
        let most = most.max().unwrap_or(0);
        if self.kv_tokens.is_some_and(|kv| kv < most) {
            return refuse(
                "kv_tokens",
                format!("a request occupies {most} tokens of the cache"),
                "raise it above that",
            );
        }
        Ok(requests)
    }

    /// Returns the parameters of the computing time.
    pub(super) fn step_timing(&self) -> Timing {
        let zero = |time: Option<Duration>| time.unwrap_or_default();
        let share = |share: Option<f64>| share.unwrap_or(1.0);
        let device = self.device.unwrap_or_default();
        let peak = device.operations_per_s(Precision::Bf16);
        let peak = peak.expect("every device has units for bfloat16");
        Timing {
            fixed: self.step_time,
            stages: u64::from(self.pp),
            rates: match self.timing {
                StepTiming::Roofline => Rates::Roofline {
                    shape: self.model.shape(),
                    device: compute::Rates {
                        operations: peak * share(self.compute_efficiency),
                        memory: device.memory_bytes_per_s() * share(self.memory_efficiency),
                        launch: Duration::ZERO,
                    },
                    width: u64::from(self.tp.max(self.ep)),
                    tp: u64::from(self.tp),
                },
                StepTiming::Linear => Rates::Linear {
                    prefill: zero(self.prefill_token_time),
                    decode: zero(self.decode_token_time),
                    context: zero(self.context_token_time),
                },
            },
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            sequences: self.max_batch,
            tokens: self.batch_tokens,
            chunk: self.chunk_tokens,
            kv: self.kv_tokens.unwrap_or(u64::MAX),
            batches: self.pp,
        }
    }

    pub(super) fn scale_up(&self) -> (Rate, Duration) {
        (
            self.scale_up_rate.unwrap_or(Rate::from_gbps(SCALE_UP_GBPS)),
            self.scale_up_latency.unwrap_or(SCALE_UP_LATENCY),
        )
    }
}
