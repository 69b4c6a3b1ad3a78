//! `fabricsim sweep`.

mod display;
mod point_line;
mod warnings;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;

use fabricsim::Error;
use fabricsim_experiments::sweep;
use fabricsim_experiments::sweep::{
    Ended, POINTS_COST_CSV, POINTS_CSV, PointOutcome, PointResults, PointState, Shard, Sweep,
    SweepInput, SweepOptions, SweepOutcome,
};
use fabricsim_scenario::kinds::Registry;

use crate::console::{note, output};
use crate::exit;
use crate::signals::Signals;
use crate::text::{existing, line};

pub(crate) use display::Display;
use point_line::point_line;

/// Points that the summary lists one by one, at most.
const LISTED: usize = 60;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim sweep examples/sweeps/loads.toml
  fabricsim sweep loads.toml --dry-run              list the points and their status
  fabricsim sweep loads.toml --jobs 8               eight points at a time, one thread each
  fabricsim sweep loads.toml --jobs 1 --threads 8   one point at a time, if points are very large
  fabricsim sweep loads.toml --set run.stop_at=2ms  a change to the base scenario

A sweep writes points.csv (one row for each point: its axes, flows, slowdowns, checksum),
points_cost.csv (times and memory) and points/NAME/ with the results of each point. After Ctrl-C,
a crash or a kill, the same command runs only the missing points. If settings, files or fabricsim
have changed since a point was done, nothing runs: --force reruns such points and replaces their
results, --out selects another folder. The table does not depend on interruptions, --jobs,
--threads or --shard. The sweep waits for points that another process is running.

Several machines with one file system: each process runs a part, from 1/N to N/N, and the last
one completes the table.
  GNU parallel:  parallel fabricsim sweep s.toml --jobs 1 --shard {}/4 ::: 1 2 3 4
  Slurm:         #SBATCH --array=1-8
                 fabricsim sweep s.toml --shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
Parts count from 1, so start a job array at 1.

Exit codes: 0 done, 1 a point failed or a file cannot be written, 2 bad input and nothing was
run, 3 flows of a point cannot finish, 130 interrupted.")]
pub(crate) struct SweepArgs {
    /// The sweep (a TOML file): a base scenario and axes, see docs/sweeps.md
    sweep: PathBuf,

    /// Change a setting of the base scenario, before any axis: --set cc.eta=0.99
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Points to run at the same time [default: cores / threads]
    #[arg(long, short, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Threads of each point; results are the same for any number
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Run only part I of N (from 1); parts have about equal work and share one folder
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,

    /// Folder of the results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Check and list the points with their expected flows and status; run nothing
    #[arg(long, conflicts_with = "table_only")]
    dry_run: bool,

    /// Write the tables from existing results; run nothing
    #[arg(long)]
    table_only: bool,

