//! `fabricsim run`.

mod checkpoints;
mod unfinished;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;

use clap::Args as _;
use clap::error::ErrorKind;
use fabricsim::checkpoint::Checkpoint;
use fabricsim::outcome::{RunParts, Status, Summary, run_in_parts_to_folder};
use fabricsim::output::{Destination, partial_name};
use fabricsim::prelude::{NodeId, Time};
use fabricsim::summary::Download;
use fabricsim::{Error, Scenario};
use fabricsim_experiments::parallelism::profile_to_folder;
use fabricsim_scenario::kinds::Registry;

use serde_json::Value;

use self::checkpoints::wanted_checkpoints;
use self::unfinished::report_unfinished;
use crate::class_table::describe_slowdowns;
use crate::console::{exit_with, note, output};
use crate::exit;
use crate::jobs;
use crate::load;
use crate::parallelism;
use crate::progress::Display;
use crate::rpc;
use crate::scenario_args::ScenarioArgs;
use crate::signals::Signals;
use crate::text::{existing, line};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim run                                     the built-in scenario
  fabricsim run my.toml --threads 2
  fabricsim import config.txt | fabricsim run -     a scenario from the standard input
  fabricsim run my.toml --json | jq .slowdown       for programs
  fabricsim run my.toml --set workload.0.load=0.7 --out results/load70
  fabricsim run my.toml --profile-parallelism       how many cores would be worth it
  fabricsim run my.toml --checkpoint-at 10ms        its state in results/NAME.10ms.checkpoint
  fabricsim run --from results/NAME.10ms.checkpoint --set cc.kind=timely --out results/timely

The folder gets fct.csv (one row for each flow, in the order of completion) and
summary.json (every setting, counts, slowdowns, checksum). Results do not depend on
--threads. Complete results of other settings, other files or another version of fabricsim
stay: nothing is run then, unless --force lets the new results replace them. The very same
scenario can run again. Old results go when the new ones are complete.

A run that goes on from a checkpoint has the results of the whole run, those that it would have had
without. The scenario is in the checkpoint; of its settings [cc], [[class]], [[event]] to come and
run.stop_at may change.

Exit codes: 0 done, 2 bad input or a folder with other results, 3 flows are left that cannot
finish, 130 interrupted (fct.partial.csv and summary.partial.json have what was complete).
1: a file cannot be written.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Threads [default: all cores]; results are the same for any number
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Folder of the results [default: the scenario's, or results/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Let the results replace complete ones of another scenario or version
    #[arg(long)]
    pub(crate) force: bool,

    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as JSON, with the folder of the results as `dir`
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Write the state of the run at this simulated time into a file, and go on; several times with
    /// commas between them
    #[arg(long, value_name = "TIME", value_delimiter = ',')]
    pub(crate) checkpoint_at: Vec<Time>,

    /// File of the checkpoint [default: that of the results with .TIME.checkpoint behind it]; of
    /// several, each has its time before the extension
    #[arg(long, value_name = "FILE", requires = "checkpoint_at")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Go on from this checkpoint, with the scenario that it holds
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "seed"])]
    pub(crate) from: Option<PathBuf>,

    /// Run on one thread and measure what 2 to 128 workers would gain: prints a table, writes
    /// parallelism.json and parallelism_nodes.csv; results are the same
    #[arg(long, conflicts_with_all = ["checkpoint_at", "from"])]
    pub(crate) profile_parallelism: bool,
}

