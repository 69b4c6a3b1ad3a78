//! Buffers, headroom and thresholds before a run, their largest use after it, and the reactions of
//! congestion control.

use serde_json::Value;

use crate::support::Folder;

/// Sixteen senders that fill a buffer until the switch pauses them.
const INCAST: &str = "[topology]\nkind = \"star\"\nhosts = 17\ndelay = \"1500ns\"\n\
    [[workload]]\nkind = \"incast\"\nfan_in = 16\nreceiver = 16\nsize = \"1MB\"\nat = \"0s\"\n\
    [switch]\nbuffer = \"6MB\"\n[cc]\nkind = \"none\"\nwindow_bdp = 0.0\n";

#[test]
fn check_prints_the_headroom_of_a_link_of_300_metres() {
    let folder = Folder::new();
    folder.write("a.toml", INCAST);
    let text = folder.run(&["check", "a.toml"]).succeeded().stdout;
    // 2 x (18,750 + 1) + 27,648 + 368; set aside with 4 KiB for each of 17 ports.
    for line in [
        "buffer of       switch0",
        "  6000000 bytes: 4816562 shared, 1183438 set aside for headroom and reserves (4096 bytes each) \
         of 1 priority",
        "  17 ports of 100Gbps, 1500 ns (300 m of cable at 5 ns/m)",
        "    headroom   65518 bytes for each priority = 2 x (rate x delay + 1) + 3 x 9216 (longest \
         packets) + 8 x 46 (pause frames); enough for 300 m",
        "    pause at   535173 shared bytes if the other ports are empty, 192662 if all 17 reach it \
         (0.125 of the free bytes)",
        "    resume     3072 bytes below the threshold of that time",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    let args = ["check", "a.toml", "--set", "cc={kind=\"dctcp\"}", "--json"];
    let json = folder.run(&args).succeeded().stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let ports = &json["buffers"][0]["ports"][0];
    assert_eq!(ports["headroom_covers_m"], 300.0);
    assert_eq!(ports["ecn"][0]["kmin_bytes"], 300_000);
    // The published rule does not count the longest packets.
    let args = ["check", "a.toml", "--set", "switch.headroom=published"];
    let text = folder.run(&args).succeeded().stdout;
    assert!(
        text.contains("enough for 225.8 m: packets may be dropped"),
        "{text}"
    );
}

#[test]
fn unused_buffer_and_headroom_of_a_run_and_a_sweep() {
    let folder = Folder::new();
    folder.write("a.toml", INCAST);
    let shown = folder
        .run(&["run", "a.toml", "--out", "a"])
        .succeeded()
        .stdout;
    let summary = folder.summary("a");
    let of = |key: &str| summary["buffers"][key].as_u64().expect(key);
    let line = format!(
        "buffers      {} of 4816562 shared bytes used (switch0); headroom of a port: {} of 65518",
        of("shared_max_bytes"),
        of("headroom_max_bytes")
    );
    assert!(shown.lines().any(|own| own == line), "{line}\n{shown}");
    assert!(summary["pfc_pauses"].as_u64() > Some(0));
    assert!(of("headroom_max_bytes") > 37_000 && of("headroom_left_bytes") > 0);

    let text = folder.run(&["buffers", "a"]).succeeded().stdout;
    let left = of("shared_left_bytes");
    for part in [
        format!("{left} bytes ("),
        format!("{} (", of("headroom_left_bytes")),
        format!(
            "Buffers of {} bytes would have",
            1_183_438 + of("shared_max_bytes")
        ),
    ] {
        assert!(text.contains(&part), "{part}\n{text}");
    }

    folder.write(
        "s.toml",
        "scenario = \"a.toml\"\n[[axis]]\nkey = \"workload.0.fan_in\"\nvalues = [2, 16]\n",
    );
    folder.run(&["sweep", "s.toml", "--out", "s"]).succeeded();
    let json = folder.run(&["buffers", "s", "--json"]).succeeded().stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    // The larger incast used more.
    assert_eq!(json[0]["shared_max_bytes"], of("shared_max_bytes"));
    let point = json[0]["shared_max_result"].as_str().expect("a path");
    assert!(point.contains("16"), "{point}");
    let table = folder.read("s/points.csv");
    let columns: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
    for (name, value) in [
        ("shared_max_bytes", of("shared_max_bytes")),
        ("headroom_max_bytes", of("headroom_max_bytes")),
        ("decreases", 0),
    ] {
        let place = columns
            .iter()
            .position(|column| *column == name)
            .expect(name);
        let last: Vec<&str> = table.lines().last().expect("a row").split(',').collect();
        assert_eq!(last[place], value.to_string(), "{name}");
    }
}

#[test]
fn results_without_buffers_are_refused() {
    let folder = Folder::new();
    let told = folder.run(&["buffers", "missing"]);
    assert_eq!(told.code, Some(2));
    assert!(
        told.stderr.contains("missing/buffers.csv"),
        "{}",
        told.stderr
    );
    std::fs::create_dir(folder.path("a")).expect("a folder");
    folder.write("a/buffers.csv", "node,switch\n0,switch0\n");
    let told = folder.run(&["buffers", "a"]);
    assert_eq!(told.code, Some(2));
    assert!(told.stderr.contains("a/buffers.csv"), "{}", told.stderr);
}

#[test]
fn a_run_says_if_an_algorithm_acted() {
    let folder = Folder::new();
    folder.write("a.toml", INCAST);
    let control = |name: &str, changes: &[&str]| {
        let mut args = vec![
            "run",
            "a.toml",
            "--out",
            name,
            "--set",
            "switch.buffer=32MB",
        ];
        for change in changes {
            args.extend(["--set", change]);
        }
        let shown = folder.run(&args).succeeded().stdout;
        let line = shown.lines().find(|line| line.starts_with("control "));
        line.expect("a line").to_owned()
    };
    let quiet = control("quiet", &["cc={kind=\"dctcp\"}", "workload.0.fan_in=1"]);
    assert_eq!(
        quiet,
        "control      no acknowledgement reported a mark, so dctcp never slowed a flow down"
    );
    let busy = control("busy", &["cc={kind=\"dctcp\"}"]);
    let own = &folder.summary("busy")["congestion_control"][0];
    let wanted = format!(
        "control      {} marks echoed, {} decreases; 16 of 16 senders slowed",
        own["marks_echoed"], own["decreases"]
    );
    assert!(busy.starts_with(&wanted), "{busy}\n{wanted}");
    assert!(busy.ends_with("% at the lowest rate"), "{busy}");
    folder
        .run(&["report", "quiet", "busy", "-o", "r.html"])
        .succeeded();
    let page = folder.read("r.html");
    for part in [
        "Largest use of buffers",
        "Reactions of congestion control",
        "dctcp never slowed a flow down",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
