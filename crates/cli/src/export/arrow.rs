//! The tables of a result folder as Arrow files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;

/// The name of the format for `--format`.
pub(super) const NAME: &str = "arrow";

/// The description of the format in `--list`.
pub(super) const ABOUT: &str = "each table as a file of Arrow's IPC format (Feather), for pandas and \
                                polars; in builds with the feature `arrow`";

/// Writes each table of `results` into the folder `out`.
#[cfg(feature = "arrow")]
pub(super) fn export(results: &Path, out: &Path) -> Result<ExitCode, Error> {
    use fabricsim::outcome::write_whole;
    use fabricsim_report::arrow::{read_table, write_ipc};
    use fabricsim_scenario::text::file_kind::FileKind;
    use fabricsim_scenario::text::input_file::read_text;

    use crate::console::note;

    let mut files = Vec::new();
    for path in tables(results)? {
        let text = read_text(FileKind::RESULTS, &path)?;
        let table = read_table(&text)
            .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
        let name = path.with_extension("arrow");
        files.push((out.join(name.file_name().unwrap_or_default()), table));
    }
    std::fs::create_dir_all(out).map_err(|source| Error::Write {
        path: out.to_owned(),
        source,
    })?;
    for (path, table) in &files {
        write_whole(path, |target| {
            write_ipc(table, std::io::BufWriter::new(target))
        })?;
        note!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses, because this build has no support for Arrow.
#[cfg(not(feature = "arrow"))]
pub(super) fn export(results: &Path, _out: &Path) -> Result<ExitCode, Error> {
    tables(results)?;
    Err(Error::Unsupported {
        scenario: "--format".to_owned(),
        message: "this build writes no files of Arrow".to_owned(),
        help: "build it with --features arrow, or give pandas the CSV files".to_owned(),
    })
}

/// Returns the tables in the folder `results`, sorted by name.
fn tables(results: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(results).into_iter().flatten().flatten();
    let mut tables: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "csv"))
        .collect();
    tables.sort();
    if tables.is_empty() {
        return Err(Error::Unsupported {
            scenario: results.display().to_string(),
            message: "there is no table (.csv) in this folder".to_owned(),
            help: "give the folder of a run, such as results/default".to_owned(),
        });
    }
    Ok(tables)
}
