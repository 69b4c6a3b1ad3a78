//! `fabricsim explain`.

mod account;
mod iteration;
mod words;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::write_whole;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::observed::{DelayPart, DelayedFlow, Delays};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

pub(crate) use self::account::{Account, By};
use self::account::{percent, share, time};
use self::iteration::CriticalPath;
use self::words::part;
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
  fabricsim explain results/a --iteration 7     the messages that decided an iteration of a job
  fabricsim explain results/a --iteration 7 --csv path.csv

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

    /// Print the messages that decided the end of this iteration of a job, from 0
    #[arg(long, value_name = "N", conflicts_with_all = ["flow", "slowest"])]
    iteration: Option<u32>,

    /// Also write these messages as a table: flow, hosts and times in nanoseconds
    #[arg(long, value_name = "FILE", requires = "iteration")]
    csv: Option<PathBuf>,

    /// Only this job
    #[arg(long, value_name = "NAME", requires = "iteration")]
    job: Option<String>,

    /// Print one flow or message with all its parts
    #[arg(long, value_name = "N")]
    flow: Option<u32>,
}

/// Returns the messages that decided the end of `iteration` of `job`, or of any job, as a table in
/// CSV: `flow`, `src`, `dst`, and `at_rank_ns`, `start_ns` and `received_ns` in nanoseconds. `folder`
/// has the results of a run with `[observe] delays = true`.
///
/// # Errors
///
/// Returns an error if the run has no such iteration, or has not observed its messages.
pub fn critical_path(folder: &Path, job: Option<&str>, iteration: u32) -> Result<String, Error> {
    let path = delays_file(folder)?;
    let text = read_text(FileKind::RESULTS, &path)?;
    let delays = Delays::read(&text)
        .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
    Ok(CriticalPath::find(&path, &delays, (job, iteration))?.to_csv())
}

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
    } else if let Some(iteration) = args.iteration {
        let messages = CriticalPath::find(&path, &chosen, (args.job.as_deref(), iteration))?;
        if let Some(csv) = &args.csv {
            write_whole(csv, |file| file.write_all(messages.to_csv().as_bytes()))?;
        }
        text = iteration::describe(&messages, &chosen, &summary);
    } else if let Some(count) = args.slowest {
        describe_slowest(&mut text, &summary, &chosen, count);
    } else {
        for class in chosen.classes() {
            let own = chosen.of(|flow| flow.class == class);
            describe_class(&mut text, &Account::new(&own, class, args.by, &summary));
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

/// Adds the account of a class.
fn describe_class(text: &mut String, account: &Account) {
    line!(text, "{}", account.title);
    if let Some(tail) = &account.tail {
        line!(text, "{tail}");
    }
    if let Some(cause) = &account.cause {
        line!(text, "  {cause}");
    }
    line!(
        text,
        "  {:>7} {:>10}   {:>7} {:>10}",
        "all",
        "mean",
        "slowest",
        "mean"
    );
    for row in &account.rows {
        let [all, mean, slowest, of_slowest] = row.cells();
        line!(
            text,
            "  {all:>7} {mean:>10}   {slowest:>7} {of_slowest:>10}   {}",
            row.name
        );
    }
    line!(text, "");
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
            "  {:>16} {:>7}  {name}",
            exact(sum),
            percent(sum, flow.fct)
        );
    }
    line!(
        text,
        "  {:>16} {:>7}  completion time",
        exact(own.total()),
        percent(own.total(), flow.fct)
    );
}
