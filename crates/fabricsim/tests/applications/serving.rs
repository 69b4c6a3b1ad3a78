//! Serving of language models: queueing theory, closed forms of their messages, and threads.

mod forms;
mod queueing;
mod runs;
mod transfers;

use fabricsim::outcome::{Status, Summary, run_to_folder};
use fabricsim_report::{ServingRecord, read_serving};

use crate::support;

/// Picoseconds for a byte at 100 Gbps.
const BYTE: u64 = 80;
/// The delay of a link. Blocks are short enough that a rank has sent its own before the first
/// packet of the next one arrives, so ACKs delay no packet.
const DELAY: u64 = 100_000_000;
const MTU: u64 = 1_000;
/// Headers of a data packet, and the transmission time of an ACK.
const HEADER: u64 = 48;
const ACK: u64 = 60 * BYTE;

/// Transmission time of a packet with `payload` bytes.
const fn packet(payload: u64) -> u64 {
    (payload + HEADER) * BYTE
}

/// Transmission time of a message at its host.
const fn wire(bytes: u64) -> u64 {
    (bytes + bytes.div_ceil(MTU) * HEADER) * BYTE
}

/// Time from the start of a message of `bytes` to the delivery of its last byte over a star.
fn message(bytes: u64) -> u64 {
    2 * DELAY + wire(bytes) + packet(bytes.min(MTU))
}

/// Time of messages of `bytes` that wait for one another.
fn chain(count: u64, bytes: u64) -> u64 {
    count * message(bytes) + (count - 1) * ACK
}

/// Returns a star with one serving workload, whose steps take 1 ms for each prompt token and 2 ms
/// for each decoded one.
fn star(hosts: u32, keys: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = {hosts}
            rate = "100Gbps"
            delay = "100us"
            [cc]
            kind = "none"
            [[workload]]
            kind = "serving"
            timing = "linear"
            prefill_token_time = "1ms"
            decode_token_time = "2ms"
            {keys}
        "#
    )
}

/// Times of prompts and decoded tokens in [`star`].
const PROMPT: u64 = 1_000_000_000;
const DECODE: u64 = 2_000_000_000;

/// Runs the scenario `text` on `threads` threads. Returns the summary, `requests.csv` and its rows
/// in the order of arrival.
fn run(text: &str, threads: usize) -> (Summary, String, Vec<ServingRecord>) {
    let scenario = support::scenario(text);
    let dir = tempfile::tempdir().unwrap();
    let summary = run_to_folder(&scenario, dir.path(), threads, &mut ()).unwrap();
    assert_eq!(summary.status, Status::Finished, "{text}");
    let file = std::fs::read_to_string(dir.path().join("requests.csv")).unwrap();
    let mut rows = read_serving(&file).unwrap();
    assert!(rows.is_sorted_by_key(|row| (row.completion, row.request)));
    rows.sort_unstable_by_key(|row| row.request);
    let counted: u64 = summary.serving.iter().map(|class| class.requests).sum();
    assert_eq!(counted, rows.len() as u64);
    (summary, file, rows)
}
