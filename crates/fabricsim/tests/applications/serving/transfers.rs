//! KV caches between instances that prefill and instances that decode.

use super::{ACK, DECODE, DELAY, MTU, PROMPT, message, packet, run, star, wire};

use fabricsim::outcome::{Summary, run_to_folder};
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::{ServingRecord, read_serving};
use fabricsim_workload::ServingRank;

/// Bytes of a token in the KV cache of Llama 3 8B: keys and values of 32 layers with 8 heads of 128
/// elements of 2 bytes.
const CACHE: u64 = 2 * 32 * 8 * 128 * 2;

/// Runs `text`, which names the file `trace.csv`, with `rows` of requests.
fn run_trace(text: &str, rows: &str) -> (Summary, Vec<ServingRecord>) {
    let dir = tempfile::tempdir().unwrap();
    let trace = format!("arrival_s,input_tokens,output_tokens\n{rows}");
    std::fs::write(dir.path().join("trace.csv"), trace).unwrap();
    let scenario = fabricsim::Scenario::from_text("trace", text, dir.path(), &[]).unwrap();
    let out = dir.path().join("out");
    let summary = run_to_folder(&scenario, out.as_path(), 1, &mut ()).unwrap();
    let file = std::fs::read_to_string(out.join("requests.csv")).unwrap();
    let mut rows = read_serving(&file).unwrap();
    rows.sort_unstable_by_key(|row| row.request);
    (summary, rows)
}

const PAIR: &str = r#"
    model = "llama-3-8b"
    requests = "trace.csv"
    prefill_instances = 1
"#;

/// A prompt of 4 tokens arrives every 4.1 ms and takes 4 ms. At 1 Gbps its cache occupies the link
/// for longer: 4.4 ms. So each first token waits 0.3 ms more than the one before it, although
/// no prompt waits.
#[test]
fn a_saturated_link_delays_each_first_token_more_than_the_one_before() {
    let count = 40;
    let text = star(2, PAIR).replace("100Gbps", "1Gbps");
    let rows: String = (0..count)
        .map(|number| format!("{}.{:04},4,2\n", number * 41 / 10_000, number * 41 % 10_000))
        .collect();
    let (_, rows) = run_trace(&text, &rows);
    assert_eq!(rows.len(), count);
    let gap = 4_100_000_000;
    // One hundredth of the rate of the other tests.
    let occupied = 100 * wire(4 * CACHE);
    assert!(occupied > gap, "the link is not saturated");
    let alone = 2 * DELAY + occupied + 100 * packet(MTU);
    for (row, number) in rows.iter().zip(0..) {
        assert_eq!(row.queueing.as_ps(), 0);
        assert_eq!(row.prefill.as_ps(), 4 * PROMPT);
        let transfer = alone + number * (occupied - gap);
        assert_eq!(row.kv_transfer.as_ps(), transfer, "{number}");
        assert_eq!(row.ttft.as_ps(), 4 * PROMPT + transfer, "{number}");
        // The second token is generated when the first one has arrived.
        assert_eq!(row.tpot().unwrap().as_ps(), DECODE);
    }
}

