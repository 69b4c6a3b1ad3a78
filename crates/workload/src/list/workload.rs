//! A list of flows as a workload.

use std::collections::BTreeMap;

use fabricsim_base::flow::FlowSource;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::priority::Priority;

use super::application::applications;
use super::{FlowTimes, ListConfig};
use crate::application::{HostApplications, NoFlows};
use crate::context::{Expected, WorkloadContext};
use crate::offered::{CostOf, FlowCost, Offered, Traffic};
use crate::workload::{FileContent, FileState, NamedFile, Workload};

impl Workload for ListConfig {
    fn build(
        &self,
        _context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        let list = self.loaded()?;
        if list.has_waits() {
            return Ok(Box::new(NoFlows));
        }
        Ok(list.source(class))
    }

    fn applications(
        &self,
        _context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let list = self.loaded()?;
        Ok(match &list.waits {
            Some(waits) => applications(list, waits, class),
            None => Vec::new(),
        })
    }

    fn expected(&self, _context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let flows = self.loaded()?.flows();
        let bytes = flows.iter().map(|flow| flow.size.as_f64()).sum();
        Ok(Expected {
            flows: flows.len() as f64,
            bytes,
        })
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        let mut users = Vec::new();
        let Some(list) = self.list() else {
            return users;
        };
        for flow in list.flows() {
            let user = (flow.priority, list.class_of(flow, own));
            if !users.contains(&user) {
                users.push(user);
            }
        }
        users
    }

    fn file(&self) -> Option<NamedFile<'_>> {
        Some(NamedFile {
            key: "path",
            path: &self.path,
            content: FileContent::Flows,
            state: match self.list() {
                None => FileState::Missing,
                Some(_) => FileState::Loaded,
            },
        })
    }

    fn load(
        &mut self,
        text: &str,
        context: &WorkloadContext,
        times: FlowTimes,
    ) -> Result<(), InputError> {
        Self::load(self, text, context, times)
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

fn offered(config: &ListConfig, context: &WorkloadContext, cost: CostOf<'_>) -> Option<Offered> {
    let list = config.list().filter(|list| !list.has_waits())?;
    let flows = list.flows();
    let (first, last) = (flows.first()?.start, flows.last()?.start);
    if first == last {
        return None;
    }
    // This assumes that the list continues after the last flow with one more gap of average length.
    let gaps = flows.len() as f64 - 1.0;
    let seconds = last.since(first).as_secs_f64() * (gaps + 1.0) / gaps;
    let hosts = context.hosts.iter().enumerate();
    let places: BTreeMap<NodeId, (usize, f64)> = hosts
        .map(|(at, host)| (host.id, (at, host.rate.as_bps_f64() / 8.0)))
        .collect();
    let mut sums: BTreeMap<(usize, usize), FlowCost> = BTreeMap::new();
    let mut longer = 0;
    for flow in flows {
        let ((from, sends), (to, takes)) = (*places.get(&flow.src)?, *places.get(&flow.dst)?);
        let one = cost(flow.size);
        // The flow cannot send all its bytes in that time, so its rate depends on the network.
        if one.forth > sends.min(takes) * seconds {
            longer += 1;
            continue;
        }
        let sum = sums.entry((from, to)).or_default();
        sum.forth += one.forth / seconds;
        sum.back += one.back / seconds;
    }
    let pairs = sums.into_iter();
    let pairs = pairs.map(|((from, to), sum)| (from, to, sum)).collect();
    Some(Offered {
        from: first,
        until: last,
        traffic: Traffic::Pairs(pairs),
        longer,
    })
}
