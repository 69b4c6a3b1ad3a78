//! The application of a host that sends flows of a list that wait for other flows.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::{Completion, Flow, FlowRequest};
use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::units::Time;
use fabricsim_core::plugin::{AppContext, AppFlow, Application};

use super::FlowList;
use super::waits::Waits;
use crate::application::HostApplications;

/// A list of waiting flows, shared by all hosts.
#[derive(Debug)]
struct Shared {
    list: FlowList,
    waits: Arc<Waits>,
    /// The class of the flows if the list has none.
    class: ClassId,
}

impl Shared {
    fn flow(&self, flow: u32) -> &FlowRequest {
        &self.list.flows()[flow as usize]
    }

    fn class_of(&self, flow: u32) -> ClassId {
        self.list.class_of(self.flow(flow), self.class)
    }
}

/// Returns the tag of a flow. It is never 0, because flows of other workloads have 0.
fn tag(flow: u32) -> u64 {
    u64::from(flow) + 1
}

/// Progress of the flows of one host.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
struct Progress {
    /// For each flow that has not started, the number of flows that must end before it starts.
    waiting: BTreeMap<u32, usize>,
    /// For each flow, the flows of this host that wait for it.
    followers: BTreeMap<u32, Vec<u32>>,
    /// Flows that have not been fully acknowledged.
    under_way: BTreeMap<FlowId, u32>,
    /// Flows that could not be started.
    lost: Vec<u32>,
}

/// Starts the flows of one host when the flows that they wait for have ended.
#[derive(Checkpointed, Debug)]
struct ListApplication {
    #[checkpoint(rebuilt)]
    shared: Arc<Shared>,
    progress: Progress,
}

impl ListApplication {
    /// Starts `flow` after the delay that its row states.
    fn start(&mut self, context: &mut AppContext<'_>, flow: u32) {
        let request = self.shared.flow(flow);
        let message = AppFlow {
            priority: request.priority,
            dst_port: request.dst_port,
            tag: tag(flow),
            ..AppFlow::new(request.dst, request.size, self.shared.class_of(flow))
        };
        let delay = request.start.since(Time::ZERO);
        match context.start_flow_after(delay, &message) {
            Ok(id) => {
                self.progress.under_way.insert(id, flow);
            }
            // No route leads to its destination, or it would start after the end of time.
            Err(_) => self.progress.lost.push(flow),
        }
    }

    /// Counts the end of `flow` for the flows that wait for it, and starts the ones that are ready.
    fn ended(&mut self, context: &mut AppContext<'_>, flow: u32) {
        for follower in self.progress.followers.remove(&flow).unwrap_or_default() {
            let Some(left) = self.progress.waiting.get_mut(&follower) else {
                continue;
            };
            *left -= 1;
            if *left == 0 {
                self.progress.waiting.remove(&follower);
                self.start(context, follower);
            }
        }
    }
}

impl Application for ListApplication {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        let waiting = &mut self.progress.waiting;
        let free: Vec<u32> = (waiting.iter().filter(|(_, left)| **left == 0))
            .map(|(&flow, _)| flow)
            .collect();
        waiting.retain(|_, left| *left > 0);
        for flow in free {
            self.start(context, flow);
        }
    }

    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        if let Some(flow) = self.progress.under_way.remove(&completion.flow.id) {
            self.ended(context, flow);
        }
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        let place = tag
            .checked_sub(1)
            .and_then(|place| u32::try_from(place).ok());
        let Some(place) = place.filter(|&place| (place as usize) < self.shared.list.flows().len())
        else {
            return;
        };
        let (own, request) = (self.shared.flow(place), &flow.request);
        // The tag alone is not enough, because flows of other workloads may have the same.
        if (own.src, own.dst, own.size) == (request.src, request.dst, request.size)
            && self.shared.class_of(place) == request.class
        {
            self.ended(context, place);
        }
    }

    fn waits_for(&self) -> Option<String> {
        let (&first, _) = self.progress.waiting.first_key_value()?;
        let waits = &self.shared.waits;
        let before = waits.after(first).iter();
        let left: Vec<String> = before
            .filter(|&other| self.progress.followers.contains_key(other))
            .map(|&other| waits.describe(other))
            .collect();
        Some(format!(
            "{} flows of host {}, the first of them {}, which waits for {}",
            self.progress.waiting.len(),
            self.shared.flow(first).src,
            waits.describe(first),
            left.join(", ")
        ))
    }

    fabricsim_base::saves_state!();
}

/// Returns the applications of the sources of `list`, with the dependencies `waits`.
pub(super) fn applications(
    list: &FlowList,
    waits: &Arc<Waits>,
    class: ClassId,
) -> HostApplications {
    let mut hosts: BTreeMap<NodeId, Progress> = BTreeMap::new();
    for (request, flow) in list.flows().iter().zip(0u32..) {
        let progress = hosts.entry(request.src).or_default();
        let before = waits.after(flow);
        progress.waiting.insert(flow, waits.needed(flow));
        for &other in before {
            progress.followers.entry(other).or_default().push(flow);
        }
    }
    let shared = Arc::new(Shared {
        list: list.clone(),
        waits: Arc::clone(waits),
        class,
    });
    let application = |(host, progress)| {
        let application: Box<dyn Application> = Box::new(ListApplication {
            shared: Arc::clone(&shared),
            progress,
        });
        (host, application)
    };
    hosts.into_iter().map(application).collect()
}
