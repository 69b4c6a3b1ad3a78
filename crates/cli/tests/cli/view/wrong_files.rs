//! Names that want to be markup, and files that are wrong.

use std::fs;

use serde_json::Value;

use super::{ALL, run, view};
use crate::support::{Folder, Outcome};

/// Names of nodes come from files of others.
#[test]
fn names_are_never_markup() {
    let folder = Folder::new();
    run(&folder, "a", &ALL);
    let evil = "</script><script>window.alarm=1</script><!--<img onerror=alert(1)>";
    for file in ["topology.csv", "links.csv", "queues.csv", "delays.csv"] {
        let path = format!("a/{file}");
        let text = folder.read(&path).replace("leaf0", evil);
        folder.write(&path, &text);
    }
    let data = view(&folder, &["a", "--title", evil]);
    assert!(
        data["fabric"]["names"]
            .as_array()
            .expect("names")
            .contains(&Value::from(evil))
    );
    let html = folder.read("page.html");
    assert!(
        !html.contains("window.alarm=1</script>") && !html.contains("<img"),
        "a name is markup"
    );
    let template = include_str!("../../../src/view/page.html");
    assert_eq!(
        html.matches("<script").count(),
        template.matches("<script").count()
    );
}

fn refused(folder: &Folder, args: &[&str]) -> Outcome {
    let outcome = folder.run(&[&["view"], args, &["-o", "page.html"]].concat());
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(!folder.has("page.html"));
    outcome
}

#[test]
fn folders_without_results_and_wrong_files_are_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path("empty")).expect("a folder");
    assert!(refused(&folder, &["empty"]).stderr.contains("topology.csv"));
    assert!(
        refused(&folder, &["nowhere"])
            .stderr
            .contains("topology.csv")
    );
    run(&folder, "a", &ALL);
    let links = folder.read("a/links.csv");
    folder.write("a/links.csv", &links.replace(",8,0,leaf0,", ",8,77,leaf0,"));
    let said = refused(&folder, &["a"]).stderr;
    assert!(
        said.contains("links.csv") && said.contains("no port 77 of node 8"),
        "{said}"
    );
    folder.write(
        "a/links.csv",
        &links.replace(",leaf to host,", ",leaf to host,x,"),
    );
    assert!(refused(&folder, &["a"]).stderr.contains("links.csv:"));
    folder.write("a/links.csv", &links);
    let topology = folder.read("a/topology.csv");
    folder.write(
        "a/topology.csv",
        &topology.replacen(",switch,", ",router,", 1),
    );
    assert!(
        refused(&folder, &["a"])
            .stderr
            .contains("`router` is no kind of node")
    );
    assert!(
        refused(&folder, &["a", "--steps", "0"])
            .stderr
            .contains("--steps")
    );
}
