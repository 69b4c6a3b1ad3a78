//! `fabricsim timeline`.

use std::collections::BTreeMap;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;
use fabricsim_base::units::Time;
use fabricsim_report::observed::{read_operations, read_pauses};
use fabricsim_report::{Timeline, TimelineCounts, read_collectives, read_rpc};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use crate::console::{note, output};
use crate::plot::{events, names_beside};
use crate::results::{fct_file, read_flows, summary_beside};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim timeline results/a -o a.json            open it at https://ui.perfetto.dev
  fabricsim timeline results/a -o a.json --most 1000

Pauses need `[output] pauses = true` in the scenario; computations, waits and messages of ranks need
`[observe] operations = true`. Exit codes: 0 written, 1 the file cannot be
written, 2 bad input.")]
pub(crate) struct TimelineArgs {
    /// A folder of results, or its fct.csv
    #[arg(value_name = "DIR")]
    result: PathBuf,

    /// The file of trace events (JSON)
    #[arg(long, short, value_name = "FILE", default_value = "timeline.json")]
    out: PathBuf,

    /// Largest number of flows, calls, collectives, operations and pauses (each); the longest ones
    /// are kept
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: usize,
}

/// Writes the timeline.
pub(crate) fn timeline(args: &TimelineArgs) -> Result<ExitCode, Error> {
    refuse_input(&args.out, [&args.result])?;
    let flows = read_flows(&args.result)?;
    let file = fct_file(&args.result);
    let queries = part(&file, "rpc.csv", read_rpc)?;
    let collectives = part(&file, "collectives.csv", read_collectives)?;
    let operations = Part::open(&file, "operations.csv")?;
    let operations = operations.rows(read_operations)?;
    let pauses = part(&file, "pauses.csv", read_pauses)?;
    let summary = read_text(FileKind::SUMMARY, &summary_beside(&file)).ok();
    let summary: Value = summary
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let names = names_beside(&file);
    let events = events(&summary, &names).into_iter();
    let ends = flows.iter().map(|flow| flow.finish());
    let timeline = Timeline {
        flows: &flows,
        queries: &queries,
        collectives: &collectives,
        operations: &operations,
        pauses: &pauses,
        events: &events
            .map(|(ns, what)| (time(ns), what))
            .collect::<Vec<_>>(),
        names: node_names(names),
        end: summary["simulated_ns"]
            .as_f64()
            .map_or_else(|| ends.max().unwrap_or(Time::ZERO), time),
    };
    let mut counts = TimelineCounts::default();
    write_whole(&args.out, |file| {
        counts = timeline.write(BufWriter::new(file), args.most)?;
        Ok(())
    })?;
    output(&format!("{}\n", args.out.display()))?;
    if counts.left_out > 0 {
        note!(
            "{} shorter ones are left out; --most {} keeps all",
            counts.left_out,
            [
                flows.len(),
                queries.len(),
                collectives.len(),
                operations.len(),
                pauses.len()
            ]
            .into_iter()
            .max()
            .unwrap_or(0)
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// A file of results, which a run may not have.
struct Part {
    path: PathBuf,
    /// Its content, if it exists.
    text: Option<String>,
}

impl Part {
    /// Reads the file `name` beside `file`, or its partial form from an interrupted run.
    fn open(file: &Path, name: &str) -> Result<Self, Error> {
        let path = match file.ends_with(crate::results::PARTIAL) {
            true => file.with_file_name(fabricsim::output::partial_name(name)),
            false => file.with_file_name(name),
        };
        let text = match path.is_file() {
            true => Some(read_text(FileKind::RESULTS, &path)?),
            false => None,
        };
        Ok(Self { path, text })
    }

    fn rows<'t, T>(
        &'t self,
        read: impl Fn(&'t str) -> Result<Vec<T>, InputError>,
    ) -> Result<Vec<T>, Error> {
        let Some(text) = &self.text else {
            return Ok(Vec::new());
        };
        let path = self.path.display().to_string();
        read(text).map_err(|error| Error::input(&path, text, error))
    }
}

/// Reads the rows of the file `name` beside `file`. The list is empty if there is no such file.
fn part<T>(
    file: &Path,
    name: &str,
    read: impl Fn(&str) -> Result<Vec<T>, InputError>,
) -> Result<Vec<T>, Error> {
    Part::open(file, name)?.rows(read)
}

fn node_names(names: BTreeMap<u64, String>) -> BTreeMap<NodeId, String> {
    let names = names.into_iter();
    let named = names.filter_map(|(node, name)| Some((NodeId(u32::try_from(node).ok()?), name)));
    named.collect()
}

/// Converts a time of a summary to integer nanoseconds. Times of runs are far below the largest
/// integer that a float holds exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "limited to what is a time"
)]
fn time(ns: f64) -> Time {
    Time::from_ps((ns * 1e3).round().clamp(0.0, 9e18) as u64)
}
