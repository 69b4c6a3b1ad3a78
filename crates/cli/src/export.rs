//! `fabricsim export`.

mod arrow;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_base::units::Duration;
use fabricsim_report::export::{EXPORTERS, ExportError, Exporter, Observed, Results, exporter};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use crate::console::{note, output};
use crate::offered::Offered;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim export results/mine --format hpcc -o theirs
  fabricsim export results/mine --format conweave -o mix/output/7    7_out_fct.txt and so on
  fabricsim export results/mine --format htsim -o theirs             lines of finished flows
  fabricsim export results/mine --format arrow -o tables             fct.arrow and so on
  fabricsim export --list

Writes results in the files of another simulator, so that its own analysis scripts can read them.
Files of data that the run did not observe are left out, with a note.

Exit codes: 0 done, 2 bad input, 1 a file cannot be written.")]
pub(crate) struct ExportArgs {
    /// The folder of a run
    #[arg(required_unless_present = "list", value_name = "DIR")]
    pub(crate) results: Option<PathBuf>,

    /// Format of the files: see --list
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "list",
        value_parser = offered(),
        hide_possible_values = true
    )]
    pub(crate) format: Option<String>,

    /// Folder of the files, created if missing
    #[arg(long, short, value_name = "DIR", required_unless_present = "list")]
    pub(crate) out: Option<PathBuf>,

    /// Print the formats
    #[arg(long)]
    pub(crate) list: bool,
}

/// Offers the names of all formats.
fn offered() -> Offered {
    let known = EXPORTERS.iter().map(|known| known.name());
    Offered::new(known.chain([arrow::NAME]))
}

pub(crate) fn export(args: &ExportArgs) -> Result<ExitCode, Error> {
    let (Some(results), Some(format), Some(out)) = (&args.results, &args.format, &args.out) else {
        output(&list())?;
        return Ok(ExitCode::SUCCESS);
    };
    if args.list {
        output(&list())?;
        return Ok(ExitCode::SUCCESS);
    }
    if format == arrow::NAME {
        return arrow::export(results, out);
    }
    let exporter = named(format)?;
    let read = read_results(results, out)?;
    let files = exporter
        .export(&read)
        .map_err(|error| error_of(error, results, &read))?;
    let cannot_write = |source| Error::Write {
        path: out.clone(),
        source,
    };
    let mut paths = files.iter().map(|file| out.join(&file.name));
    paths.try_for_each(|path| refuse_input(&path, [results]))?;
    std::fs::create_dir_all(out).map_err(cannot_write)?;
    for file in &files {
        let path = out.join(&file.name);
        write_whole(&path, |target| target.write_all(file.text.as_bytes()))?;
        note!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a line for each format: its name and its files.
fn list() -> String {
    let known = EXPORTERS.iter().map(|known| (known.name(), known.about()));
    let all = known.chain([(arrow::NAME, arrow::ABOUT)]);
    all.fold(String::new(), |mut text, (name, about)| {
        let written = writeln!(text, "{name:<10} {about}");
        written.expect("a text takes all");
        text
    })
}

/// Returns the exporter that `--format` names.
fn named(name: &str) -> Result<&'static dyn Exporter, Error> {
    exporter(name).ok_or_else(|| {
        let known = EXPORTERS.iter().map(|known| known.name());
        let names: Vec<&str> = known.chain([arrow::NAME]).collect();
        Error::Unsupported {
            scenario: "--format".to_owned(),
            message: format!("there is no format `{name}`"),
            help: format!("write one of: {}", names.join(", ")),
        }
    })
}

/// Reads the result files in `folder`. The name of `out` becomes the number of the run.
fn read_results(folder: &Path, out: &Path) -> Result<Results, Error> {
    if !folder.is_dir() {
        return Err(Error::Unsupported {
            scenario: folder.display().to_string(),
            message: "there is no such folder of results".to_owned(),
            help: "give the folder of a run, such as results/default".to_owned(),
        });
    }
    let read = |name: &str| {
        let path = folder.join(name);
        path.exists()
            .then(|| read_text(FileKind::RESULTS, &path))
            .transpose()
    };
    let id = out
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let summary = read("summary.json")?;
    let summary = summary.and_then(|text| serde_json::from_str(&text).ok());
    let summary: serde_json::Value = summary.unwrap_or_default();
    let scenario = &summary["scenario"];
    Ok(Results {
        fct_csv: read("fct.csv")?,
        fct_txt: read("fct.txt")?,
        pauses: read("pauses.csv")?,
        queue_distribution: read("queue_distribution.csv")?,
        links: read("links.csv")?,
        topology: read("topology.csv")?,
        mtu: scenario["rdma"]["mtu"]
            .as_str()
            .and_then(|mtu| mtu.parse().ok()),
        observed: observed_of(scenario),
        id,
    })
}

/// Returns the time span in which `scenario` observes queues.
fn observed_of(scenario: &serde_json::Value) -> Option<Observed> {
    let time = |value: &serde_json::Value| value.as_str()?.parse::<Duration>().ok();
    let until = time(&scenario["observe"]["until"]);
    let stop = time(&scenario["run"]["stop_at"]);
    Some(Observed {
        from: time(&scenario["observe"]["from"])?,
        until: until.map(|until| stop.map_or(until, |stop| stop.min(until))),
    })
}

fn error_of(error: ExportError, folder: &Path, results: &Results) -> Error {
    match error {
        ExportError::Missing { file, help } => Error::Unsupported {
            scenario: folder.display().to_string(),
            message: format!("there is no `{file}` in this folder"),
            help: help.to_owned(),
        },
        ExportError::In { file, error } => {
            let text = match file {
                "fct.csv" => &results.fct_csv,
                "fct.txt" => &results.fct_txt,
                "pauses.csv" => &results.pauses,
                "links.csv" => &results.links,
                "topology.csv" => &results.topology,
                _ => &results.queue_distribution,
            };
            let name = folder.join(file).display().to_string();
            Error::input(&name, text.as_deref().unwrap_or(""), error)
        }
    }
}
