//! Past bugs that must not return.

use crate::support;
use std::path::Path;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;

const LINE_RATE: &str = r#"
    [cc]
    kind = "none"
    window_bdp = 0.0
"#;

#[test]
fn waiting_for_the_first_flow_is_no_stall() {
    // The first acknowledgement arrives more than 256 epochs after the start, which is longer than
    // the stall time.
    support::run(
        r#"
        [topology]
        kind = "dumbbell"
        host_delay = "1us"
        bottleneck_delay = "1ms"
        [[workload]]
        kind = "permutation"
        size = "10MB"
        start = "2s"
        [cc]
        kind = "hpcc"
        "#,
        1,
    );
}

#[test]
fn long_links_do_not_make_senders_time_out() {
    for (topology, size) in [
        (
            r#"kind = "star"
            hosts = 2
            delay = "1500us""#,
            "1MB",
        ),
        (
            r#"kind = "dumbbell"
                bottleneck_delay = "5ms"
                hosts_per_side = 4"#,
            "20MB",
        ),
        (
            r#"kind = "chain"
                switches = 3
                rate = "10Mbps"
                delay = "20ms""#,
            "50KB",
        ),
    ] {
        let simulation = support::run(
            &format!(
                r#"
                [topology]
                {topology}
                [[workload]]
                kind = "permutation"
                size = "{size}"
                [cc]
                kind = "hpcc"
            "#
            ),
            1,
        );
        assert_eq!(simulation.endpoint_counters().timeouts, 0, "{topology}");
        assert_eq!(
            simulation.endpoint_counters().retransmitted.get(),
            0,
            "{topology}"
        );
    }
}

#[test]
fn headroom_holds_the_longest_packets() {
    for delay in ["1ns", "100ns", "1us"] {
        let simulation = support::run(
            &format!(
                r#"
                [topology]
                kind = "leaf-spine"
                leaves = 3
                hosts_per_leaf = 6
                spines = 1
                fabric_rate = "100Gbps"
                link_delay = "{delay}"
                [switch]
                buffer = "1MiB"
                [rdma]
                mtu = "9000B"
                [[workload]]
                kind = "all-to-all"
                size = "200KB"
                [[workload]]
                kind = "incast"
                fan_in = 17
                size = "500KB"
                at = "0s"
                {LINE_RATE}"#
            ),
            1,
        );
        assert!(simulation.counters().pauses > 0, "{delay}");
        assert_eq!(simulation.counters().buffer_drops, 0, "{delay}");
    }
}

#[test]
fn several_priorities_share_one_buffer() {
    let workloads: String = (1..=7)
        .map(|priority| {
            format!(
                r#"
                    [[workload]]
                    kind = "incast"
                    fan_in = 19
                    size = "100KB"
                    at = "0s"
                    receiver = 0
                    priority = {priority}
                "#
            )
        })
        .collect();
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 20
            [switch]
            buffer = "10MiB"
            {workloads}{LINE_RATE}"#
    );
    let simulation = support::run(&text, 1);
    let small =
        Scenario::from_toml(&text.replace("10MiB", "1MiB")).expect_err("too small a buffer");
    let diagnostic = small.diagnostic().expect("an error in the text");
    assert_eq!(diagnostic.faulty_text(), r#""1MiB""#);
    assert!(diagnostic.message().contains("7 priorities"), "{small}");
    assert!(simulation.counters().max_queue.get() <= 10 << 20);
    assert_eq!(simulation.counters().buffer_drops, 0);
}

