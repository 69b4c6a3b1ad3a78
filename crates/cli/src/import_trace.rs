//! `fabricsim import-trace`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::outcome::write_whole;
use fabricsim_core::input::InputError;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::{read_bytes, read_text};
use fabricsim_workload::{ProcessGroups, chakra_to_csv};

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
    /// What stands before the rank in the names of the files: NAME for NAME.0.et, NAME.1.et, ..
    #[arg(value_name = "NAME")]
    pub(crate) name: PathBuf,

    /// Algorithm of all-reduces
    #[arg(long, value_name = "ALGORITHM", default_value = "ring")]
    pub(crate) all_reduce: String,

    /// JSON of the ranks of process groups, as ASTRA-sim takes it: {"1": [0, 1], "2": [2, 3]}
    #[arg(long, value_name = "FILE")]
    pub(crate) groups: Option<PathBuf>,

    /// File of the operations [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The file of `rank`.
fn file_of(name: &Path, rank: usize) -> PathBuf {
    let mut path = name.as_os_str().to_owned();
    path.push(format!(".{rank}.et"));
    path.into()
}

pub(crate) fn import_trace(args: &ImportTraceArgs) -> Result<ExitCode, Error> {
    let mut files = vec![read_bytes(
        FileKind::EXECUTION_TRACE,
        &file_of(&args.name, 0),
    )?];
    while file_of(&args.name, files.len()).exists() {
        let path = file_of(&args.name, files.len());
        files.push(read_bytes(FileKind::EXECUTION_TRACE, &path)?);
    }
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
