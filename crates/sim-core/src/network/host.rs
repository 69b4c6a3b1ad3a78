//! A host: network ports, and a transport that fills them and receives their packets.

mod applications;
mod checkpoint;
mod failure;
mod forwarding;
mod serving;
mod state;

use std::collections::VecDeque;

use super::applications::Applications;
use super::counters::Counters;
use super::egress::{Egress, LinkConfig};
use super::meter::Meter;
use super::pause_clock::PauseClock;
use crate::packet::{Packet, PacketKind, PauseChange};
use crate::plugin::{Endpoint, EventOrder, Interest, Model, Observer, PortUpdate};
use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_engine::{Inbox, SendBuffer, Timer, Timers};
use serving::Exit;

/// The ranks of a host's own events of the same time. Arrivals are handled before them, and flow
/// starts before arrivals.
const RANK_FREE: u16 = 0;
const RANK_SEND: u16 = 1;
const RANK_DEADLINE: u16 = 2;
const RANK_APPLICATION: u16 = 3;

#[derive(Checkpointed, Clone, Debug)]
struct Nic {
    egress: Egress,
    /// Time at which the transport is polled next; [`Time::MAX`] if no event is set.
    wake: Time,
    /// `true` between the start and the end of a transmission, if events are ordered by insertion.
    transmitting: bool,
    /// Time for which the port has been paused.
    pauses: PauseClock,
}

/// Configuration of a host.
#[derive(Debug)]
pub struct HostConfig<M: Model> {
    /// The links of its NIC ports.
    pub ports: Vec<LinkConfig>,
    /// Transport of the host.
    pub endpoint: M::Endpoint,
    /// Observer of the host.
    pub observer: M::Observer,
}

/// A host.
#[derive(Debug)]
pub(super) struct Host<M: Model> {
    id: NodeId,
    nics: Vec<Nic>,
    /// Counters of each port, stored apart from the state that every packet needs.
    meters: Vec<Meter>,
    endpoint: M::Endpoint,
    observer: M::Observer,
    starts: VecDeque<(Flow, PortId)>,
    timers: Timers,
    /// The earliest `wake` of the ports, if events are ordered by node. Stored here instead of in a
    /// timer because most packets of paced flows leave by it.
    next_wake: Time,
    /// `true` if the transport may have packets ready without the host knowing: a checkpoint has
    /// replaced its algorithms, and no port has been served since.
    unasked: bool,
    /// The transport deadline for which an event is set.
    deadline: Time,
    /// The latest transport deadline that needs attention after an event: earlier than `deadline`,
    /// or any if the observer watches events. So events without an observer need no further test.
    arm_by: Time,
    completions: Vec<Completion>,
    /// The applications of this host, if the network has any.
    applications: Option<Box<Applications>>,
    /// Time at which the current event was set, in nanoseconds truncated to 32 bits. Used if the
    /// model orders simultaneous events by it.
    cause: u32,
    counters: Counters,
    /// Time of the last event.
    last: Time,
}

impl<M: Model> Host<M> {
    pub(super) fn new(id: NodeId, config: HostConfig<M>) -> Self {
        let nics: Vec<Nic> = config
            .ports
            .into_iter()
            .map(|link| Nic {
                egress: Egress::new(link),
                wake: Time::MAX,
                transmitting: false,
                pauses: PauseClock::default(),
            })
            .collect();
        Self {
            id,
            meters: vec![Meter::default(); nics.len()],
            nics,
            endpoint: config.endpoint,
            observer: config.observer,
            starts: VecDeque::new(),
            timers: Timers::default(),
            next_wake: Time::MAX,
            unasked: false,
            deadline: Time::MAX,
            arm_by: Time::MAX,
            completions: Vec::new(),
            applications: None,
            cause: 0,
            counters: Counters::default(),
            last: Time::ZERO,
        }
    }

