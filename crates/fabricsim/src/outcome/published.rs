//! `fct.txt`: completion times in the format of the published simulator.

use std::fs::File;
use std::io;

use fabricsim_base::flow::Completion;
use fabricsim_base::units::Duration;
use fabricsim_report::{FctRecord, HpccFctWriter};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;
use tempfile::TempPath;

use crate::output::{Ending, ResultFolder, cannot_write, new_file_in};

pub(super) const FCT_TXT: &str = "fct.txt";

/// An `fct.txt` in progress.
pub(super) struct PublishedFct {
    writer: HpccFctWriter<File>,
    file: TempPath,
    /// Ports and ideal completion times of the rows, for a checkpoint.
    pub(super) rows: Vec<((u16, u16), Duration)>,
}

impl PublishedFct {
    /// Begins the file in `folder`, if `scenario` has this output.
    pub(super) fn new(scenario: &Scenario, folder: &ResultFolder) -> Result<Option<Self>, Error> {
        if !scenario.output().fct_txt {
            return Ok(None);
        }
        let file = new_file_in(folder.dir()).map_err(cannot_write(folder.dir()))?;
        let (out, file) = file.into_parts();
        let writer = HpccFctWriter::new(out);
        Ok(Some(Self {
            writer,
            file,
            rows: Vec::new(),
        }))
    }

    /// Adds the row of a flow; `ideal` is its ideal completion time by the published formula.
    pub(super) fn write(
        &mut self,
        completion: &Completion,
        record: &FctRecord,
        ideal: Duration,
    ) -> io::Result<()> {
        let request = completion.flow.request;
        let src_port = request.src_port.unwrap_or_default();
        self.write_row(record, ((src_port, request.dst_port), ideal))
    }

    /// Adds the row of a flow with these source and destination ports and this ideal completion
    /// time.
    pub(super) fn write_row(
        &mut self,
        record: &FctRecord,
        row: ((u16, u16), Duration),
    ) -> io::Result<()> {
        self.rows.push(row);
        let ((src_port, dst_port), ideal) = row;
        let record = FctRecord { ideal, ..*record };
        self.writer.write(&record, src_port, dst_port)
    }

    /// Ends the file and adds it to `folder`.
    pub(super) fn finish(self, folder: &mut ResultFolder, ending: Ending) -> Result<(), Error> {
        let name = ending.name(FCT_TXT);
        let written = self.writer.finish();
        written.map_err(cannot_write(folder.dir().join(&name)))?;
        folder.add(name, self.file);
        Ok(())
    }
}
