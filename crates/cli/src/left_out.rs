//! Replacements for the commands of the feature `studies` in a build without it: the same names,
//! which only report that the feature is missing.

use std::ffi::OsString;
use std::process::ExitCode;

use fabricsim::Error;

/// Accepts any arguments, so that the error is about the missing feature.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LeftOutArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

fn refuse<T>(what: &str) -> Result<T, Error> {
    Err(Error::Unsupported {
        scenario: what.to_owned(),
        message: "this build does not have it, because its feature `studies` was left out"
            .to_owned(),
        help: "build fabricsim without --no-default-features".to_owned(),
    })
}

pub(crate) mod harm {
    use super::{Error, ExitCode, refuse};

    pub(crate) use super::LeftOutArgs as HarmArgs;

    pub(crate) fn harm(_: &HarmArgs) -> Result<ExitCode, Error> {
        refuse("fabricsim harm")
    }
}

pub(crate) mod parallelism {
    use std::path::Path;

    use fabricsim::outcome::{Monitor, Summary};
    use fabricsim::output::Destination;
    use fabricsim_scenario::Scenario;

    use super::{Error, refuse};

    /// A report that cannot exist in this build.
    pub(crate) enum ParallelismReport {}

    pub(crate) fn profile(
        _: &Scenario,
        _: Destination<'_>,
        _: Option<&Path>,
        _: &mut dyn Monitor,
    ) -> Result<(Summary, ParallelismReport), Error> {
        refuse("--profile-parallelism")
    }

    pub(crate) const fn describe(report: &ParallelismReport) -> String {
        match *report {}
    }
}

pub(crate) mod pint {
    use fabricsim_scenario::kinds::Registry;

    use super::{Error, ExitCode, refuse};

    pub(crate) use super::LeftOutArgs as PintArgs;

    pub(crate) fn pint(_: &PintArgs, _: &Registry) -> Result<ExitCode, Error> {
        refuse("fabricsim pint")
    }
}

pub(crate) mod reproduce {
    use super::{Error, ExitCode, refuse};
    use crate::signals::Signals;

    pub(crate) use super::LeftOutArgs as ReproduceArgs;

    pub(crate) fn reproduce(_: &ReproduceArgs, _: &Signals) -> Result<ExitCode, Error> {
        refuse("fabricsim reproduce")
    }
}

pub(crate) mod sweep {
    use fabricsim_scenario::kinds::Registry;

    use super::{Error, ExitCode, refuse};
    use crate::signals::Signals;

    pub(crate) use super::LeftOutArgs as SweepArgs;

    pub(crate) fn sweep(_: &SweepArgs, _: &Signals, _: &Registry) -> Result<ExitCode, Error> {
        refuse("fabricsim sweep")
    }

    pub(crate) fn schema() -> Result<serde_json::Value, Error> {
        refuse("the schema of sweeps")
    }
}
