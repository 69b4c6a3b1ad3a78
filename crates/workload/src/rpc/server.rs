//! The application of a host that responds to queries.

use std::sync::Arc;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::Flow;
use fabricsim_base::units::Duration;
use fabricsim_core::plugin::{AppContext, AppFlow, Application, StartError};

use super::plan::{Plan, RESPONSE};

/// Responds to each query of its workload after its service time.
#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
pub(super) struct RpcServer {
    #[checkpoint(rebuilt)]
    pub(super) plan: Arc<Plan>,
    /// Number of responses that would leave after the end of simulated time.
    pub(super) late: u64,
}

impl RpcServer {
    pub(super) const fn new(plan: Arc<Plan>) -> Self {
        Self { plan, late: 0 }
    }
}

impl Application for RpcServer {
    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        if flow.request.class != self.plan.class || tag & RESPONSE != 0 {
            return;
        }
        let response = match flow.reply_connection() {
            Some(connection) => AppFlow::on(&connection, self.plan.response),
            // If the query is a separate flow, the ports of its response are the ports of the
            // query, swapped.
            None => AppFlow {
                dst_port: flow.key().src_port,
                ..self.plan.flow(flow.request.src, self.plan.response)
            },
        };
        let response = response.with_tag(tag | RESPONSE);
        let started = match self.plan.service_time(flow.request.src, tag) {
            Duration::ZERO => context.start_flow(&response),
            service => context.start_flow_after(service, &response),
        };
        // If no flow numbers are left, the start also fails, but the run ends.
        self.late += u64::from(matches!(started, Err(StartError::Refused(_))));
    }

    fn waits_for(&self) -> Option<String> {
        (self.late > 0).then(|| {
            format!(
                "the time of {} responses, which is beyond the end of simulated time (53 days): \
                 `service` is too long",
                self.late
            )
        })
    }

    fabricsim_base::saves_state!();
}
