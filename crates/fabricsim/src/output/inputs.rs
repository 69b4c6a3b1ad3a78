//! Files that a command reads and therefore must not overwrite.

use std::path::{Path, PathBuf};

use fabricsim_scenario::text::error::Error;
use same_file::Handle;

use super::names::Ending;
use super::result_set::{RUN, files_of};

/// Files in a folder that commands read, even if no record lists them.
const READ: [&str; 3] = ["fct.csv", "fct.txt", "points.csv"];

/// Refuses to write to `out` if it is one of `inputs`, under any name. If an input is a folder, the
/// results in it count.
///
/// # Errors
/// Fails if it is one of them.
pub fn refuse_input<P: AsRef<Path>>(
    out: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<(), Error> {
    let Some(written) = regular(out) else {
        return Ok(());
    };
    let is_written = |path: &Path| regular(path).is_some_and(|file| file == written);
    let is_read = |input: P| {
        let input = input.as_ref();
        match input.is_dir() {
            true => results_in(input).iter().any(|file| is_written(file)),
            false => is_written(input),
        }
    };
    if inputs.into_iter().any(is_read) {
        return Err(Error::Unsupported {
            scenario: out.display().to_string(),
            message: "it is one of the input files, so nothing was written".to_owned(),
            help: "write to another file".to_owned(),
        });
    }
    Ok(())
}

/// Returns the regular file at `path`, if there is one. Opening another kind of file could block.
fn regular(path: &Path) -> Option<Handle> {
    let is_file = std::fs::metadata(path).is_ok_and(|facts| facts.is_file());
    is_file.then(|| Handle::from_path(path).ok()).flatten()
}

fn results_in(folder: &Path) -> Vec<PathBuf> {
    let listed = [Ending::Whole, Ending::Interrupted].map(|ending| files_of(folder, &RUN, ending));
    let listed = listed.iter().flatten().map(String::as_str);
    let names = READ.into_iter().chain(listed);
    names.map(|name| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_input_is_refused_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.toml", "b.toml", "fct.csv", "mine.csv", "links.csv"] {
            fs::write(at(name), name).unwrap();
        }
        let record = r#"{ "files": ["fct.csv", "links.csv", "summary.json"] }"#;
        fs::write(at("summary.json"), record).unwrap();
        fs::hard_link(at("a.toml"), at("c.toml")).unwrap();
        let may = |out: PathBuf, input: &str| refuse_input(&out, [at(input)]).is_ok();
        assert!(may(at("b.toml"), "a.toml") && may(at("new.toml"), "a.toml"));
        assert!(!may(at("a.toml"), "a.toml") && !may(at("c.toml"), "a.toml"));
        assert!(!may(folder.path().join("./a.toml"), "a.toml"));
        // If the input is a folder, the known results in it count, but not other files.
        assert!(!may(at("fct.csv"), ".") && !may(at("links.csv"), "."));
        assert!(may(at("mine.csv"), ".") && may(at("b.toml"), "."));
    }
}
