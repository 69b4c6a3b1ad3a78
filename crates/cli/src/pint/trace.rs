//! `fabricsim pint trace`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args as _, Command, ValueEnum};
use fabricsim::Error;
use fabricsim::output::Destination;
use fabricsim_base::input::ConfigError;
use fabricsim_engine::Threads;
use fabricsim_experiments::pint::Summary;
use fabricsim_experiments::pint::trace::{
    Budget, NetworkName, Preset, Rival, Row, SET, TraceCell, TraceSettings,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::threads_of;
use crate::console::{exit_with, output};
use crate::plot::png_flag;
use crate::text::existing;

const FITS: &str = "a string takes everything";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint trace                              all schemes and budgets, 5 to 59 hops
  fabricsim pint trace --scheme multilayer --budget 8,2x4 --hops 5,10,20,40
  fabricsim pint trace --scheme mininet --compare ppm,ams2-5,ams2-6,lnc --out results/trace
  fabricsim pint trace --topology isp:754:59        the sink knows the links of the network
  fabricsim pint trace --topology Kdl.graphml --hops 59 --scheme mininet

A budget is the bits that a packet carries: 8 is one digest of 8 bits, 2x4 two digests of 4 bits,
and raw one digest that holds whole switch numbers. Without --topology, paths consist of random
switches, and the sink knows only their numbers. With --topology, paths follow the longest shortest
path. --out writes trace.csv, trace.svg and trace.json (the settings); complete results of other
settings are replaced only with --force. Results do not depend on --threads. Exit codes: 0 done, 1 a file cannot be written,
2 bad input.")]
pub(crate) struct TraceArgs {
    /// Path lengths in switches, 1 to 255 [default: 5,10,25,36,59; with --topology the lengths that fit,
    /// and the longest]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..))]
    hops: Vec<u8>,

    /// Schemes
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "NAME",
        default_value = "baseline,mininet,interleaved,multilayer"
    )]
    scheme: Vec<PresetName>,

    /// Bits in each packet: 8, 2x4, raw, 2xraw
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "BITS",
        default_value = "1,4,8,2x4,2x8"
    )]
    budget: Vec<Budget>,

    /// Earlier schemes to compare PINT with: ppm, ams2-5, ams2-6 (any number of agreeing hashes),
    /// lnc
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    compare: Vec<Rival>,

    /// Hash functions of ams2: 8 in its paper, 7 in PINT's evaluation
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u8).range(1..=8))]
    functions: u8,

    /// Path length d that schemes are tuned for [default: the length of each path]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    estimate: Option<u8>,

    /// Switches of the network [default: 80 up to 10 hops, 158 for 36, else 754]
    #[arg(long, value_name = "N", conflicts_with = "topology",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    switches: Option<u32>,

    /// Network with links known to the sink: FILE.graphml, or isp:SWITCHES:LONGEST[:SEED] for a
    /// random one with this many switches in all and on its longest shortest path
    #[arg(long, value_name = "NETWORK")]
    topology: Option<NetworkName>,

    /// Trials per row
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    trials: u32,

    /// Seed of paths and hash functions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads [default: all cores]; results are the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Folder for trace.csv and trace.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write trace.png, too
    #[arg(long, requires = "out", value_parser = png_flag)]
    png: bool,

    /// Let the results replace complete ones of other settings or another version
    #[arg(long, requires = "out")]
    force: bool,
}

/// The schemes as the command line names them.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum PresetName {
    /// Hops overwrite: reservoir sampling alone
    Baseline,
    /// Half of the packets overwritten, half xored with probability 1/10: the published code
    Mininet,
    /// Three quarters overwritten, the rest xored with probability lnln d / ln d
    Interleaved,
    /// Half overwritten, the rest xored in layers: Algorithm 1
    Multilayer,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Baseline => Self::Baseline,
            PresetName::Mininet => Self::Mininet,
            PresetName::Interleaved => Self::Interleaved,
            PresetName::Multilayer => Self::Multilayer,
        }
    }
}

