//! Serving as a workload.

use std::sync::Arc;

use fabricsim_base::id::ClassId;
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::mix;
use fabricsim_core::plugin::Application;

use super::ServingConfig;
use super::front_end::ServingFrontEnd;
use super::plan::{LayerCollectives, Phase, Plan, StageLayers, TensorNetwork, phases};
use super::rank::ServingRank;
use super::tag::LONGEST;
use super::timing::StepLoad;
use crate::application::HostApplications;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::list::FlowTimes;
use crate::workload::{NamedFile, Workload};

impl ServingConfig {
    /// Returns the phases of a step at a stage.
    fn phases(&self) -> Vec<Phase> {
        let stage = StageLayers::new(&self.model.shape(), self.pp);
        let has = LayerCollectives {
            reduces: self.tp > 1 && self.tensor_network == TensorNetwork::Fabric,
            exchanges: self.ep > 1,
            exchange_replaces_reduce: self.ep > self.tp,
        };
        phases(stage, has, self.collectives)
    }

    /// Checks all keys. Returns the parts that all applications share.
    pub(super) fn plan(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Plan, ConfigError> {
        check::two_hosts(context)?;
        self.check_keys()?;
        let plan = Plan {
            class,
            priority: check::priority(self.priority)?,
            dst_port: self.dst_port,
            start: self.start,
            layout: self.layout(context)?,
            requests: self.listed(context)?,
            routing: self.routing,
            front_end: self.front_end,
            shape: self.model.shape(),
            timing: self.step_timing(),
            limits: self.limits(),
            tensor: self.tensor_network,
            scale_up: self.scale_up(),
            phases: self.phases(),
            control: self.control_size,
            token: self.token_size,
            objectives: (self.ttft_limit, self.tpot_limit),
            seed: mix(context.seed ^ mix(context.index)),
        };
        self.check_longest(&plan)?;
        Ok(plan)
    }

    /// Checks that the time of the longest step fits into a message.
    fn check_longest(&self, plan: &Plan) -> Result<(), ConfigError> {
        let lengths = plan.requests.iter();
        let most = lengths.map(|one| u64::from(one.input) + u64::from(one.output));
        let most = most.max().unwrap_or(0);
        let tokens = u64::from(self.batch_tokens);
        let load = StepLoad {
            prefill: tokens,
            decode: tokens.min(u64::from(self.max_batch)),
            context: u64::from(self.max_batch).saturating_mul(most),
            pairs: tokens.saturating_mul(most),
        };
        let longest = plan.timing.of(&load).saturating_add(plan.scale_up(tokens));
        if longest <= LONGEST {
            return Ok(());
        }
        Err(ConfigError::new(
            "batch_tokens",
            format!("a step of so many tokens takes up to {longest}, and {LONGEST} is the most"),
            "write fewer, or shorter times",
        ))
    }
}

impl Workload for ServingConfig {
    fn applications(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let plan = Arc::new(self.plan(context, class)?);
        let mut all = HostApplications::new();
        for (&host, rank) in plan.layout.hosts.iter().zip(0..) {
            let place = plan.layout.place(rank);
            let application: Box<dyn Application> =
                Box::new(ServingRank::new(Arc::clone(&plan), place));
            all.push((host, application));
        }
        if let Some(host) = plan.front_end {
            all.push((host, Box::new(ServingFrontEnd::new(Arc::clone(&plan)))));
        }
        Ok(all)
    }

    /// Counts the bytes of all messages with data. The number of messages is that of full steps:
    /// steps that are not full make more of them.
    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let plan = self.plan(context, ClassId(0))?;
        let layout = &plan.layout;
        let (width, tp) = (f64::from(layout.width), f64::from(layout.tp));
        let stages = f64::from(layout.stages);
        let activation = plan.shape.activation() as f64;
        let sum = |of: &dyn Fn(u32, u32) -> f64| -> f64 {
            plan.requests
                .iter()
                .map(|one| of(one.input, one.output))
                .sum()
        };
        let count = plan.requests.len() as f64;
        let tokens = sum(&|input, output| f64::from(input) + f64::from(output) - 1.0);
        let responses = sum(&|_, output| f64::from(output));
        let steps = (responses / f64::from(self.max_batch)).max(1.0);
        let (mut messages, mut bytes) = (0.0, 0.0);
        for phase in &plan.phases {
            let (own, moved) = match *phase {
                Phase::Compute { .. } => continue,
                Phase::AllReduce { times } => {
                    let messages = width * 2.0 * (tp - 1.0);
                    (messages, times as f64 * 2.0 * (tp - 1.0))
                }
                Phase::AllToAll { times } => {
                    let copies = times as f64 * plan.shape.top_k as f64;
                    (width * (width - 1.0), copies * (width - 1.0) / width)
                }
            };
            messages += own * stages * steps;
            bytes += moved * stages * tokens * activation;
        }
        messages += width * (stages - 1.0) * steps;
        bytes += tp * (stages - 1.0) * tokens * activation;
        if layout.is_split() {
            let ranks = f64::from(layout.cache_ranks());
            let moved = |input, output| match output {
                1 => 0.0,
                _ => plan.cache(input).as_f64() * ranks,
            };
            messages += count * ranks;
            bytes += sum(&moved);
        }
        if plan.front_end.is_some() {
            messages += 3.0 * count;
            let texts = sum(&|input, output| f64::from(input) + f64::from(output));
            bytes += texts * self.token_size.as_f64();
        }
        let expected = Expected {
            flows: messages,
            bytes,
        };
        check::amount("count", expected)
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.priority, own)
    }

    fn set_priority(&mut self, priority: Priority) {
        self.priority = priority.get();
    }

    fn file(&self) -> Option<NamedFile<'_>> {
        self.requests.file("requests")
    }

    fn load(
        &mut self,
        text: &str,
        _context: &WorkloadContext,
        _times: FlowTimes,
    ) -> Result<(), InputError> {
        self.requests.load(text)
    }
}
