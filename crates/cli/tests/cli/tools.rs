//! Shells and an editor's TOML checker accept the printed completions and schemas. A test is
//! skipped with a message if its tool is not installed.

use std::fs;
use std::process::{Command, Output};

use crate::support::{Folder, project};

/// Returns `tool` as a command in `folder`; `None` with a message if it is not installed.
fn installed(tool: &str, folder: &Folder) -> Option<Command> {
    let found = Command::new(tool).arg("--version").output();
    if found.is_ok_and(|said| said.status.success()) {
        let mut command = Command::new(tool);
        command.current_dir(folder.path("."));
        return Some(command);
    }
    println!("skipped: {tool} is not installed");
    None
}

fn said(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    format!("{}{stderr}", String::from_utf8_lossy(&output.stdout))
}

#[test]
fn shells_can_read_their_completions() {
    for (shell, only_reads) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let folder = Folder::new();
        let Some(mut command) = installed(shell, &folder) else {
            continue;
        };
        let script = folder.run(&["completions", shell]).succeeded().stdout;
        folder.write("script", &script);
        let output = command.args([only_reads, "script"]).output();
        let output = output.expect("the shell starts");
        assert!(output.status.success(), "{shell}: {}", said(&output));
        assert_eq!(said(&output), "", "{shell}");
    }
}

/// Writes the two schemas, and copies of the examples that name them.
fn write_schemas_and_examples(folder: &Folder) -> Vec<String> {
    let mut names = Vec::new();
    for (topic, examples) in [
        ("scenario", "examples/scenarios"),
        ("scenario", "examples/deadlock"),
        ("sweep", "examples/sweeps"),
    ] {
        let schema = folder.run(&["schema", topic]).succeeded().stdout;
        folder.write(&format!("{topic}.schema.json"), &schema);
        for entry in fs::read_dir(project(examples)).expect("the examples") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "toml") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("an example");
            let file = path.file_name().and_then(|name| name.to_str());
            let name = format!("{topic}-{}", file.expect("a name"));
            folder.write(&name, &format!("#:schema {topic}.schema.json\n{text}"));
            names.push(name);
        }
    }
    names
}

#[test]
fn taplo_accepts_all_examples() {
    let folder = Folder::new();
    let Some(mut taplo) = installed("taplo", &folder) else {
        return;
    };
    let names = write_schemas_and_examples(&folder);
    assert!(names.len() > 20, "{names:?}");
    let output = taplo.arg("check").args(&names).output();
    let output = output.expect("taplo starts");
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("failed to fetch"), "{said}");
}

#[test]
fn taplo_points_at_the_wrong_value() {
    let folder = Folder::new();
    if installed("taplo", &folder).is_none() {
        return;
    }
    write_schemas_and_examples(&folder);
    let good = folder.read("scenario-default.toml");
    let good = good.replace("kind = \"hpcc\"", "kind = \"hpcc\"\neta = 0.9");
    for (right, wrong, line) in [
        ("eta = 0.9", "eta = 1.5", "eta = 1.5"),
        ("eta = 0.9", "eta = \"high\"", "eta = \"high\""),
        ("kind = \"hpcc\"", "kind = \"hpc\"", "kind = \"hpc\""),
        ("spines = 4", "spines = -4", "spines = -4"),
        ("duration = \"1ms\"", "duration = 1", "duration = 1"),
        ("eta = 0.9", "etta = 0.9", "[cc]"),
    ] {
        let bad = good.replace(right, wrong);
        assert_ne!(bad, good);
        let at = bad.lines().position(|it| it == line).expect("the line") + 1;
        folder.write("bad.toml", &bad);
        let mut taplo = installed("taplo", &folder).expect("taplo");
        let output = taplo.args(["check", "bad.toml"]).output();
        let output = output.expect("taplo starts");
        let said = said(&output);
        assert!(!output.status.success(), "{wrong}: {said}");
        assert!(said.contains(&format!("bad.toml:{at}:")), "{wrong}: {said}");
        assert!(!said.contains("schemas listed in"), "{wrong}: {said}");
    }
}