    /// Rerun points that have complete results of other settings or another version, and
    /// replace these results
    #[arg(long)]
    force: bool,

    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl SweepArgs {
    fn options(&self) -> SweepOptions {
        let cores = default_jobs();
        let threads = usize::from(self.threads);
        let jobs = self
            .jobs
            .map_or_else(|| (cores / threads).max(1), usize::from);
        if jobs * threads > cores && !self.quiet {
            note!(
                "note: {jobs} points at a time on {threads} threads each, and this machine has \
                 {cores} cores: it would be faster with fewer"
            );
        }
        SweepOptions {
            jobs,
            threads,
            shard: self.shard,
            existing: existing(self.force),
        }
    }
}

/// Returns the JSON Schema of sweeps.
#[expect(clippy::unnecessary_wraps, reason = "a build without sweeps refuses")]
pub(crate) fn schema() -> Result<serde_json::Value, Error> {
    Ok(sweep::sweep_schema())
}

pub(crate) fn sweep(
    args: &SweepArgs,
    signals: &Signals,
    registry: &Registry,
) -> Result<ExitCode, Error> {
    let input = SweepInput {
        overrides: args.set.clone(),
        custom: registry.clone(),
        ..SweepInput::default()
    };
    let sweep = Sweep::from_file_with(&args.sweep, &input)?;
    let dir = match &args.out {
        Some(dir) => dir.clone(),
        None => Path::new("results").join(sweep.name()),
    };
    if args.dry_run {
        let options = args.options();
        let checked = sweep.check(options.jobs)?;
        output(&plan(&sweep, &dir, options.shard))?;
        warnings::of_points(&sweep, checked);
        return Ok(ExitCode::SUCCESS);
    }
    if args.table_only {
        let states = sweep::write_tables(&sweep, &dir)?;
        if !args.quiet {
            output(&describe_table(&sweep, &states, &dir))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut display = Display::new(args.quiet, signals);
    let outcome = sweep::run(&sweep, &dir, &args.options(), &mut display)?;
    // A terminal has had a line for each point already.
    let listed = if display.is_hidden() { LISTED } else { 0 };
    display.finish();
    let printed = match args.quiet {
        true => Ok(()),
        false => output(&describe(&sweep, &outcome, &dir, listed)),
    };
    report(&outcome, &dir);
    if !args.quiet {
        warnings::of_outcome(&outcome);
    }
    printed?;
    let failed = outcome.count(|ended| matches!(ended, Ended::Failed(_)));
    let stuck = outcome.points.iter().filter_map(PointOutcome::results);
    Ok(if outcome.interrupted {
        ExitCode::from(exit::INTERRUPTED)
    } else if failed > 0 {
        ExitCode::from(exit::FAILURE)
    } else if stuck.into_iter().any(PointResults::is_stuck) {
        ExitCode::from(exit::STALLED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Returns the default number of points at a time, of one thread each: the number of cores.
pub(crate) fn default_jobs() -> usize {
    available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Returns the outcome of a sweep as text, with the first `listed` points one by one.
fn describe(sweep: &Sweep, outcome: &SweepOutcome, dir: &Path, listed: usize) -> String {
    let count = |wanted: fn(&Ended) -> bool| outcome.count(wanted);
    let mut text = String::new();
    line!(
        text,
        "sweep        {}: {} points",
        sweep.name(),
        outcome.points.len()
    );
    line!(
        text,
        "points       {} run, {} done before, {} failed, {} not done",
        outcome.count_run(),
        count(|ended| matches!(ended, Ended::Kept(_))),
        count(|ended| matches!(ended, Ended::Failed(_))),
        count(|ended| matches!(ended, Ended::Stopped | Ended::Elsewhere)),
    );
    for point in outcome.points.iter().take(listed) {
        line!(text, "  {}", point_line(point));
    }
    if listed > 0 && outcome.points.len() > listed {
        line!(text, "  and {} more", outcome.points.len() - listed);
    }
    table_line(&mut text, dir);
    text
}

fn table_line(text: &mut String, dir: &Path) {
    line!(
        text,
        "table        {}, {POINTS_COST_CSV}",
        dir.join(POINTS_CSV).display()
    );
}

/// Prints errors, and the flows and points that are left over.
pub(crate) fn report(outcome: &SweepOutcome, dir: &Path) {
    for point in &outcome.points {
        match &point.ended {
            Ended::Failed(message) => note!("point {} failed: {message}", point.name),
            Ended::Kept(results) | Ended::Ran(results) if results.is_stuck() => note!(
                "point {}: {}, {} flows cannot finish; see {}",
                point.name,
                results.status.name(),
                results.stuck_flows(),
                point.folder.join("summary.json").display()
            ),
            _ => {}
        }
    }
    if !outcome.stale.is_empty() {
        note!(
            "note: {} is of no point of the sweep any more{}; delete it if nobody needs it",
            dir.join("points").join(&outcome.stale[0]).display(),
            match outcome.stale.len() - 1 {
                0 => String::new(),
                more => format!(", nor are {more} other folders beside it"),
            }
        );
    }
    if outcome.interrupted {
        let done = outcome.points.iter().filter_map(PointOutcome::results);
        note!(
            "interrupted: {} of {} points are done; run the same command to continue",
            done.count(),
            outcome.points.len()
        );
    }
}

/// Returns the output of a dry run.
fn plan(sweep: &Sweep, dir: &Path, shard: Shard) -> String {
    let mine = shard.choose(sweep.points());
    let mut text = String::new();
    line!(text, "sweep        {}", sweep.name());
    line!(text, "results in   {}", dir.display());
    if let Some(warm) = sweep.warm_start() {
        let at = warm.checkpoint().time();
        line!(text, "from         {} ({at})", warm.path().display());
    }
    line!(
        text,
        "points       {} of {}",
        mine.len(),
        sweep.points().len()
    );
    line!(
        text,
        "  {:<8} {:>12} {:>16}  point",
        "state",
        "flows",
        "bytes"
    );
    let (mut flows, mut bytes, mut due) = (0.0, 0.0, 0);
    for point in mine.iter().map(|&at| &sweep.points()[at]) {
        let state = PointState::of(point, dir);
        let expected = point.expected();
        if !matches!(state, PointState::Done(_)) {
            due += 1;
            flows += expected.flows;
            bytes += expected.bytes;
        }
        line!(
            text,
            "  {:<8} {:>12.0} {:>16.0}  {}",
            match state {
                PointState::Done(_) => "done",
                PointState::Failed(_) => "failed",
                PointState::Outdated => "changed",
                PointState::Missing => "to run",
            },
            expected.flows,
            expected.bytes,
            point.name()
        );
    }
    line!(
        text,
        "to run       {due} points, about {flows:.0} flows and {bytes:.0} bytes"
    );
    text
}

fn describe_table(sweep: &Sweep, states: &[PointState], dir: &Path) -> String {
    let mut text = String::new();
    let done = states
        .iter()
        .filter(|state| matches!(state, PointState::Done(_)));
    line!(
        text,
        "sweep        {}: {} of {} points are done",
        sweep.name(),
        done.count(),
        states.len()
    );
    let left = |state: &&PointState| **state == PointState::Outdated;
    let outdated = states.iter().filter(left).count();
    if outdated > 0 {
        line!(
            text,
            "             {outdated} have results of other settings or another version, and count as \
             missing"
        );
    }
    table_line(&mut text, dir);
    text
}
