//! Checks of all nodes between epochs.

use crate::network::health::Finding;
use crate::network::node::Node;
use crate::network::{Overload, Room, Stop};
use crate::plugin::{Endpoint, Model};
use fabricsim_base::ranks::gather;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_engine::Processes;

/// Returns the outcome of a run after the end of all flows: finished, or stalled if an application
/// still waits for something.
pub(super) fn ended<M: Model>(processes: &Processes<'_, Node<M>>) -> Stop {
    let waits = processes.iter().any(|node| {
        node.host()
            .is_some_and(|host| !host.applications_wait_for().is_empty())
    });
    let waits = gather(processes.ranks(), waits)
        .into_iter()
        .any(|waits| waits);
    if waits { Stop::Stalled } else { Stop::Finished }
}

/// Checks all nodes for progress and limits.
pub(super) fn look<M: Model>(processes: &mut Processes<'_, Node<M>>, room: &Room) -> Finding {
    let mut finding = Finding {
        acknowledged: Bytes::ZERO,
        paused_since: Time::MAX,
        events: 0,
        overload: None,
    };
    processes.for_each(|node| {
        finding.events += node.counters().events;
        if let Some(host) = node.host() {
            let waiting = host.endpoint().waiting_acks();
            if waiting > room.waiting_acks && finding.overload.is_none() {
                let host = host.id();
                finding.overload = Some(Overload::Acks { host, waiting });
            }
            finding.acknowledged += host.endpoint().counters().acknowledged;
        }
        if let Some(switch) = node.switch() {
            finding.paused_since = finding.paused_since.min(switch.paused_since());
        }
    });
    let all = gather(processes.ranks(), finding).into_iter();
    all.reduce(Finding::and).expect("there is a rank")
}
