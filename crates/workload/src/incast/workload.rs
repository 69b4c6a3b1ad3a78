//! Incast as a workload.

use fabricsim_base::flow::FlowSource;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::{Purpose, Stream};

use super::source::Incast;
use super::{IncastConfig, Timing};
use crate::arrivals::{bytes_per_second, exponential_gap};
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::offered::{CostOf, Offered, Traffic};
use crate::workload::Workload;

impl Workload for IncastConfig {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        let timing = self.checked(context)?;
        let mut arrivals = Stream::new(context.seed, context.own_entity(), Purpose::Arrivals);
        let due = match timing {
            Timing::Once(at) => Some(at),
            Timing::Every { end, .. } => Some(self.start).filter(|first| *first < end),
            Timing::Random { mean_gap_secs, end } => {
                let first = self
                    .start
                    .saturating_add(exponential_gap(&mut arrivals, mean_gap_secs));
                Some(first).filter(|first| *first < end)
            }
        };
        let candidates = context.hosts.iter().map(|host| host.id);
        Ok(Box::new(Incast {
            config: self.clone(),
            class,
            timing,
            arrivals,
            peers: Stream::new(context.seed, context.own_entity(), Purpose::Destinations),
            hosts: candidates.filter(|id| Some(*id) != self.receiver).collect(),
            due,
            sent: 0,
        }))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let duration = self.duration.unwrap_or_default();
        let (events, key) = match self.checked(context)? {
            Timing::Once(_) => (1.0, "at"),
            Timing::Every { period, .. } => {
                (duration.as_ps().div_ceil(period.as_ps()) as f64, "period")
            }
            Timing::Random { mean_gap_secs, .. } => {
                (duration.as_secs_f64() / mean_gap_secs, "duration")
            }
        };
        let flows = events * f64::from(self.fan_in);
        let expected = Expected {
            flows,
            bytes: flows * self.size.as_f64(),
        };
        check::amount(key, expected)
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
        longer: 0,
        from: config.start,
        until: config.start.saturating_add(duration),
        traffic: Traffic::Product {
            sent: vec![events * fan_in / (hosts as f64 - 1.0); hosts],
            taken,
            cost: cost(config.size),
        },
    })
}
