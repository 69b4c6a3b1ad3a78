//! KV caches between instances that prefill and instances that decode.

use super::{ACK, DECODE, PROMPT, message, run, star, wire};

use fabricsim_base::units::{Duration, Time};
use fabricsim_report::ServingRecord;

/// Bytes of a token in the KV cache of Llama 3 8B: keys and values of 32 layers with 8 heads of 128
/// elements of 2 bytes.
const CACHE: u64 = 2 * 32 * 8 * 128 * 2;

/// Prompts of 4 tokens take 4 ms, and 80 of them in one step 320 ms. Their caches leave together, so
/// each waits for the ones before it: the last token is late, the first one is not.
#[test]
fn a_saturated_link_delays_the_second_token_and_not_the_first() {
    let count = 80;
    let keys = format!(
        r#"
            model = "llama-3-8b"
            requests = "burst.csv"
            prefill_instances = 1
            count = {count}
        "#
    );
    let text = star(2, &keys);
    let dir = tempfile::tempdir().unwrap();
    let rows: String = (0..count).map(|_| "0,4,2\n").collect();
    let trace = format!("arrival_s,input_tokens,output_tokens\n{rows}");
    std::fs::write(dir.path().join("burst.csv"), trace).unwrap();
    let scenario = fabricsim::Scenario::from_text("burst", &text, dir.path(), &[]).unwrap();
    let out = dir.path().join("out");
    let summary = fabricsim::outcome::run_to_folder(&scenario, out.as_path(), 1, &mut ()).unwrap();
    let file = std::fs::read_to_string(out.join("requests.csv")).unwrap();
    let mut rows = fabricsim_report::read_serving(&file).unwrap();
    rows.sort_unstable_by_key(|row| row.request);
    assert_eq!(rows.len(), count);
    // The first request is alone in its step: the others arrive at the same time, but after it.
    assert_eq!(rows[0].ttft.as_ps(), 4 * PROMPT);
    assert_eq!(rows[0].kv_transfer.as_ps(), message(4 * CACHE));
    let others = (count - 1) as u64;
    for (row, before) in rows[1..].iter().zip(0..) {
        assert_eq!(row.ttft.as_ps(), 4 * PROMPT + others * 4 * PROMPT);
        let queued = message(4 * CACHE) + before * wire(4 * CACHE);
        assert_eq!(row.kv_transfer.as_ps(), queued, "{before}");
        assert_eq!((row.instance, row.decoder), (0, 1));
    }
    // The second tokens: a step begins with all requests whose caches have arrived, and takes 2 ms
    // for each of them.
    let arrived = |row: &ServingRecord| row.arrival + row.ttft + row.kv_transfer;
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
