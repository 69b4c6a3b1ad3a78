//! The state of the engine in a checkpoint: its time, its processes and the messages in transit.
//!
//! The partition of a process, the buffer of a message, and the side of a mailbox on which it is
//! have no effect on results. So a checkpoint does not contain them, and can be loaded with any
//! number of threads.

use super::engine::Engine;
use super::position::Position;
use super::process::LogicalProcess;
use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::Time;

impl<D: LogicalProcess> Engine<D> {
    /// Appends the state to `out`; `save` appends the state of each process. Fails if the engine
    /// was interrupted or is in the middle of an epoch.
    pub fn save(&self, out: &mut Writer, mut save: impl FnMut(&D, &mut Writer)) {
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
        out.number(self.positions.len());
        let unread = self.unread();
        for &Position { partition, place } in &self.positions {
            let partition = &self.partitions[partition as usize];
            let member = &partition.members[place as usize];
            let own = partition.mailboxes.shown(place as usize, unread);
            out.section(|out| {
                save(&member.process, out);
                self.mailboxes.show(member.mailbox, unread, |others| {
                    member.inbox.save([own, others], out);
                });
            });
        }
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
        mut load: impl FnMut(&mut D, &mut Reader<'_>) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        if self.epochs > 0 || self.now > Time::ZERO {
            return Err(LoadError::new("the simulation has run already"));
        }
        let (now, epochs) = (Time::fetch(input)?, u64::fetch(input)?);
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
            input.section(&name(index), |input| {
                load(&mut member.process, input)?;
                member.inbox.load(input)
            })?;
            let next = member.inbox.first().min(member.process.next_event());
            (partition.calendar).put(place, next.saturating_add(member.margin));
        }
        (self.now, self.epochs) = (now, epochs);
        Ok(())
    }
}
