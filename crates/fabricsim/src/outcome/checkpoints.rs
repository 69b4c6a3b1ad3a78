//! Checkpoints of a run that writes results, including the state of these results.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::FctRecord;
use fabricsim_scenario::text::error::Error;
use serde::Serialize;
use serde_json::Value;

use super::recorder::Recorder;
use crate::checkpoint::{Checkpoint, cannot_load, cannot_save};
use crate::observe::Observation;
use crate::output::{cannot_write, new_file_in};
use crate::simulation::Simulation;

/// A checkpoint that a run must take.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WantedCheckpoint {
    /// Time of the checkpoint.
    pub at: Time,
    /// File of the checkpoint.
    pub path: PathBuf,
}

/// A checkpoint that has been written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TakenCheckpoint {
    /// File of the checkpoint.
    pub file: String,
    /// Time of the checkpoint, in nanoseconds.
    pub time_ns: f64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Seconds that it took to gather and write it.
    pub seconds: f64,
}

/// The checkpoints of a run: still to take, and written.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    wanted: VecDeque<WantedCheckpoint>,
    pub(super) taken: Vec<TakenCheckpoint>,
    /// The changes at the checkpoint from which the run continues, and at earlier ones.
    branch: Option<Value>,
}

impl Checkpoints {
    /// Returns the checkpoints `wanted` of a run that begins at `start`; `branch` describes the
    /// changes there.
    ///
    /// # Errors
    /// Fails if a checkpoint is before `start`.
    pub(super) fn new(
        mut wanted: Vec<WantedCheckpoint>,
        start: Time,
        branch: Option<Value>,
    ) -> Result<Self, Error> {
        wanted.sort_by_key(|wanted| wanted.at);
        if let Some(early) = wanted
            .first()
            .filter(|wanted| wanted.at <= start && start > Time::ZERO)
        {
            return Err(Error::Unsupported {
                scenario: "the checkpoint".to_owned(),
                message: format!(
                    "the run continues from {start}, and the checkpoint of {} would be earlier",
                    early.at
                ),
                help: format!("give a time after {start}"),
            });
        }
        Ok(Self {
            wanted: wanted.into(),
            taken: Vec::new(),
            branch,
        })
    }

    /// Checks before the run begins that each checkpoint can be written.
    ///
    /// # Errors
    /// Fails if its folder is missing or not writable, or if its path is a folder.
    pub(super) fn check_places(&self) -> Result<(), Error> {
        for WantedCheckpoint { path, .. } in &self.wanted {
            let folder = match path.parent() {
                Some(folder) if folder != Path::new("") => folder,
                _ => Path::new("."),
            };
            let place = match path.is_dir() {
                true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
                false => new_file_in(folder).map(drop),
            };
            place.map_err(cannot_write(path))?;
        }
        Ok(())
    }

    /// Returns the time of the next checkpoint; [`Time::MAX`] for never.
    pub(super) fn next(&self) -> Time {
        self.wanted.front().map_or(Time::MAX, |wanted| wanted.at)
    }

    /// Takes the checkpoints that are due now.
    pub(super) fn take(
        &mut self,
        simulation: &mut Simulation,
        recorder: &Recorder<'_>,
        observation: Option<&mut Observation>,
    ) -> Result<(), Error> {
        let begun = Instant::now();
        let mut results = Writer::default();
        recorder.save(&mut results);
        if let Some(observation) = observation {
            observation.save(&mut results)?;
        }
        let results = results.finish().map_err(cannot_save)?;
        let checkpoint = simulation
            .snapshot()?
            .with_results(results, self.branch.clone());
        let now = simulation.now();
        while self.next() <= now
            && let Some(wanted) = self.wanted.pop_front()
        {
            let bytes = checkpoint.write(&wanted.path)?;
            self.taken.push(TakenCheckpoint {
                file: wanted.path.display().to_string(),
                time_ns: now.as_ps() as f64 / 1e3,
                bytes,
                seconds: begun.elapsed().as_secs_f64(),
            });
        }
        Ok(())
    }

    /// Returns the checkpoints at times that the run has not reached.
    pub(super) fn left(&self) -> impl Iterator<Item = &WantedCheckpoint> {
        self.wanted.iter()
    }
}

/// Loads the state of a run's results from `checkpoint`.
pub(super) fn resume(
    checkpoint: &Checkpoint,
    recorder: &mut Recorder<'_>,
    observation: Option<&mut Observation>,
) -> Result<(), Error> {
    let Some(mut input) = checkpoint.results() else {
        return Err(Error::Unsupported {
            scenario: "the checkpoint".to_owned(),
            message: "a program wrote it and holds the flows that had finished by then".to_owned(),
            help: "restore it in that program, or write one with `fabricsim run --checkpoint-at`"
                .to_owned(),
        });
    };
    let load = || -> Result<(), LoadError> {
        recorder.load(&mut input)?;
        if let Some(observation) = observation {
            observation.load(&mut input)?;
        }
        input.end()
    };
    load().map_err(|refused| cannot_load(&refused))
}

impl Recorder<'_> {
    fn save(&self, out: &mut Writer) {
        self.records.store(out);
        let rows = self.published.as_ref().map(|published| &published.rows);
        rows.is_some().store(out);
        if let Some(rows) = rows {
            rows.store(out);
        }
    }

    /// Writes again the rows that had been written before the checkpoint.
    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let records: Vec<FctRecord> = Stored::fetch(input)?;
        let rows = <Option<Vec<((u16, u16), Duration)>>>::fetch(input)?;
        for record in &records {
            if let Err(error) = self.writer.write(record) {
                self.failure.get_or_insert(error);
            }
        }
        match (&mut self.published, rows) {
            (None, _) => {}
            (Some(published), Some(rows)) if rows.len() == records.len() => {
                for (record, row) in records.iter().zip(rows) {
                    if let Err(error) = published.write_row(record, row) {
                        self.failure.get_or_insert(error);
                    }
                }
            }
            (Some(_), _) => return Err(LoadError::new("it has no rows of fct.txt")),
        }
        self.records = records;
        Ok(())
    }
}
