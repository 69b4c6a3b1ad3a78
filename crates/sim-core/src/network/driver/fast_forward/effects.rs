//! Repeated calls of applications.

use std::collections::BTreeMap;

use super::history::History;
use super::periods::{Goal, Period};
use crate::network::applications::{Call, Cause};
use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::Time;
use fabricsim_engine::Processes;

/// What has happened since the beginning of a period that may repeat one of the past.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub(super) calls: Vec<(usize, Call)>,
    started: BTreeMap<FlowId, Flow>,
    pub(super) completions: Vec<Completion>,
}

impl Effects {
    /// Calls the applications with the events of each of `periods` that has a goal, from `now` on,
    /// for as long as they request the same as in one of them. Returns this one, and the number of
    /// calls that have repeated its calls.
    pub(super) fn repeat<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        history: &History,
        (periods, mut goals): (&[Period], Vec<(usize, Goal)>),
        now: Time,
    ) -> (usize, usize) {
        let begins = |own: &Period| history.past[own.past].snapshot.now();
        let mut next = 0;
        loop {
            let (first, _) = goals[0];
            if let Some(&(index, _)) = goals.iter().find(|(_, goal)| goal.calls == next) {
                return (index, next);
            }
            let own = &periods[first];
            let (host, recorded) = &history.calls[own.calls.start + next];
            let at = now + recorded.at.since(begins(own));
            let node = NodeId(u32::try_from(*host).expect("nodes are numbered by 32 bits"));
            let cause = own.shift.cause(node, &recorded.cause);
            let Some(call) = self.call(processes, history, (*host, at), cause) else {
                debug_assert!(false, "the network has done the same");
                return (first, next);
            };
            goals.retain(|&(index, _)| {
                let own = &periods[index];
                let (other, recorded) = &history.calls[own.calls.start + next];
                other == host
                    && recorded.at.since(begins(own)) == at.since(now)
                    && own.shift.repeats(&recorded.made, &call.made)
            });
            self.calls.push((*host, call));
            if goals.is_empty() {
                return (first, next);
            }
            next += 1;
        }
    }

    /// Calls the applications of `host` at `at`.
    fn call<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        history: &History,
        (host, at): (usize, Time),
        cause: Cause,
    ) -> Option<Call> {
        let mut ended = Vec::new();
        if let Cause::Network { finished, .. } = &cause {
            for &(id, retransmitted) in finished {
                let flow = self.started.get(&id).or_else(|| history.live.get(&id))?;
                ended.push(Completion {
                    flow: *flow,
                    finish: at,
                    retransmitted,
                });
            }
        }
        let made = processes.update(host, |node| {
            (node.host_mut()).and_then(|host| host.call_only(at, &cause, &ended))
        });
        let made = made.flatten()?;
        for (flow, _) in &made.starts {
            self.started.insert(flow.id, *flow);
        }
        self.completions.append(&mut ended);
        Some(Call { at, cause, made })
    }
}

/// Lets the hosts do what was requested in `calls` when the network reaches their times.
pub(super) fn foresee<M: Model>(processes: &mut Processes<'_, Node<M>>, calls: Vec<(usize, Call)>) {
    for (host, call) in calls {
        processes.update(host, |node| {
            if let Some(host) = node.host_mut()
                && let Some(applications) = host.own_applications_mut()
            {
                applications.foresee(call);
            }
        });
    }
}
