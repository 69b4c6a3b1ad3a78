//! The results of a run as text.

use std::fmt::Write;
use std::path::Path;

use fabricsim::Scenario;
use fabricsim::buffers::BufferSummary;
use fabricsim::outcome::{Status, Summary};
use fabricsim::output::partial_name;
use fabricsim::prelude::NodeId;
use fabricsim::summary::{CcSummary, Download, SkippedSummary};
use serde_json::Value;

use crate::class_table::describe_slowdowns;
use crate::jobs;
use crate::load;
use crate::query_table;
use crate::rpc;
use crate::serving;
use crate::text::line;

/// Returns the summary in the form of summary.json, with the folder of the results.
pub(super) fn with_folder(summary: &Summary, dir: &Path) -> Value {
    let mut value = serde_json::to_value(summary).expect("a summary is JSON");
    value["dir"] = dir.display().to_string().into();
    value
}

/// Returns the name of the file `name` in the folder of this run.
pub(super) fn file_name(summary: &Summary, name: &str) -> String {
    match summary.status {
        Status::Interrupted => partial_name(name),
        _ => name.to_owned(),
    }
}

/// Returns the line with all files, flows and summary first.
pub(super) fn files(summary: &Summary, dir: &Path) -> String {
    let first = ["fct.csv", "summary.json"].map(|name| file_name(summary, name));
    let more = summary.files.iter().filter(|name| !first.contains(name));
    let names: Vec<&str> = first.iter().chain(more).map(String::as_str).collect();
    format!("results      {}/{}\n", dir.display(), names.join(", "))
}

/// Returns the algorithm, and the algorithms of classes that have their own.
fn algorithms(scenario: &Scenario) -> String {
    let mut text = scenario.cc().name().to_owned();
    for (class, cc) in scenario.class_cc() {
        write!(text, ", class {class}: {}", cc.name()).expect("a string takes everything");
    }
    text
}

pub(super) fn describe(scenario: &Scenario, summary: &Summary) -> String {
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
        line!(text, "tiers        {tiers} (rates down over rates up)");
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
    if let Some(skipped) = &summary.fast_forward {
        line!(text, "skipped      {}", describe_skipped(skipped));
    }
    describe_ranks(&mut text, summary);
    describe_losses(&mut text, summary);
    if let Some(buffers) = &summary.buffers {
        describe_buffers(&mut text, buffers);
    }
    describe_control(&mut text, &summary.congestion_control);
    describe_checkpoints(&mut text, summary);
    line!(text, "checksum     {}", summary.checksum);
    describe_slowdowns(&mut text, summary);
    describe_queues(&mut text, summary);
    rpc::describe(&mut text, &summary.rpc);
    serving::describe(&mut text, &summary.serving);
    jobs::describe(&mut text, &summary.jobs);
    query_table::describe(&mut text, &summary.queries);
    text
}

/// Adds a line for each way in which packets were lost or marked. The line of drops and link losses
/// is always there.
fn describe_losses(text: &mut String, summary: &Summary) {
    line!(
        text,
        "losses       {} buffer drops, {} queue drops, {} link losses; {} PFC pauses; longest queue {} \
         bytes",
        summary.buffer_drops,
        summary.queue_drops,
        summary.link_losses,
        summary.pfc_pauses,
        summary.max_queue_bytes
    );
    if summary.trimmed_packets > 0 {
        line!(
            text,
            "trimmed      {} packets; {} of them also lost their headers",
            summary.trimmed_packets,
            summary.trimmed_headers_lost
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
    if summary.timeouts > 0 {
        line!(
            text,
            "timeouts     {} retransmission timeouts",
            summary.timeouts
        );
    }
    if summary.marked_packets > 0 {
        line!(text, "marked       {} packets", summary.marked_packets);
    }
}

/// Adds a line on the reactions of each class's algorithm, or on the fact that there were none.
fn describe_control(text: &mut String, classes: &[CcSummary]) {
    for own in classes {
        let class = match classes.len() {
            1 => String::new(),
            _ => format!("class {}: ", own.class),
        };
        match &own.never_acted {
            Some(sentence) => line!(text, "control      {class}{sentence}"),
            None => line!(
                text,
                "control      {class}{} marks echoed, {} decreases; {} of {} senders slowed{}",
                own.marks_echoed,
                own.decreases,
                own.slowed_senders,
                own.senders,
                times_at_rates(own)
            ),
        }
    }
}

/// Returns words on the times at rates of the senders of `own`, or else on their rates at the end.
fn times_at_rates(own: &CcSummary) -> String {
    match (own.time_at_line_rate, own.time_at_lowest_rate) {
        (Some(line), Some(lowest)) => format!(
            "; {:.1}% of the time at line rate, {:.1}% at the lowest rate",
            100.0 * line,
            100.0 * lowest
        ),
        _ => format!(", {} below line rate at the end", own.below_line_rate),
    }
}

/// Describes the largest use of the switches' buffers.
fn describe_buffers(text: &mut String, buffers: &BufferSummary) {
    line!(
        text,
        "buffers      {} of {} shared bytes used{} ({}); headroom of a port: {} of {}",
        buffers.shared_max_bytes,
        buffers.shared_bytes,
        if buffers.shared_max_is_exact {
            ""
        } else {
            " at most"
        },
        buffers.shared_max_switch,
        buffers.headroom_max_bytes,
        buffers.headroom_bytes
    );
}

/// Describes the skipped part of a run, or the reason why nothing was skipped.
fn describe_skipped(skipped: &SkippedSummary) -> String {
    if skipped.jumps > 0 {
        return format!(
            "{:.1}% of the packet-hops and {:.1}% of the time, in {} jump{}",
            100.0 * skipped.skipped_packet_hops_share,
            100.0 * skipped.skipped_share,
            skipped.jumps,
            if skipped.jumps == 1 { "" } else { "s" }
        );
    }
    match skipped.main_reason() {
        Some((name, _)) if name.contains("::") => format!("nothing: no relative form: {name}"),
        Some((reason, _)) => format!("nothing: {reason}"),
        None => "nothing: no period was found".to_owned(),
    }
}

/// Adds a line on the ranks if there were several.
fn describe_ranks(text: &mut String, summary: &Summary) {
    let memory = summary
        .ranks
        .iter()
        .filter_map(|rank| rank.peak_memory_bytes);
    if let Some(memory) = memory.max() {
        let busiest = summary.ranks.iter().map(|rank| rank.cpu_s);
        line!(
            text,
            "ranks        {}: at most {:.2} CPU seconds and {:.0} MB each",
            summary.ranks.len(),
            busiest.fold(0.0, f64::max),
            memory as f64 / 1e6
        );
    }
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

/// Adds a line for each download, or one line for all if there are many.
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

/// Adds the table of queue lengths by group of ports if the run observed them.
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
