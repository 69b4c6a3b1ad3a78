//! The scenario that a command is given.

use std::path::{Path, PathBuf};

use fabricsim::checkpoint::Checkpoint;
use fabricsim::{Error, Scenario};
use fabricsim_scenario::kinds::Registry;

use crate::console::note;

/// The scenario that runs when none is named.
const DEFAULT_SCENARIO: &str = include_str!("../../../examples/scenarios/default.toml");

/// A seed is a TOML integer, which has a sign.
const LARGEST_SEED: u64 = i64::MAX.unsigned_abs();

/// Scenario to run, and the changes made to it.
#[derive(Debug, clap::Args)]
pub(crate) struct ScenarioArgs {
    /// The scenario, a TOML file, or `-` for the standard input; without one the built-in scenario
    pub(crate) scenario: Option<PathBuf>,

    /// Another congestion control in the place of the whole [cc] table, with the settings of the
    /// [[scheme]] of this kind if the scenario has one: --cc dcqcn
    #[arg(long, value_name = "NAME")]
    pub(crate) cc: Option<String>,

    /// Change a setting: --set cc.eta=0.99 --set workload.0.load=0.7 (lists count from 0)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Seed of every random stream, instead of the scenario's (default 1)
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    pub(crate) seed: Option<u64>,
}

impl ScenarioArgs {
    /// Reads the scenario of `checkpoint`, with the changes.
    pub(crate) fn load_from(
        &self,
        checkpoint: &Checkpoint,
        registry: &Registry,
    ) -> Result<Scenario, Error> {
        let scenario = checkpoint.scenario(&self.changes(), registry)?;
        remark_on(&scenario)?;
        Ok(scenario)
    }

    /// The changes of `--cc` and `--set`.
    fn changes(&self) -> Vec<String> {
        let cc = self.cc.as_ref().map(|name| format!("cc={name}"));
        cc.into_iter().chain(self.set.iter().cloned()).collect()
    }

    /// Reads the scenario.
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

/// Says which parts of `scenario` have no effect.
fn remark_on(scenario: &Scenario) -> Result<(), Error> {
    scenario.refuse_unused_nics()?;
    for key in scenario.without_effect() {
        note!("note: {key}");
    }
    for class in scenario.unused_classes() {
        note!("note: class {class} has an algorithm of its own, and no flow is of that class");
    }
    Ok(())
}
