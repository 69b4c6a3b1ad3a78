//! A run with measurements for the estimate of parallelism.

use std::io::{BufWriter, Write};

use fabricsim::outcome::{Monitor, ResultPlace, Run, write_json};
use fabricsim::output::Destination;
use fabricsim::summary::Summary;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;

use super::report::ParallelismReport;
use super::{MessageCosts, Parallelism};

/// The file that a profile adds to the results.
const FILE: &str = "parallelism.json";
const NODES: &str = "parallelism_nodes.csv";

/// Runs `scenario` on one thread like [`run_to_folder`](fabricsim::outcome::run_to_folder), and
/// estimates the gain of more threads or ranks.
///
/// Messages between ranks have the costs `messages`. The run also writes `parallelism.json` and
/// `parallelism_nodes.csv`.
///
/// # Errors
/// The same as [`run_to_folder`](fabricsim::outcome::run_to_folder).
pub fn profile_to_folder<'a>(
    scenario: &Scenario,
    destination: impl Into<Destination<'a>>,
    messages: MessageCosts,
    monitor: &mut dyn Monitor,
) -> Result<(Summary, ParallelismReport), Error> {
    let place = ResultPlace::new(scenario, destination.into(), &[FILE, NODES])?;
    let run = Run::new(scenario, 1)?;
    let mut profile = Parallelism::new(scenario.topology().len());
    profile = profile.with_ranks(scenario.topology());
    let mut folder = place.open()?;
    let ran = run.run_by(
        &mut folder,
        place.origin(),
        monitor,
        |simulation, until, watch| {
            profile.start();
            simulation.run_probed(until, watch, &mut profile)
        },
    )?;
    let cpu_share = ran.summary.cpu_s / ran.summary.wall_s.max(f64::MIN_POSITIVE);
    let report = profile.report(scenario.topology(), cpu_share, messages)?;
    write_json(&mut folder, ran.ending.name(FILE), &report)?;
    folder.write(ran.ending.name(NODES), |file| {
        let mut buffered = BufWriter::new(file);
        profile.write_nodes(&mut buffered, scenario.topology())?;
        buffered.flush()
    })?;
    Ok((ran.finish(folder)?, report))
}
