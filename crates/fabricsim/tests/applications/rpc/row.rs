//! Runs scenarios and reads their `rpc.csv`.

use crate::support;
use fabricsim::outcome::{Summary, run_to_folder};

/// A row of `rpc.csv`; times in picoseconds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Row {
    pub(crate) query: u64,
    pub(crate) class: u64,
    pub(crate) client: u64,
    pub(crate) server: u64,
    pub(crate) connection: u64,
    pub(crate) size: u64,
    pub(crate) response: u64,
    pub(crate) issue: u64,
    pub(crate) completion: u64,
    pub(crate) qct: u64,
    pub(crate) ideal: u64,
}

fn picoseconds(cell: &str) -> u64 {
    let (whole, part) = cell.split_once('.').unwrap_or((cell, ""));
    let part = format!("{part:0<3}");
    whole.parse::<u64>().unwrap() * 1_000 + part.parse::<u64>().unwrap()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.split(',').collect();
    let whole = |index: usize| cells[index].parse().unwrap();
    let time = |index: usize| picoseconds(cells[index]);
    let row = Row {
        query: whole(0),
        class: whole(1),
        client: whole(2),
        server: whole(3),
        connection: whole(4),
        size: whole(5),
        response: whole(6),
        issue: time(7),
        completion: time(8),
        qct: time(9),
        ideal: time(10),
    };
    assert_eq!(row.completion - row.issue, row.qct);
    row
}

/// The rows of a file.
pub(crate) fn rows(file: &str) -> Vec<Row> {
    file.lines().skip(1).map(row).collect()
}

/// Runs the scenario `text` on `threads` threads. Returns the summary, `rpc.csv` and its rows.
pub(crate) fn run(text: &str, threads: usize) -> (Summary, String, Vec<Row>) {
    let scenario = support::scenario(text);
    let dir = tempfile::tempdir().unwrap();
    let summary = run_to_folder(&scenario, dir.path(), threads, &mut ()).unwrap();
    assert!(summary.files.contains(&"rpc.csv".to_owned()));
    let file = std::fs::read_to_string(dir.path().join("rpc.csv")).unwrap();
    let rows = rows(&file);
    assert!(rows.is_sorted_by_key(|row| (row.completion, row.query)));
    let counted: u64 = summary.rpc.iter().map(|class| class.queries).sum();
    assert_eq!(counted, rows.len() as u64);
    (summary, file, rows)
}
