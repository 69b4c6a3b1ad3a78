//! Data recorded while a run is in progress.

use std::fs::File;
use std::io;

use fabricsim_base::flow::Completion;
use fabricsim_core::network::{Progress, RunCallback};
use fabricsim_engine::Interrupt;
use fabricsim_report::{FctRecord, FctWriter};

use tempfile::TempPath;

use super::published::PublishedFct;
use super::{FCT, Monitor};
use crate::output::{ResultFolder, cannot_write, new_file_in};
use crate::simulation::{Expectation, IdealFct, Simulation};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;

/// Writes completions to a file and keeps them for the summary.
pub(super) struct Recorder<'a> {
    pub(super) writer: FctWriter<File>,
    /// The same flows in the format of the published simulator, if the scenario has this output.
    pub(super) published: Option<PublishedFct>,
    pub(super) ideal: IdealFct,
    pub(super) records: Vec<FctRecord>,
    pub(super) failure: Option<io::Error>,
    pub(super) monitor: &'a mut dyn Monitor,
    pub(super) expected: Expectation,
}

impl RunCallback for Recorder<'_> {
    fn proceed(&mut self, progress: &Progress) -> bool {
        self.failure.is_none() && self.monitor.progress(progress, self.expected)
    }

    fn interrupt(&self) -> Interrupt {
        self.monitor.interrupt()
    }

    fn completed(&mut self, completions: &mut Vec<Completion>) {
        if self.records.try_reserve(completions.len()).is_err() {
            self.failure = Some(out_of_memory(self.records.len()));
        }
        for completion in completions.drain(..) {
            if self.failure.is_some() {
                break;
            }
            // Messages of connections have no rows, because their times include waiting for earlier
            // messages.
            if completion.flow.stream.is_some() {
                continue;
            }
            let record = FctRecord::new(&completion, self.ideal.of(&completion));
            if let Err(error) = self.write(&completion, &record) {
                self.failure = Some(error);
            }
            self.records.push(record);
        }
    }
}

impl<'a> Recorder<'a> {
    /// Begins the files of flows in `folder`. Also returns the file that becomes `fct.csv`.
    pub(super) fn new(
        scenario: &Scenario,
        simulation: &Simulation,
        folder: &ResultFolder,
        monitor: &'a mut dyn Monitor,
    ) -> Result<(Self, TempPath), Error> {
        let file = new_file_in(folder.dir()).map_err(cannot_write(folder.dir()))?;
        let (file, temporary) = file.into_parts();
        let recorder = Self {
            writer: FctWriter::new(file).map_err(cannot_write(folder.dir().join(FCT)))?,
            published: PublishedFct::new(scenario, folder)?,
            ideal: simulation.ideal(),
            records: Vec::new(),
            failure: None,
            monitor,
            expected: simulation.expected(),
        };
        Ok((recorder, temporary))
    }
}

impl Recorder<'_> {
    /// Writes the rows of a flow.
    fn write(&mut self, completion: &Completion, record: &FctRecord) -> io::Result<()> {
        self.writer.write(record)?;
        match &mut self.published {
            Some(published) => {
                let ideal = self.ideal.published_of(completion);
                published.write(completion, record, ideal)
            }
            None => Ok(()),
        }
    }
}

/// Returns the error of a run that has no memory for more than `flows` flows.
fn out_of_memory(flows: usize) -> io::Error {
    let bytes = flows * size_of::<FctRecord>();
    let text = format!(
        "out of memory: the results of more than {flows} flows need {} MB",
        bytes / 1_000_000
    );
    io::Error::new(io::ErrorKind::OutOfMemory, text)
}
