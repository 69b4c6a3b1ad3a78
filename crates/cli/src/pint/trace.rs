//! `fabricsim pint trace`.

mod method;
mod network;
mod output;

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;

use clap::error::ErrorKind;
use clap::{Args as _, Command};
use fabricsim::Error;
use fabricsim_core::engine::Threads;
use fabricsim_core::input::ConfigError;
use fabricsim_pint::tracing::{Layers, Marking, Paths, SchemeConfig, Summary, Trials};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use method::{Budget, Method, Preset, Rival};
use network::{Network, NetworkName};

use crate::console::exit_with;

/// Path lengths of the published figures and two below them.
const HOPS: [u8; 5] = [5, 10, 25, 36, 59];

/// What a hop's number, of a byte, can be.
const MOST_HOPS: usize = 255;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint trace                              all schemes and budgets, 5 to 59 hops
  fabricsim pint trace --scheme multilayer --budget 8,2x4 --hops 5,10,20,40
  fabricsim pint trace --scheme mininet --compare ppm,ams2-5,ams2-6,lnc --out results/trace
  fabricsim pint trace --topology isp:754:59        the sink knows the links of the network
  fabricsim pint trace --topology Kdl.graphml --hops 59 --scheme mininet

A budget is the bits that a packet carries: 8 is one checksum of 8 bits, 2x4 two of 4, and raw one
that holds whole switch numbers. Without --topology paths are of random switches, of which the sink
knows the numbers alone. With it they lie on the longest shortest path. --out gets trace.csv,
trace.svg and trace.json with the settings; complete results of other settings stay without --force.
Results do not depend on --threads. Exit codes: 0 done, 1 a file cannot be written,
2 bad input.")]
pub(crate) struct TraceArgs {
    /// Path lengths, in switches, 1 to 255 [default: 5,10,25,36,59; with --topology those that fit
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
    scheme: Vec<Preset>,

    /// Bits in each packet: 8, 2x4, raw, 2xraw
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "BITS",
        default_value = "1,4,8,2x4,2x8"
    )]
    budget: Vec<Budget>,

    /// What came before PINT: ppm, ams2-5, ams2-6 (any number of agreeing hashes), lnc
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    compare: Vec<Rival>,

    /// Hash functions of ams2: 8 in its paper, 7 in what PINT was compared with
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u8).range(1..=8))]
    functions: u8,

    /// Path length that schemes are set for: d [default: that of each path]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    estimate: Option<u8>,

    /// Switches of the network [default: 80 up to 10 hops, 158 for 36, else 754]
    #[arg(long, value_name = "N", conflicts_with = "topology",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    switches: Option<u32>,

    /// A network whose links the sink knows: FILE.graphml, or isp:SWITCHES:LONGEST[:SEED], a random
    /// one with so many switches in all and on the longest shortest path
    #[arg(long, value_name = "NETWORK")]
    topology: Option<NetworkName>,

    /// Trials of each row
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
    #[arg(long, requires = "out")]
    png: bool,

    /// Let the results replace complete ones of other settings or another version
    #[arg(long, requires = "out")]
    force: bool,
}

/// What a row is of, ready to be run.
#[derive(Debug)]
struct Cell {
    hops: u8,
    switches: u32,
    method: Method,
    trials: Trials,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Pint(SchemeConfig),
    Traceback(Marking),
    NetworkCoding,
}

/// A row of the results.
#[derive(Debug)]
struct Row {
    hops: u8,
    switches: u32,
    method: Method,
    trials: u32,
    found: Summary,
}

