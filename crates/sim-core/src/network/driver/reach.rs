//! The length of the next epoch.
//!
//! A run is over one lookahead after the end of its last flow, independently of the division into
//! epochs. An epoch of one lookahead cannot run past that time. A longer epoch must be known to end
//! before it: it ends at most one lookahead after the start of a future flow, or at a time before
//! which a current flow cannot have ended.

use super::NetworkDriver;
use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::flow::FlowRequest;
use fabricsim_base::ranks::gather;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_engine::{Epoch, Execution, Processes};

impl<R> NetworkDriver<'_, R> {
    /// Returns the epoch that begins at `start`, in a run that is over at `over`. No node is behind
    /// at its end if that is the next check or change, or if the search for periods cuts it at
    /// `cut`.
    pub(super) fn next_epoch<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        start: Time,
        (over, cut): (Time, Time),
    ) -> Option<Epoch> {
        let look_at = self.look_at(over);
        let end = self.reach(processes, start, look_at.min(cut))?;
        self.state.ran = end;
        self.state.health.forget();
        // Lazy nodes may stay behind, unless a check or a change at `end` needs all of them.
        let execution = if end == look_at || cut < Time::MAX {
            self.state.level = end;
            Execution::Eager
        } else {
            Execution::Lazy
        };
        Some(Epoch {
            start,
            end,
            execution,
        })
    }

    /// Hands the flows that start before the end of the epoch that begins at `start` to their
    /// hosts. Returns that end, at most `look_at`, or `None` if there is no room for the flows.
    pub(super) fn reach<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        start: Time,
        look_at: Time,
    ) -> Option<Time> {
        let lookahead = processes.lookahead();
        let far = start.saturating_add(processes.longest_epoch()).min(look_at);
        let mut end = start.saturating_add(lookahead).min(look_at);
        while self.inject(processes, end) {
            // Keep the epoch short in these cases: applications may start flows at any time, and
            // the number of live flows, which may end the run, is not known within an epoch.
            let few = self.live() < self.room.live_flows / 2;
            if end >= far || self.state.applications.is_some() || !few {
                return Some(end);
            }
            end = if far <= self.state.not_over_before {
                far
            } else if let Some(next) = self.source.next_start() {
                next.saturating_add(lookahead).min(far)
            } else {
                return Some(end);
            };
        }
        None
    }

    /// Records a flow that is handed to its host. The run cannot be over before the flow ends or,
    /// if it is endless, before it starts.
    pub(super) fn note_flow<M: Model>(
        &mut self,
        processes: &Processes<'_, Node<M>>,
        request: &FlowRequest,
    ) {
        if request.is_endless() {
            self.state.endless += 1;
            self.state.settled = self.state.settled.max(request.start);
            return;
        }
        if processes.longest_epoch() == processes.lookahead() {
            return;
        }
        let fastest = *self.state.fastest.get_or_insert_with(|| {
            let hosts = processes
                .iter()
                .filter_map(Node::host)
                .map(|host| host.capacity());
            let own = hosts.max().unwrap_or(0);
            gather(processes.ranks(), own)
                .into_iter()
                .max()
                .unwrap_or(0)
        });
        if let Some(fastest) = Rate::from_bps(fastest) {
            // Only a part of the size, because packets of the published simulator take less than
            // their exact time.
            let part = Bytes::new(request.size.get() / 4 * 3);
            let ends = (request.start).saturating_add(fastest.transmission(part));
            self.state.not_over_before = self.state.not_over_before.max(ends);
        }
    }

    /// Discards the values derived from the rates of ports, which may have changed.
    pub(super) fn forget_rates(&mut self) {
        self.state.fastest = None;
        self.state.not_over_before = Time::ZERO;
    }
}
