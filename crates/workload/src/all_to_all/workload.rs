//! All-to-all traffic as a workload.

use fabricsim_base::flow::FlowSource;
use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;

use super::{AllToAll, AllToAllConfig};
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::offered::{CostOf, Offered, Rounds};
use crate::workload::Workload;

impl Workload for AllToAllConfig {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        self.checked(context)?;
        Ok(Box::new(AllToAll {
            config: self.clone(),
            class,
            hosts: context.hosts.iter().map(|host| host.id).collect(),
            round: 1,
            position: 0,
        }))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        self.checked(context)?;
        let hosts = context.hosts.len() as f64;
        let flows = hosts * (hosts - 1.0);
        let expected = Expected {
            flows,
            bytes: flows * self.size.as_f64(),
        };
        check::amount("kind", expected)
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
            count: context.hosts.len() as u64 - 1,
            gap: self.stagger,
        };
        Ok(rounds.offered(context, cost(self.size)))
    }
}
