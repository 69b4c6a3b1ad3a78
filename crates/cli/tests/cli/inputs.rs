//! Inputs that are not regular text files: pipes without a writer, endless devices, folders, huge
//! files. Every command refuses them at once.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fabricsim_scenario::text::file_kind::FileKind;

use crate::support::{Folder, Outcome, project_text};

/// Command that reads a file, and its message for a file that cannot be read.
struct Reader {
    /// The argument `FILE` is the file.
    args: &'static [&'static str],
    /// A text that names `FILE`.
    beside: Option<(&'static str, &'static str)>,
    says: &'static str,
}

const SCENARIO: &str = "[topology]\nkind = \"star\"\nhosts = 10\n[[workload]]\nkind = \"permutation\"\n\
                        size = \"1KB\"\n[cc]\nkind = \"hpcc\"\n";

const READERS: &[Reader] = &[
    Reader {
        args: &["check", "FILE"],
        beside: None,
        says: "cannot read the scenario `FILE`",
    },
    Reader {
        args: &["sweep", "FILE", "--dry-run"],
        beside: None,
        says: "cannot read the sweep `FILE`",
    },
    Reader {
        args: &["sweep", "s.toml", "--dry-run"],
        beside: Some((
            "s.toml",
            "scenario = \"FILE\"\n[[axis]]\nkey = \"seed\"\nvalues = [1]\n",
        )),
        says: "s.toml:1:12: cannot read the base scenario",
    },
    Reader {
        args: &["check", "t.toml"],
        beside: Some((
            "t.toml",
            "[topology]\nkind = \"file\"\npath = \"FILE\"\n[[workload]]\nkind = \"permutation\"\n\
             size = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        )),
        says: "t.toml:3:8: [topology], key `path`: cannot read the topology",
    },
    Reader {
        args: &["check", "t.toml"],
        beside: Some((
            "t.toml",
            "[topology]\nkind = \"graphml\"\npath = \"FILE\"\n[[workload]]\n\
             kind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        )),
        says: "t.toml:3:8: [topology], key `path`: cannot read the topology",
    },
    Reader {
        args: &["check", "t.toml"],
        beside: Some((
            "t.toml",
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"list\"\npath = \"FILE\"\n\
             [cc]\nkind = \"hpcc\"\n",
        )),
        says: "t.toml:6:8: [[workload]] 0, key `path`: cannot read the flows",
    },
    Reader {
        args: &["check", "t.toml"],
        beside: Some((
            "t.toml",
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"poisson\"\n\
             sizes = \"FILE\"\nload = 0.5\nduration = \"1us\"\n[cc]\nkind = \"hpcc\"\n",
        )),
        says: "t.toml:6:9: [[workload]] 0, key `sizes`: cannot read the flow-size distribution",
    },
    Reader {
        args: &["slowdown", "FILE"],
        beside: None,
        says: "cannot read the results `FILE`",
    },
    Reader {
        args: &["compare", "FILE", "FILE"],
        beside: None,
        says: "cannot read the results `FILE`",
    },
    Reader {
        args: &["plot", "series", "FILE", "-o", "x.svg"],
        beside: None,
        says: "cannot read the results `FILE`",
    },
    Reader {
        args: &["report", "FILE", "-o", "x.html"],
        beside: None,
        says: "cannot read the results `FILE`",
    },
    Reader {
        args: &["harm", "FILE"],
        beside: None,
        says: "cannot read the harm test `FILE`",
    },
    Reader {
        args: &["harm", "--workload", "FILE"],
        beside: None,
        says: "cannot read the workload `",
    },
    Reader {
        args: &["pint", "plan", "FILE"],
        beside: None,
        says: "cannot read the queries `FILE`",
    },
    Reader {
        args: &["pint", "trace", "--topology", "FILE"],
        beside: None,
        says: "cannot read the topology `FILE`",
    },
];

impl Reader {
    /// Runs the command on `file`, and kills it if it does not end.
    fn read(&self, folder: &Folder, file: &str) -> Outcome {
        if let Some((name, text)) = self.beside {
            folder.write(name, &text.replace("FILE", file));
        }
        let args: Vec<&str> = self
            .args
            .iter()
            .map(|arg| if *arg == "FILE" { file } else { arg })
            .collect();
        soon(&mut folder.command(&args))
    }
}

/// Runs the command and returns its outcome. Panics unless it ends within 20 seconds.
fn soon(command: &mut Command) -> Outcome {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let end = Instant::now() + Duration::from_secs(20);
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > end {
            child.kill().expect("a child");
            panic!("{command:?} does not come back");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().expect("the command ends").into()
}

fn unwrapped(outcome: &Outcome) -> String {
    let words = outcome.stderr.split_whitespace();
    words
        .filter(|word| *word != "|")
        .collect::<Vec<_>>()
        .join(" ")
}

fn refused(folder: &Folder, file: &str, what: &str) {
    for reader in READERS {
        let outcome = reader.read(folder, file);
        let said = unwrapped(&outcome);
        let args = reader.args;
        assert_eq!(outcome.code, Some(2), "{args:?}: {said}");
        let says = reader.says.replace("FILE", file);
        assert!(said.contains(&says), "{args:?}: no `{says}` in {said}");
        assert!(said.contains(what), "{args:?}: no `{what}` in {said}");
        assert!(said.contains("help: "), "{args:?}: {said}");
    }
}

#[test]
fn a_pipe_without_a_writer_is_not_waited_for() {
    let folder = Folder::new();
    for name in ["pipe.graphml", "link.graphml"] {
        if name.starts_with("pipe") {
            let made = Command::new("mkfifo").arg(folder.path(name)).status();
            assert!(made.expect("mkfifo").success());
        } else {
            symlink(folder.path("pipe.graphml"), folder.path(name)).expect("a link");
        }
        refused(
            &folder,
            name,
            "it is a named pipe (FIFO), not a regular file",
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn devices_are_not_read() {
    let folder = Folder::new();
    for device in ["zero", "urandom"] {
        let name = format!("{device}.graphml");
        symlink(format!("/dev/{device}"), folder.path(&name)).expect("a link");
        refused(
            &folder,
            &name,
            "it is a character device, not a regular file",
        );
    }
}

#[test]
fn a_folder_is_no_file() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder.graphml")).expect("a folder");
    for reader in READERS {
        // Folders of results are read, too: of these the file in them is missed.
        if ["slowdown", "compare", "plot", "report"].contains(&reader.args[0]) {
            continue;
        }
        let outcome = reader.read(&folder, "folder.graphml");
        let said = unwrapped(&outcome);
        assert_eq!(outcome.code, Some(2), "{:?}: {said}", reader.args);
        assert!(
            said.contains("it is a folder, not a regular file"),
            "{said}"
        );
    }
}

#[test]
fn a_file_without_measure_is_not_read() {
    let folder = Folder::new();
    let file = fs::File::create(folder.path("large.graphml")).expect("a file");
    file.set_len(1 << 40).expect("a sparse file");
    refused(&folder, "large.graphml", "it has 1099511627776 bytes, and");
}

/// Sparse files of an allowed size are not text; the command refuses them at their first byte.
#[test]
fn a_file_of_zeros_is_no_text() {
    let folder = Folder::new();
    let file = fs::File::create(folder.path("zeros.csv")).expect("a file");
    file.set_len(7 << 30).expect("a sparse file");
    let outcome = soon(&mut folder.command(&["slowdown", "zeros.csv"]));
    let said = unwrapped(&outcome);
    assert_eq!(outcome.code, Some(2), "{said}");
    assert!(
        said.contains("zeros.csv:1:1: this is not text: it has a zero byte"),
        "{said}"
    );
}

#[test]
fn results_may_come_from_the_standard_input() {
    let folder = Folder::new();
    let text = "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,retransmitted_bytes\n\
                0,0,4,0,1000,0,3000,2500,1.2,0\n";
    folder.write("fct.csv", text);
    let piped = |name: &str| {
        let file = fs::File::open(folder.path(name)).expect("a file");
        soon(
            folder
                .command(&["slowdown", "-", "--bins", "1"])
                .stdin(file),
        )
    };
    let of_file = folder
        .run(&["slowdown", "fct.csv", "--bins", "1"])
        .succeeded();
    let of_input = piped("fct.csv").succeeded();
    assert_eq!(of_input.stdout, of_file.stdout.replace("fct.csv", "-"));
    symlink("/dev/zero", folder.path("zero")).expect("a link");
    let said = unwrapped(&piped("zero"));
    assert!(said.contains("-:1:1: this is not text"), "{said}");
}

#[test]
fn a_list_of_a_million_flows_is_read() {
    let folder = Folder::new();
    let rows: String = (0..1_000_000)
        .map(|n| format!("{},{},1000,{n}\n", n % 4, (n + 1) % 4))
        .collect();
    folder.write("flows.csv", &format!("src,dst,size_bytes,start_ns\n{rows}"));
    folder.write(
        "t.toml",
        &SCENARIO.replace("permutation\"\nsize = \"1KB", "list\"\npath = \"flows.csv"),
    );
    let said = folder.run(&["check", "t.toml"]).succeeded().stdout;
    assert!(said.contains("1000000"), "{said}");
}

#[test]
fn what_is_no_utf_8_is_placed_in_its_own_file() {
    let folder = Folder::new();
    let bytes = |name: &str, bytes: &[u8]| fs::write(folder.path(name), bytes).expect("a file");
    let scenario = |topology: &str, workload: &str| {
        let text =
            format!("[topology]\n{topology}\n[[workload]]\n{workload}\n[cc]\nkind = \"hpcc\"\n");
        folder.write("t.toml", &text);
    };
    bytes("m.toml", b"seed = 1\n# caf\xe9\n");
    bytes("n.txt", b"15 5 15\n10 11 \xff12\n");
    bytes("n.graphml", b"<graphml>\n<!-- \x80 --></graphml>");
    bytes("f.csv", b"src,dst,size_bytes,start_ns\n0,1,1\xff,0\n");
    bytes("s.cdf", b"0 0\n\xc3\x28 100\n");
    bytes("u.toml", b"\xff\xfes\0e\0e\0d\0");
    let incast = "kind = \"permutation\"\nsize = \"1KB\"";
    let star = "kind = \"star\"\nhosts = 4";
    type Make<'a> = Option<(&'a str, &'a str)>;
    let cases: &[(&[&str], Make<'_>, &str)] = &[
        (
            &["check", "m.toml"],
            None,
            "m.toml:2:6: this is not UTF-8 text: byte 0xe9",
        ),
        (&["sweep", "m.toml"], None, "m.toml:2:6"),
        (&["pint", "plan", "m.toml"], None, "m.toml:2:6"),
        (&["harm", "m.toml"], None, "m.toml:2:6"),
        (&["slowdown", "f.csv"], None, "f.csv:2:6"),
        (
            &["check", "u.toml"],
            None,
            "u.toml:1:1: this is not UTF-8 text: it is UTF-16",
        ),
        (
            &["check", "t.toml"],
            Some(("kind = \"file\"\npath = \"n.txt\"", incast)),
            "n.txt:2:7",
        ),
        (
            &["check", "t.toml"],
            Some(("kind = \"graphml\"\npath = \"n.graphml\"", incast)),
            "n.graphml:2:6",
        ),
        (
            &["check", "t.toml"],
            Some((star, "kind = \"list\"\npath = \"f.csv\"")),
            "f.csv:2:6",
        ),
        (
            &["check", "t.toml"],
            Some((
                star,
                "kind = \"poisson\"\nsizes = \"s.cdf\"\nload = 0.5\nduration = \"1us\"",
            )),
            "s.cdf:2:1: this is not UTF-8 text: byte 0xc3",
        ),
    ];
    for (args, made, place) in cases {
        if let Some((topology, workload)) = made {
            scenario(topology, workload);
        }
        let outcome = folder.run(args);
        let said = unwrapped(&outcome);
        assert_eq!(outcome.code, Some(2), "{args:?}: {said}");
        assert!(said.contains(place), "{args:?}: no `{place}` in {said}");
        assert!(said.contains("help: save"), "{args:?}: {said}");
    }
}

#[test]
fn the_largest_sizes_are_documented() {
    let text = project_text("docs/scenarios.md");
    for kind in FileKind::ALL {
        let row = format!("| {kind} | {} |", kind.largest() >> 20);
        assert!(text.lines().any(|line| line == row), "{row}");
    }
}
