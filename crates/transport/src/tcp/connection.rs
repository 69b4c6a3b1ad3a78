//! One side of a connection: its opening, its two halves, and its current use.

mod opening;
mod probes;
mod segments;
mod stream;
mod waits;

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::Flow;
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{ClassId, FlowId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::{Flags, Packet, PacketKind};
use fabricsim_core::plugin::{EndpointCounters, Feedback};

use super::config::TcpParameters;
use super::handshake::{Handshake, State};
use super::header::{Bits, HasTcp};
use super::receiver::{Arrival, Receiver};
use super::sack;
use super::sender::{Incoming, TcpSender};
use super::timestamps;
use stream::Messages;

/// Current use of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(super) enum Task {
    /// Being opened for a request, which another connection may serve first.
    Dial,
    /// Sends the bytes of a flow.
    Send(Flow),
    /// Waits for the response of a flow.
    Fetch(Fetch),
    /// No current request.
    Idle,
    /// Being closed.
    Close,
    /// The other side sends.
    Receive,
    /// The other side sends requests.
    Serve,
    /// Both sides send messages, and the connection stays open.
    Stream,
}

impl Task {
    /// Returns the flow on the connection, if there is one.
    fn flow(&self) -> Option<&Flow> {
        match self {
            Self::Send(flow) => Some(flow),
            Self::Fetch(fetch) => Some(&fetch.flow),
            Self::Dial | Self::Idle | Self::Close | Self::Receive | Self::Serve | Self::Stream => {
                None
            }
        }
    }
}

/// A response that the connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(super) struct Fetch {
    pub(super) flow: Flow,
    /// Bytes delivered at the time of the request.
    pub(super) from: u64,
    /// Bytes that the other side had retransmitted at the time of the request.
    pub(super) again: u64,
}

/// An event caused by a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Event {
    /// Nothing outside of the connection.
    Nothing,
    /// The connection that this side requested is open.
    Opened,
    /// All bytes of the flow are acknowledged.
    Sent,
    /// The response has been read.
    Read,
    /// A message has been acknowledged, or more of a message has been delivered.
    Messages,
    /// Both sides have received everything: the connection may be removed.
    Ended,
}

/// Consequences of a packet for its connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) event: Event,
    /// `true` if the time of the next send is unchanged, and of all timers at most the delayed
    /// acknowledgement changed.
    pub(super) only_received: bool,
}

impl Outcome {
    /// Returns the outcome of `event`, if more than the receiving half may have changed.
    const fn of(event: Event) -> Self {
        Self {
            event,
            only_received: false,
        }
    }
}

/// One side of a connection.
///
/// Differs from the paper: the FIN of the side that opened the connection ends both directions (RFC
/// 9293, section 3.6, has one for each). By then the other side has nothing left to send.
// The field order matters: an arriving segment needs the first three cache lines, and an
// acknowledgement also needs the first lines of the sender. A host has more connections than fit in
// a cache, so each line is a miss.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
#[repr(C, align(64))]
pub(super) struct Connection {
    /// Times at which the endpoint next checks the connection's timers and its pacing.
    pub(super) timer_at: Time,
    pub(super) paced_at: Time,
    /// Time at which the endpoint lets the connection send, as of the last state change;
    /// [`Time::MAX`] if it must wait for another change.
    pub(super) due: Time,
    /// Bytes that the other side has retransmitted.
    pub(super) peer_again: u64,
    #[checkpoint(rebuilt)]
    parameters: Arc<TcpParameters>,
    /// Flow key of outgoing packets.
    #[checkpoint(rebuilt)]
    pub(super) key: FlowKey,
    #[checkpoint(rebuilt)]
    pub(super) id: FlowId,
    #[checkpoint(rebuilt)]
    pub(super) class: ClassId,
    #[checkpoint(rebuilt)]
    pub(super) nic: PortId,
    #[checkpoint(rebuilt)]
    pub(super) priority: Priority,
    feedback: Feedback,
    /// `true` for a connection opened without handshake, at the opening side. Its segments carry
    /// SYN until one is acknowledged.
    opens_with_data: bool,
    /// `true` if sent data is unacknowledged, as of the last state change.
    pub(super) awaits_ack: bool,
    pub(super) receiver: Receiver,
    pub(super) handshake: Handshake,
    /// The latest timestamp in an acknowledgement or SYN of the other side.
    heard: u32,
    #[checkpoint(rebuilt)]
    pub(super) task: Task,
    #[checkpoint(elsewhere)]
    pub(super) sender: TcpSender,
    #[checkpoint(rebuilt)]
    line_rate: Rate,
    /// Messages of this side, if both sides send messages.
    messages: Messages,
}

