//! How far the next epoch may reach.
//!
//! A run is over a moment after its last flow has ended, wherever epochs begin. An epoch of one lookahead
//! cannot miss that moment. A longer one, in which two sides of a network take turns, ends before it:
//! while flows are yet to start, or while one is under way that is too large to end.

use super::NetworkDriver;
use crate::engine::Processes;
use crate::flow::FlowRequest;
use crate::network::node::Node;
use crate::plugin::Model;
use crate::ranks::gather;
use crate::units::{Bytes, Rate, Time};

impl<R> NetworkDriver<'_, R> {
    /// Hands the flows that start before the end of the epoch which begins at `start` to their hosts.
    /// Returns that end, at most `look_at`, or `None` where there is no room for the flows.
    pub(super) fn reach<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        start: Time,
        look_at: Time,
    ) -> Option<Time> {
        let end = start.saturating_add(processes.lookahead()).min(look_at);
        let far = start.saturating_add(processes.longest_epoch()).min(look_at);
        // Applications may start flows at any time, and end the run with the number of those that live.
        let may_reach = far > end
            && self.state.applications.is_none()
            && self.live() < self.room.live_flows / 2;
        if !may_reach {
            return self.inject(processes, end).then_some(end);
        }
        if !self.inject(processes, far) {
            return None;
        }
        let goes_on = self.source.next_start().is_some() || far <= self.state.not_over_before;
        Some(if goes_on { far } else { end })
    }

    /// Takes note of a flow that is handed to its host: the run is not over before it ends.
    pub(super) fn note_size<M: Model>(
        &mut self,
        processes: &Processes<'_, Node<M>>,
        request: &FlowRequest,
    ) {
        if processes.longest_epoch() == processes.lookahead() || request.is_endless() {
            return;
        }
        let fastest = *self.state.fastest.get_or_insert_with(|| {
            let hosts = processes.iter().map(|node| match node {
                Node::Host(host) => host.capacity(),
                Node::Switch(_) => 0,
            });
            let own = hosts.max().unwrap_or(0);
            gather(processes.ranks(), own)
                .into_iter()
                .max()
                .unwrap_or(0)
        });
        if let Some(fastest) = Rate::from_bps(fastest) {
            // Less than all of it, as the published simulator's packets take less than their time.
            let most = Bytes::new(request.size.get() / 8 * 7);
            let ends = (request.start).saturating_add(fastest.transmission(most));
            self.state.not_over_before = self.state.not_over_before.max(ends);
        }
    }

    /// Forgets what has followed from the rates of ports, which may have changed.
    pub(super) fn forget_rates(&mut self) {
        self.state.fastest = None;
        self.state.not_over_before = Time::ZERO;
    }
}
