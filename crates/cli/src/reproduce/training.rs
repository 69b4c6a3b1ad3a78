//! `fabricsim reproduce training`.

use std::path::Path;
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim_experiments::reproduce::studies::training::{self, Extent};
use fabricsim_experiments::reproduce::{Study, StudyCard};

use super::{ReproduceArgs, run_sweep};
use crate::signals::Signals;

/// Returns how much of the workloads runs.
pub(super) const fn extent(args: &ReproduceArgs) -> Extent {
    match (args.quick, args.full) {
        (true, _) => Extent::Quick,
        (_, true) => Extent::Full,
        _ => Extent::Usual,
    }
}

/// Returns the name of the folder of results.
pub(super) fn folder(args: &ReproduceArgs, study: &Study) -> String {
    match extent(args) {
        Extent::Usual => study.name.to_owned(),
        other => format!("{}-{}", study.name, other.name()),
    }
}

/// Runs the missing points into `dir`, and judges all of them. Returns no card if the runs were
/// interrupted.
pub(super) fn card(
    args: &ReproduceArgs,
    study: &Study,
    dir: &Path,
    signals: &Signals,
) -> Result<(Option<StudyCard>, ExitCode), Error> {
    let extent = extent(args);
    let sweep = training::sweep(extent, dir, &args.set)?.only(&args.only)?;
    let mut code = ExitCode::SUCCESS;
    if !args.judge_only {
        let (interrupted, ended) = run_sweep(args, &sweep, dir, signals)?;
        if interrupted {
            return Ok((None, ended));
        }
        code = ended;
    }
    let card = training::judge(study, extent, &sweep, dir, !args.set.is_empty())?;
    Ok((Some(card), code))
}
