//! The content of the files of series.

use crate::support;
use std::fs;

use fabricsim::outcome::{Monitor, Status, run_to_folder};
use fabricsim::simulation::Expectation;
use fabricsim_core::network::Progress;

use crate::observation::by_hand::{incast, times};
use crate::observation::sums::grouped;
use crate::observation::{run, table};

#[test]
fn flows_are_chosen_by_number_class_and_size() {
    let chosen = |filter: &str| -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let text = incast(&format!(
            r#"interval = "5us"
            flows = true
            {filter}"#
        ));
        run(&text, dir.path(), 1);
        let rows = table(dir.path(), "flows.csv");
        let keys = grouped(&rows, &["flow"]).into_keys();
        keys.map(|mut key| key.remove(0)).collect()
    };
    assert_eq!(chosen(""), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(chosen(r#"flow_ids = ["1..3", "5"]"#), ["1", "2", "5"]);
    assert_eq!(chosen(r#"classes = ["1"]"#), ["4", "5"]);
    assert_eq!(chosen(r#"min_size = "11KB""#), ["0", "1", "2", "3"]);
}

#[test]
fn a_full_file_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let text = incast(
        r#"interval = "10us"
        links = true
        flows = true
        max_rows = 40"#,
    );
    let summary = run(&text, dir.path(), 1);
    // Two rows of 18 ports fit into 40, and four flows into far more.
    let links = &summary.observed[0];
    assert_eq!((links.file.as_str(), links.rows), ("links.csv", 36));
    assert_eq!(links.left_out.as_deref(), Some("samples from 30us on"));
    assert_eq!(times(dir.path(), "links.csv"), [10_000.0, 20_000.0]);
    let flows = &summary.observed[1];
    assert!(flows.rows > 36 && flows.rows <= 40, "{flows:?}");
    assert_eq!(table(dir.path(), "flows.csv").len() as u64, flows.rows);
    let json = fs::read_to_string(dir.path().join("summary.json")).unwrap();
    assert!(
        json.contains(r#""left_out": "samples from 30us on""#),
        "{json}"
    );
}

/// Stops a run at its first progress report.
struct Impatient;

impl Monitor for Impatient {
    fn progress(&mut self, _progress: &Progress, _expected: Expectation) -> bool {
        false
    }
}

#[test]
fn an_interrupted_run_leaves_partial_series() {
    let dir = tempfile::tempdir().unwrap();
    let text = incast(
        r#"interval = "1us"
        queues = true
        queue_distribution = true
        flows = true"#,
    )
    .replace("400KB", "40MB");
    let summary = run_to_folder(&support::scenario(&text), dir.path(), 1, &mut Impatient).unwrap();
    assert_eq!(summary.status, Status::Interrupted);
    for name in ["queues", "queue_distribution", "flows"] {
        assert!(!dir.path().join(format!("{name}.csv")).exists());
        assert!(
            !table(dir.path(), &format!("{name}.partial.csv")).is_empty(),
            "{name}"
        );
    }
    // The next run overwrites them.
    run(&incast("queues = true"), dir.path(), 1);
    assert!(dir.path().join("queues.csv").exists());
    assert!(!dir.path().join("queues.partial.csv").exists());
    assert!(!dir.path().join("flows.partial.csv").exists());
}

#[cfg(feature = "parquet")]
#[test]
fn series_can_be_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let observe = "queues = true\nqueue_distribution = true\nlinks = true\nflows = true\n\
         delays = true\nhop_delays = true";
    run(&incast(observe), dir.path(), 1);
    let rows = |summary: &crate::observation::Summary| -> Vec<u64> {
        summary.observed.iter().map(|s| s.rows).collect()
    };
    let csv = run(&incast(observe), dir.path(), 1);
    let summary = run(
        &incast(&format!(
            r#"
            {observe}
            format = "parquet""#
        )),
        dir.path(),
        1,
    );
    assert_eq!(rows(&summary), rows(&csv));
    for name in crate::observation::SERIES {
        let bytes = fs::read(dir.path().join(name.replace(".csv", ".parquet"))).unwrap();
        assert!(
            bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"),
            "{name}"
        );
        assert!(!dir.path().join(name).exists());
    }
}
