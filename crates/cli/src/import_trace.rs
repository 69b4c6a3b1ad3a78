//! `fabricsim import-trace`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_base::input::InputError;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::{read_bytes, read_text};
use fabricsim_workload::{CollectiveOperation, ProcessGroups, chakra_to_csv};

use crate::console::{note, pour};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim import-trace all_reduce -o trace.csv    all_reduce.0.et, all_reduce.1.et, ..
  fabricsim import-trace runs/step --all-reduce double-binary-tree > step.csv
  fabricsim import-trace runs/step --groups runs/comm_groups.json -o step.csv

Reads the Chakra execution traces of all ranks, as ASTRA-sim runs them, and writes their operations
as a CSV for workloads of kind \"graph\".

Exit codes: 0 done, 2 bad input, 1 the file cannot be written.")]
pub(crate) struct ImportTraceArgs {
    /// Common prefix of the trace files: NAME for NAME.0.et, NAME.1.et, ..
    #[arg(value_name = "NAME")]
    pub(crate) name: PathBuf,

    /// Algorithm of all-reduces
    #[arg(long, value_name = "ALGORITHM", default_value = "ring", value_parser = all_reduces())]
    pub(crate) all_reduce: String,

    /// Ranks of process groups if the traces lack them, as JSON in the format of ASTRA-sim: {"1":
    /// [0, 1], "2": [2, 3]}
    #[arg(long, value_name = "FILE")]
    pub(crate) groups: Option<PathBuf>,

    /// Write the operations into this file [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Returns a parser of the names of all-reduce algorithms.
fn all_reduces() -> PossibleValuesParser {
    let algorithms = CollectiveOperation::AllReduce.algorithms();
    PossibleValuesParser::new(algorithms.iter().map(|algorithm| algorithm.name()))
}

/// Returns the trace file of `rank`.
fn file_of(name: &Path, rank: usize) -> PathBuf {
    let mut path = name.as_os_str().to_owned();
    path.push(format!(".{rank}.et"));
    path.into()
}

/// Returns the highest rank that has a file.
///
/// The search lists the folder instead of counting up, so that a missing file in between is an
/// error and not the end.
fn last_rank(name: &Path) -> usize {
    let folder = match name.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let stem = name.file_name().unwrap_or_default().to_string_lossy();
    let rank = |file: &str| -> Option<usize> {
        let rank = file.strip_prefix(&*stem)?.strip_prefix('.')?;
        rank.strip_suffix(".et")?.parse().ok()
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| rank(&file.file_name().to_string_lossy()))
        .max()
        .unwrap_or(0)
}

pub(crate) fn import_trace(args: &ImportTraceArgs) -> Result<ExitCode, Error> {
    let ranks = 0..=last_rank(&args.name);
    if let Some(out) = &args.out {
        let traces = ranks.clone().map(|rank| file_of(&args.name, rank));
        refuse_input(out, traces.chain(args.groups.clone()))?;
    }
    let files = ranks
        .map(|rank| read_bytes(FileKind::EXECUTION_TRACE, &file_of(&args.name, rank)))
        .collect::<Result<Vec<_>, _>>()?;
    let groups = match &args.groups {
        None => ProcessGroups::default(),
        Some(path) => {
            let text = read_text(FileKind::EXECUTION_TRACE, path)?;
            ProcessGroups::parse(&text)
                .map_err(|error| Error::input(&path.display().to_string(), &text, error))?
        }
    };
    let csv = chakra_to_csv(&files, &args.all_reduce, &groups).map_err(|error| {
        let path = file_of(&args.name, error.rank);
        let input = InputError::new(0..0, error.message, error.help);
        Error::input(&path.display().to_string(), "", input)
    })?;
    match &args.out {
        Some(out) => write_whole(out, |file| file.write_all(csv.as_bytes()))?,
        None => pour(&csv)?,
    }
    let rows = csv.lines().count() - 1;
    note!("{} ranks, {rows} operations", files.len());
    Ok(ExitCode::SUCCESS)
}
