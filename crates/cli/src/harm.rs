//! `fabricsim harm`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use fabricsim::Error;
use fabricsim::output::{Destination, Origin, ResultSet, write_whole};
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_experiments::harm::{
    Beside, CellResult, Feedback, HarmReport, HarmSettings, HarmTest, Reuse, Status, harm_figure,
};
use fabricsim_plot::figure::Theme;

use crate::console::{note, output};
use crate::exit;
use crate::plot::{encoded, picture_path};
use crate::text::existing;

const FLOWS_CSV: &str = "flows.csv";

/// The settings file beside the flows: it identifies the test.
const FLOWS: ResultSet = ResultSet::new("flows.json", "--flows");

/// Pixels of a PNG for each unit of the SVG.
const SCALE: u8 = 2;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim harm                                    CUBIC and Prague against CUBIC, 10 to 160 ms
  fabricsim harm --workload ccafct-seed1 --compare-sample --plot harm.svg
  fabricsim harm --qdisc \"fq_codel flows 1024\" --repeats 5 --csv harm.csv
  fabricsim harm --cca newreno,tcp-dctcp --rtt 5ms,50ms --bandwidth 100Mbps --flows results/harm
  fabricsim harm my.toml --quick                    settings of a file, two short round-trip times

The workload runs alone, then against a long download of each algorithm. Harm is the share of the
completion time for which the download is responsible. Keys of FILE are the names of the options
with `_`; options override them. The table is on the standard output, progress on the standard
error. Exit codes: 0 done, 1 a file cannot be written, 2 bad input, 3 flows had not finished when
the time was over.")]
pub(crate) struct HarmArgs {
    /// Settings (a TOML file) [default: the defaults of all options]
    file: Option<PathBuf>,

    /// Competing algorithms to measure [default: cubic,prague]
    #[arg(long, value_delimiter = ',', value_name = "CONGESTION_CONTROLS")]
    cca: Option<Vec<String>>,

    /// Flows of the competing algorithm [default: 1]
    #[arg(long, value_name = "N")]
    competitors: Option<u16>,

    /// Algorithm of the workload [default: cubic]
    #[arg(long, value_name = "ALGORITHM")]
    baseline: Option<String>,

    /// Round-trip times [default: 10ms,20ms,40ms,80ms,160ms]
    #[arg(long, value_delimiter = ',', value_name = "TIMES")]
    rtt: Option<Vec<Duration>>,

    /// Rate of the bottleneck, in both directions [default: 50Mbps]
    #[arg(long, value_name = "RATE")]
    bandwidth: Option<Rate>,

    /// Discipline of both bottlenecks, as tc writes it [default: "fq_codel flows 1"]
    #[arg(long, value_name = "LINE")]
    qdisc: Option<String>,

    /// Flows: drawn (at random), ccafct-seed1, or a CSV of start_ns,size_bytes [default: drawn]
    #[arg(long, value_name = "WHICH")]
    workload: Option<String>,

    /// Time during which flows arrive [default: 180s]
    #[arg(long, value_name = "TIME")]
    duration: Option<Duration>,

    /// Mean gap between drawn flows [default: 200ms]
    #[arg(long, value_name = "TIME")]
    mean_arrival: Option<Duration>,

    /// 5th percentile of drawn lengths [default: 64KiB]
    #[arg(long, value_name = "SIZE")]
    len_p5: Option<Bytes>,

    /// 95th percentile of drawn lengths [default: 2MiB]
    #[arg(long, value_name = "SIZE")]
    len_p95: Option<Bytes>,

    /// Longest time of a run after the last arrival [default: 90s]
    #[arg(long, value_name = "TIME")]
    timeout: Option<Duration>,

    /// Time for which the competitor starts before the workload [default: 20s]
    #[arg(long, value_name = "TIME")]
    slow_start_delay: Option<Duration>,

    /// ECN of the competitor: none, classic, dctcp or accurate [default: accurate]
    #[arg(long, value_name = "ECN", value_parser = feedback)]
    competitor_ecn: Option<Feedback>,

    /// ECN of the workload: none, classic, dctcp or accurate [default: none]
    #[arg(long, value_name = "ECN", value_parser = feedback)]
    workload_ecn: Option<Feedback>,

    /// Reuse of connections by requests: late-binding or none [default: late-binding]
    #[arg(long, value_name = "REUSE", value_parser = reuse)]
    reuse: Option<Reuse>,

    /// Percentiles of completion times [default: 50,95]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    percentiles: Option<Vec<f64>>,

    /// Seed of all random draws [default: 1]
    #[arg(long)]
    seed: Option<u64>,

    /// Repetitions, each with the next seed; prints means with 95% intervals if more than 1
    /// [default: 1]
    #[arg(long, value_name = "N")]
    repeats: Option<u16>,

    /// Short test: 10 and 20 ms, flows for 5 s, no delay
    #[arg(long)]
    quick: bool,

    /// Threads [default: all cores]; results are the same for any number
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print the sample output of ccafct beside the results
    #[arg(long)]
    compare_sample: bool,

