//! `fabricsim view`: a run's fabric as a page with a picture that moves.
//!
//! The page has a template, a style sheet, scripts, and the data of the run as JSON with columns of
//! numbers in base64. The scripts draw the same picture in `docs/playground`.

mod events;
mod flows;
mod page;
mod series;
mod source;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::value_parser;
use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_report::observed::read_fabric;
use fabricsim_report::view::{FORMAT, Fabric};
use serde_json::{Value, json};

use self::source::Source;
use crate::console::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim run my.toml --set observe.links=true --set observe.queues=true \\
      --set observe.delays=true --out results/a
  fabricsim view results/a -o a.html                open it in a browser
  fabricsim view results/a --steps 300 -o a.html    finer in time, and a larger page
  fabricsim view results/a --flows 20 -o a.html     only the 20 slowest flows

The page holds everything: it needs no network. It shows the fabric of any results; links.csv adds
utilization and pauses over time, queues.csv queue lengths, and delays.csv the parts of each flow's
completion time. Exit codes: 0 written, 1 the page cannot be written, 2 bad input.")]
pub(crate) struct ViewArgs {
    /// A folder of results
    #[arg(value_name = "DIR")]
    result: PathBuf,

    /// The page to write
    #[arg(long, short, value_name = "FILE", default_value = "view.html")]
    out: PathBuf,

    /// Title of the page
    #[arg(long)]
    title: Option<String>,

    /// Most steps in time: longer series are merged, to means of utilization and the longest queues
    #[arg(long, value_name = "N", default_value_t = 100,
        value_parser = value_parser!(u16).range(1..=2_000))]
    steps: u16,

    /// Most flows, those with the largest slowdown
    #[arg(long, value_name = "N", default_value_t = 1_000,
        value_parser = value_parser!(u32).range(0..=100_000))]
    flows: u32,
}

/// Writes the page.
pub(crate) fn view(args: &ViewArgs) -> Result<ExitCode, Error> {
    refuse_input(&args.out, [&args.result])?;
    let source = Source::open(&args.result)?;
    let data = data(&source, args)?;
    let html = page::page(&data);
    write_whole(&args.out, |file| file.write_all(html.as_bytes()))?;
    output(&format!("{}\n", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the data of the page.
fn data(source: &Source, args: &ViewArgs) -> Result<Value, Error> {
    let text = source.need("topology.csv")?;
    let fabric = Fabric::new(read_fabric(&text.text).map_err(|error| text.error(error))?);
    let mut notes = source.notes();
    let series = series::series(source, &fabric, usize::from(args.steps), &mut notes)?;
    let flows = flows::flows(source, &fabric, args.flows as usize, &mut notes)?;
    let summary = &source.summary;
    let name = summary.pointer("/scenario/name").and_then(Value::as_str);
    let title = args.title.as_deref().or(name).unwrap_or("a run");
    Ok(json!({
        "format": FORMAT,
        "title": title,
        "status": summary.get("status"),
        "end_ns": summary.get("simulated_ns"),
        "topology": summary.pointer("/scenario/topology"),
        "fabric": fabric.data(),
        "series": series,
        "flows": flows,
        "events": events::events(summary, &fabric),
        "notes": notes,
    }))
}
