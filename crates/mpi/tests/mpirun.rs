//! Tests of ranks under `mpirun`: this test program starts itself under it.
//!
//! A test with a name that begins with `part_of_each_rank` is the work of the ranks. It does
//! nothing if the test program is run by itself.

#![cfg(feature = "mpi")]

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use fabricsim_base::ranks::Ranks;
use fabricsim_mpi::{
    Launch, MpiRanks, ProbeOptions, agree, cores_are_shared, probe, start, threads_by_default,
};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Maximum number of bytes exchanged at once.
const MOST: usize = 4 << 20;

fn mpirun(ranks: usize, part: &str) -> Option<Output> {
    let mut command = Command::new("mpirun");
    command
        .args(["-n", &ranks.to_string(), "--oversubscribe"])
        .arg(std::env::current_exe().expect("the test program has a path"))
        .args(["--exact", part, "--nocapture", "--test-threads=1"])
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .stdin(Stdio::null());
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("skipped: mpirun cannot be started: {error}");
            None
        }
    }
}

/// Runs a part under `mpirun`, checks that it succeeds, and returns its output. Returns `None` if
/// `mpirun` is not available.
fn succeeds(ranks: usize, part: &str) -> Option<String> {
    let output = mpirun(ranks, part)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{ranks} ranks: {stdout}{stderr}");
    Some(stdout)
}

/// Returns the number of ranks that reached their end: each prints a line.
fn done(stdout: &str) -> usize {
    stdout.matches("rank is done").count()
}

#[test]
fn every_rank_gets_what_the_others_have_for_it() {
    for ranks in 2..=4 {
        let Some(stdout) = succeeds(ranks, "part_of_each_rank_in_an_exchange") else {
            return;
        };
        assert_eq!(done(&stdout), ranks, "{stdout}");
    }
}

#[test]
fn messages_of_many_pieces_arrive_whole() {
    if let Some(stdout) = succeeds(3, "part_of_each_rank_in_pieces") {
        assert_eq!(done(&stdout), 3, "{stdout}");
    }
}

#[test]
fn costs_are_measured() {
    if let Some(stdout) = succeeds(3, "part_of_each_rank_in_a_measurement") {
        assert_eq!(done(&stdout), 3, "{stdout}");
    }
}

#[test]
fn a_panic_of_one_rank_ends_all() {
    let begin = Instant::now();
    let Some(output) = mpirun(3, "part_of_each_rank_in_a_panic") else {
        return;
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(101), "{stderr}");
    assert_eq!(
        stderr.matches("has panicked, which ends all").count(),
        1,
        "{stderr}"
    );
    assert!(stderr.contains("on purpose"), "{stderr}");
    // The other ranks wait for a message that never arrives.
    assert!(begin.elapsed() < Duration::from_secs(60));
}

/// The other ranks are in the middle of an exchange when a rank is killed or exits, as after a
/// second Ctrl-C.
#[test]
fn all_end_when_one_rank_is_gone() {
    for (part, code) in [
        ("part_of_each_rank_in_a_kill", 128 + 9),
        ("part_of_each_rank_in_an_exit", 130),
    ] {
        let Some(output) = mpirun(3, part) else {
            return;
        };
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{part}: {stderr}");
    }
}

#[test]
fn one_process_starts_no_mpi() {
    if let Some(stdout) = succeeds(1, "part_of_each_rank_alone") {
        assert_eq!(done(&stdout), 1, "{stdout}");
    }
}

/// Returns the ranks if one of the tests above started this process.
fn ranks() -> Option<std::sync::Arc<MpiRanks>> {
    start().expect("MPI of one make")
}

/// Returns the random bytes that rank `from` sends to rank `to` in round `round`. Both ranks can
/// compute them.
fn bytes(from: usize, to: usize, round: u64, most: usize) -> Vec<u8> {
    let seed = (round << 16) + (from << 8) as u64 + to as u64;
    let mut random = Pcg64::seed_from_u64(seed);
    // The lengths range from 0 to the maximum and cover all orders of magnitude.
    let length = match random.random_range(0..4) {
        0 => 0,
        1 => random.random_range(0..200),
        2 => random.random_range(0..most / 64),
        _ => random.random_range(0..=most),
    };
    let mut bytes = vec![0; length];
    random.fill_bytes(&mut bytes);
    bytes
}

/// Gathers and exchanges random bytes, and checks all received bytes.
fn exchange(ranks: &MpiRanks, rounds: u64, most: usize) {
    let (own, count) = (ranks.rank(), ranks.count());
    for round in 0..rounds {
        let gathered = ranks.gather(&bytes(own, own, round, most / 4));
        for (rank, gathered) in gathered.iter().enumerate() {
            assert!(
                *gathered == bytes(rank, rank, round, most / 4),
                "round {round}"
            );
        }

        let early: Vec<Vec<u8>> = (0..count).map(|to| bytes(own, to, round, most)).collect();
        let late = |from| bytes(from, 99, round, most / 16);
        let mut heard = Vec::new();
        ranks.exchange(
            &early,
            &mut |buffer| {
                assert!(buffer.is_empty());
                buffer.extend(late(own));
            },
            &mut |from, early, later| {
                assert!(early == bytes(from, own, round, most), "round {round}");
                assert!(later == late(from), "round {round}");
                heard.push(from);
            },
        );
        let others: Vec<usize> = (0..count).filter(|&other| other != own).collect();
        assert_eq!(heard, others);
    }
}

