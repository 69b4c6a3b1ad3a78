//! The documents say what the code does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim_core::input::Key;
use fabricsim_scenario::cc::registry::CONGESTION_CONTROLS;
use fabricsim_scenario::schema::profile::Profile;

use crate::support::{Folder, project, project_text};

/// A word of a command, where it names an example with the path of that.
fn of_project(word: &str) -> String {
    if word.starts_with("examples/") {
        project(word).display().to_string()
    } else {
        word.to_owned()
    }
}

/// Every algorithm has a section in docs/congestion-control.md, with a row for each of its keys.
#[test]
fn every_algorithm_is_described_with_its_keys() {
    let document = project_text("docs/congestion-control.md");
    for cc in CONGESTION_CONTROLS {
        let heading = format!("\n## `{}`\n", cc.name);
        let (_, section) = document.split_once(&heading).unwrap_or_else(|| {
            panic!(
                "docs/congestion-control.md has no heading `{}`",
                heading.trim()
            )
        });
        let section = section.split("\n## ").next().unwrap_or_default();
        for Key { name: key, .. } in cc.keys() {
            assert!(
                section
                    .lines()
                    .any(|line| line.starts_with(&format!("| `{key}` |"))),
                "docs/congestion-control.md, {}: no row for `{key}`",
                heading.trim()
            );
        }
    }
}

#[test]
fn every_profile_is_documented() {
    let fidelity = project_text("docs/fidelity.md");
    for name in Profile::NAMES {
        assert!(
            fidelity.contains(&format!("`profile = \"{name}\"`")),
            "{name}"
        );
    }
}

/// The files of `folder` whose text holds `mark`, with how often.
fn marked(folder: &Path, mark: &str, found: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            marked(&path, mark, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let count = fs::read_to_string(&path)
                .expect("a source")
                .matches(mark)
                .count();
            if count > 0 {
                let root = project("crates");
                let path = path.strip_prefix(root).expect("below crates").display();
                found.insert(format!("crates/{path}"), count);
            }
        }
    }
}

#[test]
fn every_deviation_from_a_paper_is_documented() {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(project("crates")).expect("the crates") {
        let sources = entry.expect("an entry").path().join("src");
        marked(&sources, "Differs from the paper:", &mut found);
    }
    assert!(
        !found.is_empty(),
        "the marks are spelled in another way now"
    );
    let document = project_text("docs/fidelity.md");
    for (file, count) in found {
        let rows = document
            .lines()
            .filter(|line| line.starts_with('|') && line.contains(&format!("`{file}`")))
            .count();
        assert_eq!(
            rows, count,
            "docs/fidelity.md has {rows} of the {count} deviations of {file}"
        );
    }
}

/// What README.md shows as a command line is a command line.
#[test]
fn the_commands_of_the_readme_are_understood() {
    let readme = project_text("README.md");
    let shell = readme.split("```sh\n").skip(1);
    let commands: Vec<Vec<&str>> = shell
        .flat_map(|block| block.split("```").next().unwrap_or_default().lines())
        .filter_map(|line| {
            let line = line.split(" #").next().unwrap_or(line).trim();
            line.strip_prefix("fabricsim ")
                .or_else(|| line.strip_prefix("cargo run --release -p fabricsim-cli -- "))
        })
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(commands.len() > 5, "{commands:?}");
    let folder = Folder::new();
    for args in commands {
        match args[0] {
            "list" => drop(folder.run(&args).succeeded()),
            "compare" => {
                let flow =
                    "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns\n0,1,1000,0,5000,5000\n";
                for name in &args[1..=2] {
                    fs::create_dir_all(folder.path(name)).expect("a folder");
                    folder.write(&format!("{name}/fct.csv"), flow);
                }
                folder.run(&args).succeeded();
            }
            "slowdown" => {
                let flow =
                    "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns\n0,1,1000,0,5000,5000\n";
                for name in args[1..].iter().take_while(|word| !word.starts_with("--")) {
                    fs::create_dir_all(folder.path(name)).expect("a folder");
                    folder.write(&format!("{name}/fct.csv"), flow);
                }
                folder.run(&args).succeeded();
            }
            // A run is checked rather than run, without the options that only a run has.
            "run" | "check" => {
                let mut checked = vec!["check".to_owned()];
                let mut rest = args[1..].iter();
                while let Some(&word) = rest.next() {
                    match word {
                        "--out" | "--threads" => drop(rest.next()),
                        "--quiet" | "--profile-parallelism" => {}
                        _ => checked.push(of_project(word)),
                    }
                }
                let checked: Vec<&str> = checked.iter().map(String::as_str).collect();
                folder.run(&checked).succeeded();
            }
            // A sweep is planned rather than run.
            "sweep" => {
                let mut planned: Vec<String> = args.iter().map(|&word| of_project(word)).collect();
                if !args.contains(&"--dry-run") {
                    planned.push("--dry-run".to_owned());
                }
                let planned: Vec<&str> = planned.iter().map(String::as_str).collect();
                folder.run(&planned).succeeded();
            }
            // A page or a picture of results as above.
            "report" | "plot" => {
                let named = args[1..].iter().filter(|word| word.starts_with("results/"));
                let results = named.filter(|word| !word.contains('.'));
                let flow =
                    "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns\n0,1,1000,0,5000,5000\n";
                let samples = "time_ns,flow,src,dst,class,rate_bps,window_bytes,\
                               acknowledged_bytes,throughput_bps\n1000,0,0,1,0,1e11,,1000,8e9\n";
                for name in results {
                    fs::create_dir_all(folder.path(name)).expect("a folder");
                    folder.write(&format!("{name}/fct.csv"), flow);
                    folder.write(&format!("{name}/flows.csv"), samples);
                }
                folder.run(&args).succeeded();
            }
            // A few trials show as much as thousands.
            "pint" => {
                let named: Vec<String> = args.iter().map(|&word| of_project(word)).collect();
                let mut args: Vec<&str> = named.iter().map(String::as_str).collect();
                match args[1] {
                    "trace" => args.extend(["--trials", "5"]),
                    "latency" => args.extend(["--traffic", "200us", "--packets", "50"]),
                    "compare" => args.extend(["--set", "workload.0.duration=20us"]),
                    _ => {}
                }
                folder.run(&args).succeeded();
            }
            // Hours of runs are looked at without any.
            "reproduce" => {
                let mut args = args.clone();
                if args.len() > 1 {
                    args.push("--judge-only");
                }
                folder.run(&args).succeeded();
            }
            // In its short form.
            "harm" => {
                let mut args = args.clone();
                args.push("--quick");
                folder.run(&args).succeeded();
            }
            _ => panic!("README.md shows `fabricsim {}`", args.join(" ")),
        }
    }
}

