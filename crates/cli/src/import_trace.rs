//! `fabricsim import-trace`.

mod files;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_base::input::InputError;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::{read_bytes, read_text};
use fabricsim_workload::{
    ChakraError, CollectiveAlgorithm, CollectiveOperation, Dimensions, ProcessGroups, RankTrace,
    TraceFile, TraceForm, TraceImport,
};

use crate::console::{note, pour};
use files::RankFiles;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim import-trace all_reduce -o trace.csv    all_reduce.0.et, all_reduce.1.et, ..
  fabricsim import-trace runs/step --all-reduce double-binary-tree > step.csv
  fabricsim import-trace runs/step --groups runs/comm_groups.json -o step.csv
  fabricsim import-trace et_{}.json --kineto 'worker{}_*.json' -o step.csv
  fabricsim import-trace chakra.0.et --ranks 8 -o step.csv

Reads the execution traces of all ranks: Chakra's (.et, or the JSON of its feeder), as ASTRA-sim
runs them, or PyTorch's with Kineto's, as Chakra links and converts them. Writes their operations
as a CSV for workloads of kind \"graph\".

Exit codes: 0 done, 2 bad input, 1 the file cannot be written.")]
pub(crate) struct ImportTraceArgs {
    /// Trace files: NAME for NAME.0.et, NAME.1.et, .. or NAME.0.json, ..; a pattern with {} for the
    /// rank and * for any text; or one file
    #[arg(value_name = "NAME")]
    pub(crate) name: PathBuf,

    /// Kineto's traces of the same ranks, for execution traces of PyTorch; named like NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) kineto: Option<PathBuf>,

    /// Algorithm of all-reduces
    #[arg(long, value_name = "ALGORITHM", default_value = "ring", value_parser = all_reduces())]
    pub(crate) all_reduce: String,

    /// Ranks of process groups if the traces lack them, as JSON in the format of ASTRA-sim: {"1":
    /// [0, 1], "2": [2, 3]}
    #[arg(long, value_name = "FILE")]
    pub(crate) groups: Option<PathBuf>,

    /// Sizes of the dimensions of collectives with `involved_dim`, as 8x4: ranks 0 to 7 are neighbors
    /// in the first dimension
    #[arg(long, value_name = "SIZES")]
    pub(crate) dimensions: Option<Dimensions>,

    /// Let communication without a size or a peer take the duration in the trace
    #[arg(long)]
    pub(crate) replay: bool,

    /// Number of ranks that all do the same as the one rank with a file
    #[arg(long, value_name = "COUNT")]
    pub(crate) ranks: Option<u32>,

    /// Write the operations into this file [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Returns a parser of the names of all-reduce algorithms.
fn all_reduces() -> PossibleValuesParser {
    // A trace has no rates from which NCCL could choose.
    let algorithms = CollectiveOperation::AllReduce.algorithms().iter();
    let algorithms = algorithms.filter(|algorithm| **algorithm != CollectiveAlgorithm::Nccl);
    PossibleValuesParser::new(algorithms.map(|algorithm| algorithm.name()))
}

/// Returns the form of the trace at `path`, by its name, or by its content if the name says nothing.
fn form(path: &Path, content: &[u8]) -> TraceForm {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let is_json = match ending.as_ref() {
        "et" => false,
        "json" => true,
        _ => content.trim_ascii_start().starts_with(b"{"),
    };
    if is_json {
        TraceForm::Json
    } else {
        TraceForm::Protobuf
    }
}

/// Reads the files of all ranks.
fn read(traces: &RankFiles, kineto: Option<&RankFiles>) -> Result<Vec<RankTrace>, Error> {
    if let Some(kineto) = kineto
        && kineto.paths.len() != traces.paths.len()
    {
        return Err(Error::Unsupported {
            scenario: "--kineto".to_owned(),
            message: format!(
                "{} traces of Kineto for {} execution traces",
                kineto.paths.len(),
                traces.paths.len()
            ),
            help: "give both traces of each rank".to_owned(),
        });
    }
    let rank = |(rank, path): (usize, &PathBuf)| {
        let trace = read_bytes(FileKind::EXECUTION_TRACE, path)?;
        let kineto =
            kineto.map(|kineto| read_bytes(FileKind::EXECUTION_TRACE, &kineto.paths[rank]));
        Ok(RankTrace {
            kineto: kineto.transpose()?,
            ..RankTrace::new(form(path, &trace), trace)
        })
    };
    traces.paths.iter().enumerate().map(rank).collect()
}

/// Returns the error with its file and, in a text, its place.
fn in_file(error: ChakraError, traces: &RankFiles, kineto: Option<&RankFiles>) -> Error {
    let files = match (error.file, kineto) {
        (TraceFile::Kineto, Some(kineto)) => kineto,
        _ => traces,
    };
    // One file can represent several ranks.
    let path = files.paths.get(error.rank).unwrap_or(&files.paths[0]);
    let Some(place) = error.place else {
        return Error::Unsupported {
            scenario: path.display().to_string(),
            message: error.message,
            help: error.help,
        };
    };
    let text = read_text(FileKind::EXECUTION_TRACE, path).unwrap_or_default();
    let input = InputError::new(place, error.message, error.help);
    Error::input(&path.display().to_string(), &text, input)
}

pub(crate) fn import_trace(args: &ImportTraceArgs) -> Result<ExitCode, Error> {
    let traces = RankFiles::of(&args.name, &["et", "json"]);
    let kineto = args
        .kineto
        .as_ref()
        .map(|name| RankFiles::of(name, &["json"]));
    if let Some(out) = &args.out {
        let kineto = kineto.iter().flat_map(|kineto| kineto.paths.clone());
        let inputs = traces.paths.iter().cloned().chain(kineto);
        refuse_input(out, inputs.chain(args.groups.clone()))?;
    }
    let files = read(&traces, kineto.as_ref())?;
    let groups = match &args.groups {
        None => ProcessGroups::default(),
        Some(path) => {
            let text = read_text(FileKind::EXECUTION_TRACE, path)?;
            ProcessGroups::parse(&text)
                .map_err(|error| Error::input(&path.display().to_string(), &text, error))?
        }
    };
    let import = TraceImport {
        groups,
        dimensions: args.dimensions.clone(),
        replay: args.replay,
        copies: args.ranks,
        ..TraceImport::new(&args.all_reduce)
    };
    let trace = import
        .convert(&files)
        .map_err(|error| in_file(error, &traces, kineto.as_ref()))?;
    match &args.out {
        Some(out) => write_whole(out, |file| file.write_all(trace.csv.as_bytes()))?,
        None => pour(&trace.csv)?,
    }
    for rule in &trace.notes {
        note!("{rule}");
    }
    let rows = trace.csv.lines().count() - 1;
    note!("{} ranks, {rows} operations", trace.ranks);
    Ok(ExitCode::SUCCESS)
}
