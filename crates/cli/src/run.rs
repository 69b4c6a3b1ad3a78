//! `fabricsim run`.

mod checkpoints;
mod describe;
mod unfinished;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;

use clap::Args as _;
use clap::error::ErrorKind;
use fabricsim::checkpoint::Checkpoint;
use fabricsim::outcome::{Monitor, RunParts, Status, Summary, run_in_parts_to_folder};
use fabricsim::output::Destination;
use fabricsim::prelude::Time;
use fabricsim::{Error, Scenario};
use fabricsim_base::ranks::Ranks;
use fabricsim_mpi::{MpiRanks, threads_by_default};
use fabricsim_scenario::kinds::Registry;

use self::checkpoints::wanted_checkpoints;
use self::describe::{describe, files, with_folder};
use self::unfinished::report_unfinished;
use crate::console::{exit_with, note, output};
use crate::exit;
use crate::parallelism;
use crate::progress::{Display, Follower};
use crate::ranks;
use crate::scenario_args::ScenarioArgs;
use crate::signals::Signals;
use crate::text::existing;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim run                                     the built-in scenario
  fabricsim run my.toml --threads 2
  fabricsim import config.txt | fabricsim run -     a scenario from the standard input
  fabricsim run my.toml --json | jq .slowdown       for programs
  fabricsim run my.toml --set workload.0.load=0.7 --out results/load70
  fabricsim run my.toml --profile-parallelism       the gain of more cores or ranks
  fabricsim run my.toml --fast-forward              skips repetitions; the results are the same
  mpirun -n 4 fabricsim run my.toml --threads 2     over four processes (docs/clusters.md)
  fabricsim run my.toml --checkpoint-at 10ms        writes results/NAME.10ms.checkpoint
  fabricsim run --from results/NAME.10ms.checkpoint --set cc.kind=timely --out results/timely

A run writes fct.csv (one row for each flow, in the order of completion), summary.json (every
setting, counts, slowdowns, checksum), topology.csv (nodes and links) and buffers.csv (largest use
of switch buffers). Results do not depend on --threads. If the folder has complete results of other
settings, other files or another version of fabricsim, nothing runs unless you give --force.
Rerunning the same scenario needs no --force. Old results are replaced only when the new ones are
complete.

A run from a checkpoint has the results of the uninterrupted run. The scenario is stored in the
checkpoint; you may change its [cc], its [[class]] tables, future [[event]] tables,
run.stop_at and run.fast_forward.

Exit codes: 0 done, 1 a file cannot be written, 2 bad input or a folder with other results, 3 flows
cannot finish, 130 interrupted (fct.partial.csv and summary.partial.json have the completed flows).")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Threads [default: all cores]; results are the same for any number
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Skip periods in which the state of the network repeats; results are the same (sets
    /// run.fast_forward=exact)
    #[arg(long, conflicts_with = "profile_parallelism")]
    pub(crate) fast_forward: bool,

    /// Folder of the results [default: the scenario's, or results/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Replace complete results of another scenario or version
    #[arg(long)]
    pub(crate) force: bool,

    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as JSON, with the folder of the results as `dir`
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Write a checkpoint at this simulated time and continue; separate several times by commas
    #[arg(long, value_name = "TIME", value_delimiter = ',')]
    pub(crate) checkpoint_at: Vec<Time>,

    /// File of the checkpoint [default: the results folder's name with .TIME.checkpoint]; for
    /// several times, each is inserted before the extension
    #[arg(long, value_name = "FILE", requires = "checkpoint_at")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Continue from this checkpoint, which contains the scenario
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "seed"])]
    pub(crate) from: Option<PathBuf>,

    /// Run on one thread and estimate the gain of 2 to 128 workers and of 2 to 64 ranks: print
    /// tables and write parallelism.json and parallelism_nodes.csv; results are the same
    #[arg(long, conflicts_with_all = ["checkpoint_at", "from"])]
    pub(crate) profile_parallelism: bool,

    /// Costs of messages between ranks, as measured by `fabricsim mpi-probe --out FILE` [default: 2
    /// us latency, 0.5 us of work, 0.1 ns for each byte]
    #[arg(long, value_name = "FILE", requires = "profile_parallelism")]
    pub(crate) mpi_costs: Option<PathBuf>,
}

