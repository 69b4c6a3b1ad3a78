//! Checkpoints: the state of a simulation in a file, from which runs can continue later, more than
//! once, and with other settings if these do not contradict the past of the run.
//!
//! A checkpoint contains the scenario and the state, but not the network, which is built again from
//! the scenario. A run that continues from a checkpoint gives the same results as an uninterrupted
//! one, to the byte, on any number of threads before and after.
//!
//! ```
//! use fabricsim::checkpoint::Checkpoint;
//! use fabricsim::prelude::*;
//!
//! let scenario = Scenario::from_toml(
//!   "[topology]\nkind = \"star\"\nhosts = 9\n[cc]\nkind = \"dcqcn\"\n\
//!    [[workload]]\nkind = \"incast\"\nfan_in = 8\nsize = \"100KB\"\nat = \"0s\"",
//! )?;
//! let mut simulation = Simulation::new(&scenario, 1)?;
//! simulation.run_until(Time::from_ns(20_000));
//! let bytes = simulation.snapshot()?.to_bytes();
//!
//! // Later, elsewhere.
//! let checkpoint = Checkpoint::from_bytes(&bytes)?;
//! let mut again = Simulation::restore(&scenario, 2, &checkpoint)?;
//! assert_eq!(again.now(), Time::from_ns(20_000));
//! again.run_until(Time::MAX);
//! simulation.run_until(Time::MAX);
//! assert_eq!(again.take_completions(), simulation.take_completions());
//! # Ok::<(), Error>(())
//! ```

mod changes;
mod file;
mod identity;

use std::sync::OnceLock;

pub use fabricsim_base::checkpoint::{Checkpointed, Stored};
/// Names for derived code.
#[doc(hidden)]
pub use fabricsim_base::checkpoint::{Kind, LoadError, Reader, Writer, load_each, save_each};
use fabricsim_base::checkpoint::{Rebuilt, SaveError};
use fabricsim_base::units::Time;
use fabricsim_report::Checksum;
use fabricsim_scenario::Scenario;
use fabricsim_scenario::text::error::Error;
use serde_json::{Value, json};

use crate::capture::refuse_capture;
use crate::simulation::Simulation;
use changes::Changes;
pub use changes::{CHANGEABLE, Contradiction};
use identity::Identity;

/// The state of a simulation at one instant, and the identity of its scenario.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    time: Time,
    identity: Identity,
    state: Vec<u8>,
    /// The state of the run's results, if the run writes results.
    results: Option<Vec<u8>>,
    /// The checksum, computed on first use.
    checksum: OnceLock<String>,
}

impl Checkpoint {
    /// Returns the time of the checkpoint: all earlier events have happened.
    #[must_use]
    pub const fn time(&self) -> Time {
        self.time
    }

    /// Returns the size of the state in bytes.
    #[must_use]
    pub const fn state_bytes(&self) -> usize {
        self.state.len()
    }

    /// Returns the state of the results, if the run writes results.
    pub(crate) fn results(&self) -> Option<Reader<'_>> {
        self.results.as_deref().map(Reader::new)
    }

    /// Adds the state of a run's results, and the changes at an earlier checkpoint from which the
    /// run has continued.
    pub(crate) fn with_results(mut self, results: Vec<u8>, branch: Option<Value>) -> Self {
        self.results = Some(results);
        self.identity.branch = branch;
        self
    }

    /// Returns the checksum of everything from which a run continues: time, settings and state. The
    /// text of the scenario and its folder do not count.
    #[must_use]
    pub fn checksum(&self) -> &str {
        self.checksum.get_or_init(|| self.digest().to_string())
    }

    fn digest(&self) -> Checksum {
        let mut out = Writer::default();
        self.time.store(&mut out);
        self.identity.without_text().store(&mut out);
        let mut checksum = Checksum::of(&out.finish().expect("nothing of it is refused"));
        checksum.update(&self.state);
        checksum.update(self.results.as_deref().unwrap_or_default());
        checksum
    }

    /// Checks that the settings of `scenario` allow it to continue from the checkpoint.
    ///
    /// # Errors
    /// Fails if a setting or a file contradicts the past of the run, or if a file of the scenario
    /// cannot be read.
    pub fn check(&self, scenario: &Scenario) -> Result<(), Contradiction> {
        self.identity.changes(scenario, self.time).map(|_| ())
    }

    /// Returns the description, for the results, of a run of `scenario` that continues from here;
    /// `None` if its results are equal to the results of the whole run.
    ///
    /// # Errors
    /// Fails like [`Self::check`].
    pub(crate) fn branch(&self, scenario: &Scenario) -> Result<Option<Value>, Error> {
        let changed = self.changes(scenario)?.of_results();
        let before = &self.identity.branch;
        if changed.is_empty() {
            return Ok(before.clone());
        }
        let mut branch = json!({
            "time_ns": self.time.as_ps() as f64 / 1e3,
            "checksum": self.checksum(),
            "changed": changed,
        });
        if let Some(before) = before {
            branch["before"] = before.clone();
        }
        Ok(Some(branch))
    }

    /// Returns the changes from the scenario of the checkpoint to `scenario`.
    ///
    /// # Errors
    /// Fails if a change contradicts the past of the run; the error has the keys and a suggested
    /// fix.
    pub(crate) fn changes(&self, scenario: &Scenario) -> Result<Changes, Error> {
        let changes = self.identity.changes(scenario, self.time);
        changes.map_err(Contradiction::into_error)
    }
}

