//! Incast as a workload.

use fabricsim_core::flow::FlowSource;
use fabricsim_core::id::ClassId;
use fabricsim_core::id::NodeId;
use fabricsim_core::input::{ConfigError, Keys};
use fabricsim_core::packet::Priority;

use super::IncastConfig;
use crate::arrivals::bytes_per_second;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::offered::{CostOf, Offered, Traffic};
use crate::workload::{Workload, WorkloadKind};

impl WorkloadKind for IncastConfig {
    const NAME: &'static str = "incast";
    const ABOUT: &'static str = "many hosts that send to one at the same moment";
    const KEYS: Keys = super::KEYS;
}

impl Workload for IncastConfig {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        Self::build(self, context, class)
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        Self::expected(self, context)
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.priority, own)
    }

    fn set_priority(&mut self, priority: Priority) {
        self.priority = priority.get();
    }

    fn offered(
        &self,
        context: &WorkloadContext,
        cost: CostOf<'_>,
    ) -> Result<Option<Offered>, ConfigError> {
        // What is not checked here is checked there.
        self.expected(context)?;
        Ok(offered(self, context, cost))
    }
}

fn offered(config: &IncastConfig, context: &WorkloadContext, cost: CostOf<'_>) -> Option<Offered> {
    let hosts = context.hosts.len();
    let duration = config.duration?;
    let fan_in = f64::from(config.fan_in);
    let events = match (config.load, config.period) {
        (Some(load), _) => {
            let rates = context.hosts.iter().map(|host| host.rate);
            let bytes: f64 = rates.map(|rate| bytes_per_second(rate, load)).sum();
            bytes / (fan_in * config.size.as_f64())
        }
        (None, Some(period)) if period < duration => 1.0 / period.as_secs_f64(),
        (None, _) => return None,
    };
    let taken = match config.receiver {
        None => vec![1.0 / hosts as f64; hosts],
        Some(receiver) => {
            let is_receiver = |id: NodeId| f64::from(u8::from(id == receiver));
            context
                .hosts
                .iter()
                .map(|host| is_receiver(host.id))
                .collect()
        }
    };
    Some(Offered {
        from: config.start,
        until: config.start.saturating_add(duration),
        traffic: Traffic::Product {
            sent: vec![events * fan_in / (hosts as f64 - 1.0); hosts],
            taken,
            cost: cost(config.size),
        },
    })
}
