//! `fabricsim slowdown`.

mod edges;
mod words;

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args as _, Command};
use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::{
    BinRule, BinTable, Confidence, Cut, CutEnd, CutReport, FctRecord, Goodput, Percentile,
    ReplicationTable, SideBySide, SizeBins, bins_csv, bins_for, equal_count_bins, quoted,
};
use serde_json::{Value, json};

use self::edges::Edges;
use self::words::{describe_goodput, few_flows, unfinished};
use crate::console::{exit_with, note, output, pour};
use crate::results::{FlowSelection, places_with_flows, read_flows};

const FITS: &str = "a string takes everything";

/// The number of bins of the published analysis, and the largest default number.
const PUBLISHED_BINS: usize = 20;

const ONE_AT_A_TIME: &str = "--published prints the table of one RESULT; name one at a time";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim slowdown results/a                      bins of equal count
  fabricsim slowdown results/a results/b --bins 4   two side by side, with ratios
  fabricsim slowdown results/a --class 1 --percentile 50,99
  fabricsim slowdown results/a --sizes 10KB,100KB,1MB --confidence 95
  fabricsim slowdown results/a --warm-up 1ms --cool-down 2ms --csv bins.csv
  fabricsim slowdown results/seed1 results/seed2 results/seed3 --replications
  fabricsim slowdown fct.txt --published            the published script's table

Slowdowns are at least 1. Percentiles are not interpolated: p of n sorted values is the value at
index floor(n p), from 0. A percentile needs 1 / (1 - p) flows (p95 20, p99 100, p99.9 1000), with
fewer it is a dash. Unfinished flows do not count.

Intervals of a percentile assume independent flows. Flows of one run share queues, so these
intervals are too narrow: in 40 runs with a thousand short flows each at a load of 0.6, the 95%
interval contained the true value in 28 runs at p50 and in 21 at p95. Run several seeds and use
--replications, which computes Student's intervals between independent runs.

Exit codes: 0 done, 1 a file cannot be written, 2 bad input.")]
pub(crate) struct SlowdownArgs {
    /// Results: an fct.csv, an fct.txt of the published simulator, or the folder of a run
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,

    /// Number of bins with equally many flows [default: as many as have at least 20 flows, at most
    /// 20]
    #[arg(long, value_name = "N", conflicts_with = "sizes",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bins: Option<u32>,

    /// Bins that end at these sizes: 10KB,1MB; `default` is 10, 30, 100, 200 KB, 1 and 6 MB
    #[arg(long, value_name = "SIZES")]
    sizes: Option<Edges>,

    /// Print the table of the published script as CSV, byte for byte: 20 bins without the largest
    /// flow
    #[arg(long, conflicts_with_all = ["bins", "sizes", "percentile", "confidence", "json", "replications"])]
    published: bool,

    /// Percentiles of the table
    #[arg(long, value_delimiter = ',', default_value = "50,95,99,99.9")]
    percentile: Vec<Percentile>,

    /// Show confidence intervals of percentiles, for this confidence in percent and assuming
    /// independent flows (see below); CSV and JSON always have them [default: 95]
    #[arg(long, value_name = "PERCENT")]
    confidence: Option<Confidence>,

    #[command(flatten)]
    selection: FlowSelection,

    /// Leave out flows that start less than this before the last start
    #[arg(long, value_name = "TIME", conflicts_with = "until")]
    cool_down: Option<Duration>,

    /// Leave out flows that start after this simulated time
    #[arg(long, value_name = "TIME")]
    until: Option<Time>,

    /// Write the bins as CSV, to the standard output with `-`
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    /// Treat the results as seeds of one scenario: print means over seeds, with intervals that
    /// remain valid for flows that share queues
    #[arg(long)]
    replications: bool,
}

/// The flows of a result that count.
struct Flows {
    path: PathBuf,
    kept: Vec<FctRecord>,
    cut: CutReport,
    other_classes: usize,
}

