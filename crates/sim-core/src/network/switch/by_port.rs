//! Handles the packets of an epoch port by port.
//!
//! Ports that are [served late](super::late) do not influence one another while the buffer is calm.
//! If it stays calm for any order of the arrivals of an epoch, the switch handles all packets of
//! one port before the packets of the next. The events of each port and their times are the same,
//! but the port's state stays in the cache, and its next arrival is known. So a packet that only
//! waits for the end of the current transmission is sent right behind it, without a queue.

use super::{Arrivals, Sends, Switch};
use crate::packet::Packet;
use crate::plugin::{Model, SentPackets, Telemetry};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::Group;

impl<M: Model> Switch<M> {
    /// Runs the switch up to `end`, including all arrivals before.
    #[inline(never)]
    pub(super) fn run_by_port(
        &mut self,
        end: Time,
        inbox: &mut Arrivals<M>,
        send_buffer: &mut Sends<M>,
    ) {
        let arrivals = inbox.read_groups(end);
        self.counters.events += arrivals.len() as u64;
        for of_port in arrivals {
            self.run_port(end, of_port, send_buffer);
        }
        self.serve_all_until(end, send_buffer);
        self.telemetry.complete(&mut SentPackets::new(send_buffer));
    }

    /// Runs one port up to `end`; `arrivals` is its group of packets.
    #[inline(always)]
    fn run_port(
        &mut self,
        end: Time,
        mut arrivals: Group<'_, Packet<M::Header>>,
        send_buffer: &mut Sends<M>,
    ) {
        let (out, latest) = (arrivals.number(), arrivals.last_time());
        while !self.pass_all(&mut arrivals, send_buffer) {
            self.queue_all(&mut arrivals, send_buffer);
        }
        if self.ports[out].due < end {
            self.serve_until(end, out, send_buffer);
        }
        let sent = self.ports[out].egress.busy_since;
        self.last = self.last.max(latest).max(sent);
    }

    /// Forwards the rest of `arrivals` without queueing, up to the first one that must be queued.
    /// Returns `true` if all have left.
    // Not inlined: within its caller, half of these values would be on the stack.
    #[inline(never)]
    fn pass_all(
        &mut self,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        send_buffer: &mut Sends<M>,
    ) -> bool {
        let mut lane = send_buffer.lane(arrivals.number());
        let mut exit = self.exit(arrivals.number());
        // A local copy stays in registers; it is written back at the end.
        let mut rest = arrivals.clone();
        let all = loop {
            let Some(arrival) = rest.next() else {
                break true;
            };
            let ingress = PortId::from_index(arrival.channel);
            let times = (arrival.at, arrival.until);
            if !exit.pass(times, ingress, arrival.message, lane.lend()) {
                break false;
            }
        };
        *arrivals = rest;
        all
    }

    /// Queues the last arrival, which could not be forwarded, and the following ones, up to one
    /// that finds the queues empty again.
    #[inline(never)]
    fn queue_all(
        &mut self,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        send_buffer: &mut Sends<M>,
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
            let ingress = PortId::from_index(arrival.channel);
            self.keep(now, out, ingress, arrival.message, send_buffer);
            match arrivals.next() {
                Some(next) => arrival = next,
                None => return,
            }
        }
    }
}
