//! The flows of incast events, made when they are due.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::Time;

use super::{IncastConfig, Timing};
use crate::arrivals::exponential_gap;

/// The current event and the state for drawing the next one.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub(super) struct Incast {
    #[checkpoint(rebuilt)]
    pub(super) config: IncastConfig,
    #[checkpoint(rebuilt)]
    pub(super) class: ClassId,
    #[checkpoint(rebuilt)]
    pub(super) timing: Timing,
    pub(super) arrivals: Stream,
    pub(super) peers: Stream,
    /// The hosts to draw from; the hosts of the current event are at the front.
    pub(super) hosts: Vec<NodeId>,
    /// The start of the current event.
    pub(super) due: Option<Time>,
    /// Number of flows of the current event that have been returned.
    pub(super) sent: usize,
}

impl Incast {
    /// Moves `count` distinct random hosts to the front (a partial Fisher-Yates shuffle).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a draw is below the number of hosts"
    )]
    fn draw(&mut self, count: usize) {
        for i in 0..count {
            let other = i + self.peers.below((self.hosts.len() - i) as u64) as usize;
            self.hosts.swap(i, other);
        }
    }

    fn after(&mut self, event: Time) -> Option<Time> {
        let (next, end) = match self.timing {
            Timing::Once(_) => return None,
            Timing::Every { period, end } => (event.saturating_add(period), end),
            Timing::Random { mean_gap_secs, end } => (
                event.saturating_add(exponential_gap(&mut self.arrivals, mean_gap_secs)),
                end,
            ),
        };
        Some(next).filter(|next| *next < end)
    }
}

impl FlowSource for Incast {
    fn next_start(&self) -> Option<Time> {
        self.due
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let start = self.due?;
        let fan_in = self.config.fan_in as usize;
        let drawn_receivers = usize::from(self.config.receiver.is_none());
        if self.sent == 0 {
            self.draw(drawn_receivers + fan_in);
        }
        let src = self.hosts[drawn_receivers + self.sent];
        let dst = self.config.receiver.unwrap_or(self.hosts[0]);
        self.sent += 1;
        if self.sent == fan_in {
            self.sent = 0;
            self.due = self.after(start);
        }
        Some(FlowRequest {
            src,
            dst,
            size: self.config.size,
            start,
            class: self.class,
            priority: Priority::new(self.config.priority),
            src_port: None,
            dst_port: self.config.dst_port,
        })
    }

    fabricsim_base::saves_state!();
}
