//! Captures of simulations that a program drives.

use std::path::Path;

use fabricsim_scenario::Scenario;
use fabricsim_scenario::text::error::Error;

use super::Simulation;
use crate::capture::{Capture, CaptureSummary, refuse_capture};

/// Rejects a capture without a file.
///
/// # Errors
/// Fails if `scenario` has a capture.
pub(super) fn refuse(scenario: &Scenario) -> Result<(), Error> {
    refuse_capture(
        scenario,
        "the program that drives the simulation does not name the file for the frames",
        "name the file in the program (`Simulation::capturing` in Rust, `capture=` in Python), leave \
         the table out, or run the scenario with `fabricsim run`",
    )
}

impl Simulation {
    /// Like [`new`](Self::new), with a capture of the frames that the `[capture]` table of
    /// `scenario` selects. [`finish_capture`](Self::finish_capture) writes it to `path`; until
    /// then, frames are kept in an unnamed file in the same folder. Without such a table nothing is
    /// captured.
    ///
    /// ```
    /// use fabricsim::driver::{EventKind, Message, Next};
    /// use fabricsim::prelude::*;
    /// use fabricsim_scenario::kinds::Registry;
    ///
    /// let text = "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n\
    ///           [capture]\nnodes = [\"0\"]\ndirection = \"out\"";
    /// let scenario = Scenario::from_toml_with(text, Registry::default().with_optional_workloads())?;
    /// let folder = tempfile::tempdir().expect("a temporary folder");
    /// let file = folder.path().join("host0.pcapng");
    /// let mut simulation = Simulation::capturing(&scenario, 1, &file)?;
    /// simulation.send(&Message::new(NodeId(0), NodeId(1), Bytes::new(100_000)))?;
    /// while let Next::Event(event) = simulation.run_until_next(Time::MAX) {
    ///   assert!(!matches!(event.kind, EventKind::Unreachable(_)));
    /// }
    /// let captured = simulation.finish_capture()?.expect("there is a table");
    /// assert_eq!(captured.frames, 100);
    /// assert!(file.exists());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails like [`new`](Self::new), except for the table, and if the folder of `path` cannot be
    /// written.
    pub fn capturing(scenario: &Scenario, threads: usize, path: &Path) -> Result<Self, Error> {
        let mut simulation = Self::on_ranks(scenario, threads, None)?;
        if path.is_dir() {
            return Err(Error::Folder {
                path: path.to_owned(),
                problem: "it is a folder, and a capture is a file".to_owned(),
                help: "name a file in it, such as capture.pcapng".to_owned(),
            });
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let capture = Capture::begin(&mut simulation, folder)?;
        simulation.capture = capture.map(|capture| (capture, path.to_owned()));
        Ok(simulation)
    }

    /// Ends the capture and writes the frames captured so far, replacing the contents of the file.
    /// Returns `None` if nothing is captured. A simulation that is dropped without this call writes
    /// nothing.
    ///
    /// If the run is paused at an event, nodes are not all at the same time. This first simulates
    /// the rest of the engine's epoch, which is no longer than the delay of the shortest link, and
    /// detaches the driver before. The simulation is then at the end of the epoch. Frames of that
    /// time are not written, but count in [`left_out`](CaptureSummary::left_out) if `max_frames`
    /// was too small.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish_capture(&mut self) -> Result<Option<CaptureSummary>, Error> {
        let Some((capture, path)) = self.capture.take() else {
            return Ok(None);
        };
        let ended = self.now().min(self.ended());
        let frontier = self.runner.frontier();
        if frontier > self.now() {
            self.detach();
            self.run_until(frontier);
        }
        self.synchronize();
        capture.finish_file(self, &path, ended).map(Some)
    }
}
