//! The state of applications in a checkpoint, with the state that hosts share.

use std::sync::PoisonError;

use super::Applications;
use super::shared::AppNetwork;
use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};

impl Applications {
    pub(in crate::network) fn save(&self, out: &mut Writer) {
        let Self {
            own,
            state,
            armed,
            hearing: _,
        } = self;
        state.save(out);
        armed.store(out);
        out.number(own.len());
        for (application, stream) in own {
            stream.store(out);
            out.section(|out| application.save_state(out));
        }
    }

    pub(in crate::network) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            own,
            state,
            armed,
            hearing: _,
        } = self;
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
