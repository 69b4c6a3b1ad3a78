//! Permutation traffic as a workload.

use fabricsim_base::flow::FlowSource;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::{Purpose, Stream};

use super::{Permutation, PermutationConfig};
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::offered::{CostOf, Offered, Rounds};
use crate::workload::Workload;

impl Workload for PermutationConfig {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        self.checked(context)?;
        let hosts: Box<[NodeId]> = context.hosts.iter().map(|host| host.id).collect();
        Ok(Box::new(Permutation {
            config: self.clone(),
            class,
            targets: (0..hosts.len()).collect(),
            hosts,
            stream: Stream::new(context.seed, context.own_entity(), Purpose::Destinations),
            round: 0,
            position: 0,
        }))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        self.checked(context)?;
        let flows = context.hosts.len() as f64 * f64::from(self.count);
        let expected = Expected {
            flows,
            bytes: flows * self.size.as_f64(),
        };
        check::amount("count", expected)
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
        // `expected` checks the other keys.
        self.expected(context)?;
        let rounds = Rounds {
            start: self.start,
            count: self.count.into(),
            gap: self.gap,
        };
        Ok(rounds.offered(context, cost(self.size)))
    }
}
