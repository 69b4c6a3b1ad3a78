//! How a connection is opened, by either side.

use std::sync::Arc;

use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::units::Time;

use super::{Connection, Event, Identity, Task};
use crate::tcp::config::TcpParameters;
use crate::tcp::controller::TcpStart;
use crate::tcp::ecn::Feedback;
use crate::tcp::handshake::{Handshake, State, agree};
use crate::tcp::header::{Bits, TcpFields, TcpHeader};
use crate::tcp::receiver::{Receiver, Report};
use crate::tcp::sender::Sender;
use crate::tcp::settings::{ClassConfig, Pattern};

fn sender(config: &ClassConfig, feedback: Feedback, parameters: &Arc<TcpParameters>) -> Sender {
    let cc = config.cc.build(&TcpStart {
        wire: parameters.mss + parameters.headers,
        ip: parameters.ip_packet(),
        initial_window: parameters.initial_window,
        feedback,
    });
    Sender::new(cc, feedback, Arc::clone(parameters))
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
            task,
            handshake,
            sender: sender(config, feedback, parameters),
            receiver: Receiver::new(feedback, parameters),
            parameters: Arc::clone(parameters),
            feedback,
            opens_with_data: false,
            peer_again: 0,
            timer_at: Time::MAX,
            paced_at: Time::MAX,
        }
    }

    /// A connection that this host asks for by [`Self::send_syn`].
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

    /// A connection without handshake.
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

    /// A connection that the sender of `syn` asks for; [`Self::on_packet`] takes `syn` in.
    pub(in crate::tcp) fn accept(
        identity: Identity,
        syn: &TcpHeader,
        config: &ClassConfig,
        parameters: &Arc<TcpParameters>,
    ) -> Self {
        let feedback = agree(syn.feedback, config.accepts);
        let task = match config.pattern {
            Pattern::Plain => Task::Receive,
            Pattern::Fetch => Task::Serve,
        };
        let handshake = Handshake::new(State::SynReceived);
        Self::new(identity, task, handshake, feedback, config, parameters)
    }

    /// The SYN or SYN-ACK leaves. Neither is ECN-capable (RFC 3168, section 6.1.1).
    pub(in crate::tcp) fn send_syn<H: TcpFields>(
        &mut self,
        now: Time,
        mut out: impl FnMut(&Packet<H>),
    ) {
        let answers = self.handshake.state == State::SynReceived;
        let bits = Bits::SYN.and_if(answers, Bits::ACK);
        let mut packet = self.packet::<H>(PacketKind::Data, bits);
        // A SYN has more options than other segments (RFC 7323, RFC 2018).
        packet.wire += 8;
        packet.sent_at = now;
        packet.telemetry.tcp_mut().feedback = self.feedback;
        self.handshake.on_send(now, &self.parameters);
        out(&packet);
    }

    pub(super) fn on_syn<H: TcpFields>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        out: impl FnMut(&Packet<H>),
    ) -> Event {
        let header = packet.telemetry.tcp();
        let answer = header.bits.has(Bits::ACK);
        match self.handshake.state {
            State::SynSent if answer => {
                self.feedback = header.feedback;
                self.receiver.agree(header.feedback);
                self.handshake.open();
                let report = Report {
                    echo: packet.sent_at,
                    ..self.receiver.report()
                };
                self.acknowledge(report, out);
                Event::Opened
            }
            // The first one, or a copy.
            State::SynReceived if !answer => {
                self.send_syn(now, out);
                Event::Nothing
            }
            // The acknowledgement of the SYN-ACK was lost.
            State::Open if answer => {
                self.acknowledge_now(out);
                Event::Nothing
            }
            State::SynSent | State::SynReceived | State::Open => Event::Nothing,
        }
    }

    /// The handshake is over: the sender follows what was agreed on. If one SYN was enough its
    /// round-trip time is the first sample.
    pub(in crate::tcp) fn settle(&mut self, now: Time, config: &ClassConfig) {
        if self.sender.feedback != self.feedback {
            self.sender = sender(config, self.feedback, &self.parameters);
        }
        if self.handshake.sent == 1 {
            self.sender.rtt.sample(now.since(self.handshake.sent_at));
        }
    }
}
