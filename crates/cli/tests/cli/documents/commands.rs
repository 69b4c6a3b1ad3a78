//! The commands, scenarios and sweeps of the documents.

use std::fs;

use super::of_project;
use crate::support::{Folder, project_text};

/// Writes results of two flows into folder `name`.
fn write_results(folder: &Folder, name: &str) {
    let flows = "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns\n\
                0,1,1000,0,5000,5000\n0,2,1000,0,6000,5000\n";
    fs::create_dir_all(folder.path(name)).expect("a folder");
    folder.write(&format!("{name}/fct.csv"), flows);
}

/// Returns the arguments that check what `args` run, without the options that only a run has.
fn checked(args: &[&str]) -> Vec<String> {
    let mut checked = vec!["check".to_owned()];
    let mut rest = args[1..].iter();
    while let Some(&word) = rest.next() {
        match word {
            "--out" | "--threads" | "--checkpoint-at" => drop(rest.next()),
            "--quiet" | "--profile-parallelism" => {}
            _ => checked.push(of_project(word)),
        }
    }
    checked
}

/// The commands that the shell blocks of a document show, without those that a shell completes.
fn shown(document: &str) -> Vec<Vec<&str>> {
    let shell = document.split("```sh\n").skip(1);
    shell
        .flat_map(|block| block.split("```").next().unwrap_or_default().lines())
        .filter_map(|line| {
            let line = line.split(" #").next().unwrap_or(line).trim();
            line.strip_prefix("fabricsim ")
                .or_else(|| line.strip_prefix("cargo run --release -p fabricsim-cli -- "))
        })
        .filter(|line| !line.contains('$'))
        .map(words)
        .collect()
}

/// The words of a command line, some of them in quotes.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// Checks that the command lines shown in `document` are valid.
fn assert_understood(document: &str) {
    let text = project_text(document);
    let commands = shown(&text);
    assert!(!commands.is_empty(), "{document}");
    let folder = Folder::new();
    folder.write("my.toml", "");
    for args in commands {
        understand(&folder, &args);
    }
}

#[test]
fn the_commands_of_the_readme_are_understood() {
    assert_understood("README.md");
}

#[test]
fn the_commands_of_the_documents_are_understood() {
    for document in [
        "docs/harm.md",
        "docs/pint.md",
        "docs/sweeps.md",
        "docs/checkpoints.md",
        "docs/install.md",
        "docs/artifact.md",
    ] {
        assert_understood(document);
    }
}

/// The pictures of the cookbook need whole runs, which `.ci/run --all` does with the optimized command.
#[test]
fn the_runs_of_the_cookbook_are_understood() {
    let text = project_text("examples/README.md");
    let folder = Folder::new();
    let written = |args: &Vec<&str>| args.contains(&"exact.toml");
    let mut commands = shown(&text);
    commands.retain(|args| matches!(args[0], "run" | "sweep") && !written(args));
    assert!(commands.len() >= 24, "{commands:?}");
    for args in commands {
        understand(&folder, &args);
    }
}

