//! `fabricsim report`.

use crate::plot::result;
use crate::support::{Folder, project};

/// A scenario that finishes at once.
const SCENARIO: &str = r#"
name = "tiny"
[topology]
kind = "star"
hosts = 4
[[workload]]
kind = "incast"
fan_in = 3
size = "10KB"
at = "0s"
[cc]
kind = "hpcc"
"#;

/// Parses the page, without styles and sizes of figures, as a tree of elements. An error that
/// browsers would tolerate fails the test.
fn assert_well_formed(html: &str) {
    let body = html.strip_prefix("<!DOCTYPE html>").expect("HTML5");
    let closed: String = body
        .lines()
        .map(|line| match line.starts_with("<meta ") {
            true => line.replacen('>', "/>", 1) + "\n",
            false => line.to_owned() + "\n",
        })
        .collect();
    roxmltree::Document::parse(&closed).unwrap_or_else(|error| panic!("{error}\n{html}"));
}

#[test]
fn two_runs_on_a_page() {
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    folder
        .run(&["run", "s.toml", "--quiet", "--out", "a"])
        .succeeded();
    folder
        .run(&[
            "run",
            "s.toml",
            "--quiet",
            "--out",
            "b",
            "--set",
            "cc.eta=0.5",
        ])
        .succeeded();
    let outcome = folder.run(&["report", "a", "b"]).succeeded();
    assert_eq!(outcome.stdout, "report.html\n");
    let html = folder.read("report.html");
    assert_well_formed(&html);

    // Runs with their digests, and the one setting that differs, which is the only row.
    for dir in ["a", "b"] {
        let checksum = folder.summary(dir)["checksum"]
            .as_str()
            .expect("a checksum")
            .to_owned();
        assert!(html.contains(&checksum), "{checksum}");
    }
    let row = "<tr><th scope=\"row\">cc.eta</th><td class=\"number\">0.95</td>\
               <td class=\"number\">0.5</td></tr>";
    assert!(html.contains(row), "{html}");

    // Figures, the tables and the settings.
    assert_eq!(html.matches("<svg xmlns").count(), 2);
    assert!(html.contains("all flows have one size") && html.contains("flow completion time"));
    assert!(html.contains("30 KB - 1 MB"));
    assert_eq!(html.matches("<details>").count(), 2);
    // The verdict is first, and an incast of three has one round.
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("In short</h2>") < place("Slowdown over size</h2>"));
    assert!(place("lower than") < place("Incast completion times</h2>"));
    assert!(place("Runs</h2>") < place("class=\"appendix\""));
    assert!(html.contains("too few flows to say how certain that is"));
}

/// fabricsim refuses such names of scenarios, but other programs may write them.
#[test]
fn seeds_of_a_setting_are_taken_together() {
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    for (cc, rate) in [("hpcc", "cc.eta=0.95"), ("slow", "cc.eta=0.3")] {
        for seed in ["1", "2", "3"] {
            let dir = format!("{cc}-{seed}");
            let args = [
                "run", "s.toml", "--quiet", "--out", &dir, "--seed", seed, "--set", rate,
            ];
            folder.run(&args).succeeded();
        }
    }
    let runs = ["hpcc-1", "hpcc-2", "hpcc-3", "slow-1", "slow-2", "slow-3"];
    folder.run(&[&["report"], &runs[..]].concat()).succeeded();
    let html = folder.read("report.html");
    assert!(
        html.contains("hpcc vs slow") || html.contains("hpcc&#39;s median slowdown is"),
        "{html}"
    );
    assert!(html.contains("up to 3 of each setting"), "{html}");
}

