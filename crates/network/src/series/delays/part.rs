//! The parts of a completion time, and the way of a packet in such parts.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{ClassId, NodeId, PortId};
use fabricsim_base::units::{Duration, Time};

/// A stage of a flow. The time of each flow is divided among the five stages, and in each stage
/// among [parts](Part).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
pub(super) enum Stage {
    /// Until the connection has sent its earlier messages, divided as if the message itself were sent.
    Connection,
    /// From the start to the departure of the deciding packet, without full windows. The
    /// acknowledgement of the deciding packet completes the flow.
    Sending,
    /// Full windows before that departure, divided by the way of the packet whose acknowledgement
    /// ended the wait.
    Window,
    /// The way of the deciding packet to the receiver.
    Packet,
    /// From its arrival to the arrival of its acknowledgement.
    Acknowledgement,
}

impl Stage {
    /// Returns the name in files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Sending => "sending",
            Self::Window => "window",
            Self::Packet => "packet",
            Self::Acknowledgement => "acknowledgement",
        }
    }
}

/// The reason why time passes.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
pub(super) enum Part {
    /// No route leads to the receiver, because links or switches have failed.
    Route,
    /// The connection is being opened.
    Handshake,
    /// Bits on a wire.
    Transmission,
    /// Signals on a wire, and stacks of hosts.
    Propagation,
    /// Bits on the sender's wire that it had sent before.
    Retransmission,
    /// The pacing rate.
    Pacing,
    /// Credit of the receiver.
    Credit,
    /// Other packets at the sender's port.
    Nic,
    /// Other packets in the queue of a switch.
    Queue,
    /// A pause by PFC, of a switch or of the sender.
    Pause,
    /// The acknowledgement at the receiver: its delay, and other packets at the receiver's port.
    Receiver,
    /// Nothing left to send until a lost packet is noticed, or a window until a timeout.
    Recovery,
    /// Unknown.
    Unexplained,
}

impl Part {
    /// Returns the name in files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Route => "route",
            Self::Handshake => "handshake",
            Self::Transmission => "transmission",
            Self::Propagation => "propagation",
            Self::Retransmission => "retransmission",
            Self::Pacing => "pacing",
            Self::Credit => "credit",
            Self::Nic => "nic",
            Self::Queue => "queue",
            Self::Pause => "pause",
            Self::Receiver => "receiver",
            Self::Recovery => "recovery",
            Self::Unexplained => "unexplained",
        }
    }
}

/// The owner of the packets that a port served while a packet waited.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub(super) enum Behind {
    /// The flow or connection of the packet itself.
    Own,
    /// Other flows of a class.
    Class(ClassId),
}

/// A part, with the port at which it occurs if it belongs to one, and the owner of the packets in
/// front if it is [`Part::Queue`].
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub(super) struct Spent {
    pub(super) stage: Stage,
    pub(super) part: Part,
    pub(super) at: Option<(NodeId, PortId)>,
    pub(super) behind: Option<Behind>,
}

/// Returns a part that belongs to no port.
pub(super) const fn spent(stage: Stage, part: Part) -> Spent {
    Spent {
        stage,
        part,
        at: None,
        behind: None,
    }
}

/// A node on the way of a packet, and the wire to the next node.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(super) struct Step {
    pub(super) port: PortId,
    /// `true` on the way of an acknowledgement.
    pub(super) is_ack: bool,
    /// Arrival of the last byte; at the sender, the departure.
    pub(super) arrived: Time,
    /// Departure of the first byte.
    pub(super) left: Time,
    /// Time for which the packet's priority was paused in between.
    pub(super) paused: Duration,
    /// Arrival of the last byte at the next node.
    pub(super) next: Time,
}

/// An interval of a packet's way.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Leg {
    pub(super) from: Time,
    pub(super) to: Time,
    pub(super) part: Part,
    pub(super) at: Option<(NodeId, PortId)>,
    pub(super) behind: Option<Behind>,
    /// `true` from the arrival of the data at the receiver on.
    pub(super) after_data: bool,
}

impl Leg {
    /// Returns the part of `stage` that the leg is.
    pub(super) const fn spent(&self, stage: Stage) -> Spent {
        Spent {
            stage,
            part: self.part,
            at: self.at,
            behind: self.behind,
        }
    }
}

/// Appends the legs of `step` at `node`, whose wire has `delay`, to `legs`. `behind` calls its
/// argument with the owners of the packets that the port served in an interval, in order, each with
/// the end of its part of the interval.
pub(super) fn add_legs(
    node: NodeId,
    step: &Step,
    delay: Duration,
    behind: impl FnOnce(Time, Time, &mut dyn FnMut(Time, Option<Behind>)),
    legs: &mut Vec<Leg>,
) {
    let place = Some((node, step.port));
    let mut from = step.arrived;
    let mut add = |to: Time, part, at, behind| {
        if to > from {
            legs.push(Leg {
                from,
                to,
                part,
                at,
                behind,
                after_data: step.is_ack,
            });
            from = to;
        }
    };
    let resumed = step.arrived + step.paused.min(step.left.since(step.arrived));
    add(resumed, Part::Pause, place, None);
    if resumed < step.left {
        behind(resumed, step.left, &mut |to, owner| {
            add(to, Part::Queue, place, owner);
        });
    }
    add(step.left, Part::Queue, place, None);
    add(before(step.next, delay), Part::Transmission, None, None);
    add(step.next, Part::Propagation, None, None);
}

/// Returns the time `delay` before `at`.
pub(super) const fn before(at: Time, delay: Duration) -> Time {
    Time::from_ps(at.as_ps().saturating_sub(delay.as_ps()))
}
