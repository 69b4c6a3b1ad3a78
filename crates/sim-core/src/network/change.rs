//! Changes to a network while it runs: links fail and come back, and routes follow.

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

/// A change at one instant, before any other event of that instant.
#[derive(Clone, Debug)]
pub enum Change<R> {
    /// A link changes, in both directions.
    Link(LinkEnds, LinkChange),
    /// A switch forwards by another table from now on.
    Routing(NodeId, R),
}

/// A change to a link.
#[derive(Clone, Debug)]
pub enum LinkChange {
    /// It fails. What is under way on it and what waits for it in switches is lost, what is routed
    /// to it later is dropped, and pauses between its ends are over. Hosts keep what they have not
    /// sent.
    Down,
    /// It carries packets again.
    Up,
    /// Packets that leave from now on take the times of this rate. Marks, buffer shares and delay
    /// stay.
    Rate(Rate, LineTiming),
    /// It loses packets with this probability from now on. A direction that has drawn before goes
    /// on with its own stream, another one takes that of its end.
    Loss(f64, [Stream; 2]),
}

/// Applies `change` at `now`, when everything before `now` has happened and nothing else.
pub(super) fn apply<M: Model>(
    processes: &mut Processes<'_, Node<M>>,
    now: Time,
    change: Change<M::Routing>,
) {
    match change {
        Change::Routing(node, routing) => {
            processes.update(node.index(), |node| match node {
                Node::Switch(switch) => switch.set_routing(routing),
                Node::Host(_) => unreachable!("hosts have no forwarding table"),
            });
        }
        Change::Link(ends, change) => change_link(processes, now, ends, change),
    }
}

/// Tells all hosts that the network has changed at `now`.
pub(super) fn tell_hosts<M: Model>(processes: &mut Processes<'_, Node<M>>, now: Time) {
    for index in 0..processes.count() {
        processes.update(index, |node| match node {
            Node::Host(host) => host.on_network_change(now),
            Node::Switch(_) => {}
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
