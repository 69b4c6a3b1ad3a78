//! Poisson arrivals as a workload.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fabricsim_base::flow::FlowSource;
use fabricsim_base::id::ClassId;
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::{Purpose, Stream};

use super::PoissonConfig;
use super::source::{HostArrivals, Poisson};
use crate::arrivals::bytes_per_second;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::host_range::select;
use crate::list::FlowTimes;
use crate::offered::{CostOf, FlowCost, Offered, Traffic, mean_cost};
use crate::sizes::Sizes;
use crate::workload::{FileContent, FileState, NamedFile, Workload};

impl Workload for PoissonConfig {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        let sizes = self.checked(context)?;
        let (sources, destinations) = self.ends(context)?;
        let end = self.start.saturating_add(self.duration);
        let mut senders = Vec::new();
        let mut due = BinaryHeap::new();
        for position in sources {
            let host = context.hosts[position];
            let own = destinations.binary_search(&position).ok();
            let choices = destinations.len() - usize::from(own.is_some());
            let entity = context.host_entity(host.id);
            let mut sender = HostArrivals {
                id: host.id,
                own,
                choices: choices as u64,
                mean_gap: sizes.mean() / bytes_per_second(host.rate, self.load),
                arrivals: Stream::new(context.seed, entity, Purpose::Arrivals),
                peers: Stream::new(context.seed, entity, Purpose::Destinations),
            };
            let first = self.start.saturating_add(sender.gap());
            if first < end {
                due.push(Reverse((first, senders.len())));
            }
            senders.push(sender);
        }
        let destinations = destinations
            .iter()
            .map(|&position| context.hosts[position].id)
            .collect();
        Ok(Box::new(Poisson {
            sizes: sizes.clone(),
            senders,
            destinations,
            due,
            end,
            class,
            priority: check::priority(self.priority)?,
            dst_port: self.dst_port,
        }))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let sizes = self.checked(context)?;
        let (sources, _) = self.ends(context)?;
        let bytes: f64 = sources
            .into_iter()
            .map(|position| bytes_per_second(context.hosts[position].rate, self.load))
            .map(|per_second| per_second * self.duration.as_secs_f64())
            .sum();
        let expected = Expected {
            flows: bytes / sizes.mean(),
            bytes,
        };
        check::amount("duration", expected)
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.priority, own)
    }

    fn set_priority(&mut self, priority: Priority) {
        self.priority = priority.get();
    }

    fn file(&self) -> Option<NamedFile<'_>> {
        // After a file has been read, `sizes` no longer says that it was one, so look at the name
        // again.
        let is_file = Sizes::from(self.sizes.name()).file().is_some();
        is_file.then(|| NamedFile {
            key: "sizes",
            path: self.sizes.name(),
            content: FileContent::Sizes,
            state: match self.sizes.file() {
                Some(_) => FileState::Missing,
                None => FileState::Loaded,
            },
        })
    }

    fn load(
        &mut self,
        text: &str,
        _context: &WorkloadContext,
        _times: FlowTimes,
    ) -> Result<(), InputError> {
        self.sizes.load(text)
    }

    fn offered(
        &self,
        context: &WorkloadContext,
        cost: CostOf<'_>,
    ) -> Result<Option<Offered>, ConfigError> {
        // `expected` checks the other keys.
        self.expected(context)?;
        offered(self, context, cost).map(Some)
    }

    fn load_factor(&self) -> Option<f64> {
        Some(self.load)
    }
}

fn offered(
    config: &PoissonConfig,
    context: &WorkloadContext,
    cost: CostOf<'_>,
) -> Result<Offered, ConfigError> {
    let hosts = context.hosts.len();
    let (mut sent, mut taken) = (vec![0.0; hosts], vec![0.0; hosts]);
    let destinations = select("destinations", config.destinations.as_deref(), context)?;
    for &position in &destinations {
        taken[position] = 1.0;
    }
    let mean = config.sizes.cdf().map_or(1.0, |sizes| sizes.mean());
    for position in select("sources", config.sources.as_deref(), context)? {
        let choices = destinations.len() as f64 - taken[position];
        let flows = bytes_per_second(context.hosts[position].rate, config.load) / mean;
        sent[position] = flows / choices.max(1.0);
    }
    let sizes = config.sizes.cdf();
    let mean_cost = sizes.map_or_else(FlowCost::default, |sizes| mean_cost(sizes, cost));
    Ok(Offered {
        longer: 0,
        from: config.start,
        until: config.start.saturating_add(config.duration),
        traffic: Traffic::Product {
            sent,
            taken,
            cost: mean_cost,
        },
    })
}
