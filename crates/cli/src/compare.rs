//! `fabricsim compare`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_plot::figure::{Unit, quantity};
use fabricsim_report::{Comparison, Pairing, Percentile};
use serde_json::{Value, json};

use crate::console::{note, output};
use crate::exit;
use crate::plot::names_beside;
use crate::queries::{PERCENTILES, Queries, read_queries};
use crate::results::{FlowSelection, Place, places_with_flows};

const FITS: &str = "a string takes everything";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim compare results/eta95 results/eta99     two folders of results
  fabricsim compare results/tiny fct.txt            fabricsim with the published simulator
  fabricsim compare a.csv b.csv --flows apart.csv   also write a row for each flow
  fabricsim compare a.csv b.csv --tolerance 0.005   a test: every flow within 0.5%

Two flows match if source, destination, size and start (to 1 ns) are equal. Ratios are A over B.
Slowdowns are at least 1. Percentiles are not interpolated: p of n sorted values is the value at
index floor(n p), from 0. Exit codes: 0 compared, 1 a flow deviates by more than --tolerance or
is missing, or a file cannot be written, 2 bad input.")]
pub(crate) struct CompareArgs {
    /// An fct.csv, an fct.txt of the published simulator, or the folder of a run or sweep
    pub(crate) a: PathBuf,

    /// The same for the other result, of the same flows
    pub(crate) b: PathBuf,

    /// Write a CSV with both completion times of every flow, in nanoseconds
    #[arg(long, value_name = "FILE")]
    pub(crate) flows: Option<PathBuf>,

    /// Print the comparison as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Exit with 1 if the completion time of a flow deviates by more than this share of B's (0.005
    /// is half a percent), or if a flow is missing in A or B
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
    let pairs = args.pairs()?;
    let mut texts = Vec::new();
    let mut values = Vec::new();
    let mut all_within = true;
    for (a, b) in &pairs {
        let read = |path: &Path| args.selection.read(path);
        let pairing = Pairing::new(&read(a)?, &read(b)?);
        if pairing.both.is_empty() {
            return Err(nothing_in_both(a, b, &pairing));
        }
        let comparison = Comparison::new(&pairing);
        if let Some(path) = &args.flows {
            refuse_input(path, [a, b])?;
            write_whole(path, |file| pairing.write_csv(file))?;
        }
        let within = args
            .tolerance
            .map(|tolerance| is_within(&comparison, tolerance));
        all_within &= within != Some(false);
        let queries = [a, b].map(|path| read_queries(path, &args.selection));
        let [first, second] = queries;
        let queries = (first?, second?);
        texts.push(describe(args, [a, b], &comparison) + &describe_queries(&queries.0, &queries.1));
        values.push(as_json(args, [a, b], &comparison, within));
    }
    if args.json {
        let value = match values.len() {
            1 => values.remove(0),
            _ => Value::Array(values),
        };
        output(&format!("{value:#}\n"))?;
    } else {
        output(&texts.join("\n"))?;
    }
    if !all_within {
        note!("a flow deviates by more than --tolerance, or flows are missing");
        return Ok(ExitCode::from(exit::FAILURE));
    }
    Ok(ExitCode::SUCCESS)
}

impl CompareArgs {
    /// Returns the results to compare: the two given ones, or all points that two sweeps share.
    fn pairs(&self) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
        let of = |path: &PathBuf| places_with_flows(std::slice::from_ref(path));
        let (first, second) = (of(&self.a)?, of(&self.b)?);
        let refuse = |message: &str, help: &str| Error::Unsupported {
            scenario: format!("{} and {}", self.a.display(), self.b.display()),
            message: message.to_owned(),
            help: help.to_owned(),
        };
        let are_points = |places: &[Place]| places.iter().any(|place| place.is_point);
        if are_points(&first) != are_points(&second) {
            return Err(refuse(
                "one is a sweep, the other a result",
                "give two results, or two sweeps; points of the same name are then compared",
            ));
        }
        if !are_points(&first) {
            return Ok(vec![(self.a.clone(), self.b.clone())]);
        }
        let name = |place: &Place| place.path.file_name().map(std::ffi::OsStr::to_owned);
        let pair = |place: &Place| {
            let other = second.iter().find(|other| name(other) == name(place))?;
            Some((place.path.clone(), other.path.clone()))
        };
        let pairs: Vec<(PathBuf, PathBuf)> = first.iter().filter_map(pair).collect();
        if pairs.is_empty() {
            return Err(refuse(
                "no point is in both sweeps",
                "points of the same name are compared; give two points as results instead",
            ));
        }
        if pairs.len() > 1 && self.flows.is_some() {
            return Err(refuse(
                "--flows writes the flows of one comparison, and there are several",
                "give two points of the sweeps",
            ));
        }
        Ok(pairs)
    }
}

