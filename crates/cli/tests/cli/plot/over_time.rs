//! Quantities over time, and queries.

use super::{assert_has, folder, texts};
use crate::support::Folder;

const LINKS: &str = "\
time_ns,node,port,name,tier,peer,sent_bytes,utilization,marked_packets,dropped_packets,paused_ns
1000,9,0,leaf0,leaf to spine,spine1,10,0.5,3,0,0
2000,9,0,leaf0,leaf to spine,spine1,10,0.5,9,0,400
";

/// Returns two queries of class 1, `slower` ns slower than 3 us.
fn queries(slower: u64) -> String {
    let header = "query,class,client,server,connection,query_bytes,response_bytes,\
                  issue_ns,completion_ns,qct_ns,ideal_qct_ns,slowdown\n";
    let end = |start: u64| start + 3_000 + slower;
    format!(
        "{header}7,1,2,3,5,4000,64,1000,{},1,2000,1\n8,1,2,3,5,4000,64,2000,{},1,2000,1\n",
        end(1_000),
        end(2_000)
    )
}

#[test]
fn pauses_marks_and_drops_are_drawn_with_names_and_events() {
    let folder = folder();
    folder.write("a/links.csv", LINKS);
    folder.write("b/links.csv", LINKS);
    let event = r#"{"kind": "link-down", "at": "1500ns", "link": [9, 11]}"#;
    let summary = format!(r#"{{"scenario": {{"event": [{event}]}}}}"#);
    folder.write("a/summary.json", &summary);
    for (of, label) in [
        ("paused", "paused in an interval"),
        ("marks", "packets marked in an interval"),
        ("drops", "packets dropped in an interval"),
    ] {
        let args = ["plot", "series", "a", "b", "-o", "s.svg", "--of", of];
        let outcome = folder.run(&args).succeeded();
        let drawn = texts(&folder, "s.svg");
        assert_has(&drawn, &[label, "a: leaf0 -> spine1", "b: leaf0 -> spine1"]);
        assert_has(&drawn, &["link 9 - 11 down", "2 us"]);
        assert_eq!(
            outcome.stdout.contains("all values are zero"),
            of == "drops"
        );
    }
}

#[test]
fn the_throughput_of_all_flows_is_one_series() {
    let folder = folder();
    let flows = "time_ns,flow,throughput_bps\n1000,1,1e9\n1000,2,3e9\n2000,1,2e9\n";
    folder.write("a/flows.csv", flows);
    let base = [
        "plot",
        "series",
        "a",
        "-o",
        "s.svg",
        "--of",
        "total-throughput",
    ];
    folder.run(&base).succeeded();
    assert_has(
        &texts(&folder, "s.svg"),
        &["all flows", "throughput of all flows", "4 Gbps"],
    );
    let outcome = folder.run(&[&base[..], &["--flow", "1"]].concat());
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("--of throughput"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn query_completion_times_are_drawn_and_compared() {
    let folder = folder();
    folder.write("a/rpc.csv", &queries(0));
    folder.write("b/rpc.csv", &queries(3_000));
    let base = ["plot", "cdf", "a", "b", "-o", "q.svg", "--of", "qct"];
    folder.run(&base).succeeded();
    assert_has(
        &texts(&folder, "q.svg"),
        &["query completion time", "queries (%)", "a", "b"],
    );
    let outcome = folder.run(&[&base[..], &["--class", "4"]].concat());
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("has no queries"),
        "{}",
        outcome.stderr
    );

    let compared = folder.run(&["compare", "a", "b"]).succeeded().stdout;
    let expected = "
query completion times        first     second     ratio
class 1, queries                  2          2
  p50                          3 us       6 us     0.500
  p95                             -          -         -
  p99                             -          -         -
  p99.9                           -          -         -
  mean                         3 us       6 us     0.500
";
    assert!(compared.ends_with(expected), "{compared}");
    folder.run(&["report", "a", "b"]).succeeded();
    assert!(
        folder
            .read("report.html")
            .contains("Query completion times</h2>")
    );
}

#[test]
fn points_of_two_sweeps_are_compared_by_name() {
    let folder = Folder::new();
    for (sweep, percent) in [("s", 20), ("t", 80)] {
        for load in ["0.3", "0.5"] {
            let point = format!("{sweep}/points/load={load}");
            std::fs::create_dir_all(folder.path(&point)).expect("a folder");
            folder.write(&format!("{point}/fct.csv"), &super::result(percent));
        }
    }
    let outcome = folder.run(&["compare", "s", "t"]).succeeded();
    assert_eq!(outcome.stdout.matches("flows in both").count(), 2);
    assert!(
        outcome
            .stdout
            .contains("first   s/points/load=0.5\nsecond  t/points/load=0.5")
    );
    let mixed = folder.run(&["compare", "s", "t/points/load=0.3"]);
    assert_eq!(mixed.code, Some(2));
    assert!(mixed.stderr.contains("one is a sweep, the other a result"));
}

/// A bin that ends at 2^64 - 1 bytes before other bins: the last point is far to the left of it.
#[test]
fn a_damaged_distribution_of_queues_has_a_picture() {
    let folder = folder();
    let mut rows = "group,ports,from_bytes,upto_bytes,time_ns,share_below\n".to_owned();
    for bin in 0..20 {
        let upto = if bin == 7 {
            u64::MAX
        } else {
            1_000 * (bin + 1)
        };
        rows += &format!("all,4,{},{upto},10,0.{:02}\n", 1_000 * bin, 80 + bin);
    }
    folder.write("a/queue_groups.csv", &rows);
    folder
        .run(&["plot", "queues", "a", "-o", "queues.svg"])
        .succeeded();
    assert!(folder.has("queues.svg"));
}

/// Folders may have any name that the file system allows.
#[cfg(target_os = "linux")]
#[test]
fn results_and_pictures_may_be_in_folders_whose_names_are_no_text() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    let folder = folder();
    let odd = OsStr::from_bytes(b"a\xff");
    std::fs::rename(folder.path("a"), folder.path("").join(odd)).expect("renamed");
    let picture = OsString::from_vec([odd.as_bytes(), b"/p.svg"].concat());
    let mut command = folder.command(&["plot", "slowdown", "-o"]);
    let output = command.arg(&picture).arg(odd).output().expect("a command");
    assert!(output.status.success(), "{output:?}");
    assert!(folder.path("").join(&picture).exists());
    // A name that is not a figure's is still an error.
    let mut command = folder.command(&["plot", "slowdown", "-o"]);
    let output = command.arg(odd).arg(odd).output().expect("a command");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the name of a figure ends in .svg"), "{said}");
}

#[test]
fn a_part_of_the_time_is_drawn_on_a_logarithmic_axis_with_its_data() {
    let folder = folder();
    let base = [
        "plot", "series", "a", "-o", "q.svg", "--csv", "q.csv", "--log",
    ];
    let with = |more: &[&str]| folder.run(&[&base, more].concat());
    let outcome = with(&["--from", "1500ns", "--to", "3us"]).succeeded();
    assert_eq!(outcome.stdout, "q.svg\nq.csv\n");
    let data = "series,time_ns,queue_bytes\nnode 9 port 0,2000,40000\nnode 9 port 1,2000,7\n";
    assert_eq!(folder.read("q.csv"), data);
    let outcome = with(&["--from", "3us", "--to", "2us"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("--to is not after --from"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_figure_of_a_paper_has_the_size_of_a_column_and_no_title() {
    let folder = folder();
    let base = ["plot", "cdf", "a", "b", "-o", "c.svg", "--style", "paper"];
    let with = |more: &[&str]| folder.run(&[&base, more].concat());
    let side = |name: &str| -> f64 {
        let svg = folder.read("c.svg");
        let document = roxmltree::Document::parse(&svg).expect("XML");
        let text = document.root_element().attribute(name).expect("a size");
        text.parse().expect("a number")
    };
    with(&[]).succeeded();
    assert!((side("width") - 336.0).abs() < 2.0, "{}", side("width"));
    assert!(
        !texts(&folder, "c.svg")
            .iter()
            .any(|text| text.contains("Distribution"))
    );
    with(&["--figure-size", "5inx72mm"]).succeeded();
    assert!((side("width") - 480.0).abs() < 2.0, "{}", side("width"));
    assert!((side("height") - 272.0).abs() < 2.0, "{}", side("height"));
    for (size, words) in [("5in", "84mmx60mm"), ("2inx1.1in", "need more room")] {
        let outcome = with(&["--figure-size", size]);
        assert_eq!(outcome.code, Some(2), "{size}");
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
}