#[test]
fn classes_can_be_shown_alone() {
    let folder = Folder::new();
    let flows = result(10).replace(",0,1,0,", ",0,1,2,");
    folder.write("a.csv", &flows);
    folder.run(&["report", "a.csv", "--class", "2"]).succeeded();
    let html = folder.read("report.html");
    assert!(html.contains("Only flows of class 2.") && html.contains("Flows of class 2</text>"));
    let outcome = folder.run(&["report", "a.csv", "--class", "0"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("the classes of its flows are 2"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn names_are_text() {
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    let dir = "<script>folder";
    folder
        .run(&["run", "s.toml", "--quiet", "--out", dir])
        .succeeded();
    let file = format!("{dir}/summary.json");
    let summary = folder.read(&file);
    assert!(summary.contains("\"tiny\"") && summary.contains("\"< 10 KB\""));
    let summary = summary.replace("\"tiny\"", "\"<script>alert('scenario')</script>\"");
    folder.write(&file, &summary.replace("\"hpcc\"", "\"<script>algorithm\""));
    folder
        .run(&["report", dir, "--title", "<script>title"])
        .succeeded();
    let html = folder.read("report.html");
    assert_well_formed(&html);
    assert!(html.contains("&lt;script&gt;alert(&#39;scenario&#39;)&lt;/script&gt;"));
    for name in ["folder", "algorithm", "title"] {
        assert!(html.contains(&format!("&lt;script&gt;{name}")), "{name}");
    }
    assert!(!html.contains("<script"));
}

#[test]
fn unfinished_flows_stand_out() {
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    folder
        .run(&[
            "run",
            "s.toml",
            "--quiet",
            "--out",
            "a",
            "--set",
            "run.stop_at=1us",
        ])
        .succeeded();
    folder
        .run(&["report", "a", "-o", "page.html", "--title", "Cut short"])
        .succeeded();
    let html = folder.read("page.html");
    assert_well_formed(&html);
    let summary = folder.summary("a");
    assert_eq!(summary["flows"]["unfinished"], 3);
    let warning = html
        .find("a: 3 flows have not finished")
        .expect("a warning");
    assert!(
        warning < html.find("<h2").expect("sections"),
        "before all sections"
    );
    assert!(html.contains("Unfinished flows</h2>"), "{html}");
    assert!(html.contains("<h1>Cut short</h1>"));
}

#[test]
fn another_simulators_flows_need_no_summary() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("published")).expect("a folder");
    folder.write(
        "published/fct.txt",
        "0b000001 0b000101 10000 100 1000 2000000000 5000 4000\n",
    );
    folder.write("mine.csv", &result(10));
    folder.run(&["report", "published", "mine.csv"]).succeeded();
    let html = folder.read("report.html");
    assert_well_formed(&html);
    assert!(
        html.contains("<th scope=\"row\">published</th>")
            && html.contains("<th scope=\"row\">mine</th>")
    );
    assert!(html.contains("A run without summary.json"));
}

#[test]
fn observations_are_drawn_when_they_are_there() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("a")).expect("a folder");
    folder.write("a/fct.csv", &result(10));
    folder.write(
        "a/queues.csv",
        "time_ns,node,port,queue_bytes\n1000,9,0,10\n2000,9,0,40\n",
    );
    folder.write("a/links.csv", "time_ns,node,port,sent_bytes,utilization,marked_packets,dropped_packets,paused_ns\n1000,9,0,10,0.5,0,0,0\n2000,9,0,9,0.75,0,0,0\n");
    folder.write(
        "a/queue_distribution.csv",
        "node,port,from_bytes,upto_bytes,time_ns\n9,0,0,1000,900\n9,0,1000,2000,100\n",
    );
    folder.run(&["report", "a"]).succeeded();
    let html = folder.read("report.html");
    assert_well_formed(&html);
    for text in [
        "Queues",
        "Utilization of links",
        "time with at least this queue (%)",
        "node 9 port 0",
    ] {
        assert!(html.contains(&format!(">{text}</text>")), "{text}");
    }
    assert!(!html.contains("Rates of flows"));
}

#[test]
fn a_sweep_is_a_report_of_its_points() {
    let folder = Folder::new();
    for load in ["0.3", "0.5"] {
        for cc in ["hpcc", "dctcp", "dcqcn", "timely"] {
            let dir = format!("sweep/points/cc.kind={cc},load={load}");
            std::fs::create_dir_all(folder.path(&dir)).expect("folders");
            folder.write(&format!("{dir}/fct.csv"), &result(10));
        }
    }
    std::fs::create_dir(folder.path("sweep/points/cc.kind=hpcc,load=0.9")).expect("a folder");
    folder.run(&["report", "sweep"]).succeeded();
    let html = folder.read("report.html");
    assert_well_formed(&html);
    // A figure over load, and one over size for each load, with the algorithms as series.
    assert!(html.contains("Slowdown over load</h2>"), "{html}");
    for text in ["load = 0.3", "load = 0.5", "hpcc", "timely"] {
        assert!(html.contains(&format!("{text}</text>")), "{text}");
    }
    assert!(html.contains("cc.kind=hpcc,load=0.9: there is no fct.csv"));

    std::fs::create_dir_all(folder.path("none/points")).expect("folders");
    let outcome = folder.run(&["report", "none"]);
    assert_eq!(outcome.code, Some(2));
}

