//! Life cycle of connections: creation, use and end.

use fabricsim_base::flow::{Completion, Flow, StreamPlace};
use fabricsim_base::id::{ClassId, FlowId, PortId};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Flags, Packet, PacketKind};
use fabricsim_core::plugin::Received;

use super::Tcp;
use crate::tcp::connection::{Connection, Event, Fetch, Identity, Task};
use crate::tcp::header::{Bits, HasTcp};
use crate::tcp::pool::Next;
use crate::tcp::settings::{Opening, Pattern, Reuse};
use crate::tcp::timestamps::clock;

impl<H: HasTcp> Tcp<H> {
    /// Starts `flow`.
    pub(super) fn start_flow(&mut self, now: Time, flow: &Flow, nic: PortId) {
        let class = self.settings.class(flow.request.class);
        if let Some(place) = flow.stream {
            let opening = match class.pattern {
                Pattern::Plain => class.opening,
                Pattern::Fetch => Opening::Handshake,
            };
            self.send_message(now, flow, place, nic, opening);
            return;
        }
        match (class.pattern, class.reuse) {
            (Pattern::Plain, _) => {
                let opening = class.opening;
                self.open(now, flow, nic, Task::Send(*flow), opening);
            }
            (Pattern::Fetch, Reuse::None) => {
                let fetch = Fetch {
                    flow: *flow,
                    from: 0,
                    again: 0,
                };
                self.open(now, flow, nic, Task::Fetch(fetch), Opening::Handshake);
            }
            (Pattern::Fetch, Reuse::LateBinding) => {
                let pool = self.pools.entry((flow.request.class, flow.ends.dst));
                match pool.or_default().request(flow) {
                    Some(slot) => self.ask(now, slot, *flow),
                    None => {
                        self.open(now, flow, nic, Task::Dial, Opening::Handshake);
                    }
                }
            }
        }
    }

    /// Starts the message `flow`. The first message of a connection opens it.
    fn send_message(
        &mut self,
        now: Time,
        flow: &Flow,
        place: StreamPlace,
        nic: PortId,
        opening: Opening,
    ) {
        let slot = match self.slots.get(&place.connection) {
            Some(&slot) => slot,
            None => self.open(now, flow, nic, Task::Stream, opening),
        };
        self.connection(slot).send_message(flow, place);
        self.settle(now, slot);
    }

    /// Opens a connection for `flow`.
    fn open(&mut self, now: Time, flow: &Flow, nic: PortId, task: Task, opening: Opening) -> u32 {
        let request = &flow.request;
        let identity = Identity {
            id: flow.carrier(),
            class: request.class,
            nic,
            priority: request.priority,
            key: flow.key(),
            line_rate: self.nic_rates[nic.index()],
            now,
        };
        let class = self.settings.class(request.class);
        let parameters = &self.settings.parameters;
        let connection = match opening {
            Opening::Handshake => {
                let mut connection = Connection::dial(identity, task, class, parameters);
                let acks = &mut self.nics[nic.index()].acks;
                connection.send_syn(now, |syn| {
                    acks.push(request.priority, syn);
                });
                connection
            }
            Opening::Open => {
                let mut connection = Connection::open(identity, task, class, parameters);
                if task != Task::Stream {
                    connection.transmit(flow);
                }
                connection
            }
        };
        let slot = self.insert(connection);
        self.settle(now, slot);
        slot
    }

