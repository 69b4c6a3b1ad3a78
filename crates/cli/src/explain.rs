//! `fabricsim explain`.

mod words;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_plot::figure::{Unit, quantity};
use fabricsim_report::Percentile;
use fabricsim_report::observed::{DelayPart, DelayedFlow, Delays};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use self::words::{cause, part};
use crate::console::output;
use crate::results::{class_name, fct_file, no_such_class, read_summary, summary_beside};
use crate::text::line;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim run my.toml --set observe.delays=true --out results/a
  fabricsim explain results/a                   where the time of each class went
  fabricsim explain results/a --class 1 --by port
  fabricsim explain results/a --slowest 20      one line for each of the slowest flows
  fabricsim explain results/a --flow 17         one flow, port by port

Needs delays.csv, which `[observe] delays = true` in the scenario writes. The parts of a flow add up
to its completion time. Exit codes: 0 printed, 2 bad input.")]
pub(crate) struct ExplainArgs {
    /// A folder of results, or its delays.csv
    #[arg(value_name = "DIR")]
    result: PathBuf,

    /// Only flows of this class
    #[arg(long, value_name = "N")]
    class: Option<u16>,

    /// Add up queues by the tiers of their links, or by port
    #[arg(long, value_enum, default_value_t = By::Tier)]
    by: By,

    /// Print a line for each of the N flows with the largest slowdown
    #[arg(long, value_name = "N", conflicts_with = "flow")]
    slowest: Option<usize>,

    /// Print one flow or message with all its parts
    #[arg(long, value_name = "N")]
    flow: Option<u32>,
}

/// The places by which queues are added up.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum By {
    Tier,
    Port,
}

/// Shares below this are not shown.
const LEAST_SHARE: f64 = 0.0005;

/// Prints the parts of completion times.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode, Error> {
    let path = delays_file(&args.result)?;
    let text = read_text(FileKind::RESULTS, &path)?;
    let delays = Delays::read(&text)
        .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
    let summary = read_summary(&summary_beside(&path.with_file_name("fct.csv")))?;
    let classes = delays.classes();
    if let Some(class) = args.class
        && !classes.iter().any(|own| own.0 == class)
    {
        let classes = classes.iter().map(|own| own.0).collect();
        return Err(no_such_class(&path, class, &classes));
    }
    let chosen = delays.of(|flow| args.class.is_none_or(|class| flow.class.0 == class));
    let mut text = String::new();
    if let Some(flow) = args.flow {
        let own = chosen.of(|own| own.flow == FlowId(flow));
        let [one] = own.slowest_first()[..] else {
            return Err(no_such_flow(&path, flow));
        };
        describe_flow(&mut text, &summary, &one, &own);
    } else if let Some(count) = args.slowest {
        describe_slowest(&mut text, &summary, &chosen, count);
    } else {
        for class in chosen.classes() {
            let own = chosen.of(|flow| flow.class == class);
            describe_class(
                &mut text,
                &summary,
                &class_name(&summary, class.0),
                &own,
                args.by,
            );
        }
        if chosen.is_empty() {
            line!(text, "no flow has ended in the observed time");
        }
    }
    output(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the file of delays at `path`.
fn delays_file(path: &Path) -> Result<PathBuf, Error> {
    let file = if path.is_dir() {
        path.join("delays.csv")
    } else if path.ends_with("fct.csv") {
        fct_file(path).with_file_name("delays.csv")
    } else {
        path.to_owned()
    };
    if file.exists() || !path.exists() {
        return Ok(file);
    }
    let parquet = file.with_extension("parquet").exists();
    Err(Error::Unsupported {
        scenario: file.display().to_string(),
        message: match parquet {
            true => "the run has written delays.parquet, and only the CSV file can be read",
            false => "the run has not observed delays",
        }
        .to_owned(),
        help: match parquet {
            true => "run the scenario again with `[observe] format = \"csv\"`",
            false => "run the scenario again with `--set observe.delays=true`",
        }
        .to_owned(),
    })
}

fn no_such_flow(path: &Path, flow: u32) -> Error {
    Error::Unsupported {
        scenario: path.display().to_string(),
        message: format!("no flow {flow} has ended in the observed time"),
        help: "give a number in the column `flow`".to_owned(),
    }
}

/// Returns a time such as `1.2 us`.
fn time(span: Duration) -> String {
    quantity(span.as_secs_f64() * 1e9, Unit::Nanoseconds)
}

fn share(part: Duration, whole: Duration) -> f64 {
    part.as_secs_f64() / whole.as_secs_f64().max(1e-12)
}

/// Returns the slowest flows that a percentile separates from the others, with a description; `None`
/// if there are too few flows.
fn tail<'t>(delays: &Delays<'t>) -> Option<(String, Delays<'t>)> {
    let slowest = delays.slowest_first();
    let known = [Percentile::P99, Percentile::P95, Percentile::P50];
    let percentile = known
        .into_iter()
        .find(|own| own.is_known_of(slowest.len()))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a part of the number of flows"
    )]
    let count = (slowest.len() as f64 * (1.0 - percentile.fraction()) + 1e-9).ceil() as usize;
    let least = slowest.get(count.checked_sub(1)?)?.slowdown();
    let members: std::collections::BTreeSet<FlowId> =
        slowest[..count].iter().map(|flow| flow.flow).collect();
    let title = format!("{count} slowest, {percentile} and above (slowdown from {least:.2})");
    Some((title, delays.of(|flow| members.contains(&flow.flow))))
}

