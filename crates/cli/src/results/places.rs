//! Folders of sweeps as the results of their points.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fabricsim::Error;
use fabricsim_report::SweepTable;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

/// The folder of a sweep that has a folder for each point.
const POINTS: &str = "points";
/// The table of a sweep.
const TABLE: &str = "points.csv";

/// A place with results: a folder, a file of flows, or a point of a sweep.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// `true` for a point of a sweep. It may have failed, or may not have run yet.
    pub(crate) is_point: bool,
}

/// Returns the places at `paths`. The folder of a sweep becomes all its points.
pub(crate) fn places(paths: &[PathBuf]) -> Result<Vec<Place>, Error> {
    let mut places = Vec::new();
    for path in paths {
        let points = path.join(POINTS);
        if points.is_dir() {
            let folders = in_order_of(path, folders_of(&points)?)?;
            places.extend(folders.into_iter().map(|path| Place {
                path,
                is_point: true,
            }));
        } else {
            places.push(Place {
                path: path.clone(),
                is_point: false,
            });
        }
    }
    Ok(places)
}

/// Sorts the `folders` of points in the order of the sweep at `path`, as its table has it. Points
/// that the table does not have are last, in their own order.
fn in_order_of(path: &Path, mut folders: Vec<PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let table = path.join(TABLE);
    if !table.is_file() {
        return Ok(folders);
    }
    let text = read_text(FileKind::RESULTS, &table)?;
    let table = SweepTable::read(&text)
        .map_err(|error| Error::input(&table.display().to_string(), &text, error))?;
    let groups = table.groups(&[], &[]);
    let names = groups.iter().flat_map(|(_, points)| points);
    let place: BTreeMap<&str, usize> = names.enumerate().map(|(i, name)| (*name, i)).collect();
    folders.sort_by_key(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.and_then(|name| place.get(name))
            .copied()
            .unwrap_or(usize::MAX)
    });
    Ok(folders)
}

/// Returns the folders in `folder`, sorted by name with numbers by value.
fn folders_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let error = |source| Error::Read {
        kind: FileKind::RESULTS,
        path: folder.to_owned(),
        source,
    };
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
    Ok(folders)
}

/// Returns a key that orders `seed=2` before `seed=10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0u64)];
    let mut in_number = false;
    for c in name.chars() {
        if let Some(digit) = c.to_digit(10) {
            let last = parts.last_mut().expect("never empty");
            last.1 = last.1.saturating_mul(10).saturating_add(u64::from(digit));
            in_number = true;
        } else {
            if in_number {
                parts.push((String::new(), 0));
                in_number = false;
            }
            parts.last_mut().expect("never empty").0.push(c);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_by_value() {
        let mut names = ["a=10,b=1", "a=2,b=10", "a=2,b=9", "a=0.5,b=1"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["a=0.5,b=1", "a=2,b=9", "a=2,b=10", "a=10,b=1"]);
    }
}