/// Returns the error for a state that cannot be saved.
pub(crate) fn cannot_save(refused: SaveError) -> Error {
    Error::Unsupported {
        scenario: "the checkpoint".to_owned(),
        message: refused.to_string(),
        help:
            "a type of your own saves its state with `saves_state!` in the implementation of its \
               trait (docs/checkpoints.md)"
                .to_owned(),
    }
}

/// Returns the error for a checkpoint that does not fit the simulation.
pub(crate) fn cannot_load(refused: &LoadError) -> Error {
    Error::Unsupported {
        scenario: "the checkpoint".to_owned(),
        message: format!("its state does not fit this simulation: {refused}"),
        help: "restore it with the scenario, the applications and the observers that it was taken \
               with, and with the same build of fabricsim"
            .to_owned(),
    }
}

/// Rejects checkpoints of a run that captures frames.
///
/// # Errors
/// Fails if `scenario` has a capture.
pub(crate) fn refuse_frames(scenario: &Scenario) -> Result<(), Error> {
    let message = "checkpoints hold no captured frames";
    refuse_capture(scenario, message, "leave the table out, or the checkpoints")
}

impl Simulation {
    /// Returns the state of the simulation. The simulation continues unaffected. Completions that
    /// have not been taken are part of the state.
    ///
    /// # Errors
    /// Fails if a part of the simulation cannot be saved; the error names it. Applications,
    /// algorithms, policies, queue rules and observers of other crates can be saved if they declare
    /// it ([`saves_state!`](fabricsim_base::saves_state)). A simulation that a program drives event
    /// by event, that captures frames, or that was interrupted cannot be saved. Also fails if a
    /// file of the scenario cannot be read.
    pub fn snapshot(&mut self) -> Result<Checkpoint, Error> {
        refuse_frames(self.scenario())?;
        if self.is_driven() {
            return Err(Error::Unsupported {
                scenario: "the checkpoint".to_owned(),
                message: "a simulation that a program drives event by event cannot be saved: its \
                          messages and timers are the program's"
                    .to_owned(),
                help:
                    "let applications at hosts send the messages (`add_application`), or run the \
                       scenario again up to this time"
                        .to_owned(),
            });
        }
        let mut out = Writer::default();
        self.save(&mut out);
        Ok(Checkpoint {
            time: self.now(),
            identity: Identity::of(self.scenario())?,
            state: out.finish().map_err(cannot_save)?,
            results: None,
            checksum: OnceLock::new(),
        })
    }

    /// Returns everything that a checkpoint taken now would omit: the fields of all types that are
    /// `#[checkpoint(rebuilt)]`, because they never change, with their values.
    ///
    /// For tests of types with state: a simulation that is [restored](Self::restore) must have the
    /// same fields and values as the saved one. If a field differs, it must be saved.
    ///
    /// # Errors
    /// Fails like [`Self::snapshot`].
    pub fn audit(&mut self) -> Result<Vec<Rebuilt>, Error> {
        let mut out = Writer::auditing();
        self.save(&mut out);
        out.finish_audit().map_err(cannot_save)
    }

    /// Builds the simulation of `scenario`, for a run on `threads` threads, and loads the state of
    /// `checkpoint`. `scenario` may differ from the checkpoint's scenario in the settings that
    /// [`CHANGEABLE`] lists.
    ///
    /// # Errors
    /// Fails if the scenario differs in other settings, and as [`Simulation::new`].
    pub fn restore(
        scenario: &Scenario,
        threads: usize,
        checkpoint: &Checkpoint,
    ) -> Result<Self, Error> {
        refuse_frames(scenario)?;
        checkpoint.changes(scenario)?;
        let mut simulation = Self::new(scenario, threads)?;
        simulation.resume(checkpoint)?;
        Ok(simulation)
    }

    /// Loads the state of `checkpoint` into this simulation, which has not run. Its program must
    /// have added the same applications and observers as before the checkpoint, in the same order.
    ///
    /// # Errors
    /// Fails if the simulation has run, or differs from the simulation of the checkpoint.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        refuse_frames(self.scenario())?;
        let changes = checkpoint.changes(self.scenario())?;
        let mut input = Reader::new(&checkpoint.state).at(checkpoint.time);
        if changes.control {
            input = input.with_other_control();
        }
        let loaded = self.load(&mut input).and_then(|()| input.end());
        loaded.map_err(|refused| cannot_load(&refused))
    }

    /// Returns a copy of the simulation, which continues independently, on `threads` threads.
    ///
    /// # Errors
    /// Fails like [`Self::snapshot`], and if the system cannot create the threads. If a program has
    /// added applications or observers, use [`resume`](Self::resume) instead.
    pub fn fork(&mut self, threads: usize) -> Result<Self, Error> {
        let checkpoint = self.snapshot()?;
        Self::restore(self.scenario(), threads, &checkpoint)
    }

    fn save(&mut self, out: &mut Writer) {
        let parts = self.parts_to_save();
        parts.runner.kind().to_owned().store(out);
        parts.applications.store(out);
        out.section(|out| parts.control_plane.save(out));
        out.section(|out| parts.sources.save(out));
        parts.runner.save(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let parts = self.parts_to_save();
        let (saved, own) = (String::fetch(input)?, parts.runner.kind());
        if saved != own {
            return Err(LoadError::new(
                "its packets in flight carry different telemetry; choose an algorithm that reads \
                 the same telemetry",
            ));
        }
        input.expect_number(*parts.applications as usize)?;
        let control = parts.control_plane;
        input.section("control plane", |input| control.load(input))?;
        input.section("workloads", |input| parts.sources.load(input))?;
        let routes = std::sync::Arc::clone(&control.routes);
        let changes = control.control.changes_so_far(&routes);
        parts.runner.load(input, changes)
    }
}