fn describe_class(text: &mut String, summary: &Value, name: &str, all: &Delays<'_>, by: By) {
    let flows = all.slowest_first().len();
    let place = |own: &DelayPart<'_>| match by {
        By::Tier => own.tier.to_owned(),
        By::Port if own.name.is_empty() => String::new(),
        By::Port => format!("{} -> {}", own.name, own.peer),
    };
    let label = |own: &DelayPart<'_>| part(own, &place(own), summary);
    let tail = tail(all);
    line!(
        text,
        "{name}: {flows} flows, {} on average",
        time(mean(all))
    );
    if let Some((title, slow)) = &tail {
        line!(text, "{title}: {} on average", time(mean(slow)));
        if let Some(sentence) = cause(slow, &place, summary) {
            line!(text, "  {sentence}");
        }
    }
    line!(
        text,
        "  {:>7} {:>10}   {:>7} {:>10}",
        "all",
        "mean",
        "slowest",
        "mean"
    );
    let slow = tail.map(|(_, slow)| slow).unwrap_or_default();
    let of_slow = slow.sums(label);
    let mut rows: Vec<(String, Duration, Duration)> = Vec::new();
    for (name, sum) in all.sums(label) {
        let own = of_slow.iter().find(|(own, _)| *own == name);
        rows.push((name, sum, own.map_or(Duration::ZERO, |(_, sum)| *sum)));
    }
    if !slow.is_empty() {
        rows.sort_by_key(|(_, _, slow)| std::cmp::Reverse(*slow));
    }
    let (whole, of_tail) = (all.total(), slow.total());
    let counts = (flows, slow.slowest_first().len());
    for (name, sum, own) in &rows {
        if share(*sum, whole) >= LEAST_SHARE || share(*own, of_tail) >= LEAST_SHARE {
            line!(
                text,
                "  {} {}   {} {}   {name}",
                percent(*sum, whole),
                average(*sum, counts.0),
                percent(*own, of_tail),
                average(*own, counts.1)
            );
        }
    }
    line!(text, "");
}

/// Returns the mean completion time.
fn mean(delays: &Delays<'_>) -> Duration {
    let flows = delays.slowest_first().len().max(1);
    Duration::from_ps(delays.total().as_ps() / flows as u64)
}

fn percent(part: Duration, whole: Duration) -> String {
    if whole == Duration::ZERO {
        return format!("{:>7}", "-");
    }
    format!("{:>6.1}%", share(part, whole) * 100.0)
}

fn average(sum: Duration, flows: usize) -> String {
    if flows == 0 {
        return format!("{:>10}", "-");
    }
    format!(
        "{:>10}",
        time(Duration::from_ps(sum.as_ps() / flows as u64))
    )
}

/// Adds one line for each of the `count` slowest flows, with its three largest parts.
fn describe_slowest(text: &mut String, summary: &Value, delays: &Delays<'_>, count: usize) {
    line!(
        text,
        "{:>8} {:>5} {:>5} {:>5} {:>12} {:>10} {:>8}  largest parts",
        "flow",
        "class",
        "src",
        "dst",
        "size_bytes",
        "time",
        "slowdown"
    );
    for flow in delays.slowest_first().into_iter().take(count) {
        let own = delays.of(|other| other.flow == flow.flow);
        let sums = own.sums(|own| part(own, own.tier, summary));
        let largest = sums
            .iter()
            .take(3)
            .map(|(name, sum)| format!("{:.0}% {name}", share(*sum, flow.fct) * 100.0));
        let largest: Vec<String> = largest.collect();
        line!(
            text,
            "{:>8} {:>5} {:>5} {:>5} {:>12} {:>10} {:>8.2}  {}",
            flow.flow.0,
            flow.class.0,
            flow.src.0,
            flow.dst.0,
            flow.size.get(),
            time(flow.fct),
            flow.slowdown(),
            largest.join("; ")
        );
    }
}

/// Adds all parts of one flow, in nanoseconds, exact to the picosecond.
fn describe_flow(text: &mut String, summary: &Value, flow: &DelayedFlow, own: &Delays<'_>) {
    line!(
        text,
        "flow {} ({}) from host {} to host {}, {} bytes, start {}: {}, slowdown {:.3}",
        flow.flow.0,
        class_name(summary, flow.class.0),
        flow.src.0,
        flow.dst.0,
        flow.size.get(),
        time(flow.start.since(Time::ZERO)),
        time(flow.fct),
        flow.slowdown()
    );
    let exact = |span: Duration| format!("{}.{:03}", span.as_ps() / 1_000, span.as_ps() % 1_000);
    line!(text, "  {:>16} {:>7}", "ns", "share");
    let place = |own: &DelayPart<'_>| match own.name {
        "" => String::new(),
        name => format!("{name} -> {}", own.peer),
    };
    for (name, sum) in own.sums(|own| part(own, &place(own), summary)) {
        line!(
            text,
            "  {:>16} {}  {name}",
            exact(sum),
            percent(sum, flow.fct)
        );
    }
    line!(
        text,
        "  {:>16} {}  completion time",
        exact(own.total()),
        percent(own.total(), flow.fct)
    );
}
