//! The flows that the ports of switches have served.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::units::Time;
use rustc_hash::FxHashMap;

use super::part::Behind;

/// Number of changes from one flow to another that are kept for each port. A packet that waited for
/// more of them was behind unknown flows at first.
const RECENT: usize = 65_536;

/// The order in which the ports have recently served flows, and the classes of all flows.
#[derive(Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Served {
    /// By port: the times from which it served a flow.
    ports: FxHashMap<(NodeId, PortId), VecDeque<(Time, FlowId)>>,
    classes: FxHashMap<FlowId, ClassId>,
}

impl Served {
    /// Notes the class of a flow or connection.
    pub(super) fn note_class(&mut self, flow: FlowId, class: ClassId) {
        self.classes.insert(flow, class);
    }

    /// Notes that `port` serves `flow` from `at` on.
    pub(super) fn note(&mut self, port: (NodeId, PortId), at: Time, flow: FlowId) {
        let turns = self.ports.entry(port).or_default();
        turns.push_back((at, flow));
        if turns.len() > RECENT {
            turns.pop_front();
        }
    }

    /// Calls `visit` for each part of the interval from `from` to `to` in which `port` served one
    /// owner, as seen by `own`: with the end of the part, and the owner if it is known.
    pub(super) fn visit(
        &self,
        port: (NodeId, PortId),
        (from, to): (Time, Time),
        own: FlowId,
        visit: &mut dyn FnMut(Time, Option<Behind>),
    ) {
        let Some(turns) = self.ports.get(&port) else {
            return;
        };
        let first = turns.partition_point(|(at, _)| *at <= from);
        let mut owner = first.checked_sub(1).map(|before| turns[before].1);
        let mut pending = self.owner(owner, own);
        for (at, flow) in turns.range(first..).take_while(|(at, _)| *at < to) {
            owner = Some(*flow);
            let next = self.owner(owner, own);
            if next != pending {
                visit(*at, pending);
                pending = next;
            }
        }
        visit(to, pending);
    }

    fn owner(&self, flow: Option<FlowId>, own: FlowId) -> Option<Behind> {
        let flow = flow?;
        if flow == own {
            return Some(Behind::Own);
        }
        self.classes.get(&flow).map(|class| Behind::Class(*class))
    }
}
