//! Changes to a network during a run: links fail and recover, and routes follow.

use super::node::Node;
use crate::network::LineTiming;
use crate::packet::PacketKind;
use crate::plugin::Model;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::ranks::gather;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Rate, Time};
use fabricsim_engine::Processes;

/// The two ends of a link.
pub type LinkEnds = [(NodeId, PortId); 2];

/// A change at some time, before any other event of that time.
#[derive(Clone, Debug)]
pub enum Change<R> {
    /// A link changes, in both directions.
    Link(LinkEnds, LinkChange),
    /// A switch has a new forwarding table.
    Routing(NodeId, R),
}

/// A change to a link.
#[derive(Clone, Debug)]
pub enum LinkChange {
    /// The link fails. Packets on the wire and packets queued for it in switches are lost, packets
    /// routed to it later are dropped, and pauses between its ends are over. Hosts keep their
    /// unsent packets.
    Down,
    /// The link carries packets again.
    Up,
    /// Packets that leave from now on have the transmission times of this rate. Marking thresholds,
    /// buffer shares and delay do not change.
    Rate(Rate, LineTiming),
    /// The link loses packets with this probability from now on. A direction that has drawn before
    /// keeps its own stream; otherwise it gets the stream of its end.
    Loss(f64, [Stream; 2]),
}

/// Applies `change` at `now`, after all events before `now` and before any other.
pub(super) fn apply<M: Model>(
    processes: &mut Processes<'_, Node<M>>,
    now: Time,
    change: Change<M::Routing>,
) {
    match change {
        Change::Routing(node, routing) => {
            processes.update(node.index(), |node| node.set_routing(routing));
        }
        Change::Link(ends, change) => change_link(processes, now, ends, change),
    }
}

/// Notifies all hosts that the network has changed at `now`.
pub(super) fn tell_hosts<M: Model>(processes: &mut Processes<'_, Node<M>>, now: Time) {
    for index in 0..processes.count() {
        processes.update(index, |node| {
            if let Some(host) = node.host_mut() {
                host.on_network_change(now);
            }
        });
    }
}

fn change_link<M: Model>(
    processes: &mut Processes<'_, Node<M>>,
    now: Time,
    ends: LinkEnds,
    change: LinkChange,
) {
    match change {
        LinkChange::Down => {
            let [one, other] = ends;
            for ((node, port), from) in [(one, other), (other, one)] {
                let mut lost = 0u64;
                processes.recall(node.index(), port.index(), |node, packet| {
                    node.lose(now, packet);
                    lost += u64::from(packet.kind() != PacketKind::Pause);
                });
                if processes.are_apart(node.index(), from.0.index()) {
                    lost = gather(processes.ranks(), lost).into_iter().sum();
                }
                processes.update(from.0.index(), |node| node.count_lost(from.1, lost));
                processes.update(node.index(), |node| node.link_down(now, port));
            }
        }
        LinkChange::Up => {
            for (node, port) in ends {
                processes.update(node.index(), |node| node.link_up(now, port));
            }
        }
        LinkChange::Rate(rate, timing) => {
            for (node, port) in ends {
                let timing = timing.clone();
                processes.update(node.index(), |node| node.set_rate(port, rate, timing));
            }
        }
        LinkChange::Loss(probability, streams) => {
            for ((node, port), stream) in ends.into_iter().zip(streams) {
                processes.update(node.index(), |node| {
                    node.set_loss(port, probability, stream);
                });
            }
        }
    }
}
