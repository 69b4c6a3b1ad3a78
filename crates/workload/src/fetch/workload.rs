//! Requests as a workload.

use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::ClassId;
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::plugin::Reuse;

use super::requests::whole_bytes;
use super::source::Fetches;
use super::{FetchConfig, WorkloadFlow};
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::list::FlowTimes;
use crate::offered::{CostOf, FlowCost, Offered, Traffic};
use crate::workload::{NamedFile, Workload};

impl Workload for FetchConfig {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        self.checked(context)?;
        let like = FlowRequest {
            src: self.client,
            dst: self.server,
            size: Bytes::ZERO,
            start: self.start,
            class,
            priority: check::priority(self.priority)?,
            src_port: None,
            dst_port: self.dst_port,
        };
        let requests: Box<dyn Iterator<Item = WorkloadFlow> + Send> = match self.listed()? {
            Some(listed) => Box::new(Vec::from(listed).into_iter()),
            None => {
                let count = usize::try_from(self.drawn()).unwrap_or(usize::MAX);
                let draws = self.distribution().draws(context.seed, context.entity());
                Box::new(draws.take(count))
            }
        };
        Ok(Box::new(Fetches::new(like, requests)))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        self.checked(context)?;
        let expected = match self.listed()? {
            Some(listed) => Expected {
                flows: listed.len() as f64,
                bytes: listed.iter().map(|request| request.size.as_f64()).sum(),
            },
            None => {
                let flows = self.drawn() as f64;
                Expected {
                    flows,
                    bytes: flows * self.distribution().mean_length(),
                }
            }
        };
        check::amount("duration", expected)
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.priority, own)
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

    fn offered(
        &self,
        context: &WorkloadContext,
        cost: CostOf<'_>,
    ) -> Result<Option<Offered>, ConfigError> {
        // `expected` checks the other keys.
        self.expected(context)?;
        let (rate, last) = match self.listed()? {
            Some(listed) => rate_of(listed, cost),
            None => {
                let distribution = self.distribution();
                let seconds = distribution.mean_arrival.as_secs_f64();
                let mean = cost(whole_bytes(distribution.mean_length()));
                (share(mean, seconds), self.duration())
            }
        };
        let ends = (context.position(self.server)).zip(context.position(self.client));
        Ok(ends.filter(|_| last > Duration::ZERO).map(|(from, to)| {
            // The bytes of a flow flow from the server to the client.
            Offered {
                longer: 0,
                from: self.start,
                until: self.start.saturating_add(last),
                traffic: Traffic::Pairs(vec![(from, to, rate)]),
            }
        }))
    }

    fn fetches(&self) -> Option<Reuse> {
        Some(self.reuse)
    }
}

/// Returns the cost of `listed` per second, and the start of the last request. The rate assumes
/// that the list continues after the last request with one more gap of average length.
fn rate_of(listed: &[WorkloadFlow], cost: CostOf<'_>) -> (FlowCost, Duration) {
    let last = listed
        .last()
        .map_or(Duration::ZERO, |request| request.start);
    let gaps = (listed.len() as f64 - 1.0).max(1.0);
    let seconds = last.as_secs_f64() * (gaps + 1.0) / gaps;
    let mut sum = FlowCost::default();
    for request in listed {
        let one = share(cost(request.size), seconds);
        sum.forth += one.forth;
        sum.back += one.back;
    }
    (sum, last)
}

fn share(cost: FlowCost, seconds: f64) -> FlowCost {
    FlowCost {
        forth: cost.forth / seconds,
        back: cost.back / seconds,
    }
}