/// Prompts of 4 tokens take 4 ms, and 79 of them in one step 316 ms. Their caches leave together, so
/// each waits for the ones before it, and with it the first token.
#[test]
fn caches_of_a_step_arrive_one_after_the_other() {
    let count = 80;
    let rows: String = (0..count).map(|_| "0,4,2\n").collect();
    let (summary, rows) = run_trace(&star(2, PAIR), &rows);
    assert_eq!(rows.len(), count);
    // The first request is alone in its step: the others arrive at the same time, but after it.
    assert_eq!(rows[0].kv_transfer.as_ps(), message(4 * CACHE));
    assert_eq!(rows[0].ttft.as_ps(), 4 * PROMPT + message(4 * CACHE));
    let others = (count - 1) as u64;
    for (row, before) in rows[1..].iter().zip(0..) {
        let queued = message(4 * CACHE) + before * wire(4 * CACHE);
        assert_eq!(row.kv_transfer.as_ps(), queued, "{before}");
        let computed = 4 * PROMPT + others * 4 * PROMPT;
        assert_eq!(row.ttft.as_ps(), computed + queued, "{before}");
        assert_eq!((row.instance, row.decoder), (0, 1));
    }
    // The second tokens: a step begins with all requests whose caches have arrived, and takes 2 ms
    // for each of them.
    let arrived = |row: &ServingRecord| row.arrival + row.ttft;
    let (mut done, mut free) = (0, Time::ZERO);
    while done < rows.len() {
        free = free.max(arrived(&rows[done]));
        let ready = rows[done..].iter().take_while(|row| arrived(row) <= free);
        let ready = ready.count();
        free += Duration::from_ps(DECODE * ready as u64);
        for row in &rows[done..done + ready] {
            assert_eq!(row.completion, free, "{row:?}");
        }
        done += ready;
    }
    let total = summary.serving[0].kv_bytes;
    assert_eq!(total, count as u64 * 4 * CACHE);
}

/// Each rank of a tensor sends its part to its counterpart at the same time; the parts of the other
/// ranks are reported to the first one.
#[test]
fn ranks_send_their_parts_at_the_same_time() {
    let keys = r#"
        model = "llama-3-8b"
        rate = 1
        count = 1
        input_tokens = 4
        output_tokens = 2
        tp = 2
        tensor_network = "scale-up"
        prefill_instances = 1
    "#;
    let (summary, _, rows) = run(&star(4, keys), 1);
    // The other rank learns of it by a message, and reports by a message.
    let expected = message(64) + ACK + message(2 * CACHE) + ACK + message(64);
    assert_eq!(rows[0].kv_transfer.as_ps(), expected);
    assert_eq!(summary.serving[0].kv_bytes, 4 * CACHE);
}

/// With latent attention, each rank of a tensor has the whole cache: 576 elements of 2 bytes in each
/// of 61 layers.
#[test]
fn ranks_with_latent_attention_send_the_whole_cache() {
    let keys = r#"
        model = "deepseek-v3"
        rate = 1
        count = 1
        input_tokens = 4
        output_tokens = 2
        tp = 2
        tensor_network = "scale-up"
        prefill_instances = 1
    "#;
    let (summary, _, rows) = run(&star(4, keys), 1);
    let cache = 4 * 61 * 576 * 2;
    let expected = message(64) + ACK + message(cache) + ACK + message(64);
    assert_eq!(rows[0].kv_transfer.as_ps(), expected);
    assert_eq!(summary.serving[0].kv_bytes, 2 * cache);
}

/// With two ranks that share only the experts, each one has the caches of every second request.
#[test]
fn caches_are_on_one_rank_if_only_experts_are_shared() {
    let keys = r#"
        model = "mixtral-8x7b"
        rate = 1
        count = 5
        input_tokens = 2
        output_tokens = 2
        ep = 2
        prefill_instances = 1
    "#;
    let simulation = crate::support::run(&star(4, keys), 1);
    let ranks = simulation.applications::<ServingRank>();
    let sent: Vec<u64> = ranks.map(|(_, rank)| rank.cache_bytes()).collect();
    assert_eq!(sent, [3 * 2 * CACHE, 2 * 2 * CACHE, 0, 0]);
}

/// The decoding instance sends the first token to the front end when the cache has arrived, after
/// the acknowledgement of its last packet.
#[test]
fn a_front_end_receives_the_first_token_from_the_decoding_instance() {
    let keys = r#"
        model = "llama-3-8b"
        rate = 1
        count = 1
        input_tokens = 4
        output_tokens = 3
        prefill_instances = 1
        front_end = 2
    "#;
    let (_, _, rows) = run(&star(3, keys), 1);
    let row = rows[0];
    let cached = message(16) + 4 * PROMPT + message(4 * CACHE);
    assert_eq!(row.ttft.as_ps(), cached + ACK + message(4));
    assert_eq!(row.e2e().as_ps(), cached + 2 * DECODE + message(8));
}
