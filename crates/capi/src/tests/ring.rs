//! A ring of 64 steps on 16 hosts, sent through the library: its flows are equal to the flows of
//! the same ring in a scenario.

use std::fmt::Write;
use std::fs;

use facade::prelude::{Scenario, Simulation, Stop, Time};
use facade::report::FctWriter;

use super::*;

const HOSTS: u32 = 16;
const STEPS: u64 = 64;
const SIZE: u64 = 40_000;
const NETWORK: &str = "[topology]\nkind = \"leaf-spine\"\nleaves = 4\nhosts_per_leaf = 4\n\
                       spines = 2\n[cc]\nkind = \"dcqcn\"\n";
/// The time at which the last message of the ring is delivered; examples/ring.c prints it, too.
const LAST: u64 = 429_632_320;

/// The ring as a graph of a scenario, in GOAL.
fn goal() -> String {
    let mut text = format!("num_ranks {HOSTS}\n");
    for rank in 0..HOSTS {
        let (next, last) = ((rank + 1) % HOSTS, (rank + HOSTS - 1) % HOSTS);
        writeln!(text, "rank {rank} {{").unwrap();
        for step in 0..STEPS {
            writeln!(text, "s{step}: send {SIZE}b to {next} tag {step}").unwrap();
            writeln!(text, "r{step}: recv {SIZE}b from {last} tag {step}").unwrap();
            if step > 0 {
                writeln!(text, "s{step} requires r{}", step - 1).unwrap();
            }
        }
        writeln!(text, "}}").unwrap();
    }
    text
}

/// Returns the flows of the ring in a scenario, in the format of fct.csv.
fn expected() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.goal");
    fs::write(&path, goal()).unwrap();
    let text = format!(
        "{NETWORK}[[workload]]\nkind = \"graph\"\npath = \"{}\"\nconnections = \"per-message\"\n",
        path.display()
    );
    let mut simulation = Simulation::new(&Scenario::from_toml(&text).unwrap(), 1).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let mut rows = Vec::new();
    let mut writer = FctWriter::new(&mut rows).unwrap();
    for completion in simulation.take_completions() {
        writer.write(&simulation.record(&completion)).unwrap();
    }
    writer.finish().unwrap();
    rows
}

fn step(src: u32, tag: u64) -> FabricsimMessage {
    FabricsimMessage {
        tag,
        dst_port: 400,
        ..message(src, (src + 1) % HOSTS, SIZE)
    }
}

#[test]
fn the_ring_is_that_of_a_scenario_to_the_picosecond() {
    let handle = open(NETWORK);
    for host in 0..HOSTS {
        assert_eq!(send(handle, &step(host, 0)), FABRICSIM_OK);
    }
    let mut last = 0;
    while let Ok(event) = next(handle, u64::MAX) {
        assert_eq!(now(handle), event.at);
        if event.kind == FABRICSIM_EVENT_DELIVERED {
            last = event.at;
            if event.message.tag + 1 < STEPS {
                let next = step(event.message.dst, event.message.tag + 1);
                assert_eq!(send(handle, &next), FABRICSIM_OK);
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fct.csv");
    let name = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the path ends with a zero.
    let code = unsafe { fabricsim_write_flows(handle, name.as_ptr()) };
    assert_eq!(code, FABRICSIM_OK, "{}", last_error());
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
    assert!(fs::read(&path).unwrap() == expected());
    assert_eq!(last, LAST);
}

#[test]
fn flows_that_are_not_kept_are_not_written() {
    let handle = open(NETWORK);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fct.csv");
    let name = CString::new(path.to_str().unwrap()).unwrap();
    let mut rows = Vec::new();
    for keep in [1, 0, 1] {
        assert_eq!(fabricsim_keep_flows(handle, keep), FABRICSIM_OK);
        assert_eq!(send(handle, &step(0, 0)), FABRICSIM_OK);
        while next(handle, u64::MAX).is_ok() {}
        // SAFETY: the path ends with a zero.
        let code = unsafe { fabricsim_write_flows(handle, name.as_ptr()) };
        assert_eq!(code, FABRICSIM_OK, "{}", last_error());
        rows.push(fs::read_to_string(&path).unwrap().lines().count() - 1);
    }
    assert_eq!(rows, [1, 1, 2]);
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
}
