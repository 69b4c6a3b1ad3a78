//! Warnings of `check`, `run` and `report` about overload and about timeouts without loss.

use crate::support::Folder;

/// Two racks of 16 hosts at 25 Gbps, over two spines. The load is 0.45 of 400 Gbps; about half of
/// it is for the other rack, over 100 Gbps of uplinks.
const OVERLOAD: &str = "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 16\nspines = 2\n\
     host_rate = \"25Gbps\"\nfabric_rate = \"50Gbps\"\n\
     [[workload]]\nkind = \"poisson\"\nsizes = \"20KB\"\nload = 0.45\nduration = \"100us\"\n\
     [cc]\nkind = \"hpcc\"\n";

#[test]
fn overload_is_told_before_and_after() {
    let folder = Folder::new();
    folder.write("s.toml", OVERLOAD);
    let check = folder.run(&["check", "s.toml"]).succeeded();
    // 16 hosts, 16 of 31 peers; 90 bytes of headers and telemetry on each packet, 88 of each ACK.
    let share = 0.45 * 16.0 * 25.0 * 16.0 / 31.0 / 100.0 * (1_000.0 + 90.0 + 88.0) / 1_000.0;
    let told = format!("{:.1}% of 4 links", share * 100.0);
    for text in [&check.stdout, &check.stderr] {
        assert!(text.contains("leaf to spine"), "{text}");
    }
    assert!(check.stdout.contains(&told), "{told}\n{}", check.stdout);
    assert!(check.stderr.starts_with("warning: "), "{}", check.stderr);
    assert!(check.stderr.contains("load = 0.3"), "{}", check.stderr);

    let run = folder.run(&["run", "s.toml", "--out", "out"]).succeeded();
    assert!(run.stdout.contains(&told), "{}", run.stdout);
    assert_eq!(run.stderr.matches("warning: ").count(), 1, "{}", run.stderr);
    let summary = folder.summary("out");
    let warning = summary["warnings"][0].as_str().expect("a warning");
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    let span = &summary["expected_utilization"]["span"];
    let found = span["busiest"]["utilization"].as_f64().expect("a share");
    assert!((found - share).abs() < 1e-9, "{found} instead of {share}");
    assert_eq!(span["tiers"].as_array().map(Vec::len), Some(4));

    let less = folder.run(&["check", "s.toml", "--set", "workload.0.load=0.3"]);
    assert_eq!(less.succeeded().stderr, "");
}

#[test]
fn timeouts_without_loss_are_told_with_the_suggested_fix() {
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 8\nspines = 1\nhost_rate = \"25Gbps\"\n\
         fabric_rate = \"100Gbps\"\n[switch]\nbuffer = \"4MiB\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 16\nsize = \"500KB\"\nreceiver = 3\nat = \"0s\"\n\
         [[workload]]\nkind = \"permutation\"\nsize = \"500KB\"\n[cc]\nkind = \"timely\"\n",
    );
    let calm = folder.run(&["run", "s.toml", "--out", "calm"]).succeeded();
    assert_eq!(calm.stderr, "");
    let hasty = [
        "run",
        "s.toml",
        "--set",
        "rdma.rto_min=100us",
        "--out",
        "hasty",
    ];
    let hasty = folder.run(&hasty).succeeded();
    let summary = folder.summary("hasty");
    let timeouts = summary["timeouts"].as_u64().expect("a count");
    assert!(timeouts > 0 && summary["lost_bytes"] == 0, "{summary}");
    let warning = summary["warnings"][0].as_str().expect("a warning");
    assert!(warning.starts_with(&format!(
        "{timeouts} retransmission timeouts although no packet was lost"
    )));
    assert!(
        warning.contains("[rdma] rto_min = \"100us\"; give a higher value"),
        "{warning}"
    );
    assert!(hasty.stderr.contains(warning), "{}", hasty.stderr);
    folder
        .run(&["report", "hasty", "-o", "page.html"])
        .succeeded();
    let page = folder.read("page.html");
    assert!(page.contains("retransmission timeouts although no packet was lost"));
}

