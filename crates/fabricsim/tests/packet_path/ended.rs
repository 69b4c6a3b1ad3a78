//! A run ends at a definite time. Observations, steps and threads change neither that time nor a
//! counter.

use crate::support;
use fabricsim::outcome::Summary;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::Stop;

/// Returns one of `choices`.
fn one<'a>(stream: &mut Stream, choices: &[&'a str]) -> &'a str {
    let index = stream.below(choices.len() as u64);
    choices[usize::try_from(index).unwrap()]
}

/// Returns a random scenario without `[observe]`.
#[expect(clippy::too_many_lines, reason = "scenarios are written out")]
fn scenario(number: u64) -> String {
    let mut stream = Stream::new(7, number, Purpose::Sampling);
    // Links of very different delays, so that epochs have very different lengths.
    let topology = one(
        &mut stream,
        &[
            r#"kind = "star"
                hosts = 6
                delay = "700ns""#,
            r#"kind = "dumbbell"
                hosts_per_side = 3
                bottleneck_delay = "40us""#,
            r#"kind = "fat-tree"
                k = 4"#,
            r#"kind = "leaf-spine"
                leaves = 2
                spines = 2
                hosts_per_leaf = 4
                host_delay = "300ns""#,
            r#"kind = "isp"
                switches = 9
                longest_path = 5
                delay = "1300us""#,
        ],
    );
    let cc = one(
        &mut stream,
        &["hpcc", "dcqcn", "dctcp", "timely", "cubic", "none"],
    );
    let workload = one(
        &mut stream,
        &[
            r#"kind = "incast"
                fan_in = 5
                size = "90KB"
                at = "1us""#,
            r#"kind = "permutation"
                size = "120KB""#,
            r#"kind = "poisson"
                sizes = "websearch"
                load = 0.5
                duration = "200us""#,
            r#"kind = "all-to-all"
                size = "7KB""#,
        ],
    );
    // Repeated entries make the default more likely than the exceptions.
    let switch = one(
        &mut stream,
        &[
            "",
            "",
            r#"
            [switch]
            pfc = false
            buffer = "200KB"
        "#,
        ],
    );
    let run = one(
        &mut stream,
        &[
            "",
            "",
            "",
            r#"
                [run]
                stop_at = "77us"
            "#,
            r#"
                [run]
                stop_at = "30ms"
            "#,
        ],
    );
    let transport = one(
        &mut stream,
        &[
            "",
            r#"
        [rdma]
        rto_min = "90us"
    "#,
        ],
    );
    format!(
        r#"seed = {number}
            [topology]
            {topology}
            [cc]
            kind = "{cc}"
            [[workload]]
            {workload}
            {switch}{run}{transport}"#
    )
}

/// Checks that a run of `text` with an observation every `interval` ends as `alone`, the run
/// without one.
fn observing_changes_nothing(text: &str, alone: &Summary, interval: &str) {
    let observed = format!(
        r#"
        {text}
        [observe]
        interval = "{interval}"
        queues = true
    "#
    );
    for threads in [1, 3] {
        let looked_at = support::summary(&observed, threads);
        assert_eq!(results(alone), results(&looked_at), "{observed}");
    }
}

/// Returns all results of the summary.
fn results(summary: &Summary) -> serde_json::Value {
    let mut value = serde_json::to_value(summary).unwrap();
    let table = value.as_object_mut().unwrap();
    for key in [
        "epochs",
        "threads",
        "wall_s",
        "cpu_s",
        "packet_hops_per_cpu_s",
        "peak_memory_bytes",
        "observed",
        "files",
        "scenario_checksum",
    ] {
        table.remove(key);
    }
    table["scenario"].as_object_mut().unwrap().remove("observe");
    value
}

#[test]
fn observation_changes_no_result() {
    let mut ends = std::collections::BTreeMap::new();
    let mut tried = 0;
    for number in 0..80 {
        let text = scenario(number);
        // Some algorithms and transports do not fit together.
        if Scenario::from_toml(&text).is_err() {
            continue;
        }
        tried += 1;
        let alone = support::summary(&text, 1);
        let interval = ["313ns", "2us", "17us"][usize::try_from(number % 3).unwrap()];
        observing_changes_nothing(&text, &alone, interval);
        *ends.entry(format!("{:?}", alone.status)).or_insert(0) += 1;
    }
    assert!(tried > 50, "{tried}");
    assert!(ends.len() > 1, "{ends:?}");
}

