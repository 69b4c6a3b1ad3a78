//! All-to-all over a sprayed fabric, compared with the capacity of its links.

use crate::collectives::row::run;

/// Returns the time of an all-to-all of `bytes` in each rank on a non-blocking fat-tree of 100
/// Gbps, divided by the transmission time of its payload at this rate.
fn over_payload(k: u32, bytes: u32, mtu: &str) -> f64 {
    let ranks = k * k * k / 4;
    let text = format!(
        r#"
            [topology]
            kind = "fat-tree"
            k = {k}
            host_rate = "100Gbps"
            fabric_rate = "100Gbps"
            [routing]
            policy = "random"
            [rdma]
            mtu = "{mtu}"
            [cc]
            kind = "none"
            window_bdp = 2
            [[workload]]
            kind = "collective"
            operation = "all-to-all"
            size = "{bytes}B"
        "#
    );
    let (_, _, rows) = run(&text, 1);
    let payload_ps = f64::from(bytes) * f64::from(ranks - 1) / f64::from(ranks) * 80.0;
    rows[0].end as f64 / payload_ps
}

/// Every packet has 48 bytes of headers, and its acknowledgement takes 60 bytes in the other
/// direction. The links of hosts carry nothing else and never wait. The rest is the time to fill
/// and to empty the network: two milliseconds are long compared with that time, a fifth of a
/// millisecond is not.
fn nothing_but_headers_and_acknowledgements(k: u32, bytes: u32, most: f64) {
    for (mtu, payload) in [("1000B", 1_000.0), ("4096B", 4_096.0)] {
        let measured = over_payload(k, bytes, mtu);
        let carried = (payload + 48.0 + 60.0) / payload;
        println!(
            "{k}, {mtu}: {measured:.4} of the payload, {:.4} of all bytes",
            measured / carried
        );
        assert!(measured >= carried, "{mtu}: {measured}");
        assert!(measured < most * carried, "{mtu}: {measured}");
    }
}

#[test]
fn all_to_all_over_sprayed_paths_takes_what_its_bytes_take() {
    nothing_but_headers_and_acknowledgements(4, 2_000_000, 1.12);
}

#[test]
#[ignore = "128 hosts with 16 MB each take ten seconds"]
fn all_to_all_of_128_hosts_is_within_10_percent_of_the_bisection_bound() {
    nothing_but_headers_and_acknowledgements(8, 16_000_000, 1.04);
    assert!(over_payload(8, 16_000_000, "4096B") < 1.1);
}