/// Those of docs/micro.md take no time, so they are run as they are printed.
#[test]
fn the_commands_of_the_micro_benchmarks_run() {
    let text = project_text("docs/micro.md");
    let folder = Folder::new();
    let commands = shown(&text);
    assert!(commands.len() > 6, "{commands:?}");
    for args in commands {
        let args: Vec<String> = args.iter().map(|&word| of_project(word)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        folder.run(&args).succeeded();
    }
}

/// Runs a command in a form that takes little time.
fn understand(folder: &Folder, args: &[&str]) {
    match args[0] {
        "list" => drop(folder.run(args).succeeded()),
        // What goes to a place of the user's goes to the folder.
        "completions" => drop(folder.run(&args[..2]).succeeded()),
        "man" => drop(folder.run(&["man", "man1"]).succeeded()),
        "compare" | "slowdown" => {
            for name in args[1..].iter().take_while(|word| !word.starts_with("--")) {
                write_results(folder, name);
            }
            folder.run(args).succeeded();
        }
        // Checkpoints are those of another command: there is none here, and all else is good.
        "run" if args.contains(&"--from") => {
            let outcome = folder.run(args);
            let missing = outcome.stderr.contains("cannot read the checkpoint");
            assert!(missing, "{}", outcome.stderr);
        }
        // A run is checked rather than run.
        "run" | "check" => {
            let checked = checked(args);
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
        // A page, a picture or another form of results as above.
        "report" | "plot" | "timeline" | "export" | "view" => {
            let named = args[1..].iter().filter(|word| word.starts_with("results/"));
            let results = named.filter(|word| !word.contains('.'));
            let samples = "time_ns,flow,src,dst,class,rate_bps,window_bytes,\
                           acknowledged_bytes,throughput_bps\n1000,0,0,1,0,1e11,,1000,8e9\n";
            for name in results {
                write_results(folder, name);
                let fabric = "node,name,kind,tier,port,peer,peer_port,rate_bps,delay_ns\n\
                              0,a,host,b,0,1,0,1,1\n1,b,host,b,0,0,0,1,1\n2,c,host,b,0,3,0,1,1\n\
                              3,d,switch,b,0,2,0,1,1\n";
                folder.write(&format!("{name}/topology.csv"), fabric);
                folder.write(&format!("{name}/flows.csv"), samples);
                let points = "point,load,scheme,status,flows_finished,slowdown_p99,\
                              flows_below_30KB,slowdown_p99_below_30KB\n\
                              a,0.3,HPCC,finished,500,2,500,2\n";
                folder.write(&format!("{name}/points.csv"), points);
                let paths = "hops,packets,packets_to_decode,correct,ended_by\n3,9,4,true,\n";
                folder.write(&format!("{name}/query_path.csv"), paths);
            }
            folder.run(args).succeeded();
        }
        // A few trials show as much as thousands.
        "pint" => {
            let named: Vec<String> = args.iter().map(|&word| of_project(word)).collect();
            let mut args: Vec<&str> = named.iter().map(String::as_str).collect();
            match args[1] {
                "trace" => args.extend(["--trials", "5"]),
                "latency" => {
                    let traffic = args.iter_mut().find(|word| **word == "1ms");
                    *traffic.expect("a traffic of 1 ms") = "200us";
                    args.extend(["--packets", "50"]);
                }
                "compare" => args.extend(["--set", "workload.0.duration=20us"]),
                _ => {}
            }
            folder.run(&args).succeeded();
        }
        // Hours of runs are looked at without any.
        "reproduce" => {
            let mut args = args.to_vec();
            if args.len() > 1 {
                args.push("--judge-only");
            }
            folder.run(&args).succeeded();
        }
        // In its short form.
        "harm" => {
            let mut args = args.to_vec();
            if !args.contains(&"--quick") {
                args.push("--quick");
            }
            folder.run(&args).succeeded();
        }
        _ => panic!("a document shows `fabricsim {}`", args.join(" ")),
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
    assert_eq!(whole.len(), 2);
    for (block, points) in whole.into_iter().zip(["25 of 25", "2 of 2"]) {
        let folder = Folder::new();
        if let Some((_, path)) = block.split_once("from = \"results/") {
            let file = path.split('"').next().unwrap_or_default();
            let warm = "[topology]\nkind = \"star\"\nhosts = 3\n[cc]\nkind = \"dcqcn\"\n\
                        [[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\n";
            folder.write("warm.toml", warm);
            let taken = ["--checkpoint-at", "10us", "--checkpoint", file];
            folder
                .run(&[&["run", "warm.toml"], &taken[..]].concat())
                .succeeded();
            fs::rename(folder.path(file), folder.path("results").join(file)).expect("a folder");
        }
        folder.write("t.toml", block);
        let said = folder.run(&["sweep", "t.toml", "--dry-run"]).succeeded();
        assert!(said.stdout.contains(points), "{}", said.stdout);
    }
}