impl RunArgs {
    /// Refuses what cannot be together.
    pub(crate) fn check(&self) -> Result<(), clap::Error> {
        match self.threads {
            Some(threads) if threads != 1 && self.profile_parallelism => {
                let mut command = Self::augment_args(clap::Command::new("fabricsim run"));
                Err(command.error(
                    ErrorKind::ArgumentConflict,
                    format!(
                        "--profile-parallelism runs on one thread, and --threads asks for {threads}; \
                         leave out --threads: the report estimates 2 to 128 workers from one run"
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
) -> Result<ExitCode, Error> {
    args.check().unwrap_or_else(|error| exit_with(error));
    let checkpoint = args.from.as_deref().map(Checkpoint::read).transpose()?;
    let scenario = match &checkpoint {
        Some(checkpoint) => args.scenario.load_from(checkpoint, registry)?,
        None => args.scenario.load(registry)?,
    };
    let dir = args.out.clone().unwrap_or_else(|| scenario.output_dir());
    let threads = args.threads.map_or_else(
        || available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    );
    let destination = Destination::new(&dir, existing(args.force));
    let mut display = Display::new(args.quiet, signals);
    let (summary, profile) = if args.profile_parallelism {
        let (summary, report) = profile_to_folder(&scenario, destination, &mut display)?;
        (summary, Some(report))
    } else {
        let parts = RunParts {
            from: checkpoint.as_ref(),
            checkpoints: wanted_checkpoints(args, &dir),
        };
        let display = &mut display;
        let summary = run_in_parts_to_folder(&scenario, destination, threads, display, parts)?;
        (summary, None)
    };
    display.finish();
    let printed = match args.quiet {
        true => Ok(()),
        false if args.json => output(&format!("{:#}\n", with_folder(&summary, &dir))),
        false => {
            let mut text = describe(&scenario, &summary);
            if let Some(profile) = &profile {
                text.push_str(&parallelism::describe(profile));
            }
            output(&text).and_then(|()| output(&files(&summary, &dir)))
        }
    };
    for series in &summary.observed {
        if let Some(left_out) = &series.left_out {
            note!(
                "{} is full ([observe] max_rows): {left_out} are left out",
                series.file
            );
        }
    }
    for at in &summary.missed_checkpoints {
        note!("the run ended before {at}: there is no checkpoint of that time");
    }
    // Those of overload have been told before the run.
    let overload = summary.expected_utilization.warning();
    for warning in &summary.warnings {
        if Some(warning) != overload.as_ref() {
            note!("warning: {warning}");
        }
    }
    report_unfinished(&summary);
    printed?;
    Ok(match summary.status {
        Status::Interrupted => ExitCode::from(exit::INTERRUPTED),
        Status::Stalled | Status::Deadlocked | Status::BeyondHorizon | Status::Overloaded => {
            ExitCode::from(exit::STALLED)
        }
        Status::Finished if summary.flows.unreachable > 0 => ExitCode::from(exit::STALLED),
        Status::Finished | Status::TimeReached => ExitCode::SUCCESS,
    })
}

/// The summary, as summary.json has it, and the folder in which that is.
fn with_folder(summary: &Summary, dir: &Path) -> Value {
    let mut value = serde_json::to_value(summary).expect("a summary is JSON");
    value["dir"] = dir.display().to_string().into();
    value
}

/// Returns the name that the file `name` has in the folder of this run.
fn file_name(summary: &Summary, name: &str) -> String {
    match summary.status {
        Status::Interrupted => partial_name(name),
        _ => name.to_owned(),
    }
}

/// The line with all files: flows and summary first.
fn files(summary: &Summary, dir: &Path) -> String {
    let first = ["fct.csv", "summary.json"].map(|name| file_name(summary, name));
    let more = summary.files.iter().filter(|name| !first.contains(name));
    let names: Vec<&str> = first.iter().chain(more).map(String::as_str).collect();
    format!("results      {}/{}\n", dir.display(), names.join(", "))
}

/// The algorithm, and those of classes that have their own.
fn algorithms(scenario: &Scenario) -> String {
    let mut text = scenario.cc().name().to_owned();
    for (class, cc) in scenario.class_cc() {
        write!(text, ", class {class}: {}", cc.name()).expect("a string takes everything");
    }
    text
}

fn describe(scenario: &Scenario, summary: &Summary) -> String {
    let mut text = String::new();
    line!(
        text,
        "scenario     {} (seed {}, {})",
        scenario.name(),
        scenario.seed(),
        algorithms(scenario)
    );
    line!(
        text,
        "flows        {} started, {} finished, {} unfinished",
        summary.flows.started,
        summary.flows.finished,
        summary.flows.unfinished
    );
    if summary.flows.unreachable > 0 {
        line!(
            text,
            "             {} more never started: no route led to their destinations",
            summary.flows.unreachable
        );
    }
    describe_downloads(&mut text, scenario, &summary.downloads);
    if let Some(tiers) = load::oversubscription(&summary.oversubscription) {
        line!(text, "tiers        {tiers} oversubscribed");
    }
    for (name, value) in load::lines(&summary.expected_utilization) {
        line!(text, "{name:<13}{value}");
    }
    line!(
        text,
        "simulated    {:.3} ms in {:.2} s",
        summary.simulated_ns / 1e6,
        summary.wall_s
    );
    line!(
        text,
        "packet-hops  {} ({:.2} M per CPU second, {:.2} M per second on {} threads)",
        summary.packet_hops,
        summary.packet_hops_per_cpu_s / 1e6,
        summary.packet_hops_per_cpu_s * summary.cpu_s / summary.wall_s.max(1e-9) / 1e6,
        summary.threads
    );
    line!(
        text,
        "losses       {} for want of buffer, {} on links; {} PFC pauses; longest queue {} bytes",
        summary.buffer_drops,
        summary.link_losses,
        summary.pfc_pauses,
        summary.max_queue_bytes
    );
    if summary.trimmed_packets > 0 {
        line!(
            text,
            "trimmed      {} packets, whose headers went on",
            summary.trimmed_packets
        );
    }
    if summary.link_down_drops + summary.no_route_drops > 0 {
        line!(
            text,
            "failures     {} packets lost on links that were down, {} without a route",
            summary.link_down_drops,
            summary.no_route_drops
        );
    }
    describe_checkpoints(&mut text, summary);
    line!(text, "checksum     {}", summary.checksum);
    let own_tables = !summary.rpc.is_empty() || !summary.jobs.is_empty();
    if !own_tables || summary.slowdown.iter().any(|row| row.flows > 0) {
        describe_slowdowns(&mut text, summary);
    }
    describe_queues(&mut text, summary);
    rpc::describe(&mut text, &summary.rpc);
    jobs::describe(&mut text, &summary.jobs);
    text
}

/// Adds a line for each checkpoint.
fn describe_checkpoints(text: &mut String, summary: &Summary) {
    for taken in &summary.checkpoints {
        line!(
            text,
            "checkpoint   {} ({:.3} ms, {:.1} MB, {:.2} s)",
            taken.file,
            taken.time_ns / 1e6,
            taken.bytes as f64 / 1e6,
            taken.seconds
        );
    }
}

/// Adds a line for each flow that never ends, or one for all of them where they are many.
fn describe_downloads(text: &mut String, scenario: &Scenario, downloads: &[Download]) {
    const SHOWN: usize = 10;
    let label = |host: u32| scenario.topology().label(NodeId(host));
    let mbps = |download: &Download| download.goodput_bps / 1e6;
    if downloads.len() > SHOWN {
        let rates = || downloads.iter().map(mbps);
        line!(
            text,
            "downloads    {} flows, {:.3} Mbps together, {:.3} to {:.3} Mbps each",
            downloads.len(),
            rates().sum::<f64>(),
            rates().fold(f64::INFINITY, f64::min),
            rates().fold(0.0, f64::max)
        );
        return;
    }
    for download in downloads {
        line!(
            text,
            "download     flow {}, {} from {}: {:.3} Mbps",
            download.flow,
            label(download.src),
            label(download.dst),
            mbps(download)
        );
    }
}

/// Adds the table of queue lengths by group of ports, where they were observed.
fn describe_queues(text: &mut String, summary: &Summary) {
    if summary.queue_groups.is_empty() {
        return;
    }
    line!(
        text,
        "queues       {:>14} {:>9} {:>9} {:>9} {:>9}",
        "ports",
        "p50 (B)",
        "p95 (B)",
        "p99 (B)",
        "mean (B)"
    );
    for group in &summary.queue_groups {
        line!(
            text,
            "  {:<22} {:>2} {:>9} {:>9} {:>9} {:>9.0}",
            group.group,
            group.ports,
            group.p50_bytes,
            group.p95_bytes,
            group.p99_bytes,
            group.mean_bytes
        );
    }
}