    fn insert(&mut self, connection: Connection) -> u32 {
        let id = connection.id;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.connections[slot as usize] = Some(connection);
                slot
            }
            None => {
                self.connections.push(Some(connection));
                u32::try_from(self.connections.len() - 1)
                    .expect("fewer than 2^32 connections at a host")
            }
        };
        self.slots.insert(id, slot);
        slot
    }

    /// Handles a packet of an unknown connection. A SYN creates a connection. Any other packet with
    /// content gets an ACK that lets its sender finish, because a host removes only connections
    /// that it received in full.
    #[cold]
    pub(super) fn meet(&mut self, now: Time, nic: PortId, packet: &Packet<H>) -> Option<u32> {
        if packet.kind() == PacketKind::Ack {
            return None;
        }
        self.expire(now);
        let header = packet.telemetry.tcp();
        let opens =
            header.bits.has(Bits::SYN) && (packet.payload > 0 || !header.bits.has(Bits::ACK));
        if opens && !self.ended.contains(&packet.flow) {
            let (class, _) = header.opening();
            let class = ClassId(class);
            let identity = Identity {
                id: packet.flow,
                class,
                nic,
                priority: packet.priority(),
                key: packet.key.reversed(),
                line_rate: self.nic_rates[nic.index()],
                now,
            };
            let config = self.settings.class(class);
            let parameters = &self.settings.parameters;
            let connection = Connection::accept(identity, header, config, parameters);
            return Some(self.insert(connection));
        }
        if packet.payload > 0 || header.bits.has(Bits::FIN) {
            self.counters.arrived += Bytes::new(u64::from(packet.payload));
            let key = packet.key.reversed();
            let priority = packet.priority();
            let mut ack = Packet::<H>::new(PacketKind::Ack, priority, key, packet.flow);
            ack.wire = self.settings.parameters.headers;
            ack.sent_at = packet.sent_at;
            ack.flags = Flags::COMPLETE;
            let header = ack.telemetry.tcp_mut();
            header.bits = Bits::TCP.with(Bits::ACK);
            header.set_timestamp(clock(now));
            self.nics[nic.index()].acks.push(priority, &ack);
        }
        None
    }

    /// Handles `event` at the connection in `slot`.
    pub(super) fn follow(
        &mut self,
        now: Time,
        slot: u32,
        event: Event,
        done: &mut Vec<Completion>,
    ) {
        match event {
            Event::Nothing => {
                self.settle(now, slot);
            }
            Event::Opened => self.on_opened(now, slot),
            Event::Sent => {
                let connection = self.forget(now, slot);
                if let Some(flow) = connection.flow() {
                    done.push(Completion {
                        flow: *flow,
                        finish: now,
                        retransmitted: Bytes::new(connection.sender.retransmitted),
                    });
                }
            }
            Event::Read => self.on_read(now, slot, done),
            Event::Messages => {
                self.received = self.connection(slot).take_messages(now, done);
                self.settle(now, slot);
            }
            Event::Ended => {
                let connection = self.forget(now, slot);
                if connection.task == Task::Receive {
                    self.received = Some(Received::Flow(connection.id));
                }
            }
        }
    }

    fn on_opened(&mut self, now: Time, slot: u32) {
        let connection = self.connections[slot as usize]
            .as_mut()
            .expect("a listed slot holds a connection");
        connection.settle(now, self.settings.class(connection.class));
        match connection.task {
            Task::Send(flow) => connection.transmit(&flow),
            Task::Fetch(fetch) => connection.request(fetch.flow),
            Task::Stream => connection.send_messages(),
            Task::Dial => {
                let (class, dst, id) = (connection.class, connection.key.dst, connection.id);
                let pool = self.pools.entry((class, dst)).or_default();
                let next = pool.on_dialled(slot, id);
                self.use_for(now, slot, next);
                return;
            }
            Task::Idle | Task::Close | Task::Receive | Task::Serve => {}
        }
        self.settle(now, slot);
    }

    fn use_for(&mut self, now: Time, slot: u32, next: Next) {
        match next {
            Next::Serve(flow) => self.ask(now, slot, flow),
            Next::Idle => {
                self.connection(slot).task = Task::Idle;
                self.settle(now, slot);
            }
            Next::Close => self.close(now, slot),
        }
    }

    fn ask(&mut self, now: Time, slot: u32, flow: Flow) {
        self.connection(slot).request(flow);
        self.settle(now, slot);
    }

    fn close(&mut self, now: Time, slot: u32) {
        self.connection(slot).close();
        self.settle(now, slot);
    }

    fn on_read(&mut self, now: Time, slot: u32, done: &mut Vec<Completion>) {
        let connection = self.connection(slot);
        let (class, dst) = (connection.class, connection.key.dst);
        if let Task::Fetch(fetch) = connection.task {
            done.push(Completion {
                flow: fetch.flow,
                finish: now,
                retransmitted: Bytes::new(connection.peer_again - fetch.again),
            });
        }
        if self.settings.class(class).reuse == Reuse::None {
            self.close(now, slot);
            return;
        }
        let pool = self.pools.entry((class, dst)).or_default();
        let next = pool.on_read(slot);
        let idle = pool.close_idle();
        self.use_for(now, slot, next);
        for slot in idle {
            self.close(now, slot);
        }
    }

    /// Removes an ended connection. Late copies of its packets are recognized for some time.
    fn forget(&mut self, now: Time, slot: u32) -> Connection {
        let connection = self.connections[slot as usize]
            .take()
            .expect("a listed slot holds a connection");
        self.nics[connection.nic.index()].clear_ready(connection.priority, slot);
        self.slots.remove(&connection.id);
        if connection.task != Task::Receive {
            (self.activity).add(connection.class, connection.sender.activity());
        }
        self.free.push(slot);
        self.expire(now);
        let until = now.saturating_add(self.settings.parameters.time_wait);
        self.time_wait.push_back((until, connection.id));
        self.ended.insert(connection.id);
        connection
    }

    fn expire(&mut self, now: Time) {
        while let Some(&(until, id)) = self.time_wait.front()
            && until <= now
        {
            self.time_wait.pop_front();
            self.ended.remove(&id);
        }
    }

    /// Returns a description of the event that the request with the dial `id` waits for.
    pub(super) fn waits_for_dial(&self, id: FlowId) -> String {
        let slot = self.slots.get(&id);
        let connection = slot.and_then(|&slot| self.connections[slot as usize].as_ref());
        connection.map_or_else(|| "a connection".to_owned(), Connection::waits_for)
    }
}