    /// Write a CSV with a row for each run
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write settings and results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write flows.csv (a row for each flow of each run) and flows.json (the settings) into this
    /// folder
    #[arg(long, value_name = "DIR")]
    flows: Option<PathBuf>,

    /// Draw harm over the round-trip time to FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", value_parser = picture_path())]
    plot: Option<PathBuf>,

    /// Replace an existing flows.csv of another test
    #[arg(long, requires = "flows")]
    force: bool,

    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

fn feedback(text: &str) -> Result<Feedback, String> {
    match text {
        "none" => Ok(Feedback::None),
        "classic" => Ok(Feedback::Classic),
        "dctcp" => Ok(Feedback::Dctcp),
        "accurate" => Ok(Feedback::Accurate),
        _ => Err("write none, classic, dctcp or accurate".to_owned()),
    }
}

fn reuse(text: &str) -> Result<Reuse, String> {
    match text {
        "late-binding" => Ok(Reuse::LateBinding),
        "none" => Ok(Reuse::None),
        _ => Err("write late-binding or none".to_owned()),
    }
}

/// Sets `$settings.key` to the value of the option if it is given.
macro_rules! override_with {
    ($settings:ident, $args:ident: $($key:ident),*) => {
        $(if let Some(value) = &$args.$key {
            $settings.$key = value.clone().into();
        })*
    };
}

impl HarmArgs {
    /// Returns the settings of the file, overridden by the options.
    fn settings(&self) -> Result<HarmSettings, Error> {
        let mut settings = match &self.file {
            Some(path) => HarmSettings::from_file(path)?,
            None => HarmSettings::default(),
        };
        if self.quick {
            settings.make_quick();
        }
        override_with!(settings, self: cca, competitors, baseline, rtt, bandwidth, workload,
            duration, mean_arrival, len_p5, len_p95, timeout, slow_start_delay, competitor_ecn,
            workload_ecn, reuse, percentiles, seed, repeats);
        if let Some(line) = &self.qdisc {
            settings.qdisc =
                FromStr::from_str(line).map_err(|error| Error::input("--qdisc", line, error))?;
        }
        Ok(settings)
    }

    /// Returns the folder to which a workload's path is relative: the folder of the file that names
    /// it.
    fn folder(&self) -> &Path {
        let file = self.file.as_deref().filter(|_| self.workload.is_none());
        file.and_then(Path::parent)
            .unwrap_or_else(|| Path::new("."))
    }

    /// Returns the folder for flows if `--flows` is given.
    fn destination(&self) -> Option<Destination<'_>> {
        let folder = self.flows.as_deref();
        folder.map(|folder| Destination::new(folder, existing(self.force)))
    }

    fn write(&self, report: &HarmReport, origin: &Origin) -> Result<(), Error> {
        if let Some(path) = &self.csv {
            write_whole(path, |file| {
                let mut out = BufWriter::new(file);
                report.write_csv(&mut out)?;
                out.flush()
            })?;
        }
        if let Some(path) = &self.json {
            write_whole(path, |file| writeln!(file, "{:#}", report.to_json()))?;
        }
        if let Some(destination) = self.destination() {
            let mut flows = Vec::new();
            let written = report.write_flows(&mut flows);
            written.expect("memory takes everything");
            origin.write_files(destination, &FLOWS, &[(FLOWS_CSV, flows)])?;
        }
        if let Some(path) = &self.plot {
            let beside = if self.compare_sample {
                Beside::Sample
            } else {
                Beside::Nothing
            };
            let figure = harm_figure(report, beside);
            let bytes = encoded(&figure, path, Theme::Light, SCALE).map_err(|error| {
                let scenario = path.display().to_string();
                Error::Unsupported {
                    scenario,
                    message: error.to_string(),
                    help: "give a name that ends in .svg".to_owned(),
                }
            })?;
            write_whole(path, |file| file.write_all(&bytes))?;
        }
        Ok(())
    }
}

/// Runs the test and writes its results.
pub(crate) fn harm(args: &HarmArgs) -> Result<ExitCode, Error> {
    let test = HarmTest::new(args.settings()?, args.folder())?;
    let origin = test.origin();
    if let Some(destination) = args.destination() {
        origin.check_files(destination, &FLOWS, &[FLOWS_CSV])?;
    }
    let threads = args.threads.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let report = test.run(threads, &|cell| {
        if !args.quiet {
            note!("{}", progress(cell));
        }
    })?;
    args.write(&report, &origin)?;
    output(&report.to_text())?;
    if args.compare_sample {
        output(&format!("\n{}", report.compared_with_sample()))?;
    }
    Ok(match report.status() {
        Status::Complete => ExitCode::SUCCESS,
        Status::Partial => ExitCode::from(exit::STALLED),
    })
}

/// Returns the progress line of a finished cell.
fn progress(cell: &CellResult) -> String {
    let complete = cell.flows.iter().filter(|flow| flow.fct.is_some()).count();
    let who = cell.competitor.as_deref().unwrap_or("alone");
    let (rtt, flows) = (cell.rtt, cell.flows.len());
    let seconds = cell.duration.as_secs_f64();
    format!("{rtt} {who}: {complete} of {flows} flows in {seconds:.1} s")
}