#[test]
fn flows_without_a_route_are_apart_from_those_that_started() {
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n\
         start = \"1us\"\n[[event]]\nat = \"0s\"\nkind = \"link-down\"\nlink = [0, 4]\n[cc]\nkind = \"hpcc\"\n",
    );
    let run = folder.run(&["run", "s.toml", "--out", "out"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stdout.contains("2 started, 2 finished, 0 unfinished"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("2 more never started"),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr.contains("2 flows did not finish: no route"),
        "{}",
        run.stderr
    );
}

/// Four flows over four spines, with reordered segments: no packet is lost, but some segments are
/// sent twice.
#[test]
fn a_sender_of_tcp_that_takes_overtaken_segments_for_lost_is_told() {
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 4\nhosts_per_leaf = 4\n\
         fabric_rate = \"50Gbps\"\n[[workload]]\nkind = \"permutation\"\nsize = \"5MB\"\n[cc]\nkind = \"newreno\"\n",
    );
    assert_eq!(folder.run(&["check", "s.toml"]).succeeded().stderr, "");
    for policy in ["random", "round-robin"] {
        let set = format!("routing.policy={policy}");
        let told = folder.run(&["check", "s.toml", "--set", &set]).succeeded();
        assert_eq!(
            told.stderr.matches("warning: ").count(),
            1,
            "{}",
            told.stderr
        );
        let text = format!("`{policy}` reorders packets of a flow, and TCP may");
        assert!(told.stderr.contains(&text), "{}", told.stderr);
    }
    let run = [
        "run",
        "s.toml",
        "--set",
        "routing.policy=random",
        "--out",
        "o",
    ];
    assert!(folder.run(&run).succeeded().stderr.contains("and TCP may"));
    let summary = folder.read("o/summary.json");
    assert!(
        summary.contains("and TCP may treat late packets as lost"),
        "{summary}"
    );
    assert!(summary.contains("\"queue_drops\": 0"), "{summary}");
    assert!(!summary.contains("\"retransmitted_bytes\": 0"), "{summary}");
}

#[test]
fn a_receiver_that_takes_overtaken_packets_for_lost_is_told() {
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[topology]\nkind = \"leaf-spine\"\n[[workload]]\nkind = \"permutation\"\nsize = \"10KB\"\n\
         [cc]\nkind = \"dcqcn\"\n[routing]\npolicy = \"random\"\n",
    );
    assert_eq!(folder.run(&["check", "s.toml"]).succeeded().stderr, "");
    for recovery in ["go-back-n", "selective"] {
        let set = format!("rdma.recovery={recovery}");
        for command in [
            &["check", "s.toml", "--set", &set][..],
            &["run", "s.toml", "--set", &set, "--out", recovery],
        ] {
            let told = folder.run(command).succeeded().stderr;
            assert_eq!(told.matches("warning: ").count(), 1, "{told}");
            for text in ["`random` reorders packets", recovery, "\"any-order\""] {
                assert!(told.contains(text), "{told}");
            }
        }
    }
    let ecmp = ["check", "s.toml", "--set", "routing.policy=ecmp"];
    assert_eq!(folder.run(&ecmp).succeeded().stderr, "");
}

/// Four hosts with a round trip of 400 us.
const FAR: &str = "[topology]\nkind = \"star\"\nhosts = 4\ndelay = \"100us\"\n\
     [[workload]]\nkind = \"incast\"\nfan_in = 2\nsize = \"10KB\"\nat = \"0s\"\n\
     [cc]\nkind = \"cubic\"\n";

#[test]
fn times_below_the_round_trip_are_told() {
    let folder = Folder::new();
    folder.write("far.toml", FAR);
    let check = folder.run(&["check", "far.toml"]).succeeded();
    assert_eq!(check.stderr, "");
    let line = "gives up after  1.000 s without an acknowledged byte";
    assert!(check.stdout.contains(line), "{}", check.stdout);
    let early = [
        "--set",
        "run.stall_after=300us",
        "--set",
        "tcp.max_rto=100us",
        "--set",
        "tcp.min_rto=100us",
        "--set",
        "tcp.initial_rto=100us",
    ];
    let check = folder.run(&[&["check", "far.toml"], &early[..]].concat());
    let told = check.succeeded().stderr;
    for key in ["[run] stall_after = \"300us\"", "[tcp] max_rto = \"100us\""] {
        let words = format!("warning: {key} is below the largest base round-trip time, 400");
        assert!(told.contains(&words), "{told}");
    }
    let endless = [
        "check",
        "far.toml",
        "--set",
        "tcp.min_rto=1ps",
        "--set",
        "tcp.initial_rto=1ps",
    ];
    let refused = folder.run(&endless);
    assert_eq!(refused.code, Some(2));
    for words in ["min_rto", "fires before", "1us"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}
