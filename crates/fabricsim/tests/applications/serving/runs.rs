//! Whole runs with every key: threads, checks of the sums.

use super::run;

const FABRIC: &str = r#"
    seed = 3
    [topology]
    kind = "leaf-spine"
    leaves = 4
    hosts_per_leaf = 5
    spines = 2
    host_rate = "100Gbps"
    fabric_rate = "100Gbps"
    [cc]
    kind = "dcqcn"
"#;

fn text(keys: &str) -> String {
    format!(
        r#"{FABRIC}
            [[workload]]
            kind = "serving"
            rate = 3000
            count = 20
            tokens = "exponential"
            input_tokens = 10
            output_tokens = 3
            {keys}
        "#
    )
}

const KEYS: [&str; 5] = [
    r#"
        model = "llama-3-8b"
        tp = 2
        pp = 2
        front_end = 19
        routing = "least-outstanding"
        collectives = "per-layer"
        chunk_tokens = 16
    "#,
    r#"
        model = "mixtral-8x7b"
        tp = 2
        ep = 4
        routing = "random"
        placement = "scattered"
        placement_stride = 5
    "#,
    r#"
        model = "llama-3-8b"
        tp = 2
        prefill_instances = 3
        front_end = 0
        routing = "least-outstanding"
        kv_tokens = 100
    "#,
    r#"
        model = "llama-3-8b"
        pp = 2
        prefill_instances = 4
        ttft_limit = "5ms"
        tpot_limit = "8ms"
    "#,
    r#"
        model = "mixtral-8x7b"
        tp = 2
        ep = 4
        prefill_instances = 2
    "#,
];

#[test]
fn requests_are_the_same_on_any_number_of_threads() {
    for keys in KEYS {
        let text = text(keys);
        let (summary, file, rows) = run(&text, 1);
        assert_eq!(rows.len(), 20);
        assert_eq!(summary.serving[0].unfinished, 0);
        for row in &rows {
            assert!(row.ttft >= row.queueing + row.prefill, "{row:?}");
            assert!(row.e2e() >= row.ttft);
        }
        for threads in [2, 3] {
            let (other, other_file, _) = run(&text, threads);
            assert_eq!(file, other_file, "{threads} {keys}");
            assert_eq!(summary.checksum, other.checksum);
        }
    }
}

#[test]
fn limits_divide_good_requests_from_others() {
    let (summary, _, rows) = run(&text(KEYS[3]), 2);
    let good = rows.iter().filter(|row| {
        row.ttft.as_ps() <= 5_000_000_000 && row.tpot().unwrap_or_default().as_ps() <= 8_000_000_000
    });
    let good = good.count() as u64;
    let own = &summary.serving[0];
    assert_eq!(own.good_requests, Some(good));
    assert!((1..20).contains(&good), "{good}");
    let (goodput, all) = (own.goodput_per_s.unwrap(), own.requests_per_s.unwrap());
    assert!((goodput / all - good as f64 / 20.0).abs() < 1e-9);
}

/// The bytes that the run expects are the bytes that it sends, with the messages of control.
#[test]
fn expected_bytes_are_sent() {
    for keys in KEYS {
        let text = text(keys);
        let scenario = crate::support::scenario(&text);
        let context = scenario.workload_context(0);
        let expected = scenario.workloads()[0].expected(&context).unwrap().bytes;
        let simulation = crate::support::run(&text, 1);
        let sent = simulation.endpoint_counters().sent.as_f64();
        let ratio = sent / expected;
        assert!((1.0..1.02).contains(&ratio), "{ratio} {keys}");
    }
}
