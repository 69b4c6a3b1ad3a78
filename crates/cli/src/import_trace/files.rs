//! The files of the ranks of a trace.

use std::path::{Path, PathBuf};

/// The place of the number of the rank in a pattern.
const RANK: &str = "{}";

/// Files of ranks, by name.
#[derive(Debug)]
pub(super) struct RankFiles {
    /// The file of each rank, from 0. A file may be missing, which is an error when it is read.
    pub(super) paths: Vec<PathBuf>,
}

impl RankFiles {
    /// Returns the files that `name` describes: one file; a pattern with `{}` in place of the rank
    /// and possibly one `*`; or the common prefix of NAME.0.et, NAME.1.et, .. with one of `endings`,
    /// of which the first with a file applies.
    pub(super) fn of(name: &Path, endings: &[&str]) -> Self {
        let file = name.file_name().unwrap_or_default().to_string_lossy();
        if file.contains(RANK) {
            return Self::matching(name, &file);
        }
        if name.is_file() {
            return Self {
                paths: vec![name.to_owned()],
            };
        }
        let patterns = endings
            .iter()
            .map(|ending| Self::matching(name, &format!("{file}.{RANK}.{ending}")));
        let mut all: Vec<Self> = patterns.collect();
        let with_files = all
            .iter()
            .position(|found| found.paths.iter().any(|path| path.is_file()));
        all.swap_remove(with_files.unwrap_or(0))
    }

    /// Returns the files beside `name` whose names match `pattern`.
    ///
    /// The search lists the folder instead of counting up, so that a missing file in between is an
    /// error and not the end.
    fn matching(name: &Path, pattern: &str) -> Self {
        let folder = match name.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<(usize, String)> = files
            .filter_map(|file| {
                let file = file.file_name().to_string_lossy().into_owned();
                rank_in(&file, pattern).map(|rank| (rank, file))
            })
            .collect();
        // The first of several files of one rank, so that the choice does not depend on the system.
        found.sort_unstable();
        let last = found.last().map_or(0, |(rank, _)| *rank);
        let named = |rank: usize| {
            let file = found.iter().find(|(own, _)| *own == rank).map_or_else(
                || pattern.replace(RANK, &rank.to_string()),
                |(_, file)| file.clone(),
            );
            name.with_file_name(file)
        };
        Self {
            paths: (0..=last).map(named).collect(),
        }
    }
}

/// Returns the rank in the name of a file that matches `pattern`.
fn rank_in(file: &str, pattern: &str) -> Option<usize> {
    let (before, behind) = pattern.split_once(RANK)?;
    let rest = match before.split_once('*') {
        None => file.strip_prefix(before)?,
        Some((first, second)) => {
            let rest = file.strip_prefix(first)?;
            let at = rest.find(second).filter(|_| !second.is_empty())?;
            &rest[at + second.len()..]
        }
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (rank, rest) = rest.split_at(digits);
    let matches = match behind.split_once('*') {
        None => rest == behind,
        Some((first, second)) => rest
            .strip_prefix(first)
            .is_some_and(|rest| rest.ends_with(second)),
    };
    // A large number is none of a rank, and its list of files would not fit into memory.
    rank.parse().ok().filter(|rank| matches && *rank < 1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_the_rank_and_a_wildcard() {
        assert_eq!(rank_in("step.12.et", "step.{}.et"), Some(12));
        assert_eq!(rank_in("step.x.et", "step.{}.et"), None);
        assert_eq!(rank_in("worker3_step_1.169.pt", "worker{}_*.pt"), Some(3));
        assert_eq!(rank_in("worker3_step_1.169.pt", "worker{}.pt"), None);
        assert_eq!(rank_in("host_abc_rank7.json", "host*rank{}.json"), Some(7));
        assert_eq!(rank_in("step.99999999.et", "step.{}.et"), None);
    }
}