/// The scenarios that README.md and docs/ show whole are scenarios.
#[test]
fn the_scenarios_of_the_documents_are_good() {
    let mut count = 0;
    for name in [
        "README.md",
        "docs/scenarios.md",
        "docs/congestion-control.md",
        "docs/fidelity.md",
    ] {
        let text = project_text(name);
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            if !(block.contains("[topology]") && block.contains("[cc]")) {
                continue;
            }
            let folder = Folder::new();
            folder.write(
                "topology.txt",
                "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
            );
            folder.write("flow.txt", "1\n0 1 3 100 1000 2.0\n");
            folder.write("t.toml", block);
            let outcome = folder.run(&["check", "t.toml"]);
            assert_eq!(
                outcome.code,
                Some(0),
                "{name}:\n{block}\n{}",
                outcome.stderr
            );
            count += 1;
        }
    }
    assert!(count >= 3, "{count}");
}

#[test]
fn the_sweeps_of_the_documents_are_good() {
    let text = project_text("docs/sweeps.md");
    let whole: Vec<&str> = text
        .split("```toml\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap_or_default())
        .filter(|block| block.contains("[[axis]]"))
        .collect();
    assert!(!whole.is_empty());
    for block in whole {
        let folder = Folder::new();
        folder.write("t.toml", block);
        let said = folder.run(&["sweep", "t.toml", "--dry-run"]).succeeded();
        assert!(said.stdout.contains("25 of 25"), "{}", said.stdout);
    }
}

/// Files that a document points to, and examples that it runs, are there.
#[test]
fn what_the_documents_point_to_exists() {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/scenarios.md",
        "docs/congestion-control.md",
        "docs/outputs.md",
        "docs/sweeps.md",
        "docs/reproduce.md",
        "docs/micro.md",
        "docs/pint.md",
        "docs/harm.md",
        "docs/fidelity.md",
    ] {
        let text = project_text(name);
        let folder = Path::new(name).parent().expect("a file is in a folder");
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|link| !link.starts_with("http") && !link.starts_with('#'));
        for link in links {
            let target = project(&folder.join(link).display().to_string());
            assert!(target.exists(), "{name} links to {link}");
        }
        for rest in text.split("--example ").skip(1) {
            let example = rest.split_whitespace().next().unwrap_or_default();
            let source = project(&format!("examples/{example}.rs"));
            assert!(source.exists(), "{name} runs the example {example}");
        }
        for folder in [
            "examples/scenarios/",
            "examples/deadlock/",
            "examples/sweeps/",
        ] {
            for path in text.split(folder).skip(1) {
                let file: String = path
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'))
                    .collect();
                let source = project(&format!("{folder}{file}"));
                assert!(source.exists(), "{name} names the scenario {folder}{file}");
            }
        }
    }
}
