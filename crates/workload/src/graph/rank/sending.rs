//! Messages that a rank sends.

use fabricsim_base::id::FlowId;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::{AppContext, AppFlow};

use super::super::plan::{Connections, SendEnd};
use super::super::program::Program;
use super::RankApplication;

/// Placeholder for a flow in a message of a rank to itself, which has no flow.
const NO_FLOW: FlowId = FlowId(u32::MAX);

impl RankApplication {
    /// Starts the message `(channel, to, size, tag)` of the send `operation`.
    pub(super) fn send(
        &mut self,
        context: &mut AppContext<'_>,
        program: &Program,
        operation: u32,
        (channel, to, size, tag): (u16, u32, Bytes, u64),
    ) {
        if to == self.rank {
            return self.send_to_itself(context, program, (operation, tag));
        }
        let plan = &self.plan;
        let (peer, class) = (plan.host_of(to), plan.info.class);
        let message = match plan.connections {
            Connections::PerMessage => Some(AppFlow {
                priority: plan.priority,
                dst_port: plan.dst_port,
                ..AppFlow::new(peer, size, class)
            }),
            Connections::Kept => {
                let connection = match self.connections.get(&(to, channel)) {
                    Some(connection) => Some(*connection),
                    None => context
                        .connect(peer, class, plan.priority, plan.dst_port)
                        .ok()
                        .inspect(|connection| {
                            self.connections.insert((to, channel), *connection);
                        }),
                };
                connection.map(|connection| AppFlow::on(&connection, size))
            }
        };
        let waits = plan.send_end == SendEnd::Acknowledged;
        let tag = self.wire_tag(tag);
        let started = message.map(|message| context.start_flow(&message.with_tag(tag)));
        if let Some(Ok(flow)) = started {
            self.record(|own| own.sends(operation, flow));
            if let Some(progress) = &mut self.progress {
                progress.sends(flow);
            }
        }
        match started {
            Some(Ok(flow)) if waits => {
                // A host numbers its flows upwards.
                debug_assert!(
                    self.unacknowledged
                        .back()
                        .is_none_or(|&(last, _)| last < flow)
                );
                self.unacknowledged.push_back((flow, operation));
            }
            Some(Ok(_)) => self.end(context, program, operation),
            // No route leads to its destination, or the run ends because no flow numbers are left.
            Some(Err(_)) | None => self.lost.push(operation),
        }
    }

    /// Immediately delivers a message of the rank to itself: no network is involved, and a copy in
    /// memory takes no time.
    fn send_to_itself(
        &mut self,
        context: &mut AppContext<'_>,
        program: &Program,
        (operation, tag): (u32, u64),
    ) {
        let tag = self.wire_tag(tag);
        if let Some(receipt) = self.state.mailbox.deliver(self.rank, tag, NO_FLOW) {
            self.received(context, program, receipt, (self.rank, NO_FLOW));
        }
        self.end(context, program, operation);
    }
}
