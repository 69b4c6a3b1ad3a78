//! `fabricsim plot`.

mod over_time;
mod sweeps;

use roxmltree::Document;

use crate::support::Folder;

const HEADER: &str = "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns\n";

/// Returns a result of 200 flows of 1 to 200 KB that are slower than the ideal by `percent`.
pub(crate) fn result(percent: u64) -> String {
    let mut text = HEADER.to_owned();
    for i in 1..=200u64 {
        let ideal = 5_000 + 80 * i;
        let fct = ideal * (100 + percent + i % 10) / 100;
        text += &format!("{i},0,1,0,{},{},{fct},{ideal}\n", i * 1_000, i * 100);
    }
    text
}

const QUEUES: &str = "time_ns,node,port,queue_bytes\n\
                      1000,9,0,10\n1000,9,1,0\n2000,9,0,40000\n2000,9,1,7\n";

/// Returns a folder with two results, `a` with queues and `b`.
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, percent) in [("a", 20), ("b", 80)] {
        std::fs::create_dir(folder.path(name)).expect("a folder");
        folder.write(&format!("{name}/fct.csv"), &result(percent));
    }
    folder.write("a/queues.csv", QUEUES);
    folder
}

/// Returns the texts of a figure.
fn texts(folder: &Folder, name: &str) -> Vec<String> {
    let svg = folder.read(name);
    let document = Document::parse(&svg).expect("XML");
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

fn assert_has(texts: &[String], wanted: &[&str]) {
    for text in wanted {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
}

#[test]
fn slowdowns_of_two_results_over_the_sizes_of_tenths() {
    let folder = folder();
    let outcome = folder
        .run(&["plot", "slowdown", "a", "b/fct.csv", "-o", "s.svg"])
        .succeeded();
    assert_eq!(outcome.stdout, "s.svg\n");
    let texts = texts(&folder, "s.svg");
    assert_has(
        &texts,
        &["a", "b", "median", "95th percentile", "99th percentile"],
    );
    assert_has(&texts, &["slowdown (median)", "20K", "100K", "200K"]);
}

#[test]
fn names_title_and_percentiles_are_the_users() {
    let folder = folder();
    let names = ["--name", "ours <1>", "--name", "theirs", "--title", "Mine"];
    let mut args = vec![
        "plot",
        "slowdown",
        "a",
        "b",
        "-o",
        "s.svg",
        "--percentile",
        "99",
        "--bins",
        "2",
    ];
    args.extend(names);
    folder.run(&args).succeeded();
    let texts = texts(&folder, "s.svg");
    assert_has(&texts, &["ours <1>", "theirs", "Mine", "99th percentile"]);
    assert!(!texts.iter().any(|text| text == "median"), "{texts:?}");
}

#[test]
fn the_published_simulators_file_is_drawn_too() {
    let folder = folder();
    folder.write(
        "fct.txt",
        "0b000001 0b000101 10000 100 1000 2000000000 5000 4000\n\
         0b000001 0b000201 10000 100 500000 2000000000 90000 50000\n",
    );
    folder
        .run(&["plot", "cdf", "fct.txt", "--of", "size", "-o", "c.svg"])
        .succeeded();
    assert_has(&texts(&folder, "c.svg"), &["flow size", "flows (%)", "100"]);
}

#[test]
fn distributions_have_the_axis_of_what_they_are_of() {
    let folder = folder();
    for (of, label) in [("fct", "flow completion time"), ("slowdown", "slowdown")] {
        folder
            .run(&["plot", "cdf", "a", "b", "--of", of, "-o", "c.svg"])
            .succeeded();
        assert_has(&texts(&folder, "c.svg"), &[label, "a", "b"]);
    }
}

const GROUPS: &str = "group,ports,from_bytes,upto_bytes,time_ns,share_below\n\
                      all,2,0,1,900,0.900000000\nall,2,3000,4000,100,1.000000000\n\
                      door,1,0,1,50,0.100000000\ndoor,1,3000,4000,450,1.000000000\n";

#[test]
fn queues_have_a_curve_for_each_group() {
    let folder = folder();
    folder.write("a/queue_groups.csv", GROUPS);
    folder
        .run(&[
            "plot", "queues", "a", "-o", "q.svg", "--group", "all", "--group", "door",
        ])
        .succeeded();
    assert_has(
        &texts(&folder, "q.svg"),
        &[
            "queue at a switch port",
            "time with at most this queue (%)",
            "all",
            "door",
        ],
    );
    let outcome = folder.run(&["plot", "queues", "a", "-o", "q.svg", "--group", "gate"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("has no group `gate`"),
        "{}",
        outcome.stderr
    );
    let outcome = folder.run(&["plot", "queues", "b", "-o", "q.svg"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("there is no queue_groups.csv"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn bins_follow_the_number_of_flows_and_percentiles_need_enough_of_them() {
    let folder = folder();
    let args = ["plot", "slowdown", "a", "b", "-o", "s.svg", "--bins", "10"];
    let outcome = folder.run(&args).succeeded();
    let note = "no p99: it needs 100 flows in a bin, and no bin has so many";
    assert_eq!(outcome.stdout, format!("{note}\ns.svg\n"));
    let texts = texts(&folder, "s.svg");
    assert_has(&texts, &["median", "95th percentile", note]);
    assert!(!texts.iter().any(|text| text == "99th percentile"));
}

#[test]
fn a_class_and_the_time_after_a_warm_up_can_be_drawn_alone() {
    let folder = folder();
    let selected = ["--class", "0", "--warm-up", "10us"];
    for kind in ["slowdown", "cdf", "compare"] {
        let args = [&["plot", kind, "a", "b", "-o", "s.svg"], &selected[..]].concat();
        folder.run(&args).succeeded();
        let texts = texts(&folder, "s.svg");
        let title = texts
            .iter()
            .find(|text| text.contains("flows of class 0, without"));
        assert!(title.is_some(), "{texts:?}");
    }
}

#[test]
fn a_comparison_is_relative_to_the_first() {
    let folder = folder();
    folder
        .run(&["plot", "compare", "a", "b", "-o", "r.svg"])
        .succeeded();
    assert_has(
        &texts(&folder, "r.svg"),
        &["a (= 1)", "b", "slowdown (median), ratio"],
    );

    let outcome = folder.run(&["plot", "compare", "a", "-o", "r.svg"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("two results or more"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn queues_over_time_and_what_is_left_out() {
    let folder = folder();
    folder
        .run(&["plot", "series", "a", "-o", "q.svg"])
        .succeeded();
    assert_has(
        &texts(&folder, "q.svg"),
        &["node 9 port 0", "node 9 port 1", "queue", "40 KB"],
    );

    let outcome = folder
        .run(&["plot", "series", "a", "--most", "1", "-o", "q.svg"])
        .succeeded();
    assert!(
        outcome.stdout.starts_with("1 of 2 series are drawn"),
        "{}",
        outcome.stdout
    );
    assert!(
        !texts(&folder, "q.svg")
            .iter()
            .any(|text| text == "node 9 port 1")
    );
}

#[test]
fn a_png_is_a_picture_of_twice_the_size() {
    let folder = folder();
    folder.run(&["plot", "cdf", "a", "-o", "c.svg"]).succeeded();
    folder
        .run(&["plot", "cdf", "a", "-o", "c.png", "--dark"])
        .succeeded();
    let svg = folder.read("c.svg");
    let document = Document::parse(&svg).expect("XML");
    let width: u32 = document
        .root_element()
        .attribute("width")
        .and_then(|w| w.parse().ok())
        .expect("a width");
    let png = std::fs::read(folder.path("c.png")).expect("a PNG");
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    // The first chunk begins with the width.
    assert_eq!(png[16..20], (2 * width).to_be_bytes());
}

#[test]
fn a_pdf_is_a_page_of_the_pictures_size() {
    let folder = folder();
    folder.run(&["plot", "cdf", "a", "-o", "c.pdf"]).succeeded();
    let pdf = std::fs::read(folder.path("c.pdf")).expect("the figure");
    let pdf = String::from_utf8_lossy(&pdf);
    assert!(pdf.starts_with("%PDF-1.") && pdf.contains("/MediaBox [0 0 "));
}

#[test]
fn errors_are_named() {
    let folder = folder();
    folder.write("empty.csv", HEADER);
    folder.write("cut.csv", "time_ns,node,port,queue_bytes\n1,2,x,4\n");
    for (args, words) in [
        (&["slowdown", "a", "-o", "s.gif"][..], ".svg, .png or .pdf"),
        (
            &["slowdown", "a", "-o", "s.svg", "--percentile", "0.95"],
            "did you mean 95?",
        ),
        (
            &["cdf", "a", "-o", "s.svg", "--class", "4"],
            "the classes of its flows are 0",
        ),
        (
            &["slowdown", "a", "-o", "s.svg", "--percentile", "99.9"],
            "nothing to draw",
        ),
        (
            &["slowdown", "a", "b", "-o", "s.svg", "--name", "one"],
            "1 times for 2 results",
        ),
        (&["slowdown", "empty.csv", "-o", "s.svg"], "nothing to draw"),
        (
            &["slowdown", "nowhere", "-o", "s.svg"],
            "cannot read the results `nowhere`",
        ),
        (&["series", "b", "-o", "s.svg"], "there is no queues.csv"),
        (
            &["series", "a", "--node", "77", "-o", "s.svg"],
            "nothing to draw",
        ),
        (
            &["series", "a", "--of", "rate", "--node", "9", "-o", "s.svg"],
            "choose them with --flow",
        ),
        (
            &["series", "cut.csv", "-o", "s.svg"],
            "`x` does not fit `port`",
        ),
    ] {
        let outcome = folder.run(&[&["plot"], args].concat());
        assert_eq!(outcome.code, Some(2), "{args:?}");
        // Messages are wrapped.
        let said = outcome
            .stderr
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace("| ", "");
        assert!(said.contains(words), "{args:?}: {said}");
        assert!(!folder.has("s.svg"));
    }
}

const COLLECTIVES: &str = "class,job,collective,group,operation,algorithm,iteration,ranks,size_bytes,\
                           start_ns,end_ns,duration_ns,algbw_gbps,busbw_gbps,slowest_rank,\
                           slowest_host,last_flow,last_sender\n";

/// If a job has two groups, the slower one counts in each iteration.
#[test]
fn collectives_over_their_iterations() {
    let folder = folder();
    let mut text = COLLECTIVES.to_owned();
    for iteration in 0..3u64 {
        for group in 0..2u64 {
            let (start, time) = (iteration * 9_000, 1_000 + 500 * group + 100 * iteration);
            text += &format!(
                "0,train,{group},{group},all-reduce,ring,{iteration},8,1000,{start},{},{time},8,\
                 {}.5,0,0,1,1\n",
                start + time,
                14 - group
            );
        }
    }
    folder.write("a/collectives.csv", &text);
    folder
        .run(&["plot", "collectives", "a", "-o", "c.svg"])
        .succeeded();
    assert_has(
        &texts(&folder, "c.svg"),
        &[
            "Time of a collective",
            "Bus bandwidth",
            "all-reduce (ring)",
            "iteration",
        ],
    );
    let none = folder.run(&["plot", "collectives", "b", "-o", "c.svg"]);
    assert_eq!(none.code, Some(2), "{}", none.stderr);
    assert!(
        none.stderr.contains("there is no collectives.csv"),
        "{}",
        none.stderr
    );
    let other = ["plot", "collectives", "a", "-o", "c.svg", "--job", "other"];
    let other = folder.run(&other);
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(
        other.stderr.contains("no collective that matches"),
        "{}",
        other.stderr
    );
}
