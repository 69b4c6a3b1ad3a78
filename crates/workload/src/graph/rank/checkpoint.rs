//! The state of a rank in a checkpoint.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};

use super::RankApplication;

/// Saves the progress, but not the program, because a rank can rebuild it.
impl Checkpointed for RankApplication {
    fn save(&self, out: &mut Writer) {
        let Self {
            plan: _,
            rank: _,
            program,
            state,
            iteration,
            streams,
            progress,
            connections,
            unacknowledged,
            lost,
            done,
            iterations,
            begun,
            last,
            recording,
        } = self;
        program.is_some().store(out);
        state.store(out);
        iteration.store(out);
        streams.store(out);
        progress.store(out);
        connections.store(out);
        unacknowledged.store(out);
        lost.store(out);
        done.store(out);
        iterations.store(out);
        begun.store(out);
        last.store(out);
        recording.store(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            plan: _,
            rank: _,
            program,
            state,
            iteration,
            streams,
            progress,
            connections,
            unacknowledged,
            lost,
            done,
            iterations,
            begun,
            last,
            recording,
        } = self;
        if bool::fetch(input)? {
            *program = Some(self.plan.programs.program(self.rank));
        }
        state.load(input)?;
        iteration.load(input)?;
        streams.load(input)?;
        *progress = Option::fetch(input)?;
        connections.load(input)?;
        unacknowledged.load(input)?;
        lost.load(input)?;
        done.load(input)?;
        iterations.load(input)?;
        begun.load(input)?;
        last.load(input)?;
        // The scenario that continues decides whether operations are recorded.
        let before = Option::fetch(input)?;
        if let (Some(recording), Some(before)) = (recording, before) {
            *recording = before;
        }
        Ok(())
    }
}