    pub(super) fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.arm_by = self.latest_to_arm();
        loop {
            self.counters.events +=
                inbox.read_through(end, self.last_arrival(), |now, channel, packet| {
                    self.last = now;
                    self.on_arrival(now, channel, packet, send_buffer);
                    self.last_arrival()
                });
            // If events are ordered by insertion, an arrival at the time of the next event may be
            // left.
            let arrival = if M::Order::BY_INSERTION {
                inbox.next_time()
            } else {
                Time::MAX
            };
            let local = self.next_local();
            let start = self.next_start();
            let now = start.min(arrival).min(local);
            if now >= end {
                return;
            }
            self.counters.events += 1;
            self.last = now;
            // If events are ordered by insertion, a flow starts by an event that is set at its own
            // time.
            if start == now && !(M::Order::BY_INSERTION && (arrival == now || local == now)) {
                self.cause = M::Order::stamp(now);
                self.start_flow(now);
                self.serve_all(now, send_buffer);
            } else if M::Order::BY_INSERTION
                && arrival == now
                && !(local == now && self.timer_was_set_first(inbox))
            {
                inbox.read(|channel, packet| self.on_arrival(now, channel, packet, send_buffer));
            } else {
                self.run_local(now, send_buffer);
            }
        }
    }

    /// Executes the next event other than an arrival or the start of a flow.
    #[inline(always)]
    fn run_local(&mut self, now: Time, send_buffer: &mut SendBuffer<Packet<M::Header>>) {
        if !M::Order::BY_INSERTION && self.next_wake == now {
            self.on_wake(now, send_buffer);
        } else {
            let timer = self.timers.pop().expect("a timer has just been seen");
            self.cause = timer.set;
            self.on_timer(now, timer, send_buffer);
            if timer.rank == RANK_DEADLINE {
                self.observe_event(now, true);
            }
        }
    }

    /// Returns the time up to which arrivals are handled before the host's next event, no matter
    /// when they were set.
    #[inline(always)]
    fn last_arrival(&self) -> Time {
        let (local, start) = (self.next_local(), self.next_start());
        if M::Order::BY_INSERTION {
            local.min(start).just_before()
        } else {
            local.min(start.just_before())
        }
    }

    /// Returns the time of the host's next event other than the start of a flow.
    #[inline]
    pub(super) fn next_local(&self) -> Time {
        self.timers.next_time().min(self.next_wake)
    }

    /// Returns `true` if the next timer was set before the next arrival and the order depends on
    /// it.
    #[inline]
    fn timer_was_set_first(&self, inbox: &Inbox<Packet<M::Header>>) -> bool {
        match (inbox.peek(), self.timers.peek()) {
            (Some(packet), Some(timer)) if M::Order::BY_INSERTION => {
                timer.set < M::Order::stamps(&packet.telemetry).set
            }
            _ => false,
        }
    }

    fn start_flow(&mut self, now: Time) {
        let (flow, nic) = self.starts.pop_front().expect("a start has just been seen");
        if let Some(applications) = &self.applications {
            applications.announce(&flow);
        }
        self.observer.on_start(now, self.id, &flow);
        self.endpoint.start(now, &flow, nic);
    }

    #[inline]
    fn on_arrival(
        &mut self,
        now: Time,
        channel: usize,
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if M::Order::BY_INSERTION {
            self.cause = M::Order::stamps(&packet.telemetry).set;
        }
        if packet.is(PacketKind::Pause) {
            let change = packet.pause_change();
            let priority = packet.paused_priority();
            self.observer
                .on_pause(now, self.id, PortId::from_index(channel), priority, change);
            let nic = &mut self.nics[channel];
            match change {
                PauseChange::Pause => nic.egress.paused.insert(priority),
                PauseChange::Resume => nic.egress.paused.remove(priority),
            }
            nic.pauses.update(now, nic.egress.paused);
            if change == PauseChange::Resume {
                self.serve(now, channel, send_buffer);
                self.arm_deadline(now);
            }
            return;
        }
        self.observer.on_arrival(now, self.id, packet);
        let ended = self.completions.len();
        let nic = PortId::from_index(channel);
        let reply = packet.is(PacketKind::Data) && self.may_reply(now, channel);
        let exit = &mut Exit::<M> {
            now,
            host: self.id,
            port: channel,
            cause: self.cause,
            egress: &mut self.nics[channel].egress,
            observer: &mut self.observer,
            send_buffer,
        };
        let reply = reply.then_some(|reply: &Packet<M::Header>| exit.send(reply));
        let update = self
            .endpoint
            .on_packet(now, nic, packet, &mut self.completions, reply);
        self.observe_completions(ended);
        if self.applications.is_some() {
            let received = self.endpoint.take_received();
            let received = received.map(|data| (packet.key.src, data));
            if (received.is_some() || self.completions.len() > ended)
                && self.call_applications(now, ended, received)
            {
                self.serve_all(now, send_buffer);
                return;
            }
        }
        self.follow(now, update, send_buffer);
    }

    fn on_timer(
        &mut self,
        now: Time,
        timer: Timer,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if timer.rank == RANK_FREE {
            let port = usize::from(timer.index);
            self.nics[port].transmitting = false;
            self.serve(now, port, send_buffer);
            self.arm_deadline(now);
        } else if timer.rank == RANK_SEND {
            let port = usize::from(timer.index);
            if self.nics[port].wake == now {
                self.nics[port].wake = Time::MAX;
                self.serve(now, port, send_buffer);
                self.arm_deadline(now);
            }
        } else if timer.rank == RANK_APPLICATION {
            self.on_application_timer(now, send_buffer);
        } else if self.deadline == now {
            self.deadline = Time::MAX;
            self.arm_by = self.latest_to_arm();
            let ended = self.completions.len();
            let update = self.endpoint.on_deadline(now, &mut self.completions);
            self.observe_completions(ended);
            let started = self.call_applications(now, ended, None);
            if update != PortUpdate::Unchanged || !M::Order::BY_INSERTION || started {
                self.serve_all(now, send_buffer);
            } else {
                self.arm_deadline(now);
            }
        }
    }

    /// Returns the value of `arm_by`.
    #[inline]
    fn latest_to_arm(&self) -> Time {
        match self.observer.interest().has(Interest::EVENTS) {
            true => Time::MAX,
            false => self.deadline.just_before(),
        }
    }

    /// Shows an event to the observer, after the host has handled it.
    fn observe_event(&mut self, now: Time, by_timer: bool) {
        if self.observer.interest().has(Interest::EVENTS) {
            let endpoint = &self.endpoint;
            let wait = |flow| endpoint.wait(now, flow);
            self.observer.on_event(now, self.id, by_timer, &wait);
        }
    }

    fn observe_completions(&mut self, from: usize) {
        for completion in &self.completions[from..] {
            self.observer.on_completion(self.id, completion);
        }
    }
}
