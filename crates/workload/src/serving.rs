//! Serving of a large language model: requests of users, instances of the model on hosts, and the
//! messages between the hosts of an instance and between instances.
//!
//! A host is one accelerator with its network interface. An instance schedules by iteration: each
//! step computes prompts and one token of each running request, as in Orca (Yu et al., OSDI 2022)
//! and vLLM (Kwon et al., SOSP 2023). Prompts and decodes can have instances of their own, as in
//! `DistServe` (Zhong et al., OSDI 2024) and Splitwise (Patel et al., ISCA 2024).

mod check;
mod front_end;
mod model;
mod plan;
mod rank;
mod requests;
mod scheduler;
mod tag;
mod timing;
mod trace;
mod workload;

use fabricsim_base::id::NodeId;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};

use crate::check::{NO_PRIORITY, PRIORITIES};
use crate::compute::Accelerator;
use crate::host_range::HostRange;
use crate::named_list::NamedList;
use crate::placement::Placement;
pub use front_end::ServingFrontEnd;
pub use model::ServedModel;
pub use plan::{ServingRouting, StepCollectives, TensorNetwork};
pub use rank::{ServedFirst, ServedLast, ServingRank};
pub use requests::{ServingRequest, TokenCounts};
pub use timing::StepTiming;

settings! {
    /// Serving of a large language model on hosts, each of which is one accelerator.
    pub struct ServingConfig {
        /// Shape of the model.
        pub model: ServedModel = required,
        /// "poisson", or a CSV file of arrival_s,input_tokens,output_tokens, or an LLM inference
        /// trace of Azure.
        pub requests: NamedList<ServingRequest> = "poisson",
        /// With "poisson": requests per second.
        #[range(above 0.0, to 1e9)]
        #[refused("{value} requests per second are outside the range above 0 up to 1e9", "write for example 20")]
        #[note("(needed with \"poisson\")")]
        pub rate: Option<f64> = null,
        /// Number of requests.
        #[range(from 1, to 10000000)]
        #[refused("{value} requests are outside the range 1 to 10000000", "write for example 1000")]
        #[note("(default 1000 of \"poisson\", else all of the file)")]
        pub count: Option<u32> = null,
        /// With "poisson": distribution of the tokens of prompts and responses.
        pub tokens: TokenCounts = "fixed",
        /// With "poisson": tokens of a prompt, or their mean.
        #[range(from 1, to 1048576)]
        #[refused("{value} tokens are outside the range 1 to 1048576", "write for example 512")]
        #[note("(default 512)")]
        pub input_tokens: Option<u32> = null,
        /// With "poisson": tokens of a response, or their mean.
        #[range(from 1, to 1048576)]
        #[refused("{value} tokens are outside the range 1 to 1048576", "write for example 128")]
        #[note("(default 128)")]
        pub output_tokens: Option<u32> = null,
        /// Hosts that ranks are placed on in the order of their numbers, such as ["0..16"].
        #[note("(default: all but `front_end`)")]
        pub hosts: Option<Vec<HostRange>> = null,
        /// Placement of ranks on hosts.
        pub placement: Placement = "packed",
        /// With "scattered": hosts from one rank to the next.
        #[range(from 1)]
        #[refused("ranks cannot be {value} hosts apart", "write at least 1")]
        pub placement_stride: u32 = 1,
        /// Hosts to leave out at the beginning of that order, such as hosts of other jobs.
        pub skip: u32 = 0,
        /// Host that all requests and all tokens pass.
        #[note("(default: none; requests appear at instances)")]
        pub front_end: Option<NodeId> = null,
        /// Number of instances.
        #[range(from 1)]
        #[refused("without an instance nothing is served", "write at least 1")]
        #[note("(default: as many as fit on the hosts)")]
        pub instances: Option<u32> = null,
        /// Instances that only prefill; the others only decode. With 0, all do both.
        pub prefill_instances: u32 = 0,
        /// Ranks that share each layer (tensor parallelism).
        #[range(from 1)]
        #[refused("{value} ranks cannot share a layer", "write at least 1")]
        pub tp: u32 = 1,
        /// Stages with equal numbers of layers (pipeline parallelism).
        #[range(from 1)]
        #[refused("{value} stages have no layers", "write at least 1")]
        pub pp: u32 = 1,
        /// Ranks of a stage that share the experts (expert parallelism): a multiple of `tp`, which
        /// groups of `tp` ranks with tokens of their own form.
        #[range(from 1)]
        #[refused("{value} ranks cannot share the experts", "write at least 1")]
        pub ep: u32 = 1,
        /// Instance of each request.
        pub routing: ServingRouting = "round-robin",
        /// Requests of an instance that run at the same time.
        #[range(from 1)]
        #[refused("a batch of {value} requests never ends one", "write for example 256")]
        pub max_batch: u32 = 256,
        /// Tokens of a step.
        #[range(from 1, to 4194303)]
        #[refused("{value} tokens are outside the range 1 to 4194303", "write for example 8192")]
        pub batch_tokens: u32 = 8192,
        /// Most prompt tokens of a request in a step (chunked prefill).
        #[range(from 1)]
        #[refused("a chunk of {value} tokens never ends a prompt", "write for example 512")]
        #[note("(default: prompts are not divided)")]
        pub chunk_tokens: Option<u32> = null,
        /// Tokens of the KV cache of an instance, which admitted requests reserve.
        #[range(from 1)]
        #[refused("a cache of {value} tokens holds no request", "write for example 100000")]
        #[note("(default: no limit)")]
        pub kv_tokens: Option<u64> = null,
        /// Model of the computing time of a step.
        pub timing: StepTiming = "roofline",
        /// Time of each step at each stage in addition to its work, such as launches of kernels.
        pub step_time: Duration = "0s",
        /// With "roofline": device of each host.
        #[note("(default \"h100\")")]
        pub device: Option<Accelerator> = null,
        /// With "roofline": share of the peak rate of operations that is reached.
        #[range(above 0.0, to 1.0)]
        #[refused("a share of {value} is outside the range above 0 up to 1", "write for example 0.5")]
        #[note("(default 1)")]
        pub compute_efficiency: Option<f64> = null,
        /// With "roofline": share of the rate of the memory that is reached.
        #[range(above 0.0, to 1.0)]
        #[refused("a share of {value} is outside the range above 0 up to 1", "write for example 0.8")]
        #[note("(default 1)")]
        pub memory_efficiency: Option<f64> = null,
        /// With "linear": time for each prompt token, at all stages together.
        #[note("(default \"0s\")")]
        pub prefill_token_time: Option<Duration> = null,
        /// With "linear": time for each decoded token, at all stages together.
        #[note("(default \"0s\")")]
        pub decode_token_time: Option<Duration> = null,
        /// With "linear": time for each token of context that a step reads.
        #[note("(default \"0s\")")]
        pub context_token_time: Option<Duration> = null,
        /// Division of the collectives of a step.
        pub collectives: StepCollectives = "per-step",
        /// Network of the all-reduces of `tp`.
        pub tensor_network: TensorNetwork = "fabric",
        /// With "scale-up": rate of a rank's link in each direction.
        #[note("(default \"3600Gbps\")")]
        pub scale_up_rate: Option<Rate> = null,
        /// With "scale-up": latency of each step of a ring.
        #[note("(default \"600ns\")")]
        pub scale_up_latency: Option<Duration> = null,
        /// Payload of a message that carries no data, such as the start of a step.
        pub control_size: Bytes = "64B",
        /// With `front_end`: payload for each token of a prompt or a response.
        pub token_size: Bytes = "4B",
        /// Longest time to the first token of a good request.
        #[note("(default: none)")]
        pub ttft_limit: Option<Duration> = null,
        /// Longest time for each further token of a good request.
        #[note("(default: none)")]
        pub tpot_limit: Option<Duration> = null,
        /// Time from which arrivals count.
        pub start: Time = "0s",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(NO_PRIORITY, PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port.
        pub dst_port: u16 = 500,
    }
}

impl ServingConfig {
    /// Returns Poisson arrivals of `rate` requests per second, with the other keys at their
    /// defaults.
    #[must_use]
    pub fn new(model: ServedModel, rate: f64) -> Self {
        Self {
            rate: Some(rate),
            ..Self::with_required(model)
        }
    }
}

#[cfg(test)]
mod tests;
