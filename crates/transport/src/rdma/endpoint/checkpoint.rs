//! The state of a host's RDMA in a checkpoint.

use std::cmp::Reverse;

use fabricsim_base::checkpoint::{
    Checkpointed, Kind, LoadError, Reader, Stored, Writer, save_each,
};
use fabricsim_base::flow::Flow;
use fabricsim_base::id::PortId;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::ControllerFactory;

use super::Rdma;
use crate::controller_state;

impl<H: Header, F: ControllerFactory<H>> Checkpointed for Rdma<H, F> {
    fn save(&self, out: &mut Writer) {
        let Self {
            settings: _,
            nics,
            nic_rates,
            senders,
            free,
            slots: _,
            recent: _,
            receivers,
            reply: _,
            pacers,
            timers,
            counters,
            activity,
        } = self;
        out.audit("Rdma.nic_rates", nic_rates);
        nics.store(out);
        let kind = out.declare(Kind::Plain);
        free.store(out);
        out.number(timers.len());
        for &Reverse((at, slot)) in timers {
            out.declare(Kind::Deadline);
            at.store(out);
            out.declare(Kind::Plain);
            slot.store(out);
        }
        out.declare(kind);
        receivers.store(out);
        counters.store(out);
        activity.store(out);
        save_each(pacers.iter(), out);
        out.number(senders.len());
        for sender in senders {
            sender.is_some().store(out);
            if let Some(sender) = sender {
                out.in_flow(sender.flow.id.0, |out| {
                    sender.flow.store(out);
                    sender.nic.store(out);
                    sender.save(out);
                    // No rule reads it while nothing is in flight.
                    let kind = match sender.in_flight() {
                        0 => Kind::Record,
                        _ => Kind::Plain,
                    };
                    let kind = out.declare(kind);
                    sender.progress.store(out);
                    out.declare(kind);
                    controller_state::save::<H, _>(&sender.cc, out);
                });
            }
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let ports = self.nics.len();
        self.nics.load(input)?;
        if self.nics.len() != ports {
            return Err(LoadError::new("a host has another number of NIC ports"));
        }
        self.free.load(input)?;
        self.timers.load(input)?;
        self.receivers.load(input)?;
        self.counters.load(input)?;
        self.activity.load(input)?;
        if input.length()? != self.pacers.len() {
            return Err(LoadError::new(
                "receivers grant credit in one of the two alone; choose an algorithm that uses credit \
                 as the one before does",
            ));
        }
        for pacer in &mut self.pacers {
            pacer.load(input)?;
        }
        self.senders.clear();
        self.slots.clear();
        for slot in 0..input.length()? {
            if !bool::fetch(input)? {
                self.senders.push(None);
                continue;
            }
            let flow = Flow::fetch(input)?;
            let name = format!("flow {}", flow.id);
            let mut load = |input: &mut Reader<'_>| self.load_sender(slot, &flow, input);
            load(input).map_err(|error| error.within(&name))?;
        }
        Ok(())
    }
}

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Opens `flow` as at its start, and loads its saved state.
    fn load_sender(
        &mut self,
        slot: usize,
        flow: &Flow,
        input: &mut Reader<'_>,
    ) -> Result<(), LoadError> {
        let nic = PortId::fetch(input)?;
        if nic.index() >= self.nics.len() {
            return Err(LoadError::new(format!("there is no NIC port {nic}")));
        }
        let now = input.now();
        let mut sender = self.sender_of(now, flow, nic);
        sender.load(input)?;
        sender.progress.load(input)?;
        let goes_on = controller_state::load::<H, _>(&mut sender.cc, input)?;
        if !goes_on {
            sender.renew_rounds();
        }
        sender.load_limits(now);
        self.senders.push(Some(sender));
        let slot = u32::try_from(slot).map_err(|_| LoadError::new("a host has too many flows"))?;
        self.slots.insert(flow.id, slot);
        if !goes_on {
            // The waiting packet leaves at its previous time; the next one follows the new rate.
            self.place(now, slot);
        }
        if input.renews_control() {
            self.set_timer(slot);
        }
        Ok(())
    }
}