#[test]
fn part_of_each_rank_in_an_exchange() {
    let Some(ranks) = ranks() else { return };
    let launch = Launch::detect().expect("a launch");
    assert_eq!(launch.rank(), ranks.rank());
    assert_eq!(launch.count(), Some(ranks.count()));
    exchange(&ranks, 40, MOST);
    // Calls may come from any thread, one at a time.
    for _ in 0..2 {
        std::thread::scope(|scope| drop(scope.spawn(|| exchange(&ranks, 2, MOST))));
    }
    let failure = (ranks.rank() == 1).then_some((2, "no such file"));
    let failed = agree(&*ranks, failure).expect_err("rank 1 fails");
    assert_eq!(
        (&*failed.failed, failed.is_alike, failed.code),
        (&[1][..], false, 2)
    );
    assert!(threads_by_default(&*ranks, ranks.machine()) >= 1);
    println!("rank is done");
}

#[test]
fn part_of_each_rank_in_pieces() {
    let Some(launch) = Launch::detect() else {
        return;
    };
    let ranks = MpiRanks::start_in_pieces(launch, 1000).expect("MPI of one make");
    let ranks = ranks.expect("several ranks");
    exchange(&ranks, 40, 64_000);
    // Lengths around multiples of the piece size.
    for length in [999, 1000, 1001, 1999, 2000, 2001] {
        let gathered = ranks.gather(&vec![ranks.rank().to_le_bytes()[0]; length]);
        for (rank, bytes) in gathered.iter().enumerate() {
            assert_eq!(*bytes, vec![rank.to_le_bytes()[0]; length]);
        }
    }
    println!("rank is done");
}

#[test]
fn part_of_each_rank_in_a_measurement() {
    let Some(ranks) = ranks() else { return };
    let options = ProbeOptions {
        time: Duration::from_millis(2),
    };
    let report = probe(&ranks, &options);
    assert_eq!(report.is_some(), ranks.rank() == 0);
    if let Some(report) = report {
        assert_eq!(
            (report.ranks, report.machines, report.pairs.len()),
            (3, 1, 2)
        );
        for pair in &report.pairs {
            assert!(
                pair.latency_us() > 0.0 && pair.ns_per_byte() > 0.0,
                "{pair:?}"
            );
            assert!(pair.overhead_us > 0.0, "{pair:?}");
            // A message of 4 MiB takes longer than an empty one even on a busy machine.
            let times: Vec<f64> = pair.sizes.iter().map(|size| size.one_way_us).collect();
            assert!(times[times.len() - 1] > times[0], "{pair:?}");
        }
        assert!(
            report.gather_us > 0.0 && report.exchange_us > 0.0,
            "{report:?}"
        );
    }
    // All ranks still agree on the sequence of calls.
    let shared = cores_are_shared(&*ranks, ranks.machine());
    let all = ranks.gather(&[u8::from(shared)]);
    assert!(all.iter().all(|one| *one == [u8::from(shared)]));
    println!("rank is done");
}

#[test]
fn part_of_each_rank_in_a_panic() {
    let Some(ranks) = ranks() else { return };
    if ranks.rank() == 1 {
        // Panic in the middle of an exchange, on another thread, like a thread of the engine.
        let early = vec![Vec::new(); ranks.count()];
        ranks.exchange(
            &early,
            &mut |_| {
                let thread = std::thread::spawn(|| panic!("on purpose"));
                drop(thread.join());
            },
            &mut |_, _, _| {},
        );
    }
    ranks.gather(&[]);
}

/// Exchanges messages, lets rank 2 `leave`, and tries to exchange again.
fn exchange_until(leave: impl Fn()) {
    let Some(ranks) = ranks() else { return };
    exchange(&ranks, 2, 64_000);
    if ranks.rank() == 2 {
        leave();
    }
    exchange(&ranks, 2, 64_000);
    unreachable!("rank 2 takes no part");
}

#[test]
fn part_of_each_rank_in_a_kill() {
    exchange_until(|| {
        let own = std::process::id().to_string();
        let killed = Command::new("kill").args(["-9", &own]).status();
        panic!("still there: {killed:?}");
    });
}

#[test]
fn part_of_each_rank_in_an_exit() {
    exchange_until(|| std::process::exit(130));
}

#[test]
fn part_of_each_rank_alone() {
    if std::env::var("OMPI_COMM_WORLD_SIZE").is_ok_and(|size| size == "1") {
        assert!(ranks().is_none());
        println!("rank is done");
    }
}
