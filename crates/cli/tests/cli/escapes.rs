//! Control characters never reach the terminal, whatever input a message quotes.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

use crate::support::{Folder, Outcome};

/// Clears the screen, sets colors, rings the bell, and reverses the writing direction.
const EVIL: &str = "\u{1b}[2J\u{1b}[31mred\u{7}\u{9b}1m\u{202e}";

fn tame(outcome: &Outcome, what: &str) {
    for text in [&outcome.stdout, &outcome.stderr] {
        let obeyed = |c: &char| {
            (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}')
        };
        let raw = text.chars().find(obeyed);
        assert_eq!(raw, None, "{what}: {text}");
    }
}

/// Asserts that a refusal quotes [`EVIL`] escaped.
fn quoted(outcome: &Outcome, what: &str) {
    tame(outcome, what);
    assert_eq!(outcome.code, Some(2), "{what}: {}", outcome.stderr);
    let said = outcome.stderr.to_lowercase();
    assert!(said.contains("\\u001b[2j"), "{what}: {said}");
}

#[test]
fn of_every_kind_of_file() {
    let folder = Folder::new();
    let put = |name: &str, text: &str| folder.write(name, &text.replace("EVIL", EVIL));
    let rest = "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n";
    let star = "[topology]\nkind = \"star\"\nhosts = 4\n";
    let escaped = "\\u001b[2J\\u202e";
    put("key.toml", &format!("\"{escaped}\" = 1\n{star}{rest}"));
    put(
        "value.toml",
        &format!("profile = \"{escaped}\"\n{star}{rest}"),
    );
    put("line.toml", &format!("seed = -1 # EVIL\n{star}{rest}"));
    put(
        "sweep.toml",
        &format!("\"{escaped}\" = 1\nscenario = \"value.toml\"\n"),
    );
    put("network.txt", "2 1 1\n1\n0 1 EVIL 1us 0\n");
    put(
        "network.graphml",
        "<graphml><graph><node id=\"EVIL\"/></graph></graphml>\n",
    );
    put("flows.csv", "src,dst,size_bytes,start_ns\n0,1,EVIL,0\n");
    put("flow.txt", "1\n0 1 3 100 EVIL 2.0\n");
    put("sizes.cdf", "0 0\nEVIL 100\n");
    put(
        "fct.csv",
        "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,\
                    retransmitted_bytes\n0,0,4,0,EVIL,0,3000,2500,1.2,0\n",
    );
    put(
        "fct.txt",
        "0b000001 0b000501 10000 100 EVIL 2000000000 3000 2500\n",
    );
    put(
        "topology.csv",
        "node,name,kind,tier,port,peer,peer_port,rate_bps,delay_ns\n0,a,EVIL,b,0,1,0,1,1\n",
    );
    put("harm.toml", &format!("cca = [\"{escaped}\"]\n"));
    for (name, kind, path) in [
        ("file.toml", "file", "network.txt"),
        ("graphml.toml", "graphml", "network.graphml"),
    ] {
        folder.write(
            name,
            &format!("[topology]\nkind = \"{kind}\"\npath = \"{path}\"\n{rest}"),
        );
    }
    let cc = "[cc]\nkind = \"hpcc\"\n";
    for path in ["flows.csv", "flow.txt"] {
        let list = format!("{star}[[workload]]\nkind = \"list\"\npath = \"{path}\"\n{cc}");
        folder.write(&format!("{path}.toml"), &list);
    }
    let poisson = "kind = \"poisson\"\nsizes = \"sizes.cdf\"\nload = 0.5\nduration = \"1us\"\n";
    folder.write("sizes.toml", &format!("{star}[[workload]]\n{poisson}{cc}"));
    for args in [
        &["check", "key.toml"][..],
        &["check", "value.toml"],
        &["check", "line.toml"],
        &["sweep", "sweep.toml"],
        &["check", "file.toml"],
        &["check", "graphml.toml"],
        &["check", "flows.csv.toml"],
        &["check", "flow.txt.toml"],
        &["check", "sizes.toml"],
        &["slowdown", "fct.csv"],
        &["compare", "fct.txt", "fct.txt"],
        &["plot", "series", "fct.csv", "-o", "x.svg"],
        &["view", "."],
        &["harm", "harm.toml"],
    ] {
        let outcome = folder.run(args);
        tame(&outcome, &format!("{args:?}"));
        assert_eq!(outcome.code, Some(2), "{args:?}");
        // A message that quotes the place shows it.
        if !["plot", "harm"].contains(&args[0]) && args[1] != "graphml.toml" {
            let shown = ["\\u001b[2J", "2J"]
                .iter()
                .any(|seen| outcome.stderr.contains(seen));
            assert!(shown, "{args:?}: {}", outcome.stderr);
        }
    }
}