pub(crate) fn trace(args: &TraceArgs) -> Result<ExitCode, Error> {
    let network = args.topology.as_ref().map(NetworkName::load).transpose()?;
    let cells = args.cells(network.as_ref());
    let cells = cells.unwrap_or_else(|error| exit_with(refuse(&error)));
    let origin = output::origin(args, network.as_ref());
    if let Some(destination) = output::destination(args) {
        origin.check_files(destination, &output::SET, output::files(args))?;
    }
    let rows = args.run(cells)?;
    output::print(args, network.as_ref(), &rows)?;
    if let Some(destination) = output::destination(args) {
        output::write(args, network.as_ref(), &rows, &origin, destination)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An option that cannot be, as the parser says it.
fn refuse(error: &ConfigError) -> clap::Error {
    let mut command = TraceArgs::augment_args(Command::new("fabricsim pint trace"));
    command.error(
        ErrorKind::ValueValidation,
        format!("--{}: {}; {}", error.key, error.message, error.help),
    )
}

impl TraceArgs {
    /// The path lengths that were asked for, ascending.
    fn lengths(&self, network: Option<&Network>) -> Result<Vec<u8>, ConfigError> {
        let longest = network.map_or(MOST_HOPS, |network| network.walk.len());
        let mut lengths = self.hops.clone();
        if lengths.is_empty() {
            lengths.extend(HOPS.iter().filter(|&&hops| usize::from(hops) < longest));
            lengths.extend(network.and_then(|_| u8::try_from(longest).ok()));
        }
        lengths.sort_unstable();
        lengths.dedup();
        match lengths.last() {
            Some(&hops) if usize::from(hops) > longest => Err(ConfigError::new(
                "hops",
                format!("{hops} switches are more than the longest shortest path has"),
                format!("give 1 to {longest}"),
            )),
            _ => Ok(lengths),
        }
    }

    /// How `preset` divides the packets of paths of `hops` switches.
    fn layers(&self, preset: Preset, hops: u8) -> Result<Layers, ConfigError> {
        let layers = preset.layers(self.estimate.unwrap_or(hops));
        layers.map_err(|error| ConfigError {
            key: if self.estimate.is_some() {
                "estimate"
            } else {
                "hops"
            },
            ..error
        })
    }

    /// All rows in their order: by path length, then PINT's schemes by budget, then the others.
    fn cells(&self, network: Option<&Network>) -> Result<Vec<Cell>, ConfigError> {
        let mut cells = Vec::new();
        for hops in self.lengths(network)? {
            let (switches, paths) = match network {
                Some(network) => (network.switches(), network.paths()),
                None => {
                    let switches = self.switches.unwrap_or_else(|| switches_for(hops));
                    (switches, Paths::Random { switches })
                }
            };
            if u32::from(hops) > switches {
                return Err(ConfigError::new(
                    "hops",
                    format!(
                        "a path of {hops} distinct switches does not fit a network of {switches}"
                    ),
                    format!("give up to {switches}, or more --switches"),
                ));
            }
            let trials = Trials {
                count: self.trials,
                seed: self.seed,
                ..Trials::of(hops, paths)
            };
            let mut add = |method, work| {
                cells.push(Cell {
                    hops,
                    switches,
                    method,
                    trials: trials.clone(),
                    work,
                });
            };
            for &preset in &self.scheme {
                let layers = self.layers(preset, hops)?;
                for &budget in &self.budget {
                    let config = budget.scheme(layers.clone(), switches);
                    add(Method::Pint(preset, budget), Work::Pint(config));
                }
            }
            for &rival in &self.compare {
                add(Method::Other(rival), rival.work(self.functions)?);
            }
        }
        Ok(cells)
    }

    fn run(&self, cells: Vec<Cell>) -> Result<Vec<Row>, Error> {
        let threads = self.threads.map_or_else(
            || available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        );
        let threads = Threads::start(threads).map_err(|error| Error::Threads {
            count: error.count,
            reason: error.reason,
        })?;
        let bar =
            ProgressBar::with_draw_target(Some(cells.len() as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len} rows, {msg}, ETA {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let rows = cells
            .into_iter()
            .map(|mut cell| {
                bar.set_message(format!("{} hops, {}", cell.hops, cell.method.scheme()));
                cell.trials.threads = threads.clone();
                let row = cell.run();
                bar.inc(1);
                row
            })
            .collect::<Result<Vec<Row>, ConfigError>>();
        bar.finish_and_clear();
        Ok(rows.unwrap_or_else(|error| exit_with(refuse(&error))))
    }
}

impl Cell {
    fn run(self) -> Result<Row, ConfigError> {
        let found = match &self.work {
            Work::Pint(config) => self.trials.pint(config),
            Work::Traceback(marking) => self.trials.traceback(*marking),
            Work::NetworkCoding => self.trials.network_coding(),
        }?;
        Ok(Row {
            hops: self.hops,
            switches: self.switches,
            method: self.method,
            trials: self.trials.count,
            found,
        })
    }
}

/// Switches of the networks whose longest paths PINT's Figure 10 is about: a fat-tree of 80, US Carrier and
/// Kentucky Datalink.
const fn switches_for(hops: u8) -> u32 {
    match hops {
        0..=10 => 80,
        36 => 158,
        _ => 754,
    }
}