impl RunArgs {
    /// Refuses arguments that exclude one another.
    pub(crate) fn check(&self) -> Result<(), clap::Error> {
        match self.threads {
            Some(threads) if threads != 1 && self.profile_parallelism => {
                let mut command = Self::augment_args(clap::Command::new("fabricsim run"));
                Err(command.error(
                    ErrorKind::ArgumentConflict,
                    format!(
                        "--profile-parallelism runs on one thread, not on --threads {threads}; leave out \
                         --threads: the report estimates 2 to 128 workers from one run"
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn run(
    args: &RunArgs,
    signals: &Signals,
    registry: &Registry,
    ranks: Option<&Arc<MpiRanks>>,
) -> Result<ExitCode, Error> {
    args.check().unwrap_or_else(|error| exit_with(error));
    let loaded = load(args, registry).and_then(|loaded| match ranks {
        Some(_) if args.profile_parallelism => Err(Error::Unsupported {
            scenario: "--profile-parallelism".to_owned(),
            message: "it runs on one thread, and an MPI launcher has started several processes"
                .to_owned(),
            help: "start it without the launcher: its report also estimates ranks".to_owned(),
        }),
        _ => Ok(loaded),
    });
    let (scenario, checkpoint) = match ranks::agree(loaded, ranks.map(|ranks| &**ranks)) {
        Ok(loaded) => loaded,
        Err(code) => return Ok(code),
    };
    let dir = args.out.clone().unwrap_or_else(|| scenario.output_dir());
    let threads = args.threads.map_or_else(
        || match ranks {
            Some(ranks) => threads_by_default(&**ranks, ranks.machine()),
            None => available_parallelism().map_or(1, std::num::NonZero::get),
        },
        usize::from,
    );
    let destination = Destination::new(&dir, existing(args.force));
    // The first rank speaks for all.
    let is_first = ranks.is_none_or(|ranks| ranks.rank() == 0);
    let mut display = Display::new(args.quiet || !is_first, signals);
    let mut follower = Follower(signals.clone());
    let (summary, profile) = if args.profile_parallelism {
        let costs = args.mpi_costs.as_deref();
        let (summary, report) = parallelism::profile(&scenario, destination, costs, &mut display)?;
        (summary, Some(report))
    } else {
        let parts = RunParts {
            ranks: ranks.map(|ranks| Arc::clone(ranks) as Arc<dyn Ranks>),
            from: checkpoint.as_ref(),
            checkpoints: wanted_checkpoints(args, &scenario, &dir)?,
        };
        let monitor: &mut dyn Monitor = match is_first {
            true => &mut display,
            false => &mut follower,
        };
        match run_in_parts_to_folder(&scenario, destination, threads, monitor, parts) {
            Ok(summary) => (summary, None),
            // The rank that has failed says so.
            Err(Error::Elsewhere { .. }) => return Ok(ExitCode::from(exit::FAILURE)),
            Err(error) => return Err(error),
        }
    };
    display.finish();
    if is_first {
        let text = || {
            let mut text = describe(&scenario, &summary);
            if let Some(profile) = &profile {
                text.push_str(&parallelism::describe(profile));
            }
            text
        };
        print(args, &summary, text, &dir)?;
    }
    Ok(if summary.status == Status::Interrupted {
        ExitCode::from(exit::INTERRUPTED)
    } else if summary.status.leaves_flows(&summary.flows) {
        ExitCode::from(exit::STALLED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads the scenario, and the checkpoint if the run continues from one.
fn load(args: &RunArgs, registry: &Registry) -> Result<(Scenario, Option<Checkpoint>), Error> {
    let checkpoint = args.from.as_deref().map(Checkpoint::read).transpose()?;
    let mut arguments = args.scenario.clone();
    if args.fast_forward {
        arguments.set.push("run.fast_forward=exact".to_owned());
    }
    let scenario = match &checkpoint {
        Some(checkpoint) => arguments.load_from(checkpoint, registry)?,
        None => arguments.load(registry)?,
    };
    Ok((scenario, checkpoint))
}

/// Prints `summary` as `text` or as JSON, and then notes and warnings.
fn print(
    args: &RunArgs,
    summary: &Summary,
    text: impl FnOnce() -> String,
    dir: &Path,
) -> Result<(), Error> {
    let printed = match args.quiet {
        true => Ok(()),
        false if args.json => output(&format!("{:#}\n", with_folder(summary, dir))),
        false => output(&text()).and_then(|()| output(&files(summary, dir))),
    };
    for series in &summary.observed {
        if let Some(left_out) = &series.left_out {
            note!(
                "{} is full ([observe] max_rows): {left_out} are left out",
                series.file
            );
        }
    }
    if let Some(capture) = summary
        .captured
        .as_ref()
        .filter(|capture| capture.left_out > 0)
    {
        note!(
            "{} is full ([capture] max_frames): the last {} frames are left out",
            capture.file,
            capture.left_out
        );
    }
    for at in &summary.missed_checkpoints {
        note!("the run ended before {at}, so there is no checkpoint of that time");
    }
    // The warning about overload was printed before the run.
    let overload = summary.expected_utilization.warning();
    for warning in &summary.warnings {
        if Some(warning) != overload.as_ref() {
            note!("warning: {warning}");
        }
    }
    report_unfinished(summary);
    printed
}