#[test]
fn slow_hosts_beside_fast_ones_are_controlled() {
    let folder = tempfile::tempdir().expect("a folder");
    let topology = "8 1 7\n7\n0 7 10Mbps 1us 0\n1 7 10Mbps 1us 0\n2 7 10Mbps 1us 0\n\
                    3 7 1600Gbps 1us 0\n4 7 1600Gbps 1us 0\n5 7 1600Gbps 1us 0\n6 7 1600Gbps 1us 0\n";
    std::fs::write(folder.path().join("t.txt"), topology).expect("written");
    let flows = "src,dst,size_bytes,start_ns\n0,2,2000000,0\n1,2,2000000,0\n";
    std::fs::write(folder.path().join("f.csv"), flows).expect("written");
    let text = r#"
        [topology]
        kind = "file"
        path = "t.txt"
        [[workload]]
        kind = "list"
        path = "f.csv"
        [cc]
        kind = "hpcc"
    "#;
    let scenario = Scenario::from_text("mixed.toml", text, Path::new(folder.path()), &[]);
    let mut simulation = Simulation::new(&scenario.expect("a scenario"), 1).expect("a simulation");
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let longest = simulation.counters().max_queue.get();
    assert!(longest < 200_000, "{longest} bytes waited");
}

#[test]
fn nothing_is_simulated_beyond_the_horizon() {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 2
            [[workload]]
            kind = "permutation"
            size = "1KB"
            start = "18446744073s"
            {LINE_RATE}"#
    );
    match Scenario::from_toml(&text) {
        Err(error) => assert!(error.to_string().contains("start"), "{error}"),
        Ok(scenario) => {
            let mut simulation = Simulation::new(&scenario, 1).expect("a simulation");
            assert_eq!(simulation.run_until(Time::MAX), Stop::Horizon);
        }
    }
    // Rounds start at 0 s, 1,000,000 s, and so on: the sixth is after 53 days.
    let far = text.replace(
        "18446744073s",
        "0s\"\ngap = \"1000000s\"\ncount = 7\ndst_port = 1 # \"",
    );
    let mut simulation = support::simulation(&far, 1);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Horizon);
    assert_eq!(simulation.flows_started(), 2 * 5);
}

/// A packet that leaves by its pacing timer, with no acknowledgement in flight, still has its
/// timeout.
#[test]
fn a_packet_that_a_timer_sends_is_missed_when_it_is_lost() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 3
        [[workload]]
        kind = "list"
        path = "three_packets.csv"
        [routing]
        convergence = "10us"
        [[event]]
        at = "0s"
        kind = "switch-down"
        switch = 3
        [[event]]
        at = "100us"
        kind = "switch-up"
        switch = 3
        [cc]
        kind = "hpcc""#;
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(
        dir.path().join("three_packets.csv"),
        "src,dst,size_bytes,start_ns\n0,1,3000,0\n",
    )
    .expect("it can be written");
    let scenario = Scenario::from_text("timer", text, dir.path(), &[]).expect("a scenario");
    let mut simulation = Simulation::new(&scenario, 1).expect("a simulation");
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert!(simulation.endpoint_counters().timeouts > 0);
}

/// A gap followed by more than 65,535 packets still costs only the lost packet.
#[test]
fn a_gap_of_a_hundred_thousand_packets_costs_one_of_them() {
    let topology = "3 1 2\n2\n0 2 400Gbps 2ms 0\n1 2 400Gbps 1us 0\n";
    let text = r#"
        [topology]
        kind = "file"
        path = "long.txt"
        [[workload]]
        kind = "list"
        path = "flow.csv"
        [rdma]
        recovery = "selective"
        rto_min = "100ms"
        [[event]]
        at = "500us"
        kind = "link-loss"
        link = [0, 2]
        loss = 1.0
        [[event]]
        at = "500100ns"
        kind = "link-loss"
        link = [0, 2]
        loss = 0.0
        [cc]
        kind = "none"
        window_bdp = 0"#;
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("long.txt"), topology).unwrap();
    std::fs::write(
        dir.path().join("flow.csv"),
        "src,dst,size_bytes,start_ns\n0,1,200000000,0\n",
    )
    .expect("it can be written");
    let scenario = Scenario::from_text("gap", text, dir.path(), &[]).expect("a scenario");
    let mut simulation = Simulation::new(&scenario, 1).expect("a simulation");
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let lost = simulation.counters().link_losses;
    assert!((1..=20).contains(&lost), "{lost}");
    let again = simulation.endpoint_counters().retransmitted.get();
    assert_eq!(again, lost * 1_000);
}
