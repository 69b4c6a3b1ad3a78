//! A run ends at a time of its own: looks at it, steps and threads change neither that nor a count.

use fabricsim::outcome::{Summary, run_to_folder};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::Stop;

/// One of `choices`.
fn one<'a>(stream: &mut Stream, choices: &[&'a str]) -> &'a str {
    let index = stream.below(choices.len() as u64);
    choices[usize::try_from(index).unwrap()]
}

/// A random scenario, without `[observe]`.
fn scenario(number: u64) -> String {
    let mut stream = Stream::new(7, number, Purpose::Sampling);
    let topology = one(
        &mut stream,
        &[
            "kind = \"star\"\nhosts = 6\ndelay = \"700ns\"",
            "kind = \"dumbbell\"\nhosts_per_side = 3\nbottleneck_delay = \"40us\"",
            "kind = \"fat-tree\"\nk = 4",
            "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 4\nhost_delay = \"300ns\"",
            "kind = \"isp\"\nswitches = 9\nlongest_path = 5\ndelay = \"1300us\"",
        ],
    );
    let cc = one(
        &mut stream,
        &["hpcc", "dcqcn", "dctcp", "timely", "cubic", "none"],
    );
    let workload = one(
        &mut stream,
        &[
            "kind = \"incast\"\nfan_in = 5\nsize = \"90KB\"\nat = \"1us\"",
            "kind = \"permutation\"\nsize = \"120KB\"",
            "kind = \"poisson\"\nsizes = \"websearch\"\nload = 0.5\nduration = \"200us\"",
            "kind = \"all-to-all\"\nsize = \"7KB\"",
        ],
    );
    let switch = one(
        &mut stream,
        &["", "", "[switch]\npfc = false\nbuffer = \"200KB\"\n"],
    );
    let run = one(
        &mut stream,
        &[
            "",
            "",
            "",
            "[run]\nstop_at = \"77us\"\n",
            "[run]\nstop_at = \"30ms\"\n",
        ],
    );
    let transport = one(&mut stream, &["", "[rdma]\nrto_min = \"90us\"\n"]);
    format!(
        "seed = {number}\n[topology]\n{topology}\n[cc]\nkind = \"{cc}\"\n[[workload]]\n{workload}\n\
         {switch}{run}{transport}"
    )
}

/// Everything of the summary that is a result.
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

fn run(text: &str, threads: usize) -> Summary {
    let scenario = Scenario::from_toml(text).unwrap();
    let dir = tempfile::tempdir().unwrap();
    run_to_folder(&scenario, dir.path(), threads, &mut ()).unwrap()
}

#[test]
fn observation_changes_no_result() {
    let mut ends = std::collections::BTreeMap::new();
    let mut tried = 0;
    for number in 0..80 {
        let text = scenario(number);
        // Some algorithms and transports do not go together.
        if Scenario::from_toml(&text).is_err() {
            continue;
        }
        tried += 1;
        let alone = run(&text, 1);
        let interval = ["313ns", "2us", "17us"][usize::try_from(number % 3).unwrap()];
        let observed = format!("{text}[observe]\ninterval = \"{interval}\"\nqueues = true\n");
        for threads in [1, 3] {
            let looked_at = run(&observed, threads);
            assert_eq!(results(&alone), results(&looked_at), "{observed}");
        }
        *ends.entry(format!("{:?}", alone.status)).or_insert(0) += 1;
    }
    assert!(tried > 50, "{tried}");
    assert!(ends.len() > 1, "{ends:?}");
}

