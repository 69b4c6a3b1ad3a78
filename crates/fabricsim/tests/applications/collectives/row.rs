//! Runs scenarios and reads their `collectives.csv`.

use crate::support;
use fabricsim::outcome::{Summary, run_to_folder};

/// A row of `collectives.csv`; times in picoseconds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Row {
    pub(crate) class: u64,
    pub(crate) job: String,
    pub(crate) group: u64,
    pub(crate) iteration: u64,
    pub(crate) ranks: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) duration: u64,
    pub(crate) slowest_rank: u64,
    pub(crate) last_sender: u64,
    /// Time since the end of the same collective in the iteration before.
    pub(crate) since_last: u64,
}

fn picoseconds(cell: &str) -> u64 {
    let (whole, part) = cell.split_once('.').unwrap_or((cell, ""));
    let part = format!("{part:0<3}");
    whole.parse::<u64>().unwrap() * 1_000 + part.parse::<u64>().unwrap()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.split(',').collect();
    // A collective of one rank has no last message.
    let whole = |index: usize| match cells[index] {
        "" => 0,
        cell => cell.parse().unwrap(),
    };
    let time = |index: usize| picoseconds(cells[index]);
    let row = Row {
        class: whole(0),
        job: cells[1].to_owned(),
        group: whole(3),
        iteration: whole(6),
        ranks: whole(7),
        start: time(9),
        end: time(10),
        duration: time(11),
        slowest_rank: whole(14),
        last_sender: whole(17),
        since_last: time(18),
    };
    assert_eq!(row.end - row.start, row.duration);
    if row.duration == 0 {
        assert_eq!((cells[12], cells[13]), ("", ""));
        return row;
    }
    let gbps = whole(8) as f64 * 8e3 / row.duration as f64;
    assert!((cells[12].parse::<f64>().unwrap() - gbps).abs() < 1e-5);
    row
}

/// Runs the scenario `text` on `threads` threads. Returns the summary, `collectives.csv` and its
/// rows.
pub(crate) fn run(text: &str, threads: usize) -> (Summary, String, Vec<Row>) {
    let scenario = support::scenario(text);
    let dir = tempfile::tempdir().unwrap();
    let summary = run_to_folder(&scenario, dir.path(), threads, &mut ()).unwrap();
    assert!(summary.files.contains(&"collectives.csv".to_owned()));
    let file = std::fs::read_to_string(dir.path().join("collectives.csv")).unwrap();
    let rows: Vec<Row> = file.lines().skip(1).map(row).collect();
    assert!(rows.is_sorted_by_key(|row| row.end));
    let counted: u64 = summary.jobs.iter().map(|job| job.collectives).sum();
    assert_eq!(counted, rows.len() as u64);
    (summary, file, rows)
}
