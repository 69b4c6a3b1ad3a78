//! Every cause of packet loss appears on the terminal, in the report and in the tables of sweeps.

use serde_json::Value;

use crate::support::Folder;

/// Senders with first windows that overrun a short TCP queue.
const TAIL_DROP: &str = "[topology]\nkind = \"star\"\nhosts = 9\nrate = \"10Gbps\"\n\
    [[workload]]\nkind = \"incast\"\nfan_in = 8\nreceiver = 8\nsize = \"200KB\"\nat = \"0s\"\n\
    [cc]\nkind = \"newreno\"\n[[queue]]\ndiscipline = \"pfifo limit 10\"\n";

/// More senders than the control queue has room for headers.
const TRIMMED: &str = "[topology]\nkind = \"star\"\nhosts = 30\n\
    [[workload]]\nkind = \"incast\"\nfan_in = 29\nreceiver = 0\nsize = \"100KB\"\nat = \"0s\"\n\
    [cc]\nkind = \"none\"\n[switch]\npfc = false\ntrim_above = \"2KB\"\n[rdma]\nrto_min = \"300us\"\n";

/// Senders that react to marks.
const MARKED: &str = "[topology]\nkind = \"star\"\nhosts = 5\n\
    [[workload]]\nkind = \"incast\"\nfan_in = 4\nreceiver = 0\nsize = \"1MB\"\nat = \"0s\"\n\
    [cc]\nkind = \"dctcp\"\n[switch]\necn = { kmin = \"20KB\", kmax = \"20KB\", pmax = 1.0 }\n";

/// Runs `scenario` and returns the lines of the terminal that begin with `words`, and the summary.
fn run(folder: &Folder, name: &str, scenario: &str) -> (Vec<String>, Value) {
    let file = format!("{name}.toml");
    folder.write(&file, scenario);
    let told = folder
        .run(&["run", &file, "--out", name])
        .succeeded()
        .stdout;
    let words = ["losses", "trimmed", "timeouts", "marked"];
    let lines = told
        .lines()
        .filter(|line| words.iter().any(|word| line.starts_with(word)));
    (lines.map(str::to_owned).collect(), folder.summary(name))
}

#[test]
fn a_run_says_each_way_in_which_packets_were_lost_or_marked() {
    let folder = Folder::new();
    let count = |summary: &Value, key: &str| summary[key].as_u64().expect(key);
    let (lines, summary) = run(&folder, "tail-drop", TAIL_DROP);
    let of = |key: &str| count(&summary, key);
    assert!(of("queue_drops") > 0 && of("timeouts") > 0, "{summary:#}");
    let wanted = [
        format!(
            "losses       0 buffer drops, {} queue drops, 0 link losses; 0 PFC pauses; longest queue {} bytes",
            of("queue_drops"),
            of("max_queue_bytes")
        ),
        format!("timeouts     {} retransmission timeouts", of("timeouts")),
    ];
    assert_eq!(lines, wanted);

    let (lines, summary) = run(&folder, "trimmed", TRIMMED);
    let of = |key: &str| count(&summary, key);
    assert!(of("trimmed_headers_lost") > 0, "{summary:#}");
    assert!(
        of("trimmed_headers_lost") < of("trimmed_packets"),
        "{summary:#}"
    );
    let wanted = format!(
        "trimmed      {} packets; {} of them also lost their headers",
        of("trimmed_packets"),
        of("trimmed_headers_lost")
    );
    assert_eq!(lines[1], wanted);
    assert_eq!(of("queue_drops"), of("trimmed_headers_lost"));
    assert!(
        lines[0].contains(&format!(", {} queue drops,", of("queue_drops"))),
        "{lines:?}"
    );

    let (lines, summary) = run(&folder, "marked", MARKED);
    let marked = count(&summary, "marked_packets");
    assert!(marked > 0);
    assert_eq!(lines[1..], [format!("marked       {marked} packets")]);
}

#[test]
fn a_report_has_a_column_for_each_way() {
    let folder = Folder::new();
    run(&folder, "tail-drop", TAIL_DROP);
    let (_, summary) = run(&folder, "trimmed", TRIMMED);
    let made = folder.run(&["report", "tail-drop", "trimmed", "-o", "page.html"]);
    made.succeeded();
    let page = folder.read("page.html");
    for column in [
        "buffer drops",
        "queue drops",
        "trimmed",
        "headers lost, too",
        "link losses",
        "lost on failed links",
        "without a route",
        "marked",
        "timeouts",
    ] {
        assert!(page.contains(column), "{column}");
    }
    let lost = summary["trimmed_headers_lost"].as_u64().expect("a count");
    let warning = "trimmed packets lost their headers, too";
    assert!(lost > 0 && page.contains(warning), "{lost}");
}

#[test]
fn a_sweep_says_what_its_points_have_lost() {
    let folder = Folder::new();
    folder.write("base.toml", TRIMMED);
    folder.write(
        "sweep.toml",
        "scenario = \"base.toml\"\n[[axis]]\nkey = \"workload.0.fan_in\"\nvalues = [2, 29]\n",
    );
    let told = folder
        .run(&["sweep", "sweep.toml", "--out", "out"])
        .succeeded()
        .stdout;
    let table = folder.read("out/points.csv");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let cell = |row: &[&str], name: &str| -> u64 {
        let place = rows[0].iter().position(|column| *column == name);
        row[place.expect(name)].parse().expect(name)
    };
    let parts = [
        "buffer_drops",
        "queue_drops",
        "link_losses",
        "link_down_drops",
        "no_route_drops",
    ];
    for row in &rows[1..] {
        let sum: u64 = parts.iter().map(|part| cell(row, part)).sum();
        assert_eq!(cell(row, "drops"), sum, "{row:?}");
    }
    let worst = rows.last().expect("two points");
    for name in ["trimmed_packets", "trimmed_headers_lost", "timeouts"] {
        assert!(cell(worst, name) > 0, "{name}");
    }
    let (drops, trimmed) = (cell(worst, "queue_drops"), cell(worst, "trimmed_packets"));
    let timeouts = cell(worst, "timeouts");
    let wanted = format!(", {drops} queue drops, {trimmed} trimmed, {timeouts} timeouts");
    assert!(told.contains(&wanted), "{told}");
}

/// A flow never starts if its destination had no route at its start time, no matter if the run ends
/// by itself or by its `stop_at`.
#[test]
fn a_flow_without_a_route_is_told_when_the_run_is_stopped() {
    let folder = Folder::new();
    folder.write(
        "flows.csv",
        "src,dst,size_bytes,start_ns\n1,2,1000000000,0\n0,3,1000,2000\n",
    );
    let scenario = "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"list\"\n\
        path = \"flows.csv\"\n[cc]\nkind = \"none\"\n[run]\nstop_at = \"50us\"\n\
        [[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [3, 4]\n";
    folder.write("s.toml", scenario);
    let run = folder.run(&["run", "s.toml", "--out", "out"]);
    assert_eq!(folder.summary("out")["status"], "time-reached");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let said =
        "2 flows did not finish: the run reached the scenario's stop_at; 1 of them have no route";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    folder.write(
        "flows.csv",
        "src,dst,size_bytes,start_ns\n1,2,1000000000,0\n0,2,1000,2000\n",
    );
    let run = folder.run(&["run", "s.toml", "--out", "other"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
