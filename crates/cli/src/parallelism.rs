//! The table of `fabricsim run --profile-parallelism`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use fabricsim::Error;
use fabricsim::outcome::{Monitor, Summary};
use fabricsim::output::Destination;
use fabricsim_experiments::parallelism::{
    BarrierSource, MessageCosts, ParallelismReport, profile_to_folder,
};
use fabricsim_scenario::Scenario;

use crate::text::line;

/// Below this share of a core, the measured costs are doubtful.
const UNDISTURBED: f64 = 0.95;

/// Below this share of barriers in which all threads had a core, the cost of a barrier is doubtful.
const FEW: f64 = 0.05;

/// Runs `scenario` and estimates the gain of more workers or ranks.
///
/// Messages between ranks cost as much as the file `costs` states, or the default if there is no
/// file.
pub(crate) fn profile(
    scenario: &Scenario,
    destination: Destination<'_>,
    costs: Option<&Path>,
    monitor: &mut dyn Monitor,
) -> Result<(Summary, ParallelismReport), Error> {
    profile_to_folder(scenario, destination, message_costs(costs)?, monitor)
}

/// Formats `report` as human-readable text.
pub(crate) fn describe(report: &ParallelismReport) -> String {
    let mut text = String::new();
    costs(&mut text, report);
    workers(&mut text, report);
    ranks(&mut text, report);
    line!(text, "costliest nodes     cost    share    epochs");
    for node in &report.costliest {
        let name = format!("{} {}", node.kind.name(), node.node);
        line!(
            text,
            "  {name:<13} {:>10} {:>7.2}% {:>10}",
            time(node.cost_ns as f64),
            100.0 * node.share,
            node.epochs
        );
    }
    if report.cpu_share < UNDISTURBED {
        line!(
            text,
            "disturbed    the run had {:.0}% of a core: the times are corrected for other processes, but an idle \
             machine gives better estimates",
            100.0 * report.cpu_share
        );
    }
    if report.barrier_share < FEW {
        line!(
            text,
            "disturbed    every thread had a core in only {:.0}% of the measured barriers: the barrier may appear too slow",
            100.0 * report.barrier_share
        );
    }
    line!(text, "advice       {}", advice(report));
    text
}

fn costs(text: &mut String, report: &ParallelismReport) {
    line!(
        text,
        "parallelism  {} epochs of {} nodes: {} in nodes, {} finding them, {} between epochs",
        report.epochs,
        report.nodes,
        time(report.work_ns as f64),
        time(report.search_ns as f64),
        time(report.driver_ns as f64)
    );
    let (work, nodes) = (&report.epoch_work_ns, &report.epoch_nodes);
    line!(
        text,
        "  each epoch: work mean {}, p50 {}, p99 {}; nodes mean {:.1}, p50 {}, p99 {}",
        time(work.mean),
        time(work.p50),
        time(work.p99),
        nodes.mean,
        nodes.p50,
        nodes.p99
    );
    line!(
        text,
        "  critical path {}: with the work between epochs, at most {:.1} times as fast",
        time(report.critical_path_ns as f64),
        report.speedup_bound
    );
}

fn workers(text: &mut String, report: &ParallelismReport) {
    line!(
        text,
        "workers            time  speed-up  efficiency    barrier"
    );
    for row in &report.workers {
        let mark = match row.barrier {
            BarrierSource::Measured => "",
            BarrierSource::Scaled => " *",
        };
        line!(
            text,
            "  {:<10} {:>10} {:>9.2} {:>10.0}% {:>10}{mark}",
            row.workers,
            time(row.time_ns),
            row.speedup,
            100.0 * row.efficiency,
            time(row.barrier_ns)
        );
    }
    let scaled = |source| source == BarrierSource::Scaled;
    if report.workers.iter().any(|row| scaled(row.barrier)) {
        line!(
            text,
            "  * not measured: this machine has {}; the barrier of {} threads, scaled by log2(workers)",
            cores(report.cores),
            report.barrier_threads
        );
    }
}

fn ranks(text: &mut String, report: &ParallelismReport) {
    line!(
        text,
        "ranks              time  speed-up  efficiency       work  exchange    imbalance  bytes/epoch"
    );
    for row in &report.ranks {
        line!(
            text,
            "  {:<10} {:>10} {:>9.2} {:>10.0}% {:>10} {:>9} {:>12.2} {:>12.0}",
            row.ranks,
            time(row.time_ns),
            row.speedup,
            100.0 * row.efficiency,
            time(row.work_ns),
            time(row.exchange_ns),
            row.imbalance,
            row.bytes_per_epoch
        );
    }
    let costs = &report.messages;
    line!(
        text,
        "  of one thread each; a message takes {} us, {} us of work and {} ns for each byte",
        costs.latency_us,
        costs.overhead_us,
        costs.ns_per_byte
    );
}

/// Returns the costs of messages between ranks from `file`, an output of `fabricsim mpi-probe`.
fn message_costs(file: Option<&Path>) -> Result<MessageCosts, Error> {
    let Some(path) = file else {
        return Ok(MessageCosts::default());
    };
    let refuse = |message: String| Error::Unsupported {
        scenario: path.display().to_string(),
        message,
        help: "give a file written by `mpirun -n 2 fabricsim mpi-probe --out FILE`".to_owned(),
    };
    let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let costs: MessageCosts =
        serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    let all = [costs.latency_us, costs.overhead_us, costs.ns_per_byte];
    match all.iter().all(|cost| cost.is_finite() && *cost >= 0.0) {
        true => Ok(costs),
        false => Err(refuse("costs must be zero or more".to_owned())),
    }
}

fn cores(cores: usize) -> String {
    match cores {
        1 => "1 core".to_owned(),
        _ => format!("{cores} cores"),
    }
}

fn advice(report: &ParallelismReport) -> String {
    let most = report.workers.last().map(|row| row.workers);
    match report.advised_workers {
        1 => "one core: two would be less than half used".to_owned(),
        advised if Some(advised) == most => {
            format!("{advised} cores or more: all would be at least half used")
        }
        advised => format!("{advised} cores: more would be less than half used"),
    }
}

/// Formats nanoseconds in the largest unit below the value.
fn time(ns: f64) -> String {
    match ns {
        0.0..1e3 => format!("{ns:.0} ns"),
        1e3..1e6 => format!("{:.1} us", ns / 1e3),
        1e6..1e9 => format!("{:.1} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_messages_come_from_a_file_of_the_probe() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("probe.json");
        let costs = |text: &str| {
            fs::write(&file, text).expect("a file");
            message_costs(Some(&file))
        };
        let probe = r#"{"ranks": 2, "latency_us": 1.5, "overhead_us": 0.25, "ns_per_byte": 0.2}"#;
        let read = costs(probe).expect("as the probe writes it");
        assert_eq!(
            (read.latency_us, read.overhead_us, read.ns_per_byte),
            (1.5, 0.25, 0.2)
        );
        let missing = costs(r#"{"latency_us": 1.5}"#).expect_err("keys are missing");
        assert!(missing.to_string().contains("overhead_us"), "{missing}");
        let negative = probe.replace("1.5", "-1");
        assert!(costs(&negative).is_err());
        assert!(message_costs(Some(&folder.path().join("none.json"))).is_err());
        assert_eq!(
            message_costs(None).expect("the default"),
            MessageCosts::default()
        );
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        let texts = [0.0, 999.0, 1_234.0, 5.67e6, 8.9e9].map(time);
        assert_eq!(texts, ["0 ns", "999 ns", "1.2 us", "5.7 ms", "8.90 s"]);
    }
}
