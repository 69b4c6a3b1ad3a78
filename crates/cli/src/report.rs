//! `fabricsim report`.

mod classes;
mod control;
mod delays;
mod differences;
mod differing;
mod grouping;
mod jobs;
mod layout;
mod observed;
mod over_axes;
mod over_time;
mod queries;
mod read;
mod roles;
mod runs;
mod schemes;
mod serving;
mod settings;
mod verdict;
mod warnings;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_plot::html::{Cell, Page};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use crate::console::output;
use crate::results::FlowSelection;
use differing::settings_that_differ;
use grouping::groups;
use read::read_runs;
use runs::{Run, thousands};
use settings::{overview, scenarios};

pub(crate) use warnings::counted;

/// Unfinished flows in the table, at most.
const UNFINISHED: usize = 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim report results/hpcc results/dcqcn
  fabricsim report sweeps/load -o load.html         all points of a sweep
  fabricsim report a1 a2 a3 b1 b2 b3                two settings, three seeds of each
  fabricsim report results/hpcc fct.txt             with the published simulator's

The page holds everything: it needs no network and no script. Exit codes: 0 written, 1 the page
cannot be written, 2 bad input.")]
pub(crate) struct ReportArgs {
    /// The folder of a run or sweep, an fct.csv, or an fct.txt of the published simulator
    #[arg(required = true, value_name = "DIR")]
    results: Vec<PathBuf>,

    /// The page to write
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,

    /// Title of the page
    #[arg(long)]
    title: Option<String>,

    #[command(flatten)]
    selection: FlowSelection,
}

/// Writes the report.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode, Error> {
    refuse_input(&args.out, &args.results)?;
    let results = read_runs(&args.results, &args.selection)?;
    let runs = &results.runs;
    let Some(first) = runs.first() else {
        let paths: Vec<String> = args
            .results
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        return Err(Error::Unsupported {
            scenario: paths.join(", "),
            message: "the folder points has no folder of results in it".to_owned(),
            help: "give folders of results, or run the sweep first".to_owned(),
        });
    };
    let title = args.title.clone().unwrap_or_else(|| match runs.len() {
        1 => format!("Results of {}", first.name),
        count => format!("Results of {count} runs"),
    });
    let mut page = Page::new(&title);
    warn(&mut page, runs);
    let selected = args.selection.describe();
    if !selected.is_empty() {
        page.paragraph(&format!("Only {selected}."));
    }
    let groups = groups(&results.layout);
    // The verdict first, then the data behind it.
    verdict::verdict(&mut page, &results);
    // Many groups of settings have one figure over an axis, and their figures over size later.
    let many = groups.len() > 1;
    match many {
        true => over_axes::slowdowns(&mut page, &results),
        false => classes::slowdowns(&mut page, &results, &groups),
    }
    classes::tails(&mut page, &results);
    serving::serving(&mut page, &results);
    jobs::jobs(&mut page, &results);
    classes::losses(&mut page, runs);
    control::buffers(&mut page, runs);
    control::reactions(&mut page, runs);
    classes::incasts(&mut page, runs);
    classes::queries(&mut page, runs);
    queries::queries(&mut page, runs);
    delays::delays(&mut page, runs)?;
    settings_that_differ(&mut page, &results);
    overview(&mut page, runs);
    unfinished(&mut page, runs);
    page.appendix();
    verdict::all_comparisons(&mut page, &results);
    if many {
        classes::slowdowns(&mut page, &results, &groups);
    }
    classes::by_size(&mut page, runs);
    over_time::distributions(&mut page, &results, &groups);
    over_time::observations(&mut page, &results, &groups)?;
    observed::tables(&mut page, runs)?;
    scenarios(&mut page, runs);
    let html = page.finish();
    write_whole(&args.out, |file| file.write_all(html.as_bytes()))?;
    output(&format!("{}\n", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Adds each warning once, with the number of runs that have it.
fn warn(page: &mut Page, runs: &[Run]) {
    let own: Vec<(&str, Vec<String>)> = runs
        .iter()
        .map(|run| (run.name.as_str(), run.warnings()))
        .collect();
    for warning in counted(&own, "runs") {
        page.warning(&warning);
    }
}

/// Reads a file of a run's folder if it exists.
fn part(run: &Run, name: &str) -> Result<Option<(PathBuf, String)>, Error> {
    let file = run.path.join(name);
    if !file.is_file() {
        return Ok(None);
    }
    let text = read_text(FileKind::RESULTS, &file)?;
    Ok(Some((file, text)))
}

fn diagnostic(file: &Path, text: &str, error: fabricsim_base::input::InputError) -> Error {
    Error::input(&file.display().to_string(), text, error)
}

fn unfinished(page: &mut Page, runs: &[Run]) {
    let mut begun = false;
    for run in runs {
        let flows = run.summary.get("unfinished").and_then(Value::as_array);
        let flows = flows.map_or(&[][..], Vec::as_slice);
        if flows.is_empty() {
            continue;
        }
        if !std::mem::replace(&mut begun, true) {
            page.section("Unfinished flows");
        }
        const COLUMNS: [&str; 6] = [
            "flow",
            "src",
            "dst",
            "size_bytes",
            "acknowledged_bytes",
            "reason",
        ];
        let row = |flow: &Value| -> Vec<Cell> {
            let cell = |column| match flow.get(column) {
                Some(Value::String(text)) => Cell::from(text.as_str()),
                Some(value) => Cell::from(value.to_string()),
                None => Cell::from("-"),
            };
            COLUMNS.map(cell).into()
        };
        let rows: Vec<Vec<Cell>> = flows.iter().take(UNFINISHED).map(row).collect();
        page.subsection(&run.name).table(&COLUMNS, &rows);
        let count = run.count("/flows/unfinished");
        if count > rows.len() as u64 {
            page.paragraph(&format!(
                "{} of {} are listed.",
                rows.len(),
                thousands(count)
            ));
        }
    }
}
