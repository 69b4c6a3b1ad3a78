//! The state of the engine in a checkpoint: its time, its processes and the messages in transit.
//!
//! The partition of a process, the buffer of a message, and the side of a mailbox on which it is
//! have no effect on results. So a checkpoint does not contain them, and can be loaded with any
//! number of threads.

use super::engine::Engine;
use super::position::Position;
use super::process::LogicalProcess;
use super::processes::Processes;
use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::Time;

impl<D: LogicalProcess> Engine<D> {
    /// Appends the state to `out`; `save` appends the state of each process. Fails if the engine
    /// was interrupted or is in the middle of an epoch.
    pub fn save(&mut self, out: &mut Writer, save: impl FnMut(&D, &mut Writer)) {
        if self.broken || self.steered.is_some() {
            out.refuse("the run that was broken off", "in the middle of an epoch");
            return;
        }
        if self.exchange.is_some() {
            out.refuse("the run", "that several ranks simulate together");
            return;
        }
        self.now.store(out);
        self.epochs.store(out);
        self.between().save(out, save);
    }

    /// Loads the state that [`Self::save`] has written into an engine that has not run; `load`
    /// loads the state of each process. `name` returns the name of process number n for messages.
    /// Skips processes on other ranks.
    ///
    /// # Errors
    /// Fails if `input` contains something else.
    pub fn load(
        &mut self,
        input: &mut Reader<'_>,
        name: impl Fn(usize) -> String,
        load: impl FnMut(&mut D, &mut Reader<'_>) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        if self.epochs > 0 || self.now > Time::ZERO {
            return Err(LoadError::new("the simulation has run already"));
        }
        let (now, epochs) = (Time::fetch(input)?, u64::fetch(input)?);
        self.between().load(input, name, load)?;
        (self.now, self.epochs) = (now, epochs);
        Ok(())
    }
}

impl<D: LogicalProcess> Processes<'_, D> {
    /// Appends the state of all processes and the messages in transit to `out`; `save` appends the
    /// state of a process. No process may be behind.
    pub fn save(&self, out: &mut Writer, mut save: impl FnMut(&D, &mut Writer)) {
        out.number(self.positions.len());
        for index in 0..self.positions.len() {
            out.section(|out| self.save_one(index, out, &mut save));
        }
    }

    /// Appends the state of process `index` and the messages in transit to it, as in
    /// [`Self::save`].
    ///
    /// # Panics
    /// Panics if the process is on another rank.
    pub fn save_one(&self, index: usize, out: &mut Writer, save: impl FnOnce(&D, &mut Writer)) {
        let Position { partition, place } = self.positions[index];
        let partition = &self.partitions[partition as usize];
        let member = &partition.members[place as usize];
        let own = partition.mailboxes.shown(place as usize, self.unread);
        save(&member.process, out);
        self.mailboxes.show(member.mailbox, self.unread, |others| {
            member.inbox.save([own, others], out);
        });
    }

    /// Replaces the state of all processes and the messages in transit by the state that
    /// [`Self::save`] has written; `load` loads the state of a process. `name` returns the name of
    /// process number n for messages. Skips processes on other ranks.
    ///
    /// # Errors
    /// Fails if `input` contains something else.
    pub fn load(
        &mut self,
        input: &mut Reader<'_>,
        name: impl Fn(usize) -> String,
        mut load: impl FnMut(&mut D, &mut Reader<'_>) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        self.mailboxes.clear();
        for partition in &mut *self.partitions {
            partition.mailboxes.clear();
            partition.sent = Time::MAX;
        }
        input.expect_number(self.positions.len())?;
        for (index, &position) in self.positions.iter().enumerate() {
            if !position.is_here() {
                input.take_section()?;
                continue;
            }
            let Position { partition, place } = position;
            let partition = &mut self.partitions[partition as usize];
            let place = place as usize;
            let member = &mut partition.members[place];
            member.inbox.clear();
            input.section(&name(index), |input| {
                load(&mut member.process, input)?;
                member.inbox.load(input)
            })?;
            let next = member.inbox.first().min(member.process.next_event());
            (partition.calendar).put(place, next.saturating_add(member.margin));
        }
        Ok(())
    }
}
