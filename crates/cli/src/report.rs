//! `fabricsim report`.

mod differences;
mod grouping;
mod observed;
mod runs;
mod settings;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::outcome::write_whole;
use fabricsim::report::Percentile;
use fabricsim_plot::figure::{
    CdfOf, Quantity, Selection, Series, SlowdownCurve, cdf_figure, queue_curve, queue_figure,
    read_time_lines, slowdown_figure, time_figure,
};
use fabricsim_plot::html::{Cell, Page};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use crate::console::output;
use crate::plot::capitalized;
use crate::results::FlowSelection;
use grouping::{RunGroup, groups};
use runs::{Run, SHOWN, read_runs, thousands};
use settings::{members, overview, scenarios, settings_that_differ};

/// Series of a time figure.
const SERIES: usize = 8;
/// Runs whose time series are shown.
const OBSERVED: usize = 12;
/// Unfinished flows that are listed.
const UNFINISHED: usize = 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim report results/hpcc results/dcqcn
  fabricsim report sweeps/load -o load.html         all points of a sweep
  fabricsim report results/hpcc fct.txt             with the published simulator's

The page holds everything: it needs no network and no script. Exit codes: 0 written, 1 the page
cannot be written, 2 bad input.")]
pub(crate) struct ReportArgs {
    /// A folder of results or of a sweep, an fct.csv or the published simulator's fct.txt
    #[arg(required = true, value_name = "DIR")]
    results: Vec<PathBuf>,

    /// The page
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,

    /// Title of the page
    #[arg(long)]
    title: Option<String>,

    #[command(flatten)]
    selection: FlowSelection,
}

/// Writes the page.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode, Error> {
    let runs = read_runs(&args.results, &args.selection)?;
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
    warnings(&mut page, &runs);
    overview(&mut page, &runs);
    settings_that_differ(&mut page, &runs);
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    let groups = groups(&names);
    slowdowns(&mut page, &runs, &groups);
    distributions(&mut page, &runs, &groups);
    observations(&mut page, &runs, &groups)?;
    observed::tables(&mut page, &runs)?;
    unfinished(&mut page, &runs);
    scenarios(&mut page, &runs);
    let html = page.finish();
    write_whole(&args.out, |file| file.write_all(html.as_bytes()))?;
    output(&format!("{}\n", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn warnings(page: &mut Page, runs: &[Run]) {
    for run in runs {
        for warning in run.warnings() {
            page.warning(&format!("{}: {warning}", run.name));
        }
    }
}

fn slowdowns(page: &mut Page, runs: &[Run], groups: &[RunGroup]) {
    page.section("Slowdown");
    for group in groups {
        let curves: Vec<SlowdownCurve> = members(runs, group)
            .into_iter()
            .map(|(run, name, style)| run.curve.clone().called(name, style))
            .collect();
        let figure = slowdown_figure(&group.name, &curves, &SHOWN);
        if !figure.is_empty() {
            page.figure(
                &figure,
                "Completion time over completion time on an idle network. Flows are cut by size into \
                 bins of equal count, as many as have enough flows for the percentile (100 at \
                 most); a point stands at the largest size of its bin.",
            );
        }
    }
    let classes = runs.first().map_or(0, |run| run.slowdowns.rows.len());
    let mut rows = Vec::new();
    for class in 0..classes {
        for run in runs {
            let row = &run.slowdowns.rows[class];
            let number = |value: f64| match value.is_nan() {
                true => Cell::from("-"),
                false => Cell::from(format!("{value:.3}")),
            };
            let known = |percentile: Percentile, value: f64| match percentile.is_known_of(row.count)
            {
                true => number(value),
                false => Cell::from("-"),
            };
            rows.push(vec![
                Cell::from(row.class.to_string()),
                run.name.as_str().into(),
                thousands(u64::try_from(row.count).unwrap_or(u64::MAX)).into(),
                known(Percentile::P50, row.p50),
                known(Percentile::P95, row.p95),
                known(Percentile::P99, row.p99),
                number(row.mean),
            ]);
        }
    }
    page.subsection("By size").table(
        &["size", "run", "flows", "p50", "p95", "p99", "mean"],
        &rows,
    );
}

fn distributions(page: &mut Page, runs: &[Run], groups: &[RunGroup]) {
    page.section("Distributions over flows");
    for group in groups {
        let curves = |points: fn(&Run) -> &Vec<(f64, f64)>| {
            let members = members(runs, group).into_iter();
            members
                .map(|(run, name, style)| Series::curve(name, style, points(run).clone()))
                .collect()
        };
        let panels = vec![
            (CdfOf::Fct, curves(|run| &run.fct)),
            (CdfOf::Slowdown, curves(|run| &run.slowdown)),
        ];
        let figure = cdf_figure(&group.name, panels);
        if !figure.is_empty() {
            page.figure(&figure, "Percent of flows whose value is no more.");
        }
    }
}

/// Queues over all time, and time series, of runs that have them.
fn observations(page: &mut Page, runs: &[Run], groups: &[RunGroup]) -> Result<(), Error> {
    let mut begun = false;
    let mut begin = |page: &mut Page, heading: &str| {
        if !std::mem::replace(&mut begun, true) {
            page.section(heading);
        }
    };
    for group in groups {
        let mut curves = Vec::new();
        for (run, name, style) in members(runs, group) {
            if let Some((file, text)) = part(run, "queue_distribution.csv")? {
                let curve = queue_curve(&text).map_err(|error| diagnostic(&file, &text, error))?;
                curves.push(Series::curve(name, style.plain(), curve));
            }
        }
        let figure = queue_figure(&group.name, curves);
        if !figure.is_empty() {
            begin(page, "Queues and time series");
            page.figure(
                &figure,
                "How much of the time the observed switch ports, taken together, had at least so many \
                 bytes in their queues.",
            );
        }
    }
    let mut shown = 0;
    for run in runs {
        let mut has_any = false;
        for quantity in [
            Quantity::Queue,
            Quantity::Utilization,
            Quantity::Rate,
            Quantity::Window,
            Quantity::Throughput,
        ] {
            if shown == OBSERVED {
                break;
            }
            let Some((file, text)) = part(run, quantity.file())? else {
                continue;
            };
            let lines = read_time_lines(&text, quantity, &Selection::default());
            let lines = lines.map_err(|error| diagnostic(&file, &text, error))?;
            let title = format!("{}: {quantity}", run.name);
            let figure = time_figure(&title, quantity, lines, SERIES);
            if !figure.is_empty() {
                begin(page, "Queues and time series");
                page.figure(
                    &figure,
                    &format!("{} over time.", capitalized(&quantity.to_string())),
                );
                has_any = true;
            }
        }
        shown += usize::from(has_any);
    }
    if shown == OBSERVED && runs.len() > OBSERVED {
        page.paragraph(&format!(
            "Time series of the first {OBSERVED} runs that have any are shown."
        ));
    }
    Ok(())
}

/// A file of a run's folder, when it is there.
fn part(run: &Run, name: &str) -> Result<Option<(PathBuf, String)>, Error> {
    let file = run.path.join(name);
    if !file.is_file() {
        return Ok(None);
    }
    let text = read_text(FileKind::RESULTS, &file)?;
    Ok(Some((file, text)))
}

fn diagnostic(file: &Path, text: &str, error: fabricsim::core::input::InputError) -> Error {
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
