//! The parts of a serving workload that all of its applications share.

use std::sync::Arc;

use fabricsim_base::choices;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::mix;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};

use super::model::Shape;
use super::requests::ServingRequest;
use super::scheduler::Limits;
use super::timing::Timing;

choices! {
    /// The instance of a request.
    #[derive(Default)]
    pub enum ServingRouting {
        /// In turn.
        #[default]
        RoundRobin = "round-robin",
        /// Drawn evenly.
        Random = "random" ("drawn by the run's seed"),
        /// An instance with the fewest requests that have not ended; needs a `front_end`.
        LeastOutstanding = "least-outstanding" ("of the fewest open requests; with a `front_end`"),
    }
}

choices! {
    /// The division of a step's collectives.
    #[derive(Default)]
    pub enum StepCollectives {
        /// Those of all layers of a stage together, after the computation of the step.
        #[default]
        PerStep = "per-step" ("all layers of a stage together, after the computation"),
        /// One after the other, in turn with the computation of each layer.
        PerLayer = "per-layer",
    }
}

choices! {
    /// The network of tensor parallelism.
    #[derive(Default)]
    pub enum TensorNetwork {
        /// The simulated fabric.
        #[default]
        Fabric = "fabric",
        /// A scale-up network such as `NVLink`, by a formula.
        ScaleUp = "scale-up" ("such as NVLink, by a formula"),
    }
}

/// A part of a step at a stage.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Phase {
    /// The share `number` of `of` equal ones of the computing time.
    Compute { number: u64, of: u64 },
    /// All-reduces of so many layers' activations among the ranks of a tensor.
    AllReduce { times: u64 },
    /// Exchanges of so many layers' tokens among the ranks with experts.
    AllToAll { times: u64 },
}

/// The place of a rank.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Place {
    pub(super) instance: u32,
    pub(super) stage: u32,
    /// The rank among those of its stage.
    pub(super) member: u32,
}

/// The ranks of instances, and the hosts of them.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The host of each rank: instance by instance, stage by stage.
    pub(super) hosts: Arc<[NodeId]>,
    pub(super) instances: u32,
    /// Instances that only prefill; they are the first ones. The others then only decode.
    pub(super) prefill: u32,
    pub(super) tp: u32,
    pub(super) stages: u32,
    /// Ranks of a stage.
    pub(super) width: u32,
}

impl Layout {
    pub(super) const fn ranks_of_instance(&self) -> u32 {
        self.stages * self.width
    }

    /// Returns the ranks that have parts of the KV cache of a request.
    pub(super) const fn cache_ranks(&self) -> u32 {
        self.stages * self.tp
    }

    pub(super) const fn place(&self, rank: u32) -> Place {
        let own = rank % self.ranks_of_instance();
        Place {
            instance: rank / self.ranks_of_instance(),
            stage: own / self.width,
            member: own % self.width,
        }
    }

    pub(super) fn host(&self, place: Place) -> NodeId {
        let rank = place.instance * self.ranks_of_instance() + place.stage * self.width;
        self.hosts[(rank + place.member) as usize]
    }

    /// Returns the host of the first rank of `instance`, which schedules.
    pub(super) fn leader(&self, instance: u32) -> NodeId {
        self.hosts[(instance * self.ranks_of_instance()) as usize]
    }

    /// Returns the instances that take requests.
    pub(super) const fn takers(&self) -> u32 {
        if self.prefill > 0 {
            self.prefill
        } else {
            self.instances
        }
    }

    /// Returns the instance that decodes the request which `draw` numbers among the decoding ones.
    pub(super) const fn decoders(&self) -> u32 {
        self.instances - self.prefill
    }

    pub(super) const fn is_split(&self) -> bool {
        self.prefill > 0
    }
}

