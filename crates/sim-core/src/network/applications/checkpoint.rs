//! The state of applications in a checkpoint, with the state that hosts share.

use std::sync::PoisonError;

use super::Applications;
use super::shared::AppNetwork;
use fabricsim_base::checkpoint::{Checkpointed, Kind, LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::numbers_of;
use fabricsim_base::units::Time;

impl Applications {
    pub(in crate::network) fn save(&self, out: &mut Writer) {
        let Self {
            own,
            state,
            armed,
            hearing: _,
            calls: _,
        } = self;
        if out.is_relative() {
            return self.save_relative(out);
        }
        state.save(out);
        armed.store(out);
        out.number(own.len());
        for (application, stream) in own {
            stream.store(out);
            out.section(|out| application.save_state(out));
        }
    }

    /// Appends the part of the state that depends on the network. The driver compares what the
    /// applications request, so it needs no state of theirs.
    fn save_relative(&self, out: &mut Writer) {
        let kind = out.declare(Kind::Deadline);
        self.armed.store(out);
        out.declare(Kind::Sequence);
        out.in_flow(numbers_of(self.state.host), |out| {
            self.state.next_number().store(out);
        });
        out.declare(kind);
    }

    pub(in crate::network) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            own,
            state,
            armed,
            hearing: _,
            calls: _,
        } = self;
        if input.moves() {
            // The applications themselves are there already.
            return <(Time, u32)>::fetch(input).map(drop);
        }
        state.load(input)?;
        armed.load(input)?;
        input.expect_number(own.len())?;
        for (index, (application, stream)) in own.iter_mut().enumerate() {
            stream.load(input)?;
            let name = format!("application {index}");
            input.section(&name, |input| application.load_state(input))?;
        }
        Ok(())
    }
}

impl AppNetwork {
    pub(in crate::network) fn save(&self, out: &mut Writer) {
        self.times_set().store(out);
        out.number(self.in_flight.len());
        for flows in &self.in_flight {
            let flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
            flows.store(out);
        }
    }

    pub(in crate::network) fn load(&self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.expect_resolver_again(u64::fetch(input)?);
        input.expect_number(self.in_flight.len())?;
        for flows in &self.in_flight {
            let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
            flows.load(input)?;
        }
        Ok(())
    }
}