#[test]
fn of_arguments() {
    let folder = Folder::new();
    folder.write("default.toml", "");
    let nowhere = format!("{EVIL}.toml");
    for args in [
        &["check", &nowhere][..],
        &["sweep", &nowhere],
        &["slowdown", &nowhere],
        &["check", "--set", EVIL],
        &["check", "--set", &format!("{EVIL}=1")],
        &["check", "--set", &format!("cc.eta={EVIL}")],
        &["check", "--seed", EVIL],
        &["list", EVIL],
        &[EVIL],
        &["run", &format!("--{EVIL}")],
        &["slowdown", "x", "--percentile", EVIL],
        &["pint", "trace", "--topology", EVIL],
        &["plot", "series", "x", "-o", EVIL],
        &["harm", "--qdisc", EVIL],
    ] {
        quoted(&folder.run(args), &format!("{args:?}"));
    }
    let mut command = folder.command(&["check"]);
    let bytes = [EVIL.as_bytes(), b"\xff\xfe"].concat();
    let outcome: Outcome = command
        .arg(OsString::from_vec(bytes))
        .output()
        .expect("the command starts")
        .into();
    quoted(&outcome, "an argument that is no text");
    // An argument that must be text but is not is named by its position.
    let mut command = folder.command(&["check", "--set"]);
    let bytes = [EVIL.as_bytes(), b"\xff"].concat();
    let outcome: Outcome = command
        .arg(OsString::from_vec(bytes))
        .output()
        .expect("the command starts")
        .into();
    quoted(&outcome, "a change that is no text");
    assert!(
        outcome.stderr.contains("error: argument 3 (`"),
        "{}",
        outcome.stderr
    );
    // The parser's own messages keep their form.
    let outcome = folder.run(&["check", "--seed", "x"]);
    assert!(
        outcome
            .stderr
            .starts_with("error: invalid value 'x' for '--seed")
    );
    let help = folder.run(&["check", "--help"]).succeeded();
    assert!(help.stdout.contains("Usage: fabricsim check"));
}

#[test]
fn of_names_of_results() {
    let folder = Folder::new();
    let text = "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,retransmitted_bytes\n\
                0,0,4,0,1000,0,3000,2500,1.2,0\n";
    let name = format!("{EVIL}.csv");
    fs::write(folder.path(&name), text).expect("a file");
    for args in [
        &["slowdown", &name][..],
        &["slowdown", &name, "--json"],
        &["compare", &name, &name],
    ] {
        let outcome = folder.run(args).succeeded();
        tame(&outcome, &format!("{args:?}"));
        if args.contains(&"--json") {
            let json: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
            assert_eq!(json[0]["result"], name);
        }
    }
    // A table for programs has the name as it is.
    let csv = folder
        .run(&["slowdown", &name, "--csv", "-"])
        .succeeded()
        .stdout;
    assert!(csv.contains(&name), "{csv}");
}

/// Messages quote only a part of very long lines.
#[test]
fn lines_of_a_hundred_thousand_columns() {
    let folder = Folder::new();
    let long = "x".repeat(100_000);
    let rest = "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"list\"\n\
                path = \"flows.csv\"\n[cc]\nkind = \"hpcc\"\n";
    folder.write("t.toml", &format!("seed = -1 # {long}\n{rest}"));
    folder.write("key.toml", &format!("{long} = 1\n{rest}"));
    folder.write("end.toml", &format!("name = \"{long}\" wrong\n{rest}"));
    folder.write("s.toml", &format!("scenario = \"t.toml\"\n{long} = 1\n"));
    folder.write("list.toml", rest);
    folder.write(
        "flows.csv",
        &format!("src,dst,size_bytes,start_ns\n0,1,1{long},0\n"),
    );
    for (args, place) in [
        (&["check", "t.toml"][..], "t.toml:1:8"),
        (&["check", "key.toml"], "key.toml:1:1"),
        (&["check", "end.toml"], "end.toml:1:100011"),
        (&["sweep", "s.toml"], "s.toml:2:1"),
        (&["check", "list.toml"], "flows.csv:2:5"),
        (
            &["check", "--set", &format!("{long}=1")],
            "default.toml (with --set):",
        ),
        (&["check", "--set", &long], "--set:1:1"),
    ] {
        let outcome = folder.run(args);
        let said = &outcome.stderr;
        assert_eq!(outcome.code, Some(2), "{place}: {said}");
        assert!(said.contains(place), "{place}: {said}");
        assert!(said.contains("help: "), "{place}: {said}");
        assert!(
            said.len() < 10_000,
            "{place}: {} bytes are said",
            said.len()
        );
    }
}