/// The parts that all applications share.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) class: ClassId,
    pub(super) priority: Priority,
    pub(super) dst_port: u16,
    pub(super) start: Time,
    pub(super) requests: Arc<[ServingRequest]>,
    pub(super) layout: Layout,
    pub(super) routing: ServingRouting,
    pub(super) front_end: Option<NodeId>,
    pub(super) shape: Shape,
    pub(super) timing: Timing,
    pub(super) limits: Limits,
    pub(super) tensor: TensorNetwork,
    /// Rate and latency of the scale-up network.
    pub(super) scale_up: (Rate, Duration),
    pub(super) phases: Vec<Phase>,
    pub(super) control: Bytes,
    pub(super) token: Bytes,
    /// Longest times of a good request: to the first token, and for each further one.
    pub(super) objectives: (Option<Duration>, Option<Duration>),
    /// Mix of the run's seed and the number of the workload.
    pub(super) seed: u64,
}

impl Plan {
    /// Returns the time at which `request` arrives.
    pub(super) fn arrival(&self, request: u32) -> Time {
        (self.start).saturating_add(self.requests[request as usize].arrival)
    }

    /// Returns one of `count` for `request`, which does not depend on the state of instances.
    pub(super) fn fixed_choice(&self, request: u32, count: u32, salt: u64) -> u32 {
        match self.routing {
            ServingRouting::Random => {
                let drawn = mix(self.seed ^ mix((u64::from(request) << 8) | salt));
                // The upper bits, scaled: even to 2^-32.
                u32::try_from(((drawn >> 32) * u64::from(count)) >> 32).expect("below the count")
            }
            ServingRouting::RoundRobin | ServingRouting::LeastOutstanding => request % count,
        }
    }

    /// Returns the instance that takes `request` and the one that decodes it, if no front end knows
    /// better.
    pub(super) fn fixed_route(&self, request: u32) -> (u32, u32) {
        let layout = &self.layout;
        let taker = self.fixed_choice(request, layout.takers(), 0);
        let decoder = if layout.is_split() {
            layout.prefill + self.fixed_choice(request, layout.decoders(), 1)
        } else {
            taker
        };
        (taker, decoder)
    }

    /// Returns `true` if all ranks of a stage take part in each step.
    pub(super) fn involves_members(&self) -> bool {
        let layout = &self.layout;
        layout.width > 1 && (self.phases.len() > 1 || layout.stages > 1)
    }

    /// Returns the groups of a tensor in a stage, which share the tokens of a step.
    const fn groups(&self) -> u64 {
        (self.layout.width / self.layout.tp) as u64
    }

    /// Returns the bytes of the activations of a step of `tokens` at one rank.
    pub(super) fn activations(&self, tokens: u64) -> u64 {
        tokens.div_ceil(self.groups()) * self.shape.activation()
    }

    /// Returns the bytes of block `block` of an all-reduce: blocks differ by at most one byte.
    pub(super) fn block(&self, tokens: u64, times: u64, block: u32) -> Bytes {
        let (all, tp) = (
            u128::from(self.activations(tokens) * times),
            u128::from(self.layout.tp),
        );
        let at = |block: u128| all * block / tp;
        let bytes = at(u128::from(block) + 1) - at(u128::from(block));
        Bytes::new(u64::try_from(bytes).expect("a part of 64 bits").max(1))
    }

    /// Returns the bytes from one rank of a stage to each other one, for the experts.
    pub(super) fn expert_tokens(&self, tokens: u64, times: u64) -> Bytes {
        let width = u64::from(self.layout.width);
        let copies = tokens * self.shape.top_k * times * self.shape.activation();
        Bytes::new(copies.div_ceil(width * width).max(1))
    }

    /// Returns the members of each stage that have the KV cache of `request`: one group of a tensor,
    /// the next one for each request.
    pub(super) fn cache_members(&self, request: u32) -> std::ops::Range<u32> {
        let tp = self.layout.tp;
        let first = request % (self.layout.width / tp) * tp;
        first..first + tp
    }

