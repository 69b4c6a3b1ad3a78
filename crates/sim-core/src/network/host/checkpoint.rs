//! The state of a host in a checkpoint.

use super::Host;
use crate::plugin::{Endpoint, Model, Observer, PortFactor};
use fabricsim_base::checkpoint::{
    Checkpointed, Kind, LoadError, Reader, Stored, Writer, load_each, save_each,
};

impl<M: Model> Host<M> {
    pub(in crate::network) fn save(&self, out: &mut Writer) {
        let Self {
            id: _,
            nics,
            meters,
            endpoint,
            observer,
            starts,
            timers,
            next_wake,
            unasked,
            deadline,
            arm_by: _,
            completions,
            applications,
            cause,
            counters,
            last,
        } = self;
        save_each(nics.iter(), out);
        save_each(meters.iter(), out);
        // All ports have the same factor.
        let factor = nics.first().map(|nic| nic.egress.factor());
        factor.unwrap_or_default().store(out);
        starts.store(out);
        timers.store(out);
        next_wake.store(out);
        unasked.store(out);
        let kind = out.declare(Kind::Deadline);
        deadline.store(out);
        out.declare(Kind::Plain);
        cause.store(out);
        out.declare(Kind::Record);
        last.store(out);
        out.declare(kind);
        completions.store(out);
        counters.store(out);
        if !starts.is_empty() || !completions.is_empty() {
            out.absolute("a host with flows that are about to start or have just ended");
        }
        out.section(|out| endpoint.save_state(out));
        out.section(|out| observer.save_state(out));
        out.section(|out| {
            applications.is_some().store(out);
            if let Some(applications) = applications {
                applications.save(out);
            }
        });
    }

    pub(in crate::network) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            id: _,
            nics,
            meters,
            endpoint,
            observer,
            starts,
            timers,
            next_wake,
            unasked,
            deadline,
            arm_by: _,
            completions,
            applications,
            cause,
            counters,
            last,
        } = self;
        load_each(nics.iter_mut(), input)?;
        load_each(meters.iter_mut(), input)?;
        let factor = PortFactor::fetch(input)?;
        for nic in nics.iter_mut() {
            nic.egress.slow(factor);
        }
        starts.load(input)?;
        timers.load(input)?;
        next_wake.load(input)?;
        unasked.load(input)?;
        deadline.load(input)?;
        cause.load(input)?;
        last.load(input)?;
        completions.load(input)?;
        counters.load(input)?;
        input.section("transport", |input| endpoint.load_state(input))?;
        input.section("observer", |input| observer.load_state(input))?;
        input.section("applications", |input| {
            match (bool::fetch(input)?, applications) {
                (true, Some(applications)) => applications.load(input),
                (false, None) => Ok(()),
                _ => Err(LoadError::new(
                    "some hosts have applications on one side alone",
                )),
            }
        })?;
        self.arm_by = self.latest_to_arm();
        if input.renews_control() {
            self.unasked = true;
            self.arm_deadline(input.now());
        }
        Ok(())
    }
}
