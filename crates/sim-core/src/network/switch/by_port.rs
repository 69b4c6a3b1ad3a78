//! The packets of an epoch port by port.
//!
//! Ports that are [served late](super::deferral) do not influence one another while the buffer is
//! calm. Where it stays calm whatever comes first of all that arrives in an epoch, the switch handles
//! all packets of one port before those of the next. What happens at each port, and when, is the same;
//! but its state stays at hand, and whether it is idle, which cannot be foreseen from one packet to the
//! next of the switch, mostly can from one packet to the next of the port.

use super::Switch;
use super::passing::Stop;
use crate::packet::Packet;
use crate::plugin::{Admission, Model, Observer, SentPackets, Telemetry};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::{Group, Inbox, SendBuffer};

/// With fewer packets for each port it does not pay to sort them by port. No result depends on it;
/// with debug assertions it is 0, so tests, whose networks are small, sort them all.
const FEWEST_FOR_EACH_PORT: usize = if cfg!(debug_assertions) { 0 } else { 2 };

/// What is known of the packets of an epoch before the first of them is handled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arriving {
    packets: usize,
    /// Their bytes.
    bytes: u64,
    /// One of them is a pause frame, or has no port beforehand.
    is_mixed: bool,
}

impl Arriving {
    /// Returns whether they are enough for `ports` ports.
    #[inline]
    const fn are_many(&self, ports: usize) -> bool {
        self.packets >= FEWEST_FOR_EACH_PORT * ports
    }

    /// Adds packets.
    #[inline]
    pub(super) fn add(&mut self, packets: usize, bytes: u64, is_mixed: bool) {
        self.packets += packets;
        self.bytes += bytes;
        self.is_mixed |= is_mixed;
    }
}

impl<M: Model> Switch<M> {
    /// Returns how many ports there are where they may be run one by one.
    #[inline]
    pub(in crate::network) fn groups(&self) -> usize {
        if self.defers && self.has_independent_ports() && !self.observer.sees_queues() {
            self.ports.len()
        } else {
            0
        }
    }

    /// Returns whether the ports may be run one by one with the packets that have been prepared.
    #[inline]
    pub(in crate::network) fn reads_groups(&self) -> bool {
        let Arriving {
            bytes, is_mixed, ..
        } = self.arriving;
        !is_mixed && self.arriving.are_many(self.ports.len()) && self.buffer.stays_calm(bytes)
    }

    /// Runs the switch up to `end`, with all that arrives before.
    #[inline(never)]
    pub(super) fn run_by_port(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let arrivals = inbox.read_groups(end);
        self.counters.events += arrivals.len() as u64;
        for of_port in arrivals {
            self.run_port(end, of_port, send_buffer);
        }
        self.serve_all_until(end, send_buffer);
        self.telemetry.complete(&mut SentPackets::new(send_buffer));
    }

    /// Runs the port that is the group of `arrivals` up to `end`.
    #[inline(always)]
    fn run_port(
        &mut self,
        end: Time,
        mut arrivals: Group<'_, Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let (out, latest) = (arrivals.number(), arrivals.last_time());
        while let Some(stop) = self.pass_all(&mut arrivals, send_buffer) {
            match stop {
                Stop::Unwritten(passed) => {
                    let arrival = arrivals.current();
                    let way = (PortId::from_index(arrival.channel), out);
                    self.complete(passed, arrival.at, way, arrival.message, send_buffer);
                }
                Stop::Queue => self.queue_all(&mut arrivals, send_buffer),
            }
        }
        if self.ports[out].due < end {
            self.serve_until(end, out, send_buffer);
        }
        let sent = self.ports[out].egress.busy_since;
        self.last = self.last.max(latest).max(sent);
    }

    /// Queues the arrival that has been returned last, which cannot pass, and those that follow, up to one that finds
    /// the queues empty again.
    #[inline(never)]
    fn queue_all(
        &mut self,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let out = arrivals.number();
        let mut arrival = arrivals.current();
        loop {
            let now = arrival.at;
            if self.ports[out].due < now {
                self.serve_due(now, out, send_buffer);
                if self.ports[out].open_after != Time::MAX {
                    arrivals.step_back();
                    return;
                }
            }
            if self.ports[out].egress.is_down() {
                self.lose_at(now, out, arrival.message);
            } else {
                let ingress = PortId::from_index(arrival.channel);
                self.keep(now, out, ingress, arrival.message, send_buffer);
            }
            match arrivals.next() {
                Some(next) => arrival = next,
                None => return,
            }
        }
    }
}