/// Returns a table of the query completion times of both results, by class.
fn describe_queries(first: &[Queries], second: &[Queries]) -> String {
    let mut text = String::new();
    for own in first {
        let Some(other) = second.iter().find(|other| other.class == own.class) else {
            continue;
        };
        if text.is_empty() {
            writeln!(
                text,
                "\n{:<24} {:>10} {:>10} {:>9}",
                "query completion times", "first", "second", "ratio"
            )
            .expect(FITS);
        }
        let (class, a, b) = (own.class, own.count, other.count);
        writeln!(
            text,
            "{:<24} {a:>10} {b:>10}",
            format!("class {class}, queries")
        )
        .expect(FITS);
        let times = own.percentiles().into_iter().zip(other.percentiles());
        let rows = PERCENTILES.iter().map(Percentile::to_string).zip(times);
        let mean = ("mean".to_owned(), (Some(own.mean()), Some(other.mean())));
        for (name, (a, b)) in rows.chain([mean]) {
            let ratio = a.zip(b).map(|(a, b)| format!("{:.3}", a / b));
            let [a, b] = [a, b].map(|time| match time {
                Some(time) => quantity(time, Unit::Nanoseconds),
                None => "-".to_owned(),
            });
            let ratio = ratio.unwrap_or_else(|| "-".to_owned());
            writeln!(text, "  {name:<22} {a:>10} {b:>10} {ratio:>9}").expect(FITS);
        }
    }
    text
}

/// Returns the error of two results without a common flow, with a suggested fix.
fn nothing_in_both(first: &Path, second: &Path, pairing: &Pairing) -> Error {
    let (a, b) = (pairing.only_first.len(), pairing.only_second.len());
    Error::Unsupported {
        scenario: format!("{} and {}", first.display(), second.display()),
        message: format!("no flow is in both: the first has {a} flows, the second {b}"),
        help: "give results of the same workloads and seed: source, destination, size and start \
               (to 1 ns) of a flow must be equal"
            .to_owned(),
    }
}

/// Returns `true` if both hold the same flows and none deviates by more than `tolerance`.
fn is_within(comparison: &Comparison, tolerance: f64) -> bool {
    let apart = comparison.max_deviation > tolerance;
    comparison.only_first == 0 && comparison.only_second == 0 && !apart
}

fn describe(args: &CompareArgs, [a, b]: [&PathBuf; 2], comparison: &Comparison) -> String {
    let mut text = String::new();
    writeln!(text, "first   {}", a.display()).expect(FITS);
    writeln!(text, "second  {}\n", b.display()).expect(FITS);
    writeln!(text, "{comparison}").expect(FITS);
    let a_flows = match a.is_dir() {
        true => a.join("fct.csv"),
        false => a.clone(),
    };
    if let Some((a, b)) = &comparison.worst {
        let names = names_beside(&a_flows);
        let host = |number: u32| match names.get(&number.into()) {
            Some(name) => name.clone(),
            None => format!("host {number}"),
        };
        writeln!(
            text,
            "worst flow: {} bytes from {} to {}, start {} ns: {} and {} ns",
            a.size.get(),
            host(a.src.0),
            host(a.dst.0),
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

fn as_json(
    args: &CompareArgs,
    [a, b]: [&PathBuf; 2],
    comparison: &Comparison,
    within: Option<bool>,
) -> Value {
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
                "a": { "p50": row.first[0], "p95": row.first[1], "p99": row.first[2] },
                "b": { "p50": row.second[0], "p95": row.second[1], "p99": row.second[2] },
            })
        })
        .collect();
    json!({
        "a": a.display().to_string(),
        "b": b.display().to_string(),
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
