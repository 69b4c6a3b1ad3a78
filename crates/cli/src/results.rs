//! Files of results that commands read.

use std::path::{Path, PathBuf};

use fabricsim::Error;
use fabricsim::report::{FctRecord, read_any_fct};

/// The file of results at `path`, which may be a folder of results.
pub(crate) fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join("fct.csv")
    } else {
        path.to_owned()
    }
}

/// The flows of a result file, or of the one in a folder of results.
pub(crate) fn read(path: &Path) -> Result<Vec<FctRecord>, Error> {
    let path = file_of(path);
    let text = std::fs::read_to_string(&path).map_err(|source| Error::Read {
        what: Error::RESULTS,
        path: path.clone(),
        source,
    })?;
    let name = path.display().to_string();
    read_any_fct(&text).map_err(|error| Error::input(&name, &text, error))
}

/// Refuses to write `out` over a file that is read.
pub(crate) fn refuse_input<'p>(
    out: &Path,
    inputs: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<(), Error> {
    let place = |path: &Path| std::fs::canonicalize(file_of(path)).ok();
    let written = place(out);
    if written.is_some() && inputs.into_iter().any(|input| place(input) == written) {
        return Err(Error::Write {
            path: out.to_owned(),
            source: std::io::Error::other("it is one of the results that are read"),
        });
    }
    Ok(())
}