/// Identity of a connection, with its class and NIC port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    pub(super) id: FlowId,
    pub(super) class: ClassId,
    pub(super) nic: PortId,
    pub(super) priority: Priority,
    pub(super) key: FlowKey,
    /// Line rate of the NIC port.
    pub(super) line_rate: Rate,
    /// Time at which the connection is opened.
    pub(super) now: Time,
}

impl Connection {
    /// Requests `flow` on an open connection.
    pub(super) fn request(&mut self, flow: Flow) {
        self.task = Task::Fetch(Fetch {
            flow,
            from: self.receiver.delivered(),
            again: self.peer_again,
        });
        self.sender.write(u64::from(self.parameters.request));
    }

    /// Sends all of `flow`, then closes.
    pub(super) fn transmit(&mut self, flow: &Flow) {
        self.sender.write(flow.request.size.get());
        self.sender.close();
    }

    pub(super) fn close(&mut self) {
        self.task = Task::Close;
        self.sender.close();
    }

    /// Processes the arriving `packet`; replies go to `out`.
    #[inline]
    pub(super) fn on_packet<H: HasTcp>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        counters: &mut EndpointCounters,
        mut out: impl FnMut(&Packet<H>),
    ) -> Outcome {
        let header = packet.telemetry.tcp();
        let mut only_received = true;
        let bare_syn = header.bits.has(Bits::SYN) && packet.payload == 0;
        // While the connection opens, SYNs and the acknowledgement of the SYN-ACK need special
        // treatment.
        if self.handshake.state != State::Open || bare_syn {
            if bare_syn {
                return Outcome::of(self.on_syn(now, packet, out));
            }
            if self.handshake.state == State::SynSent {
                // Before the SYN-ACK, no other packet has a meaning.
                return Outcome::of(Event::Nothing);
            }
            if packet.is(PacketKind::Ack) && self.handshake.sent == 1 {
                self.sender.on_handshake(now, packet.sent_at);
            }
            self.handshake.open();
            only_received = false;
        }
        // A segment may carry both data and an acknowledgement; each half handles its own part.
        let header = packet.telemetry.tcp();
        if packet.is(PacketKind::Data) {
            only_received &= !self.on_segment(now, packet, counters, &mut out);
        } else if let Some(sent) = timestamps::of_acknowledgement(packet, header) {
            self.heard = timestamps::later(self.heard, sent);
        }
        debug_assert_eq!(
            self.awaits_ack,
            self.sender.awaits_ack(),
            "the endpoint has seen the last change"
        );
        // If all sent data is acknowledged, an acknowledgement changes nothing and can be skipped.
        if header.bits.has(Bits::ACK) && self.awaits_ack {
            only_received = false;
            let blocks = sack::blocks(packet, header);
            let pure = packet.is(PacketKind::Ack);
            let whole = packet.flags.has(Flags::COMPLETE);
            let newly = self.sender.on_ack(
                now,
                &Incoming {
                    cumulative: if whole { u64::MAX } else { header.ack() },
                    blocks: &blocks,
                    ece: header.bits.has(Bits::ECE),
                    ce_count: header.ce_count(),
                    echo: pure.then_some(packet.sent_at),
                },
            );
            counters.acknowledged += Bytes::new(newly);
        }
        Outcome {
            event: self.event(),
            only_received,
        }
    }

    /// Processes the segment in `packet`. Returns `true` if it causes more data to send.
    #[inline]
    fn on_segment<H: HasTcp>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        counters: &mut EndpointCounters,
        mut out: impl FnMut(&Packet<H>),
    ) -> bool {
        let header = packet.telemetry.tcp();
        counters.arrived += Bytes::new(u64::from(packet.payload));
        let arrival = Arrival {
            seq: packet.seq,
            payload: packet.payload,
            fin: header.bits.has(Bits::FIN),
            marked: packet.flags.has(Flags::CONGESTION),
            cwr: header.bits.has(Bits::CWR),
            sent_at: packet.sent_at,
        };
        let taken = self.receiver.on_segment(now, &arrival, &self.parameters);
        counters.delivered += Bytes::new(taken.delivered);
        if let Some(report) = taken.before {
            self.acknowledge(now, report, &mut out);
        }
        let asks = header.bits.has(Bits::REQUEST) && taken.delivered > 0;
        let writes = asks && self.task == Task::Serve;
        if writes {
            self.sender.write(header.aside().get());
        } else if !header.bits.has(Bits::REQUEST) {
            self.peer_again = self.peer_again.max(header.aside().get());
        }
        if taken.at_once {
            self.acknowledge_now(now, out);
        }
        writes
    }

    #[inline]
    fn event(&self) -> Event {
        match &self.task {
            Task::Send(_) if self.sender.is_done() => Event::Sent,
            Task::Fetch(fetch) if self.has_read(fetch) => Event::Read,
            Task::Close if self.sender.is_done() => Event::Ended,
            Task::Receive if self.receiver.is_ended() => Event::Ended,
            Task::Serve if self.receiver.is_ended() && self.sender.is_done() => Event::Ended,
            Task::Stream if self.stream_moves() => Event::Messages,
            _ => Event::Nothing,
        }
    }

    fn has_read(&self, fetch: &Fetch) -> bool {
        self.receiver.delivered() - fetch.from >= fetch.flow.request.size.get()
    }

    /// Returns `true` if a segment may leave as soon as pacing allows it.
    #[inline]
    pub(super) fn may_send(&self) -> bool {
        self.handshake.state == State::Open && self.sender.may_send()
    }

    /// Returns the time at which the next segment may leave, or [`Time::MAX`] if none may.
    #[inline]
    pub(super) fn next_send(&self) -> Time {
        if self.may_send() {
            self.sender.paced
        } else {
            Time::MAX
        }
    }

    /// Returns the time of the next call to [`Self::on_deadline`].
    #[inline]
    pub(super) fn deadline(&self) -> Time {
        self.sender
            .deadline()
            .min(self.receiver.ack_by)
            .min(self.handshake.resend_at)
    }

    /// Handles due timers. Returns `true` if the retransmission timeout expired.
    pub(super) fn on_deadline<H: HasTcp>(
        &mut self,
        now: Time,
        mut out: impl FnMut(&Packet<H>),
    ) -> bool {
        if self.handshake.resend_at <= now {
            self.send_syn(now, &mut out);
            return true;
        }
        if self.receiver.ack_by <= now {
            self.acknowledge_now(now, &mut out);
        }
        self.on_probe_deadline(now, out);
        self.sender.deadline() <= now && self.sender.on_deadline(now)
    }

    /// Returns the flow on the connection, if this side knows it.
    pub(super) fn flow(&self) -> Option<&Flow> {
        self.task.flow()
    }

    /// Returns the payload bytes of the flow that have arrived, as far as this side knows.
    pub(super) fn progress(&self) -> Bytes {
        Bytes::new(match &self.task {
            Task::Fetch(fetch) => self.receiver.delivered() - fetch.from,
            _ => self.sender.acknowledged(),
        })
    }
}
