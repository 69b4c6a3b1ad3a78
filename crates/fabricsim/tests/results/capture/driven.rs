//! Captures of simulations driven by a program.

use std::fs;
use std::path::Path;

use fabricsim::driver::{Actions, Driver, Event, EventKind, Message, Next};
use fabricsim::outcome::CaptureSummary;
use fabricsim::prelude::*;
use fabricsim_scenario::kinds::Registry;

use crate::capture::{HARSH, run};

/// Long and short links, so that some switches run behind other switches.
const NETWORK: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    hosts_per_leaf = 2
    spines = 2
    host_delay = "100ns"
    link_delay = "2us"
    [cc]
    kind = "hpcc"
    [capture]
"#;

fn scenario(text: &str) -> Scenario {
    let registry = Registry::default().with_optional_workloads();
    Scenario::from_toml_with(text, registry).unwrap()
}

fn message(src: u32, dst: u32) -> Message {
    Message::new(NodeId(src), NodeId(dst), Bytes::new(60_000))
}

/// Sends each message on to the next host, which does the same.
struct Ring {
    left: u32,
}

impl Driver for Ring {
    fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>) {
        if let EventKind::Delivered(delivered) = event.kind
            && self.left > 0
        {
            self.left -= 1;
            let next = message(delivered.dst.0, (delivered.dst.0 + 1) % 4);
            actions.send(&next).unwrap();
        }
    }
}

/// Runs the ring with a driver until `until`. Returns the capture.
fn ring(folder: &Path, threads: usize, until: Time) -> (CaptureSummary, Vec<u8>) {
    let path = folder.join("ring.pcapng");
    let mut simulation = Simulation::capturing(&scenario(NETWORK), threads, &path).unwrap();
    simulation.attach(Ring { left: 30 });
    for host in 0..4 {
        simulation.send(&message(host, (host + 1) % 4)).unwrap();
    }
    simulation.run_until(until);
    let summary = simulation.finish_capture().unwrap().unwrap();
    assert_eq!(simulation.finish_capture().unwrap(), None);
    (summary, fs::read(path).unwrap())
}

/// Returns the blocks of the frames in `bytes`, a file of pcapng.
fn blocks(bytes: &[u8]) -> Vec<&[u8]> {
    let mut rest = bytes;
    let mut frames = Vec::new();
    while let Some(head) = rest.get(..8) {
        let len = u32::from_le_bytes(head[4..].try_into().unwrap()) as usize;
        if head[0] == 6 {
            frames.push(&rest[..len]);
        }
        rest = &rest[len..];
    }
    frames
}

#[test]
fn a_run_that_is_not_steered_has_the_capture_of_the_command() {
    let text = format!(
        r#"
        {HARSH}
        [cc]
        kind = "hpcc"
        [capture]
        telemetry = true
    "#
    );
    let dir = tempfile::tempdir().unwrap();
    let mut expected = run(&text, dir.path(), 1).captured.unwrap();
    let path = dir.path().join("driven.pcapng");
    let mut simulation = Simulation::capturing(&scenario(&text), 2, &path).unwrap();
    for us in [3, 10, 200] {
        simulation.run_until(Time::from_ns(us * 1_000));
    }
    simulation.run_until(Time::MAX);
    let summary = simulation.finish_capture().unwrap().unwrap();
    expected.file = path.display().to_string();
    assert_eq!(summary, expected);
    let command = fs::read(dir.path().join("capture.pcapng")).unwrap();
    assert!(fs::read(path).unwrap() == command);
}

#[test]
fn a_ring_that_is_driven_is_captured_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (summary, one) = ring(folder.path(), 1, Time::MAX);
    // 34 messages of 60 packets over 2 or 4 links, and as many acknowledgements. Each counts twice,
    // as sent and as arrived, at both ends.
    assert!(summary.frames > 34 * 60 * 2 * 2 * 2, "{summary:?}");
    assert_eq!(blocks(&one).len() as u64, summary.frames);
    for threads in [2, 3] {
        assert!(
            ring(folder.path(), threads, Time::MAX).1 == one,
            "{threads}"
        );
    }
    // A capture of an earlier time is the beginning of the whole capture.
    let at = Time::from_ns(40_000);
    let (summary, some) = ring(folder.path(), 1, at);
    let (all, some) = (blocks(&one), blocks(&some));
    assert_eq!(some.len() as u64, summary.frames);
    assert!(some.len() > 100 && some.len() < all.len());
    assert_eq!(all[..some.len()], some);
}

/// When a run stops at an event, hosts are behind its time, and switches are ahead of it or behind.
#[test]
fn a_capture_that_ends_at_an_event_has_all_frames_up_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steps.pcapng");
    let capture = |events: usize| {
        let mut simulation = Simulation::capturing(&scenario(NETWORK), 1, &path).unwrap();
        for host in 0..4 {
            simulation.send(&message(host, (host + 2) % 4)).unwrap();
        }
        for _ in 0..events {
            let Next::Event(event) = simulation.run_until_next(Time::MAX) else {
                break;
            };
            assert_eq!(event.at, simulation.now());
        }
        let at = simulation.now();
        let summary = simulation.finish_capture().unwrap().unwrap();
        (at, summary, fs::read(&path).unwrap())
    };
    let (_, _, whole) = capture(usize::MAX);
    let whole = blocks(&whole);
    let ns = |block: &&[u8]| {
        let word = |at: usize| u64::from(u32::from_le_bytes(block[at..at + 4].try_into().unwrap()));
        word(12) << 32 | word(16)
    };
    for events in [1, 2, 5] {
        let (at, summary, bytes) = capture(events);
        let some = blocks(&bytes);
        let until = at.as_ps() / 1_000;
        assert_eq!(whole[..some.len()], some, "{events} events");
        // Only frames of the very same nanosecond may be missing.
        let next = whole.get(some.len()).map(ns);
        assert!(next.is_none_or(|next| next >= until), "{next:?} {until}");
        assert!(some.last().is_some_and(|last| ns(last) <= until));
        assert_eq!(summary.left_out, 0);
    }
}

#[test]
fn without_the_table_nothing_is_captured_and_a_capture_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.pcapng");
    let completions = |text: &str| {
        let mut simulation = Simulation::capturing(&scenario(text), 1, &path).unwrap();
        simulation.send(&message(0, 3)).unwrap();
        simulation.run_until(Time::MAX);
        let captured = simulation.finish_capture().unwrap().is_some();
        (simulation.take_completions(), captured)
    };
    let (without, captured) = completions(&NETWORK.replace("[capture]", ""));
    assert!(!captured && !path.exists());
    let (with, captured) = completions(NETWORK);
    assert!(captured && path.exists());
    assert_eq!(with, without);
}
