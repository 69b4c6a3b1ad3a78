//! Opening of a connection, by either side.

use std::sync::Arc;

use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{Feedback, FlowStart, PathStability};

use super::{Connection, Event, Identity, Messages, Task};
use crate::tcp::config::TcpParameters;
use crate::tcp::handshake::{Handshake, State, agree};
use crate::tcp::header::{Bits, HasTcp, TcpHeader};
use crate::tcp::receiver::{Receiver, Report};
use crate::tcp::sender::TcpSender;
use crate::tcp::settings::{ClassConfig, Pattern};
use crate::tcp::timestamps;

/// Returns the sender that carries out `task` on the connection `identity`.
fn sender(
    identity: &Identity,
    task: &Task,
    config: &ClassConfig,
    feedback: Feedback,
    parameters: &Arc<TcpParameters>,
) -> TcpSender {
    let network = &config.network;
    let mss = u64::from(parameters.mss);
    let cc = config.cc.build_dyn(&FlowStart {
        id: identity.id,
        class: identity.class,
        flow: task.flow().copied(),
        now: identity.now,
        line_rate: identity.line_rate,
        base_rtt: network.base_rtt,
        bdp: identity.line_rate.bytes_in(network.base_rtt),
        mtu: Bytes::new(mss),
        paths: PathStability::PerFlow,
        wire: parameters.full_packet(),
        ip: Bytes::new(u64::from(parameters.ip_packet())),
        initial_window: Bytes::new(u64::from(parameters.initial_window) * mss),
        feedback,
        network,
    });
    let ecn = config.cc.ecn(feedback);
    TcpSender::new(
        (cc, identity.line_rate),
        ecn,
        feedback,
        Arc::clone(parameters),
    )
}

impl Connection {
    fn new(
        identity: Identity,
        task: Task,
        handshake: Handshake,
        feedback: Feedback,
        config: &ClassConfig,
        parameters: &Arc<TcpParameters>,
    ) -> Self {
        Self {
            id: identity.id,
            class: identity.class,
            nic: identity.nic,
            priority: identity.priority,
            key: identity.key,
            line_rate: identity.line_rate,
            sender: sender(&identity, &task, config, feedback, parameters),
            task,
            handshake,
            receiver: Receiver::new(feedback, parameters),
            parameters: Arc::clone(parameters),
            feedback,
            opens_with_data: false,
            heard: 0,
            peer_again: 0,
            messages: Messages::default(),
            timer_at: Time::MAX,
            paced_at: Time::MAX,
            due: Time::MAX,
            awaits_ack: false,
        }
    }

    /// Returns a connection in its state before loading a checkpoint. Its sender has `feedback`.
    pub(in crate::tcp) fn again(
        identity: Identity,
        task: Task,
        feedback: Feedback,
        config: &ClassConfig,
        parameters: &Arc<TcpParameters>,
    ) -> Self {
        let handshake = Handshake::OPEN;
        Self::new(identity, task, handshake, feedback, config, parameters)
    }

    /// Returns a connection that this host opens with [`Self::send_syn`].
    pub(in crate::tcp) fn dial(
        identity: Identity,
        task: Task,
        config: &ClassConfig,
        parameters: &Arc<TcpParameters>,
    ) -> Self {
        let handshake = Handshake::new(State::SynSent);
        Self::new(
            identity,
            task,
            handshake,
            config.feedback,
            config,
            parameters,
        )
    }

    /// Returns a connection without handshake.
    pub(in crate::tcp) fn open(
        identity: Identity,
        task: Task,
        config: &ClassConfig,
        parameters: &Arc<TcpParameters>,
    ) -> Self {
        let feedback = agree(config.feedback, config.accepts);
        let mut connection = Self::new(
            identity,
            task,
            Handshake::OPEN,
            feedback,
            config,
            parameters,
        );
        connection.opens_with_data = true;
        connection
    }

    /// Returns a connection that the sender of `syn` opens. [`Self::on_packet`] must then process
    /// `syn`.
    pub(in crate::tcp) fn accept(
        identity: Identity,
        syn: &TcpHeader,
        config: &ClassConfig,
        parameters: &Arc<TcpParameters>,
    ) -> Self {
        let (_, asked) = syn.opening();
        let feedback = agree(asked, config.accepts);
        let task = match config.pattern {
            _ if syn.bits.has(Bits::STREAM) => Task::Stream,
            Pattern::Plain => Task::Receive,
            Pattern::Fetch => Task::Serve,
        };
        let handshake = Handshake::new(State::SynReceived);
        Self::new(identity, task, handshake, feedback, config, parameters)
    }

    /// Sends the SYN or SYN-ACK, which is never ECN-capable (RFC 3168, section 6.1.1).
    pub(in crate::tcp) fn send_syn<H: HasTcp>(
        &mut self,
        now: Time,
        mut out: impl FnMut(&Packet<H>),
    ) {
        let acks = self.handshake.state == State::SynReceived;
        let bits = Bits::SYN
            .and_if(acks, Bits::ACK)
            .and_if(self.task == Task::Stream, Bits::STREAM);
        let mut packet = self.packet::<H>(PacketKind::Data, bits);
        packet.wire = self.parameters.syn_packet();
        packet.sent_at = now;
        let echo = Bytes::new(u64::from(self.heard));
        packet.telemetry.tcp_mut().set_aside(echo);
        self.handshake.on_send(now, &self.parameters);
        out(&packet);
    }

    pub(super) fn on_syn<H: HasTcp>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        out: impl FnMut(&Packet<H>),
    ) -> Event {
        let header = packet.telemetry.tcp();
        let ack = header.bits.has(Bits::ACK);
        self.heard = timestamps::later(self.heard, timestamps::clock(packet.sent_at));
        match self.handshake.state {
            State::SynSent if ack => {
                let (_, agreed) = header.opening();
                self.feedback = agreed;
                self.receiver.agree(agreed);
                self.handshake.open();
                let report = Report {
                    echo: packet.sent_at,
                    ..self.receiver.report()
                };
                self.acknowledge(now, report, out);
                Event::Opened
            }
            // The first SYN, or a copy.
            State::SynReceived if !ack => {
                self.send_syn(now, out);
                Event::Nothing
            }
            // The acknowledgement of the SYN-ACK was lost.
            State::Open if ack => {
                self.acknowledge_now(now, out);
                Event::Nothing
            }
            State::SynSent | State::SynReceived | State::Open => Event::Nothing,
        }
    }

    /// Completes the handshake: the sender adopts the negotiated feedback. If a single SYN was
    /// enough, its round-trip time is the first sample.
    pub(in crate::tcp) fn settle(&mut self, now: Time, config: &ClassConfig) {
        if self.sender.feedback != self.feedback {
            let identity = Identity {
                id: self.id,
                class: self.class,
                nic: self.nic,
                priority: self.priority,
                key: self.key,
                line_rate: self.line_rate,
                now,
            };
            self.sender = sender(
                &identity,
                &self.task,
                config,
                self.feedback,
                &self.parameters,
            );
        }
        if self.handshake.sent == 1 {
            self.sender.on_handshake(now, self.handshake.sent_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn what_segments_need_lies_in_the_first_three_cache_lines() {
        assert_eq!(align_of::<Connection>(), 64);
        assert_eq!(offset_of!(Connection, receiver), 64);
        assert_eq!(size_of::<Receiver>(), 64);
        assert_eq!(offset_of!(Connection, handshake), 128);
        assert!(offset_of!(Connection, task) < 192);
    }
}
