//! The flows that a port of a switch has served.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{ClassId, FlowId};
use fabricsim_base::units::Time;
use rustc_hash::FxHashMap;

use super::part::Behind;

/// Number of changes from one flow to another to keep. A packet that waited for more of them was
/// behind unknown flows at first.
const RECENT: usize = 4_096;

/// The times from which a port has recently served another flow than before.
#[derive(Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Turns(VecDeque<(Time, FlowId)>);

/// The classes of all flows and connections that have started.
pub(super) type Classes = FxHashMap<FlowId, ClassId>;

impl Turns {
    /// Notes that the port serves `flow` from `at` on.
    #[inline]
    pub(super) fn note(&mut self, at: Time, flow: FlowId) {
        if self.0.back().is_some_and(|(_, last)| *last == flow) {
            return;
        }
        if self.0.len() == RECENT {
            self.0.pop_front();
        }
        self.0.push_back((at, flow));
    }

    /// Calls `visit` for each part of the interval from `from` to `to` in which the port served one
    /// owner, as seen by the flow `own`: with the end of the part, and the owner if it is known.
    pub(super) fn visit(
        &self,
        (from, to): (Time, Time),
        own: FlowId,
        classes: &Classes,
        visit: &mut dyn FnMut(Time, Option<Behind>),
    ) {
        let owner = |flow: FlowId| {
            if flow == own {
                return Some(Behind::Own);
            }
            classes.get(&flow).map(|class| Behind::Class(*class))
        };
        let first = self.0.partition_point(|(at, _)| *at <= from);
        let before = first.checked_sub(1).map(|before| self.0[before].1);
        let mut pending = before.and_then(owner);
        for (at, flow) in self.0.range(first..).take_while(|(at, _)| *at < to) {
            let next = owner(*flow);
            if next != pending {
                visit(*at, pending);
                pending = next;
            }
        }
        visit(to, pending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_divided_among_the_owners_in_front() {
        let at = Time::from_ns;
        let mut turns = Turns::default();
        for (ns, flow) in [(0, 1), (10, 2), (20, 2), (30, 3), (40, 7)] {
            turns.note(at(ns), FlowId(flow));
        }
        let classes = Classes::from_iter(
            [(1, 0), (2, 0), (3, 0), (7, 1)].map(|(flow, class)| (FlowId(flow), ClassId(class))),
        );
        let mut parts = Vec::new();
        turns.visit((at(5), at(45)), FlowId(3), &classes, &mut |end, owner| {
            parts.push((end, owner));
        });
        let class = |own| Some(Behind::Class(ClassId(own)));
        assert_eq!(
            parts,
            [
                (at(30), class(0)),
                (at(40), Some(Behind::Own)),
                (at(45), class(1))
            ]
        );
    }
}
