//! Checkpoints: the state of a simulation in a file, to go on from later, more than once, and with
//! other settings where these do not contradict what has happened.
//!
//! A checkpoint holds the scenario and the state; not the network, which is built from the scenario
//! again. What a run does after a checkpoint is what it would have done without, to the byte, on
//! any number of threads before and after.
//!
//! ```
//! use fabricsim::checkpoint::Checkpoint;
//! use fabricsim::prelude::*;
//!
//! let scenario = Scenario::from_toml(
//!     "[topology]\nkind = \"star\"\nhosts = 9\n[cc]\nkind = \"dcqcn\"\n\
//!      [[workload]]\nkind = \"incast\"\nfan_in = 8\nsize = \"100KB\"\nat = \"0s\"",
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
pub use fabricsim_base::checkpoint::{LoadError, Reader, Writer, load_each, save_each};
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

/// The state of a simulation at one instant, and what it is the state of.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    time: Time,
    identity: Identity,
    state: Vec<u8>,
    /// What the run that writes results has gathered, if there is one.
    results: Option<Vec<u8>>,
    /// The checksum, once somebody has asked for it.
    checksum: OnceLock<String>,
}

impl Checkpoint {
    /// Returns the time of the checkpoint: everything before has happened.
    #[must_use]
    pub const fn time(&self) -> Time {
        self.time
    }

    /// Returns how many bytes the state takes.
    #[must_use]
    pub const fn state_bytes(&self) -> usize {
        self.state.len()
    }

    /// Returns what a run that writes results had gathered.
    pub(crate) fn results(&self) -> Option<Reader<'_>> {
        self.results.as_deref().map(Reader::new)
    }

    /// Adds what a run that writes results has gathered, and what was changed at an earlier
    /// checkpoint that it has gone on from.
    pub(crate) fn with_results(mut self, results: Vec<u8>, branch: Option<Value>) -> Self {
        self.results = Some(results);
        self.identity.branch = branch;
        self
    }

    /// Returns the checksum of what a run goes on with: time, settings and the state. The text of
    /// the scenario and its place do not count.
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

    /// Returns whether `scenario` can go on from the checkpoint, as far as its settings say.
    ///
    /// # Errors
    /// When a setting or a file contradicts what has happened, and when a file that it names cannot
    /// be read.
    pub fn check(&self, scenario: &Scenario) -> Result<(), Contradiction> {
        self.identity.changes(scenario, self.time).map(|_| ())
    }

    /// Returns what results say of a run of `scenario` that goes on from here, if they are not those
    /// of the whole run.
    ///
    /// # Errors
    /// As [`Self::check`].
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

    /// Returns the changes that lead from the scenario of the checkpoint to `scenario`.
    ///
    /// # Errors
    /// When some contradict what has happened: with their keys and what to do.
    pub(crate) fn changes(&self, scenario: &Scenario) -> Result<Changes, Error> {
        let changes = self.identity.changes(scenario, self.time);
        changes.map_err(Contradiction::into_error)
    }
}

/// Refuses a checkpoint that is wanted.
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

/// Refuses a checkpoint that is there.
pub(crate) fn cannot_load(refused: &LoadError) -> Error {
    Error::Unsupported {
        scenario: "the checkpoint".to_owned(),
        message: format!("its state does not fit this simulation: {refused}"),
        help: "restore it with the scenario, the applications and the observers that it was taken \
               with, and with the same build of fabricsim"
            .to_owned(),
    }
}

/// Refuses checkpoints of a run whose frames are captured.
///
/// # Errors
/// When `scenario` asks for a capture.
pub(crate) fn refuse_frames(scenario: &Scenario) -> Result<(), Error> {
    let message = "checkpoints hold no captured frames";
    refuse_capture(scenario, message, "leave the table out, or the checkpoints")
}

impl Simulation {
    /// Returns the state of the simulation, which goes on as if nothing had been asked. Completions
    /// that have not been taken are part of it.
    ///
    /// # Errors
    /// When some of it has no way into a checkpoint: it is named. Applications, algorithms,
    /// policies, queue rules and observers of other crates have one when they say so
    /// ([`saves_state!`](fabricsim_base::saves_state)); a simulation that is driven from outside
    /// event by event, one whose frames are captured, and one that was interrupted, have none. When a
    /// file that the scenario names cannot be read.
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
                       scenario again up to there"
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

    /// Returns what a checkpoint taken now would leave out: the fields of all types that are
    /// `#[checkpoint(rebuilt)]`, as they never change, with their values.
    ///
    /// For tests of types with state: a simulation that is [restored](Self::restore) has the same
    /// fields and values as the one that was saved. A field that differs has to be saved.
    ///
    /// # Errors
    /// As [`Self::snapshot`].
    pub fn audit(&mut self) -> Result<Vec<Rebuilt>, Error> {
        let mut out = Writer::auditing();
        self.save(&mut out);
        out.finish_audit().map_err(cannot_save)
    }

    /// Builds the simulation of `scenario`, to be run by `threads` threads, and puts the state of
    /// `checkpoint` into it. `scenario` may differ from that of the checkpoint in settings that
    /// [`CHANGEABLE`] names.
    ///
    /// # Errors
    /// When the scenario differs in other settings, and as [`Simulation::new`].
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

    /// Puts the state of `checkpoint` into this simulation, which has not run. Its program has
    /// added the applications and the observers that there were, in the same order.
    ///
    /// # Errors
    /// When it has run, or differs from that of the checkpoint.
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

    /// Returns a simulation that goes on from here by itself, on `threads` threads.
    ///
    /// # Errors
    /// As [`Self::snapshot`], and when the system does not give the threads. One to which a program
    /// has added applications or observers is [resumed](Self::resume).
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
