//! Results are never lost. Other results stay, old ones are replaced only by complete ones, and the
//! remains of an interrupted or killed run never count as complete.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{Folder, Outcome, project_text};

/// The built-in scenario, short.
const SHORT: &[&str] = &["run", "--set", "workload.0.duration=50us"];

fn run(folder: &Folder, more: &[&str]) -> Outcome {
    folder.run(&[SHORT, more].concat())
}

/// Returns every file of `dir` with its content.
fn content(folder: &Folder, dir: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder.path(dir)).expect("the folder");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let bytes = fs::read(entry.path()).expect("a file");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect();
    files.sort();
    files
}

/// Returns the names of the files of `dir`.
fn names(folder: &Folder, dir: &str) -> Vec<String> {
    let files = content(folder, dir);
    files.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn results_of_other_settings_stay() {
    let folder = Folder::new();
    run(&folder, &[]).succeeded();
    let dir = "results/default";
    let before = content(&folder, dir);
    let other = ["--set", "cc.kind=dctcp", "--seed", "2"];
    let refused = run(&folder, &other);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in [
        "`results/default`",
        "it has other results",
        "cc.kind: \"hpcc\" there, \"dctcp\" now",
        "more",
        "--out DIR",
        "--force",
    ] {
        assert!(
            refused.stderr.contains(words),
            "{words}\n{}",
            refused.stderr
        );
    }
    assert_eq!(refused.stdout, "");
    assert!(content(&folder, dir) == before, "nothing was touched");
    // Elsewhere, or with the user's word.
    run(&folder, &[&other[..], &["--out", "elsewhere"]].concat()).succeeded();
    run(&folder, &[&other[..], &["--force"]].concat()).succeeded();
    assert_eq!(
        folder.read("elsewhere/fct.csv"),
        folder.read("results/default/fct.csv")
    );
    assert_eq!(
        names(&folder, dir),
        ["buffers.csv", "fct.csv", "summary.json", "topology.csv"]
    );
    // Threads and words are no settings: the very same runs again.
    run(
        &folder,
        &[&other[..], &["--threads", "1", "--quiet"]].concat(),
    )
    .succeeded();
}

#[test]
fn results_of_another_version_stay() {
    let folder = Folder::new();
    run(&folder, &["--out", "out"]).succeeded();
    let summary = folder.summary("out");
    let (version, checksum) = (&summary["fabricsim_version"], &summary["scenario_checksum"]);
    let text = folder.read("out/summary.json");
    let older = text.replacen(&version.to_string(), "\"0.0.1\"", 1);
    let older = older.replacen(&checksum.to_string(), "\"0123456789abcdef\"", 1);
    folder.write("out/summary.json", &older);
    let refused = run(&folder, &["--out", "out"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let says = "fabricsim_version: 0.0.1 there";
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
    // A summary that lists no files and has no settings.
    let line = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.contains(&format!("\"{name}\":")));
        format!("{}\n", line.expect("a key"))
    };
    folder.write(
        "out/summary.json",
        &text.replacen(&line("scenario_checksum"), "", 1),
    );
    let refused = run(&folder, &["--out", "out"]);
    assert!(
        refused.stderr.contains("an earlier fabricsim"),
        "{}",
        refused.stderr
    );
    run(&folder, &["--out", "out", "--force"]).succeeded();
}

#[test]
fn the_content_of_files_is_part_of_a_scenario() {
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[topology]\nkind = \"star\"\nhosts = 3\n[[workload]]\nkind = \"list\"\npath = \"f.csv\"\n\
         [cc]\nkind = \"hpcc\"\n",
    );
    let list = |size: u32| {
        folder.write(
            "f.csv",
            &format!("start_ns,src,dst,size_bytes\n0,0,2,{size}\n"),
        );
    };
    list(1_000);
    folder.run(&["run", "s.toml"]).succeeded();
    folder.run(&["run", "s.toml"]).succeeded();
    let before = content(&folder, "results/s");
    list(2_000);
    let refused = folder.run(&["run", "s.toml"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let says = "a file that the settings name has another content";
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
    assert!(content(&folder, "results/s") == before);
}

#[test]
fn files_that_are_not_of_a_run_stay() {
    let folder = Folder::new();
    fs::create_dir(folder.path("out")).expect("a folder");
    folder.write("out/fct.csv", "mine\n");
    let refused = run(&folder, &["--out", "out"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let says = "a file fct.csv that its summary.json does not list";
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
    assert_eq!(names(&folder, "out"), ["fct.csv"]);
    run(&folder, &["--out", "out", "--force"]).succeeded();
    // Others have any name, even one that another run would use.
    folder.write("out/notes.txt", "mine\n");
    folder.write("out/queues.csv", "mine\n");
    run(&folder, &["--out", "out"]).succeeded();
    run(&folder, &["--out", "out", "--seed", "2", "--force"]).succeeded();
    for name in ["notes.txt", "queues.csv"] {
        assert_eq!(folder.read(&format!("out/{name}")), "mine\n");
    }
    folder.write("out/summary.json", "mine\n");
    let refused = run(&folder, &["--out", "out", "--seed", "2"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(folder.read("out/summary.json"), "mine\n");
    // Obstacles are found before anything runs.
    fs::create_dir_all(folder.path("odd/fct.csv")).expect("a folder");
    let refused = run(&folder, &["--out", "odd"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("cannot write `odd/fct.csv`"),
        "{}",
        refused.stderr
    );
    assert!(!folder.has("odd/summary.json"));
}

/// A link in a folder of results is replaced, so files outside of the folder do not change.
#[cfg(unix)]
#[test]
fn links_among_results_are_not_followed() {
    let folder = Folder::new();
    run(&folder, &["--out", "out"]).succeeded();
    folder.write("outside", "mine\n");
    fs::remove_file(folder.path("out/fct.csv")).expect("a file");
    std::os::unix::fs::symlink("../outside", folder.path("out/fct.csv")).expect("a link");
    run(&folder, &["--out", "out"]).succeeded();
    assert_eq!(folder.read("outside"), "mine\n");
    assert!(folder.read("out/fct.csv").starts_with("flow,"));
}

#[test]
fn a_folder_that_is_half_replaced_is_not_read() {
    let folder = Folder::new();
    run(&folder, &["--out", "out"]).succeeded();
    run(&folder, &["--out", "good"]).succeeded();
    // As a process leaves it that is killed between two files.
    folder.write("out/.fabricsim-replacing", "");
    for args in [
        &["slowdown", "out"][..],
        &["slowdown", "out/fct.csv"],
        &["compare", "good", "out"],
        &["plot", "cdf", "out", "-o", "p.svg"],
        &["report", "good", "out"],
    ] {
        let refused = folder.run(args);
        assert_eq!(refused.code, Some(2), "{args:?}\n{}", refused.stderr);
        assert!(
            refused.stderr.contains("run the scenario into the folder"),
            "{}",
            refused.stderr
        );
    }
    // It belongs to no results, so any run may replace it.
    run(&folder, &["--out", "out", "--seed", "2"]).succeeded();
    assert_eq!(
        names(&folder, "out"),
        ["buffers.csv", "fct.csv", "summary.json", "topology.csv"]
    );
    folder.run(&["slowdown", "out"]).succeeded();
}

#[test]
fn other_folders_of_results_are_kept_as_well() {
    let folder = Folder::new();
    let trace = [
        "pint", "trace", "--hops", "3", "--scheme", "baseline", "--budget", "8",
    ];
    let trace = [&trace[..], &["--trials", "5", "--out", "t"]].concat();
    let harm = [
        "harm",
        "--cca",
        "cubic",
        "--rtt",
        "10ms",
        "--duration",
        "1s",
        "--quiet",
    ];
    let harm = [&harm[..], &["--slow-start-delay", "0s", "--flows", "h"]].concat();
    for (args, dir) in [(trace, "t"), (harm, "h")] {
        folder.run(&args).succeeded();
        folder.run(&args).succeeded();
        let before = content(&folder, dir);
        let other = [&args[..], &["--seed", "2"]].concat();
        let refused = folder.run(&other);
        assert_eq!(refused.code, Some(2), "{dir}\n{}", refused.stderr);
        assert!(
            refused.stderr.contains("seed: 1 there, 2 now"),
            "{}",
            refused.stderr
        );
        assert!(content(&folder, dir) == before, "{dir}");
        folder.run(&[&other[..], &["--force"]].concat()).succeeded();
        assert!(content(&folder, dir) != before, "{dir}");
    }
}

/// The commands of a document work if a user runs them one after another.
#[test]
fn commands_of_a_document_write_to_folders_of_their_own() {
    for document in [
        "README.md",
        "docs/micro.md",
        "docs/pint.md",
        "docs/outputs.md",
        "docs/congestion-control.md",
    ] {
        let mut settings_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let text = project_text(document);
        let commands = text
            .lines()
            .filter_map(|line| line.strip_prefix("fabricsim run"));
        for command in commands {
            let command = command.split('#').next().unwrap_or_default();
            let mut words = command.split_whitespace();
            let (mut folder, mut settings) = ("default".to_owned(), Vec::new());
            let mut out = None;
            while let Some(word) = words.next() {
                match word {
                    "--out" => out = words.next(),
                    "--threads" => drop(words.next()),
                    "--set" | "--seed" => settings.extend(words.next().map(str::to_owned)),
                    word if word.ends_with(".toml") => {
                        let stem = word.rsplit('/').next().unwrap_or(word);
                        folder = stem.trim_end_matches(".toml").to_owned();
                    }
                    _ => {}
                }
            }
            settings.push(folder.clone());
            let folder = out.map_or_else(|| format!("results/{folder}"), str::to_owned);
            let before = settings_of
                .entry(folder)
                .or_insert_with(|| settings.clone());
            assert_eq!(*before, settings, "{document}: fabricsim run{command}");
        }
    }
}
