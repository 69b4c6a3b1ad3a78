//! Large networks: checked in seconds, or refused at once with their memory demand.

use crate::support::{Folder, Outcome};

/// Returns a scenario of one small incast on a network.
fn scenario(topology: &str, cc: &str) -> String {
    format!(
        "[topology]\n{topology}\n[cc]\nkind = \"{cc}\"\n[[workload]]\nkind = \"incast\"\nfan_in = 2\n\
         size = \"1KB\"\nat = \"0s\"\n"
    )
}

fn check(topology: &str, cc: &str) -> Outcome {
    let folder = Folder::new();
    folder.write("big.toml", &scenario(topology, cc));
    folder.run(&["check", "big.toml"])
}

/// Returns the CPU seconds, user and system, of a command with `arguments`.
#[cfg(unix)]
fn cpu_seconds(folder: &Folder, arguments: &str) -> f64 {
    let command = format!(
        "{} {arguments} >/dev/null && times",
        env!("CARGO_BIN_EXE_fabricsim")
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder.path("."))
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{arguments}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("plain text");
    // The second line has the children's times, such as 0m1.250s 0m0.310s.
    let times = text.lines().nth(1).expect("two lines").split_whitespace();
    let seconds = times.map(|time| {
        let (minutes, seconds) = time.split_once('m').expect("minutes");
        let seconds: f64 = seconds.trim_end_matches('s').parse().expect("seconds");
        60.0 * minutes.parse::<f64>().expect("minutes") + seconds
    });
    seconds.sum()
}

/// Tests have slightly less optimization than a release.
#[test]
#[cfg(unix)]
fn networks_of_65536_nodes_are_checked_in_seconds() {
    let folder = Folder::new();
    for (name, topology, most) in [
        ("fat-tree", "kind = \"fat-tree\"\nk = 64", 5.0),
        ("star", "kind = \"star\"\nhosts = 65535", 5.0),
        (
            "leaf-spine",
            "kind = \"leaf-spine\"\nleaves = 1024\nspines = 64\nhosts_per_leaf = 62",
            5.0,
        ),
        (
            "dumbbell",
            "kind = \"dumbbell\"\nhosts_per_side = 32767",
            5.0,
        ),
        (
            "chain",
            "kind = \"chain\"\nswitches = 1000\nhosts_per_switch = 64",
            5.0,
        ),
    ] {
        folder.write("big.toml", &scenario(topology, "dctcp"));
        let seconds = cpu_seconds(&folder, "check big.toml");
        println!("check of a {name}: {seconds:.2} s of CPU");
        assert!(seconds < most, "check of a {name} takes {seconds} s of CPU");
    }
}

#[test]
fn routes_that_would_be_too_large_are_refused_with_their_size() {
    for kind in ["chain", "isp"] {
        let switches = "switches = 60000\nhosts_per_switch = 1";
        let outcome = check(&format!("kind = \"{kind}\"\n{switches}"), "dctcp");
        assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
        for words in [
            "big.toml",
            "the routes of 60000 switches to hosts at 60000 places need 28.8 GB, and the limit is \
             2.1 GB",
            "make the network smaller",
        ] {
            let said = outcome
                .stderr
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert!(
                said.replace("│ ", "").replace("| ", "").contains(words),
                "{kind}: {said}"
            );
        }
    }
}

#[test]
fn paths_without_room_in_the_telemetry_are_refused_before_routes_are_found() {
    let outcome = check("kind = \"chain\"\nswitches = 60000", "hpcc");
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    let said = &outcome.stderr;
    assert!(said.contains("a path passes 60000 switches"), "{said}");
    assert!(said.contains("dctcp"), "{said}");
}

#[test]
fn more_links_than_can_be_simulated_are_refused() {
    let outcome = check(
        "kind = \"leaf-spine\"\nleaves = 10000\nspines = 1000\nhosts_per_leaf = 1",
        "dctcp",
    );
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("this makes 10010000 links"),
        "{}",
        outcome.stderr
    );
}

/// Links that hold 125 TB in each direction, and flows that would fill them. No machine has that
/// much memory.
const LONG_FAT: &str = "[topology]\nkind = \"star\"\nhosts = 4\nrate = \"100Tbps\"\ndelay = \"10s\"\n\
     [[workload]]\nkind = \"incast\"\nfan_in = 2\nsize = \"1000TB\"\nat = \"0s\"\n\
     [cc]\nkind = \"hpcc\"\n";

#[test]
fn packets_that_no_memory_holds_are_refused_before_the_run() {
    let folder = Folder::new();
    folder.write("long.toml", LONG_FAT);
    for command in [
        &["check", "long.toml"][..],
        &["run", "long.toml", "--out", "out"],
    ] {
        let refused = folder.run(command);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        for words in ["its packets need up to", "packet_memory = "] {
            assert!(refused.stderr.contains(words), "{}", refused.stderr);
        }
    }
    assert!(!folder.path("out").exists());
    // With leave it is told, and with little to send there is nothing to tell.
    let may = ["check", "long.toml", "--set", "run.packet_memory=900TB"];
    let told = folder.run(&may).succeeded().stderr;
    assert!(told.contains("warning: packets need up to"), "{told}");
    let less = ["check", "long.toml", "--set", "workload.0.size=1GB"];
    assert_eq!(folder.run(&less).succeeded().stderr, "");
    // The user's own bound counts, regardless of the machine's memory.
    let bound = ["--set", "run.packet_memory=1MB"];
    let refused = folder.run(&[&less[..], &bound[..]].concat());
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("packet_memory is 1.0 MB"),
        "{}",
        refused.stderr
    );
}
