//! Mutants as input files of the command.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::mutant;
use crate::seeds::{seeds, write_beside};
use crate::targets::{HOST_TRACE, Kind};

/// CPU seconds and KiB of memory that the command may use.
const SECONDS: u32 = 5;
const MEMORY: u32 = 1 << 20;

/// Runs the command with each of the mutants and returns the failures.
pub(crate) fn through_the_command(numbers: impl Iterator<Item = u64>) -> Vec<String> {
    let seeds = seeds();
    let mut bad = Vec::new();
    for number in numbers {
        let (seed, bytes) = mutant(&seeds, number);
        let folder = tempfile::tempdir().expect("a folder");
        write_beside(folder.path(), &seeds);
        for arguments in commands(seed.kind, &seed.name, bytes, folder.path()) {
            let output = run(folder.path(), &arguments);
            if let Err(what) = judge(&output) {
                let said = String::from_utf8_lossy(&output.stderr);
                let name = &seed.name;
                bad.push(format!(
                    "mutant {number} ({name}, {arguments:?}): {what}\n{said}"
                ));
            }
        }
    }
    bad
}

/// Writes the mutant into `folder` and returns the arguments that read it.
fn commands(kind: Kind, name: &str, bytes: Vec<u8>, folder: &Path) -> Vec<Vec<OsString>> {
    let put = |name: &str| fs::write(folder.join(name), &bytes).expect("room for a mutant");
    let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
    let from_files = |name| {
        put(name);
        vec![words("check files.toml")]
    };
    match kind {
        Kind::Scenario => {
            put("m.toml");
            vec![
                words("check m.toml"),
                words("run m.toml --set run.stop_at=20us --quiet --threads 1 --out out"),
            ]
        }
        Kind::Sweep => {
            put("m.toml");
            vec![words("sweep m.toml --dry-run")]
        }
        Kind::Override => {
            let bytes = bytes.into_iter().filter(|&byte| byte != 0).collect();
            let mut arguments = words("check --set");
            arguments.push(OsString::from_vec(bytes));
            vec![arguments]
        }
        Kind::Topology => from_files("ring.topology.txt"),
        Kind::FlowsCsv | Kind::FlowsTxt => from_files("x.flow.txt"),
        Kind::Sizes => from_files("x.cdf"),
        Kind::Graphml => {
            put("x.graphml");
            vec![
                words("check graphml.toml"),
                words("pint trace --trials 1 --topology x.graphml"),
            ]
        }
        Kind::FctCsv | Kind::FctTxt => {
            put("m.csv");
            vec![words("slowdown m.csv"), words("compare m.csv x.fct.csv")]
        }
        Kind::Observed => {
            put(name);
            vec![words(&format!("plot series {name} -o out.svg"))]
        }
        Kind::Graph | Kind::GoalBinary => {
            put("x.graph.csv");
            vec![
                words("check graph.toml"),
                words("run graph.toml --set run.stop_at=20us --quiet --threads 1 --out out"),
            ]
        }
        Kind::Profile => {
            put("x.profile.csv");
            vec![words("check profile.toml")]
        }
        Kind::Chakra => {
            put("x.0.et");
            vec![words("import-trace x -o out.csv")]
        }
        Kind::TraceJson => {
            put("x.0.json");
            vec![words("import-trace x.0.json -o out.csv")]
        }
        Kind::Kineto => {
            put("kineto.0.json");
            fs::write(folder.join("host.0.json"), HOST_TRACE).expect("room for a trace");
            vec![words("import-trace host --kineto kineto -o out.csv")]
        }
        // Nothing of the command reads these without a long run.
        Kind::Harm | Kind::HarmWorkload | Kind::Published => Vec::new(),
    }
}

fn run(folder: &Path, arguments: &[OsString]) -> Output {
    let limits = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$@\"");
    Command::new("sh")
        .args(["-c", &limits, "sh", env!("CARGO_BIN_EXE_fabricsim")])
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("a shell")
}

/// Checks the conditions for every input of the command: no control characters in the output, an
/// expected exit code, and for refused input a place and a suggested fix.
fn judge(output: &Output) -> Result<(), String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let all = [&*said, &String::from_utf8_lossy(&output.stdout)].concat();
    if let Some(raw) = all
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    {
        return Err(format!("{raw:?} reaches the terminal"));
    }
    match output.status.code() {
        Some(0 | 3) => Ok(()),
        Some(2) => {
            let refused = said.contains("help:") || said.contains("--help");
            let placed = said.split_whitespace().any(is_place)
                || said.contains("error: invalid value")
                || said.contains("error: argument")
                || said.contains("error: unexpected argument")
                || said.contains("cannot read")
                || said.contains("no flow is in both")
                || said.contains("pint trace")
                // An error of a node has the file and the node.
                || [".et: ", ".0.json: "].iter().any(|end| said.contains(end));
            match (refused, placed) {
                (true, true) => Ok(()),
                (false, _) => Err("no help".to_owned()),
                (true, false) => Err("no place".to_owned()),
            }
        }
        _ => Err(format!("{}", output.status)),
    }
}

/// Returns `true` if a word is, or ends with, a line and a column: `x.toml:3:14:`.
fn is_place(word: &str) -> bool {
    let mut parts = word.trim_end_matches([':', ']']).rsplit(':');
    let number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    number(parts.next()) && number(parts.next()) && parts.next().is_some()
}