pub(crate) fn trace(args: &TraceArgs) -> Result<ExitCode, Error> {
    let settings = args.settings();
    let network = args.topology.as_ref().map(NetworkName::load).transpose()?;
    let cells = settings.cells(network.as_ref());
    let cells = cells.unwrap_or_else(|error| exit_with(refuse(&error)));
    let origin = settings.origin(network.as_ref());
    if let Some(destination) = args.destination() {
        origin.check_files(destination, &SET, settings.files())?;
    }
    let rows = args.run(cells)?;
    print(&settings.title(network.as_ref()), &rows)?;
    if let Some(destination) = args.destination() {
        settings.write(network.as_ref(), &rows, &origin, destination)?;
        let mut written = String::from("\n");
        for name in settings.files() {
            let path = args.out.as_deref().map(|folder| folder.join(name));
            writeln!(written, "{}", path.unwrap_or_default().display()).expect(FITS);
        }
        output(&written)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the error of an option as clap formats it.
fn refuse(error: &ConfigError) -> clap::Error {
    let mut command = TraceArgs::augment_args(Command::new("fabricsim pint trace"));
    command.error(
        ErrorKind::ValueValidation,
        format!("--{}: {}; {}", error.key, error.message, error.help),
    )
}

impl TraceArgs {
    fn settings(&self) -> TraceSettings {
        TraceSettings {
            hops: self.hops.clone(),
            scheme: self.scheme.iter().map(|&name| name.into()).collect(),
            budget: self.budget.clone(),
            compare: self.compare.clone(),
            functions: self.functions,
            estimate: self.estimate,
            switches: self.switches,
            trials: self.trials,
            seed: self.seed,
            png: self.png,
            topology: self.topology.clone(),
        }
    }

    /// Returns the folder of the results if `--out` is given.
    fn destination(&self) -> Option<Destination<'_>> {
        let folder = self.out.as_deref();
        folder.map(|folder| Destination::new(folder, existing(self.force)))
    }

    fn run(&self, cells: Vec<TraceCell>) -> Result<Vec<Row>, Error> {
        let threads = Threads::start(threads_of(self.threads)).map_err(|error| Error::Threads {
            count: error.count,
            reason: error.reason,
        })?;
        let bar =
            ProgressBar::with_draw_target(Some(cells.len() as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len} rows, {msg}, ETA {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let rows = cells
            .into_iter()
            .map(|cell| {
                bar.set_message(cell.title());
                let row = cell.run(&threads);
                bar.inc(1);
                row
            })
            .collect::<Result<Vec<Row>, ConfigError>>();
        bar.finish_and_clear();
        Ok(rows.unwrap_or_else(|error| exit_with(refuse(&error))))
    }
}

/// Prints the table.
fn print(title: &str, rows: &[Row]) -> Result<(), Error> {
    let mut text = format!("{title}\n\n");
    let header = format_args!(
        "{:>4}  {:>8}  {:<11}  {:>6}  {:>9}  {:>7}  {:>6}  {:>6}",
        "hops", "switches", "scheme", "budget", "mean", "sem", "median", "p99"
    );
    writeln!(text, "{header}").expect(FITS);
    let mut before = None;
    for row in rows {
        let Summary {
            mean,
            standard_error,
            median,
            p99,
            given_up,
            wrong,
        } = row.found;
        if before.is_some_and(|hops| hops != row.hops) {
            text.push('\n');
        }
        before = Some(row.hops);
        write!(
            text,
            "{:>4}  {:>8}  {:<11}  {:>6}  {mean:>9.2}  {standard_error:>7.2}  {median:>6}  {p99:>6}",
            row.hops,
            row.switches,
            row.method.scheme(),
            row.method.budget(row.switches)
        )
        .expect(FITS);
        if given_up > 0 {
            write!(text, "  {given_up} given up").expect(FITS);
        }
        if wrong > 0 {
            write!(text, "  {wrong} wrong").expect(FITS);
        }
        text.push('\n');
    }
    output(&text)
}