/// An algorithm that cannot deliver its packets, because the only path is cut for good.
#[test]
fn a_run_without_progress_ends_at_the_same_time_however_it_is_looked_at() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 4
        [cc]
        kind = "hpcc"
        [run]
        stall_after = "3ms"
        [rdma]
        rto_min = "100us"
        [[workload]]
        kind = "incast"
        fan_in = 3
        size = "1MB"
        at = "0s"
        [[event]]
        at = "20us"
        kind = "link-down"
        link = [0, 4]
        [[event]]
        at = "20us"
        kind = "link-down"
        link = [1, 4]
    "#;
    let alone = support::summary(text, 1);
    assert_eq!(format!("{:?}", alone.status), "Stalled");
    for interval in ["900ns", "41us"] {
        let observed = format!(
            r#"
            {text}
            [observe]
            interval = "{interval}"
            queues = true
        "#
        );
        for threads in [1, 3] {
            let looked_at = support::summary(&observed, threads);
            assert_eq!(results(&alone), results(&looked_at));
        }
    }
}

/// A download that should start after the end of all flows does start.
#[test]
fn a_download_that_starts_last_ends_a_run_at_the_same_time_however_it_is_looked_at() {
    for start in ["12us", "13400ns", "300us"] {
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = 4
                delay = "1us"
                [cc]
                kind = "cubic"
                [[workload]]
                kind = "incast"
                fan_in = 1
                size = "1KB"
                at = "0s"
                [[workload]]
                kind = "download"
                client = 2
                server = 3
                start = "{start}"
            "#
        );
        let alone = support::summary(&text, 1);
        assert_eq!(format!("{:?}", alone.status), "Finished");
        for interval in ["300ns", "4us", "8us", "11100ns"] {
            observing_changes_nothing(&text, &alone, interval);
        }
    }
}

/// Doubling timeouts cannot keep a run alive: it ends after the permitted second without progress,
/// or at the next timeouts.
#[test]
fn a_flow_that_only_times_out_is_given_up() {
    for cc in ["hpcc", "cubic"] {
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = 4
                [cc]
                kind = "{cc}"
                [[workload]]
                kind = "incast"
                fan_in = 3
                size = "1MB"
                at = "0s"
                receiver = 0
                [[event]]
                at = "20us"
                kind = "link-down"
                link = [0, 4]
            "#
        );
        let summary = support::summary(&text, 1);
        assert_eq!(format!("{:?}", summary.status), "Stalled", "{cc}");
        let end = summary.simulated_ns / 1e9;
        assert!((0.5..5.0).contains(&end), "{cc}: {end} s");
    }
}

/// One flow on two links of 1 us at 100 Gbps: the simulated time ends with its last packet, not
/// with an epoch.
#[test]
fn the_end_is_that_of_the_last_event() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        rate = "100Gbps"
        delay = "1us"
        [cc]
        kind = "none"
        [[workload]]
        kind = "incast"
        fan_in = 1
        size = "1000B"
        at = "5us"
    "#;
    let mut simulation = support::run(text, 1);
    let completion = simulation.take_completions()[0];
    // Only canceled timers are left.
    assert!(simulation.ended() >= completion.finish);
    assert!(simulation.ended() <= completion.finish + Duration::from_us(1));
    assert!(simulation.now() >= simulation.ended());

    let mut simulation = support::simulation(text, 1);
    let cut = Time::from_ns(5_100);
    assert_eq!(simulation.run_until(cut), Stop::TimeReached);
    assert_eq!(simulation.ended(), cut);
}

/// Links of 10 ms make epochs of 10 ms, in which the switch receives tens of thousands of packets,
/// so it runs in parts. Steps of 100 us are always shorter than that.
#[test]
fn long_windows_are_what_short_steps_are() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 17
        delay = "10ms"
        rate = "40Gbps"
        [cc]
        kind = "none"
        [[workload]]
        kind = "permutation"
        size = "12MB"
    "#;
    let scenario = support::scenario(text);
    let mut whole = Simulation::new(&scenario, 1).unwrap();
    assert_eq!(whole.run_until(Time::MAX), Stop::Finished);
    let mut stepped = Simulation::new(&scenario, 1).unwrap();
    let mut until = Time::ZERO;
    loop {
        until += Duration::from_us(100);
        match stepped.run_until(until) {
            Stop::TimeReached => {}
            stop => break assert_eq!(stop, Stop::Finished),
        }
    }
    assert!(whole.counters().packet_hops > 17 * 24_000);
    assert_eq!(whole.take_completions(), stepped.take_completions());
}