    /// Returns the bytes of a rank's part of the KV cache of `tokens`.
    pub(super) fn cache(&self, tokens: u32) -> Bytes {
        let (tp, stages) = (u64::from(self.layout.tp), u64::from(self.layout.stages));
        let parts = self.shape.kv_parts(tp) * stages;
        Bytes::new(
            (u64::from(tokens) * self.shape.kv_bytes())
                .div_ceil(parts)
                .max(1),
        )
    }

    /// Returns the time of the all-reduces of a step in the scale-up network: each moves
    /// 2 (n - 1) / n of its bytes in 2 (n - 1) steps.
    pub(super) fn scale_up(&self, tokens: u64) -> Duration {
        let (tp, (rate, latency)) = (u64::from(self.layout.tp), self.scale_up);
        if self.tensor == TensorNetwork::Fabric || tp == 1 {
            return Duration::ZERO;
        }
        let has_exchange = self.layout.width > self.layout.tp;
        let times = StageLayers::new(&self.shape, self.layout.stages).all_reduces(has_exchange);
        let steps = 2 * (tp - 1);
        let bytes = Bytes::new(self.activations(tokens) * steps / tp);
        let once = rate
            .transmission(bytes)
            .saturating_add(latency.saturating_mul(steps));
        Duration::from_ns(once.saturating_mul(times).as_ns())
    }

    /// Returns the bytes of `tokens` in text form.
    pub(super) fn text(&self, tokens: u32) -> Bytes {
        Bytes::new((u64::from(tokens) * self.token.get()).max(1))
    }
}

/// The layers of a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageLayers {
    layers: u64,
    /// First layers, which have no experts in a model with experts.
    dense: u64,
}

impl StageLayers {
    pub(super) const fn new(shape: &Shape, stages: u32) -> Self {
        Self {
            layers: shape.layers / stages as u64,
            dense: shape.dense,
        }
    }

    /// Returns the all-reduces of the layers: after the attention, and, without exchanged experts,
    /// after the feed-forward network (Shoeybi et al., Megatron-LM, 2019, section 3).
    const fn all_reduces(self, has_exchange: bool) -> u64 {
        if has_exchange {
            self.layers + self.dense
        } else {
            2 * self.layers
        }
    }
}

/// The collectives of layers.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerCollectives {
    /// All-reduces of a tensor are messages.
    pub(super) reduces: bool,
    /// Tokens are exchanged with experts of other ranks.
    pub(super) exchanges: bool,
    /// The experts are shared by more ranks than a tensor has.
    pub(super) exchange_replaces_reduce: bool,
}

/// Returns the phases of a step at a stage of `layers`.
pub(super) fn phases(
    stage: StageLayers,
    has: LayerCollectives,
    collectives: StepCollectives,
) -> Vec<Phase> {
    let StageLayers { layers, dense } = stage;
    let reduce = |times: u64| (has.reduces && times > 0).then_some(Phase::AllReduce { times });
    let exchange = |times: u64| (has.exchanges && times > 0).then_some(Phase::AllToAll { times });
    match collectives {
        _ if !has.reduces && !has.exchanges => vec![Phase::Compute { number: 0, of: 1 }],
        StepCollectives::PerStep => {
            let mut phases = vec![Phase::Compute { number: 0, of: 1 }];
            phases.extend(reduce(stage.all_reduces(has.exchange_replaces_reduce)));
            phases.extend(exchange(layers - dense));
            phases.extend(exchange(layers - dense));
            phases
        }
        StepCollectives::PerLayer => {
            let of = 2 * layers;
            let layer = |layer: u64| {
                let compute = |half| Phase::Compute {
                    number: 2 * layer + half,
                    of,
                };
                let exchange = exchange(u64::from(layer >= dense));
                let is_last_reduced = !has.exchange_replaces_reduce || layer < dense;
                let mut phases = vec![compute(0)];
                phases.extend(reduce(1));
                phases.extend(exchange);
                phases.push(compute(1));
                phases.extend(reduce(u64::from(is_last_reduced)));
                phases.extend(exchange);
                phases
            };
            (0..layers).flat_map(layer).collect()
        }
    }
}
