//! The SQL of docs/sql.md, run by DuckDB's command. Skipped if it is not installed.

use std::process::Command;

use crate::support::{Folder, project_text};

const SCENARIO: &str = "
    [topology]
    kind = \"leaf-spine\"
    leaves = 2
    hosts_per_leaf = 4
    spines = 2
    [[workload]]
    kind = \"incast\"
    fan_in = 7
    size = \"100KB\"
    at = \"1us\"
    [cc]
    kind = \"dcqcn\"
    [observe]
    queues = true
    links = true
    ";

/// Returns the blocks of SQL of the document.
fn queries(document: &str) -> Vec<&str> {
    let blocks = document.split("```sql\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().expect("a block ends"));
    blocks.collect()
}

#[test]
fn every_query_of_the_document_has_rows() {
    if Command::new("duckdb").arg("-version").output().is_err() {
        println!("skipped: duckdb is not installed");
        return;
    }
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    folder
        .run(&["run", "s.toml", "--out", "results/a", "--quiet"])
        .succeeded();
    let document = project_text("docs/sql.md");
    let queries = queries(&document);
    assert!(queries.len() >= 5);
    for query in queries {
        let mut command = Command::new("duckdb");
        command
            .args(["-csv", "-c", query])
            .current_dir(folder.path("."));
        let output = command.output().expect("it is installed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}\n{said}");
        let rows = String::from_utf8_lossy(&output.stdout);
        assert!(rows.lines().count() > 1, "{query}\n{rows}");
    }
}