/// An algorithm that cannot bring its packets home: the only way is cut for good.
#[test]
fn a_run_without_progress_ends_at_the_same_time_however_it_is_looked_at() {
    let text = "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n\
                [run]\nstall_after = \"3ms\"\n[rdma]\nrto_min = \"100us\"\n\
                [[workload]]\nkind = \"incast\"\nfan_in = 3\nsize = \"1MB\"\nat = \"0s\"\n\
                [[event]]\nat = \"20us\"\nkind = \"link-down\"\nlink = [0, 4]\n\
                [[event]]\nat = \"20us\"\nkind = \"link-down\"\nlink = [1, 4]\n";
    let alone = run(text, 1);
    assert_eq!(format!("{:?}", alone.status), "Stalled");
    for interval in ["900ns", "41us"] {
        let observed = format!("{text}[observe]\ninterval = \"{interval}\"\nqueues = true\n");
        for threads in [1, 3] {
            let looked_at = run(&observed, threads);
            assert_eq!(results(&alone), results(&looked_at));
        }
    }
}

/// A download that is to start after all flows have ended is seen to start.
#[test]
fn a_download_that_starts_last_ends_a_run_at_the_same_time_however_it_is_looked_at() {
    for start in ["12us", "13400ns", "300us"] {
        let text = format!(
            "[topology]\nkind = \"star\"\nhosts = 4\ndelay = \"1us\"\n[cc]\nkind = \"cubic\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 1\nsize = \"1KB\"\nat = \"0s\"\n\
             [[workload]]\nkind = \"download\"\nclient = 2\nserver = 3\nstart = \"{start}\"\n"
        );
        let alone = run(&text, 1);
        assert_eq!(format!("{:?}", alone.status), "Finished");
        for interval in ["300ns", "4us", "8us", "11100ns"] {
            let observed = format!("{text}[observe]\ninterval = \"{interval}\"\nqueues = true\n");
            for threads in [1, 3] {
                let looked_at = run(&observed, threads);
                assert_eq!(results(&alone), results(&looked_at), "{observed}");
            }
        }
    }
}

/// Timeouts that double cannot keep a run alive: it ends after the second that it was given, or the
/// next timeouts.
#[test]
fn a_flow_that_only_times_out_is_given_up() {
    for cc in ["hpcc", "cubic"] {
        let text = format!(
            "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"{cc}\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 3\nsize = \"1MB\"\nat = \"0s\"\nreceiver = 0\n\
             [[event]]\nat = \"20us\"\nkind = \"link-down\"\nlink = [0, 4]\n"
        );
        let summary = run(&text, 1);
        assert_eq!(format!("{:?}", summary.status), "Stalled", "{cc}");
        let end = summary.simulated_ns / 1e9;
        assert!((0.5..5.0).contains(&end), "{cc}: {end} s");
    }
}

/// One flow on two links of 1 us at 100 Gbps: what is simulated ends with its last packet, not with
/// a window.
#[test]
fn the_end_is_that_of_the_last_event() {
    let text = "[topology]\nkind = \"star\"\nhosts = 2\nrate = \"100Gbps\"\ndelay = \"1us\"\n\
                [cc]\nkind = \"none\"\n\
                [[workload]]\nkind = \"incast\"\nfan_in = 1\nsize = \"1000B\"\nat = \"5us\"\n";
    let mut simulation = Simulation::new(&Scenario::from_toml(text).unwrap(), 1).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let completion = simulation.take_completions()[0];
    // Nothing is left to do but for timers that have been canceled.
    assert!(simulation.ended() >= completion.finish);
    assert!(simulation.ended() <= completion.finish + Duration::from_us(1));
    assert!(simulation.now() >= simulation.ended());

    let mut simulation = Simulation::new(&Scenario::from_toml(text).unwrap(), 1).unwrap();
    let cut = Time::from_ns(5_100);
    assert_eq!(simulation.run_until(cut), Stop::TimeReached);
    assert_eq!(simulation.ended(), cut);
}

/// Links of 10 ms make windows of 10 ms, in which the switch takes in tens of thousands of packets:
/// it is then run in parts. Steps of 100 us are never that long.
#[test]
fn long_windows_are_what_short_steps_are() {
    let text = "[topology]\nkind = \"star\"\nhosts = 17\ndelay = \"10ms\"\nrate = \"40Gbps\"\n\
                [cc]\nkind = \"none\"\n\
                [[workload]]\nkind = \"permutation\"\nsize = \"12MB\"\n";
    let scenario = Scenario::from_toml(text).unwrap();
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
