//! The arguments that select a scenario and change its settings.

use std::path::{Path, PathBuf};

use fabricsim::checkpoint::Checkpoint;
use fabricsim::{Error, Scenario};
use fabricsim_scenario::kinds::Registry;

use crate::console::note;
use crate::offered::Offered;

/// The scenario of a command line that names none.
const DEFAULT_SCENARIO: &str = include_str!("../data/default.toml");

/// The largest seed: seeds are TOML integers, which are signed.
const LARGEST_SEED: u64 = i64::MAX.unsigned_abs();

/// The scenario to run, and changes of its settings.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ScenarioArgs {
    /// Scenario (a TOML file), or `-` for the standard input [default: the built-in scenario]
    pub(crate) scenario: Option<PathBuf>,

    /// Replace the [cc] table with this congestion control: --cc dcqcn. Its settings come from
    /// the [[scheme]] of this kind if the scenario has one, otherwise the defaults
    #[arg(
        long,
        value_name = "NAME",
        value_parser = Offered::algorithms(),
        hide_possible_values = true
    )]
    pub(crate) cc: Option<String>,

    /// Change a setting: --set cc.eta=0.99 --set workload.0.load=0.7 (lists count from 0)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Seed of all random streams [default: the scenario's, or 1]
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    pub(crate) seed: Option<u64>,
}

impl ScenarioArgs {
    /// Reads the scenario of `checkpoint` and applies the changes.
    pub(crate) fn load_from(
        &self,
        checkpoint: &Checkpoint,
        registry: &Registry,
    ) -> Result<Scenario, Error> {
        let scenario = checkpoint.scenario(&self.changes(), registry)?;
        remark_on(&scenario)?;
        Ok(scenario)
    }

    /// Returns the changes of `--cc` and `--set`.
    fn changes(&self) -> Vec<String> {
        let cc = self.cc.as_ref().map(|name| format!("cc={name}"));
        cc.into_iter().chain(self.set.iter().cloned()).collect()
    }

    /// Reads the scenario and applies the changes.
    pub(crate) fn load(&self, registry: &Registry) -> Result<Scenario, Error> {
        let mut overrides = self.changes();
        overrides.extend(self.seed.map(|seed| format!("seed={seed}")));
        let scenario = match &self.scenario {
            Some(path) => Scenario::from_file_with(path, &overrides, registry),
            None => {
                let (name, text) = ("default.toml", DEFAULT_SCENARIO);
                Scenario::from_text_with(name, text, Path::new("."), &overrides, registry)
            }
        }?;
        remark_on(&scenario)?;
        Ok(scenario)
    }
}

/// Prints a note for each part of `scenario` that has no effect.
fn remark_on(scenario: &Scenario) -> Result<(), Error> {
    scenario.refuse_unused_nics()?;
    for key in scenario.without_effect() {
        note!("note: {key}");
    }
    for class in scenario.unused_classes() {
        note!("note: class {class} has its own algorithm, but no flow belongs to that class");
    }
    Ok(())
}
