//! The flows that count, and their percentiles.

use super::{folder, refused, result};
use crate::support::Folder;

#[test]
fn percentiles_of_too_few_flows_are_dashes_with_a_note() {
    let folder = Folder::new();
    folder.write("a.csv", &result(150, 0));
    let outcome = folder
        .run(&["slowdown", "a.csv", "--bins", "2"])
        .succeeded();
    let expected = "
flows upto   bytes upto         n       p50       p95       p99     p99.9      mean  geo mean
    50.00%        75000        75     1.380     1.720         -         -     1.380     1.363
   100.00%       150000        75     2.130     2.470         -         -     2.130     2.119
       all                    150     1.760     2.430     2.490         -     1.755     1.699
-: too few flows for the percentile (p99 needs 100, p99.9 needs 1000)
";
    assert!(outcome.stdout.ends_with(expected), "{}", outcome.stdout);
    let own = folder.run(&["slowdown", "a.csv"]).succeeded().stdout;
    // 150 flows are 7 bins of 20 or more.
    assert_eq!(own.matches('%').count(), 7, "{own}");
}

#[test]
fn a_fraction_is_not_taken_for_a_percentile() {
    for text in ["0.99", ".99"] {
        refused(
            &folder().run(&["slowdown", "a", "--percentile", text]),
            &["did you mean 99?"],
        );
    }
}

#[test]
fn a_class_without_flows_is_refused_with_those_that_there_are() {
    refused(
        &folder().run(&["slowdown", "a", "--class", "9"]),
        &["no flow has class 9", "the classes of its flows are 0, 1"],
    );
}

#[test]
fn a_folder_of_a_sweep_stands_for_its_points() {
    let folder = Folder::new();
    for seed in [2, 10] {
        let point = format!("s/points/seed={seed}");
        std::fs::create_dir_all(folder.path(&point)).expect("a folder");
        folder.write(&format!("{point}/fct.csv"), &result(40, seed));
    }
    std::fs::create_dir(folder.path("s/points/seed=11")).expect("a folder");
    let outcome = folder.run(&["slowdown", "s", "--replications"]).succeeded();
    assert!(
        outcome.stdout.starts_with("s/points/seed=2: 40 flows"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("\ns/points/seed=10: 40 flows"));
    assert!(
        outcome.stderr.starts_with("s/points/seed=11 has no flows"),
        "{}",
        outcome.stderr
    );
}
