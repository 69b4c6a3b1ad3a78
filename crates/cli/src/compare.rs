//! `fabricsim compare`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::outcome::write_whole;
use fabricsim::report::{Comparison, Pairing};
use serde_json::{Value, json};

use crate::console::{note, output};
use crate::exit;
use crate::results::{FlowSelection, refuse_input};

const FITS: &str = "a string takes everything";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim compare results/eta95 results/eta99     two folders of results
  fabricsim compare results/tiny fct.txt            ours with the published simulator's
  fabricsim compare a.csv b.csv --flows apart.csv   also a row for each flow
  fabricsim compare a.csv b.csv --tolerance 0.005   a test: every flow within 0.5%

A flow is the same in both when source, destination, size and start (to 1 ns) agree. Ratios
are A over B. Slowdowns are at least 1; their percentiles are not interpolated: of n sorted
values the one at place floor(n p), from 0. Exit codes: 0 compared, 1 a flow is further apart
than --tolerance or missing, or a file cannot be written, 2 bad input.")]
pub(crate) struct CompareArgs {
    /// An fct.csv, a folder with one, or the published simulator's fct.txt
    pub(crate) a: PathBuf,

    /// Another one of the same flows
    pub(crate) b: PathBuf,

    /// Write a CSV with both completion times of every flow, in nanoseconds
    #[arg(long, value_name = "FILE")]
    pub(crate) flows: Option<PathBuf>,

    /// Print the comparison as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Exit with 1 when the completion time of a flow deviates by more than this share of B's
    /// (0.005 is half a percent), or a flow is missing in A or B
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) tolerance: Option<f64>,

    #[command(flatten)]
    pub(crate) selection: FlowSelection,
}

fn share(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok();
    value
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| "write a number from 0 up, such as 0.005".to_owned())
}

pub(crate) fn compare(args: &CompareArgs) -> Result<ExitCode, Error> {
    let read = |path: &PathBuf| args.selection.read(path);
    let pairing = Pairing::new(&read(&args.a)?, &read(&args.b)?);
    if pairing.both.is_empty() {
        return Err(nothing_in_both(args, &pairing));
    }
    let comparison = Comparison::new(&pairing);
    if let Some(path) = &args.flows {
        refuse_input(path, [&args.a, &args.b])?;
        write_whole(path, |file| pairing.write_csv(file))?;
    }
    let within = args
        .tolerance
        .map(|tolerance| is_within(&comparison, tolerance));
    if args.json {
        output(&format!("{:#}\n", as_json(args, &comparison, within)))?;
    } else {
        output(&describe(args, &comparison))?;
    }
    if within == Some(false) {
        note!("further apart than --tolerance, or flows are missing");
        return Ok(ExitCode::from(exit::FAILURE));
    }
    Ok(ExitCode::SUCCESS)
}

/// Says that there is nothing to compare, and what would help.
fn nothing_in_both(args: &CompareArgs, pairing: &Pairing) -> Error {
    let (a, b) = (pairing.only_first.len(), pairing.only_second.len());
    Error::Unsupported {
        scenario: format!("{} and {}", args.a.display(), args.b.display()),
        message: format!("no flow is in both: the first has {a} flows, the second {b}"),
        help: "give results of the same workloads and seed: source, destination, size and start \
               (to 1 ns) of a flow have to agree"
            .to_owned(),
    }
}

/// Returns whether both hold the same flows and none deviates by more than `tolerance`.
fn is_within(comparison: &Comparison, tolerance: f64) -> bool {
    let apart = comparison.max_deviation > tolerance;
    comparison.only_first == 0 && comparison.only_second == 0 && !apart
}

fn describe(args: &CompareArgs, comparison: &Comparison) -> String {
    let mut text = String::new();
    writeln!(text, "first   {}", args.a.display()).expect(FITS);
    writeln!(text, "second  {}\n", args.b.display()).expect(FITS);
    writeln!(text, "{comparison}").expect(FITS);
    if let Some((a, b)) = &comparison.worst {
        writeln!(
            text,
            "furthest apart: {} bytes from host {} to host {}, start {} ns: {} and {} ns",
            a.size.get(),
            a.src.0,
            a.dst.0,
            nanoseconds(a.start.as_ps()),
            nanoseconds(a.fct.as_ps()),
            nanoseconds(b.fct.as_ps())
        )
        .expect(FITS);
    }
    if let Some(path) = &args.flows {
        writeln!(text, "every flow in {}", path.display()).expect(FITS);
    }
    text
}

fn as_json(args: &CompareArgs, comparison: &Comparison, within: Option<bool>) -> Value {
    let worst = comparison.worst.map(|(a, b)| {
        json!({
            "src": a.src.0,
            "dst": a.dst.0,
            "size_bytes": a.size.get(),
            "start_ns": nanoseconds(a.start.as_ps()),
            "fct_a_ns": nanoseconds(a.fct.as_ps()),
            "fct_b_ns": nanoseconds(b.fct.as_ps()),
        })
    });
    let classes: Vec<Value> = comparison
        .classes
        .iter()
        .map(|row| {
            json!({
                "class": row.class.to_string(),
                "flows": row.count,
                "p50_ratio": row.p50,
                "p95_ratio": row.p95,
                "p99_ratio": row.p99,
            })
        })
        .collect();
    json!({
        "a": args.a.display().to_string(),
        "b": args.b.display().to_string(),
        "matched": comparison.matched,
        "only_a": comparison.only_first,
        "only_b": comparison.only_second,
        "median_deviation": comparison.median_deviation,
        "p99_deviation": comparison.p99_deviation,
        "max_deviation": comparison.max_deviation,
        "mean_ratio": comparison.mean_ratio,
        "ratio_of_means": comparison.ratio_of_means,
        "worst": worst,
        "slowdown": classes,
        "tolerance": args.tolerance,
        "within_tolerance": within,
    })
}

fn nanoseconds(ps: u64) -> f64 {
    ps as f64 / 1e3
}
