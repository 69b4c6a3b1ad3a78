//! `fabricsim run`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::thread::available_parallelism;

use fabricsim::outcome::{Existing, Status, Summary, run_to_folder};
use fabricsim::output::{Destination, partial_name};
use fabricsim::{Error, Scenario};
use fabricsim_experiments::parallelism::profile_to_folder;
use fabricsim_scenario::kinds::Registry;

use crate::args::RunArgs;
use crate::console::{exit_with, note, output};
use crate::exit;
use crate::load;
use crate::parallelism;
use crate::progress::Display;
use crate::signals::Signals;

/// Adds a line to a text.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => {
        writeln!($text, $($arguments)*).expect("a string takes everything")
    };
}
pub(crate) use line;

/// What `--force` says of complete results of something else.
pub(crate) const fn existing(force: bool) -> Existing {
    match force {
        true => Existing::Replace,
        false => Existing::Keep,
    }
}

pub(crate) fn run(
    args: &RunArgs,
    signals: &Signals,
    registry: &Registry,
) -> Result<ExitCode, Error> {
    args.check().unwrap_or_else(|error| exit_with(error));
    let scenario = args.scenario.load(registry)?;
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
        let summary = run_to_folder(&scenario, destination, threads, &mut display)?;
        (summary, None)
    };
    display.finish();
    let printed = match args.quiet {
        true => Ok(()),
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

/// What `name` is called in the folder of this run.
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
        summary.packet_hops as f64 / summary.wall_s.max(1e-9) / 1e6,
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
    if summary.link_down_drops + summary.no_route_drops > 0 {
        line!(
            text,
            "failures     {} packets lost on links that were down, {} without a route",
            summary.link_down_drops,
            summary.no_route_drops
        );
    }
    line!(text, "checksum       {}", summary.checksum);
    line!(
        text,
        "slowdown     {:>14} {:>9} {:>9} {:>9} {:>9}",
        "flows",
        "p50",
        "p95",
        "p99",
        "mean"
    );
    for row in &summary.slowdown {
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
        line!(
            text,
            "  {:<10} {:>14} {:>9} {:>9} {:>9} {:>9}",
            row.class,
            row.flows,
            cell(row.p50),
            cell(row.p95),
            cell(row.p99),
            cell(row.mean)
        );
    }
    text
}

/// Says which flows are left and why, the first ones on the terminal.
fn report_unfinished(summary: &Summary) {
    const SHOWN: usize = 10;
    let left = summary.flows.unfinished + summary.flows.unreachable;
    if left == 0 {
        if summary.status == Status::BeyondHorizon {
            note!("flows that start after more than 53 days of simulated time are left out");
        }
        return;
    }
    let why = match summary.status {
        Status::Finished => "no route leads to their destinations",
        Status::TimeReached => "the scenario's stop_at came first",
        Status::Stalled => "nothing moves any more",
        Status::Deadlocked => "paused switch ports wait for one another (PFC deadlock)",
        Status::BeyondHorizon => "they need more than 53 days of simulated time",
        Status::Overloaded => summary.overload.as_deref().unwrap_or("there were too many"),
        Status::Interrupted => "interrupted",
    };
    note!("{left} flows did not finish: {why}");
    for port in &summary.deadlock {
        note!(
            "  switch {} port {} is paused by switch {} (priority {}, {} bytes wait)",
            port.switch,
            port.port,
            port.paused_by,
            port.priority,
            port.queued_bytes
        );
    }
    for flow in summary.unfinished.iter().take(SHOWN) {
        let number = flow
            .flow
            .map_or_else(|| "-".to_owned(), |flow| flow.to_string());
        note!(
            "  flow {number}, host {} to host {}: {} of {} bytes acknowledged; {}",
            flow.src,
            flow.dst,
            flow.acknowledged_bytes,
            flow.size_bytes,
            flow.reason
        );
    }
    if left > SHOWN as u64 {
        let file = file_name(summary, "summary.json");
        note!("  and {} more, see {file}", left - SHOWN as u64);
    }
}
