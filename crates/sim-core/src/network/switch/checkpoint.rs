//! The state of a switch in a checkpoint.

use super::Switch;
use super::port::Port;
use crate::plugin::{Admission, Model, Observer, Qdisc, Routing, Telemetry};
use fabricsim_base::checkpoint::{
    Checkpointed, Kind, LoadError, Reader, Stored, Writer, load_each, save_each,
};

impl<M: Model> Switch<M> {
    pub(in crate::network) fn save(&self, out: &mut Writer) {
        let Self {
            id: _,
            ports,
            buffer,
            routing,
            telemetry,
            observer,
            pauses,
            meters,
            timers,
            late,
            waiting: _,
            next_due: _,
            cause,
            dropped,
            counters,
            last,
            arriving: _,
        } = self;
        debug_assert!(dropped.is_empty(), "drops are accounted for in their epoch");
        save_each(pauses.iter(), out);
        save_each(meters.iter(), out);
        timers.store(out);
        late.store(out);
        let kind = out.declare(Kind::Plain);
        cause.store(out);
        out.declare(Kind::Record);
        last.store(out);
        out.declare(kind);
        counters.store(out);
        out.section(|out| {
            out.number(ports.len());
            for Port {
                egress,
                queue,
                due,
                open_after: _,
            } in ports
            {
                egress.save(out);
                queue.save_state(out);
                due.store(out);
            }
        });
        out.section(|out| buffer.save_state(out));
        out.section(|out| routing.save_state(out));
        out.section(|out| telemetry.save_state(out));
        out.section(|out| observer.save_state(out));
    }

    /// Loads the state that [`Self::save`] has written, in the same order.
    pub(in crate::network) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        load_each(self.pauses.iter_mut(), input)?;
        load_each(self.meters.iter_mut(), input)?;
        self.timers.load(input)?;
        self.late.load(input)?;
        self.cause.load(input)?;
        self.last.load(input)?;
        self.counters.load(input)?;
        input.section("queues", |input| {
            input.expect_number(self.ports.len())?;
            for port in &mut self.ports {
                port.egress.load(input)?;
                port.queue.load_state(input)?;
                port.due.load(input)?;
                port.note_state();
            }
            Ok(())
        })?;
        input.section("buffer", |input| self.buffer.load_state(input))?;
        input.section("routing", |input| self.routing.load_state(input))?;
        input.section("telemetry", |input| self.telemetry.load_state(input))?;
        input.section("observer", |input| self.observer.load_state(input))?;
        self.find_waiting();
        Ok(())
    }
}
