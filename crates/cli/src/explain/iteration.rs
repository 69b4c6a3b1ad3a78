//! The critical path of an iteration of a job.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use fabricsim::Error;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::observed::{Delays, PathMessage};
use fabricsim_report::{CollectiveRow, read_collectives};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use super::account::{percent, time};
use super::words::part;
use crate::text::line;

/// Names the rows of a critical path in a file.
const COLUMNS: &str = "flow,src,dst,at_rank_ns,start_ns,received_ns";

/// The collective of a job that ended last in an iteration, and the messages that decided its end.
pub(super) struct CriticalPath {
    collective: CollectiveRow,
    messages: Vec<PathMessage>,
}

impl CriticalPath {
    /// Finds the path in `iteration` of `job`, or of any job. `path` is the file of `delays`.
    pub(super) fn find(
        path: &Path,
        delays: &Delays<'_>,
        (job, iteration): (Option<&str>, u32),
    ) -> Result<Self, Error> {
        let file = path.with_file_name("collectives.csv");
        let text = read_text(FileKind::RESULTS, &file)?;
        let all = read_collectives(&text)
            .map_err(|error| Error::input(&file.display().to_string(), &text, error))?;
        let own = all
            .iter()
            .filter(|own| job.is_none_or(|job| own.job == job));
        let last = own
            .filter(|own| own.iteration == iteration)
            .max_by_key(|own| own.end);
        let Some(collective) = last else {
            return Err(no_such_iteration(&file, &all, iteration));
        };
        let Some((message, ..)) = collective.last else {
            return Err(no_messages(&file));
        };
        let messages = delays.critical_path(message, collective.start);
        if messages.is_empty() {
            return Err(no_messages(path));
        }
        Ok(Self {
            collective: collective.clone(),
            messages,
        })
    }

    /// Returns the messages as a table: times since the start of the run, exact to the picosecond.
    pub(super) fn to_csv(&self) -> String {
        let ns = |ps: u64| format!("{}.{:03}", ps / 1_000, ps % 1_000);
        let mut text = format!("{COLUMNS}\n");
        for PathMessage {
            message,
            received,
            at_rank,
        } in &self.messages
        {
            line!(
                text,
                "{},{},{},{},{},{}",
                message.flow.0,
                message.src.0,
                message.dst.0,
                ns(at_rank.as_ps()),
                ns(message.start.as_ps()),
                ns(received.as_ps())
            );
        }
        text
    }
}

fn no_such_iteration(file: &Path, all: &[CollectiveRow], iteration: u32) -> Error {
    let jobs: BTreeSet<&str> = all.iter().map(|own| own.job.as_str()).collect();
    let jobs: Vec<&str> = jobs.into_iter().collect();
    let most = all.iter().map(|own| own.iteration).max().unwrap_or(0);
    Error::Unsupported {
        scenario: file.display().to_string(),
        message: format!("no collective of iteration {iteration} has ended in such a job"),
        help: format!(
            "the jobs are {}, with iterations 0 to {most}",
            jobs.join(", ")
        ),
    }
}

fn no_messages(file: &Path) -> Error {
    Error::Unsupported {
        scenario: file.display().to_string(),
        message: "the messages of the iteration were not observed".to_owned(),
        help: "observe all flows of the job: without flow_share, flow_ids, and min_size".to_owned(),
    }
}

/// Describes the messages of `path` and their parts.
pub(super) fn describe(path: &CriticalPath, delays: &Delays<'_>, summary: &Value) -> String {
    let CriticalPath {
        collective,
        messages,
    } = path;
    let mut text = String::new();
    let since = |at: Time| time(at.since(collective.start.min(at)));
    let last = collective
        .last
        .map(|(_, rank, host)| format!(", ended last at rank {rank} (host {})", host.0));
    line!(
        text,
        "{} ({}) of {}, iteration {}: {}{}",
        collective.operation,
        collective.algorithm,
        collective.job,
        collective.iteration,
        time(collective.end.since(collective.start)),
        last.unwrap_or_default()
    );
    line!(
        text,
        "the {} messages that decided its end:",
        messages.len()
    );
    line!(
        text,
        "  {:>8} {:>8} {:>8} {:>10} {:>13}  largest part",
        "at rank",
        "start",
        "received",
        "flow",
        "hosts"
    );
    let way = |own: &PathMessage| own.received.since(own.message.start);
    for own in messages {
        let parts = on_the_way(delays, |flow| flow == own.message.flow);
        let parts = parts.sums(|one| part(one, &place(one.name, one.peer), summary));
        let largest = parts.first().map_or_else(String::new, |(name, sum)| {
            format!("{} {name}", percent(*sum, way(own)))
        });
        line!(
            text,
            "  {:>8} {:>8} {:>8} {:>10} {:>13}  {largest}",
            time(own.at_rank),
            since(own.message.start),
            since(own.received),
            own.message.flow.0,
            format!("{} -> {}", own.message.src.0, own.message.dst.0)
        );
    }
    let members: BTreeSet<FlowId> = messages.iter().map(|own| own.message.flow).collect();
    let parts = on_the_way(delays, |flow| members.contains(&flow));
    let at_ranks = (messages.iter()).fold(Duration::ZERO, |sum, own| sum + own.at_rank);
    let whole = parts.total() + at_ranks;
    let mut sums = parts.sums(|one| part(one, &place(one.name, one.peer), summary));
    sums.push((
        "at ranks: computation and other operations".to_owned(),
        at_ranks,
    ));
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    let early = collective
        .start
        .since(messages[0].message.start.min(collective.start));
    let early = match early {
        Duration::ZERO => String::new(),
        early => format!(", of it {} before the iteration", time(early)),
    };
    line!(text, "together {}{early}:", time(whole));
    for (name, sum) in sums.iter().filter(|(_, sum)| *sum > Duration::ZERO) {
        line!(
            text,
            "  {:>7} {:>10}  {name}",
            percent(*sum, whole),
            time(*sum)
        );
    }
    text
}

/// Returns the parts of the chosen messages until their receipt.
fn on_the_way<'t>(delays: &Delays<'t>, mut choose: impl FnMut(FlowId) -> bool) -> Delays<'t> {
    delays
        .of(|flow| choose(flow.flow))
        .without_acknowledgements()
}

fn place(name: &str, peer: &str) -> String {
    match name {
        "" => String::new(),
        name => format!("{name} -> {peer}"),
    }
}