pub(crate) fn slowdown(args: &SlowdownArgs) -> Result<ExitCode, Error> {
    args.check().unwrap_or_else(|error| exit_with(error));
    if let Some(path) = args.csv_file() {
        refuse_input(path, &args.results)?;
    }
    let places = places_with_flows(&args.results)?;
    if args.published && places.len() > 1 {
        SlowdownArgs::refuse(ONE_AT_A_TIME).unwrap_or_else(|error| exit_with(error));
    }
    let results: Vec<Flows> = places
        .iter()
        .map(|place| args.load(&place.path))
        .collect::<Result<_, _>>()?;
    let (text, json, csv) = if args.published {
        let bins = equal_count_bins(&results[0].kept, PUBLISHED_BINS, BinRule::Published);
        let csv = bins_csv(&bins);
        (csv.clone(), Value::Null, csv.into_bytes())
    } else if args.replications {
        args.over_replicas(results)
    } else {
        let (text, json, csv) = args.one_by_one(&results);
        match &results[..] {
            [first, second] if args.confidence.is_none() => {
                (args.side_by_side(first, second), json, csv)
            }
            _ => (text, json, csv),
        }
    };
    if let Some(path) = args.csv_file() {
        write_whole(path, |file| {
            let mut buffered = BufWriter::new(file);
            buffered.write_all(&csv)?;
            buffered.flush()
        })?;
    }
    let to_stdout = args.csv.is_some() && args.csv_file().is_none();
    if args.json {
        output(&format!("{json:#}\n"))?;
    } else if to_stdout {
        pour(&String::from_utf8_lossy(&csv))?;
    } else if !(args.published && args.csv.is_some()) {
        output(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl SlowdownArgs {
    /// Reports an error of the arguments as clap does.
    fn refuse(message: &str) -> Result<(), clap::Error> {
        let mut command = Self::augment_args(Command::new("fabricsim slowdown"));
        Err(command.error(ErrorKind::ArgumentConflict, message))
    }

    /// Refuses arguments that exclude one another.
    fn check(&self) -> Result<(), clap::Error> {
        if self.published && self.results.len() > 1 {
            return Self::refuse(ONE_AT_A_TIME);
        }
        if self.json && self.csv.is_some() && self.csv_file().is_none() {
            return Self::refuse(
                "--json and --csv - both go to the standard output; give --csv a file, or leave \
                 one of them out",
            );
        }
        Ok(())
    }

    /// Returns the file for the CSV, or `None` if it is the standard output.
    fn csv_file(&self) -> Option<&Path> {
        self.csv.as_deref().filter(|path| *path != Path::new("-"))
    }

    fn confidence(&self) -> Confidence {
        self.confidence.unwrap_or(Confidence::P95)
    }

    /// Returns the number of bins for `flows`: the given one, or as many as have enough flows for
    /// the 95th percentile.
    fn bin_count(&self, flows: usize) -> usize {
        let own = || bins_for(flows, Percentile::P95).min(PUBLISHED_BINS);
        self.bins.map_or_else(own, |bins| bins as usize)
    }

    fn load(&self, path: &Path) -> Result<Flows, Error> {
        let records = read_flows(path)?;
        let all = records.len();
        let records = self.selection.of_class(path, records)?;
        let cut = Cut {
            warm_up: self.selection.warm_up,
            end: match (self.until, self.cool_down) {
                (Some(until), _) => CutEnd::Until(until),
                (None, span) => CutEnd::CoolDown(span.unwrap_or(Duration::ZERO)),
            },
        };
        let other_classes = all - records.len();
        let cut = cut.apply(&records);
        let path = path.to_owned();
        if let Some(unfinished) = unfinished(&path) {
            note!(
                "note: {unfinished} flows of {} have not finished; they have no slowdown",
                path.display()
            );
        }
        if cut.kept.is_empty() {
            note!("no flow of {} is left", path.display());
        }
        Ok(Flows {
            path,
            kept: cut.kept,
            cut: cut.report,
            other_classes,
        })
    }

    fn one_by_one(&self, results: &[Flows]) -> (String, Value, Vec<u8>) {
        let mut text = String::new();
        let mut values = Vec::new();
        let mut csv = Vec::new();
        for (place, flows) in results.iter().enumerate() {
            let bins = match &self.sizes {
                Some(Edges(edges)) => SizeBins::between(&flows.kept, edges),
                None => {
                    let count = self.bin_count(flows.kept.len());
                    SizeBins::of_equal_count(&flows.kept, count, BinRule::AllFlows)
                }
            };
            let table = BinTable::new(&bins, &self.percentile, self.confidence());
            let goodput = Goodput::of_flows_above(Goodput::LONG, &flows.kept);
            if place > 0 {
                text.push('\n');
            }
            text.push_str(&flows.describe());
            match self.confidence {
                Some(_) => write!(text, "\n{table:#}").expect(FITS),
                None => write!(text, "\n{table}").expect(FITS),
            }
            text.push_str(&few_flows(&table.unknown()));
            if let Some(goodput) = goodput {
                writeln!(text, "\n{}", describe_goodput(&goodput)).expect(FITS);
            }
            values.push(json!({
                "result": flows.path.display().to_string(),
                "cut": flows.cut,
                "other_classes": flows.other_classes,
                "table": table,
                "goodput": goodput,
            }));
            write_csv(&mut csv, place, flows, &table).expect("memory takes everything");
        }
        (text, Value::Array(values), csv)
    }

    /// Returns two results as one table.
    fn side_by_side(&self, first: &Flows, second: &Flows) -> String {
        let (a, b) = (&first.kept, &second.kept);
        let (levels, confidence) = (&self.percentile, self.confidence());
        let table = match &self.sizes {
            Some(Edges(edges)) => SideBySide::between(a, b, edges, levels, confidence),
            None => {
                let count = self.bin_count(a.len().min(b.len()));
                SideBySide::of_equal_count(a, b, count, levels, confidence)
            }
        };
        let mut text = format!("{}{}\n{table}", first.describe(), second.describe());
        text.push_str(&few_flows(&table.unknown()));
        for flows in [first, second] {
            if let Some(goodput) = Goodput::of_flows_above(Goodput::LONG, &flows.kept) {
                let goodput = describe_goodput(&goodput);
                write!(text, "\n{}: {goodput}", flows.path.display()).expect(FITS);
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        text.push('\n');
        text
    }

    fn over_replicas(&self, results: Vec<Flows>) -> (String, Value, Vec<u8>) {
        let mut text = String::new();
        let mut sources = Vec::new();
        for flows in &results {
            text.push_str(&flows.describe());
            sources.push(json!({
                "result": flows.path.display().to_string(),
                "cut": flows.cut,
                "other_classes": flows.other_classes,
            }));
        }
        let replications: Vec<Vec<FctRecord>> =
            results.into_iter().map(|flows| flows.kept).collect();
        let table = match &self.sizes {
            Some(Edges(edges)) => {
                ReplicationTable::between(&replications, edges, &self.percentile, self.confidence())
            }
            None => ReplicationTable::of_equal_count(
                &replications,
                self.bin_count(replications.iter().map(Vec::len).min().unwrap_or(0)),
                &self.percentile,
                self.confidence(),
            ),
        };
        writeln!(
            text,
            "\nmeans over {} replications, with half the width of the {} interval\n\n{table}",
            table.replications,
            self.confidence()
        )
        .expect(FITS);
        text.truncate(text.trim_end_matches('\n').len() + 1);
        text.push_str(&few_flows(&table.unknown()));
        let mut csv = Vec::new();
        table.write_csv(&mut csv).expect("memory takes everything");
        (text, json!({ "results": sources, "table": table }), csv)
    }
}

impl Flows {
    fn describe(&self) -> String {
        let mut text = format!("{}: {}", self.path.display(), self.cut);
        if self.other_classes > 0 {
            write!(text, ", and {} of other classes", self.other_classes).expect(FITS);
        }
        text.push('\n');
        text
    }
}

/// Writes the rows of a result, each with its name, and the header before the first result.
fn write_csv(out: &mut Vec<u8>, place: usize, flows: &Flows, table: &BinTable) -> io::Result<()> {
    if place == 0 {
        writeln!(out, "result,{}", table.csv_header())?;
    }
    table.write_rows(
        out,
        &format!("{},", quoted(&flows.path.display().to_string())),
    )
}