/// Ten settings had no verdict, one figure for each load and seed, and each warning once a seed.
#[test]
fn a_large_sweep_has_a_verdict_and_each_warning_once() {
    let folder = Folder::new();
    let mut names = Vec::new();
    for load in ["0.1", "0.2", "0.3", "0.4", "0.5"] {
        for (cc, factor) in [("hpcc", 1), ("dcqcn", 2)] {
            for seed in ["1", "2", "3"] {
                let name = format!("load={load},scheme={cc},seed={seed}");
                let dir = format!("sweep/points/{name}");
                std::fs::create_dir_all(folder.path(&dir)).expect("folders");
                let header = "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns";
                let rows: String = (0..30)
                    .map(|flow| {
                        let fct = factor * (10_000 + 10 * flow + seed.len());
                        format!("{flow},0,1,0,{},{flow}000,{fct},5000\n", 1_000 + flow)
                    })
                    .collect();
                folder.write(&format!("{dir}/fct.csv"), &format!("{header}\n{rows}"));
                let warnings = match load {
                    "0.5" => "[\"the load is high\"]",
                    _ => "[]",
                };
                let summary = format!("{{\"status\": \"finished\", \"warnings\": {warnings}}}");
                folder.write(&format!("{dir}/summary.json"), &summary);
                names.push(name);
            }
        }
    }
    folder.run(&["report", "sweep"]).succeeded();
    let html = folder.read("report.html");
    assert_well_formed(&html);
    assert!(
        html.contains("than dcqcn&#39;s for flows of class 0, at each load"),
        "{html}"
    );
    assert_eq!(html.matches("the load is high").count(), 1);
    assert!(html.contains("6 of 30 runs: the load is high"), "{html}");
    let main = html.split("class=\"appendix\"").next().expect("a page");
    assert_eq!(main.matches("<svg xmlns").count(), 1);
    // The order is that of the sweep, if its table is there.
    names.reverse();
    let rows: String = names
        .iter()
        .map(|name| format!("\"{name}\",finished\n"))
        .collect();
    folder.write("sweep/points.csv", &format!("point,status\n{rows}"));
    folder.run(&["report", "sweep"]).succeeded();
    let html = folder.read("report.html");
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place(">load = 0.5, dcqcn<") < place(">load = 0.1, hpcc<"));
}

#[test]
fn damaged_files_are_named() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("a")).expect("a folder");
    let outcome = folder.run(&["report", "a"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("cannot read the results"),
        "{}",
        outcome.stderr
    );

    folder.write("a/fct.csv", &result(10));
    folder.write("a/summary.json", "{\n  \"status\": }\n");
    let outcome = folder.run(&["report", "a"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("summary.json:2:"),
        "{}",
        outcome.stderr
    );
    assert!(!folder.has("report.html"));
}

/// Checks that the report of an observed run has tables beside the figures.
#[test]
fn observed_runs_have_tables() {
    let folder = Folder::new();
    let scenario = project("examples/scenarios/long-short.toml")
        .display()
        .to_string();
    folder
        .run(&[
            "run",
            &scenario,
            "--out",
            "seen",
            "--set",
            "observe.links=true",
            "--quiet",
        ])
        .succeeded();
    folder.write(
        "seen/pauses.csv",
        "time_ns,node,port,priority,event\n1000,1,0,3,pause\n3500,1,0,3,resume\n",
    );
    folder
        .run(&["report", "seen", "-o", "page.html"])
        .succeeded();
    let page = folder.read("page.html");
    for expected in [
        "Queue lengths, weighted by time",
        "The 10 busiest observed directions",
        "node 1 port 0 priority 3",
        "2.5 us",
        "Jain&#39;s index",
    ] {
        assert!(
            page.contains(expected) || page.contains(&expected.replace("&#39;", "'")),
            "{expected}"
        );
    }
}
