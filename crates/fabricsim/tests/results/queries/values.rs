//! Queries for values of hops and of packets.

use crate::support;
use fabricsim_pint::query::{HopResult, QueryResults, Reach, Statistic};

use crate::queries::plans::CONTROL;
use crate::queries::{LATENCY, PINT_CC, finish, middle, query, websearch};

/// Returns the relative errors of `statistic` at hops with at least `least` digests and a truth
/// that is not almost zero.
fn errors(results: &QueryResults, statistic: Statistic, least: u64) -> Vec<f64> {
    let wanted = |result: &&HopResult| result.statistic == statistic && result.digests >= least;
    let known = results.hops.iter().filter(wanted).filter_map(|result| {
        let truth = result.truth.filter(|&truth| truth > 100.0)?;
        Some((result.estimate?.value / truth - 1.0).abs())
    });
    known.collect()
}

#[test]
fn latencies_are_near_the_truth() {
    let text = [PINT_CC.to_owned(), query(LATENCY), query(CONTROL)];
    let (_, all) = finish(&websearch(&text.concat()), 2);
    let medians = errors(&all, Statistic::Quantile(0.5), 100);
    let tails = errors(&all, Statistic::Quantile(0.99), 100);
    assert!(
        medians.len() > 10 && tails.len() > 100,
        "{} {}",
        medians.len(),
        tails.len()
    );
    let (median, tail) = (middle(medians), middle(tails));
    // A hundred digests leave a tenth of the ranks uncertain, and many values are zero.
    assert!(median < 0.15, "{median}");
    assert!(tail < 0.08, "{tail}");
}

#[test]
fn extremes_and_sums_of_a_packets_hops_come_in_their_order() {
    let text = [
        r#"
            [pint]
            bits = 48
            [cc]
            kind = "hpcc"
        "#
        .to_owned(),
        query(
            r#"name = "most"
            value = "hop-latency"
            aggregation = "max""#,
        ),
        query(
            r#"name = "least"
            value = "hop-latency"
            aggregation = "min""#,
        ),
        query(
            r#"name = "sum"
            value = "hop-latency"
            aggregation = "sum"
            bits = 16"#,
        ),
        query(
            r#"name = "age"
            value = "egress-time"
            aggregation = "max"
            bits = 16"#,
        ),
    ];
    let (_, results) = finish(&websearch(&text.concat()), 2);
    let tail = Statistic::Quantile(0.99);
    // Only flows with enough digests have a stable quantile.
    let of = |query: usize| {
        let own = move |result: &&_| -> bool {
            let result: &fabricsim_pint::query::PacketResult = result;
            result.query == query && result.statistic == tail && result.digests > 100
        };
        results
            .packets
            .iter()
            .filter(own)
            .map(|result| result.estimate.unwrap().value)
    };
    let together = of(0).zip(of(1)).zip(of(2).zip(of(3)));
    let mut flows = 0;
    for ((most, least), (sum, age)) in together {
        assert!(least <= most, "{least} {most}");
        // A code of 8 bits errs by 2%, one of 16 by less, and the counter by some percent. The
        // lowest code of an extreme means one unit, and of a sum zero.
        assert!(sum + 1.5 >= most * 0.9, "{sum} {most}");
        assert!(age + 1.5 >= sum * 0.9, "{age} {sum}");
        flows += 1;
    }
    assert!(flows > 50, "{flows}");
}

#[test]
fn a_link_that_becomes_slower_is_as_busy_as_it_is() {
    let (_, results) = finish(
        &support::scenario(&format!(
            r#"
                [topology]
                kind = "star"
                hosts = 2
                [cc]
                kind = "none"
                [[workload]]
                kind = "permutation"
                size = "2MB"
                [[event]]
                at = "0s"
                kind = "link-rate"
                link = [0, 2]
                rate = "10Gbps"
                {}"#,
            query(
                r#"value = "egress-utilization"
                bits = 16"#
            )
        )),
        1,
    );
    let median = |result: &&HopResult| result.statistic == Statistic::Quantile(0.5);
    for result in results.hops.iter().filter(median) {
        let (estimate, truth) = (result.estimate.unwrap().value, result.truth.unwrap());
        assert!((estimate / truth - 1.0).abs() < 0.1, "{result:?}");
    }
}

#[test]
fn an_age_beyond_the_code_is_said_to_be_clipped() {
    let text = |largest: &str| {
        format!(
            r#"
                [topology]
                kind = "chain"
                switches = 3
                hosts_per_switch = 1
                delay = "1ms"
                [cc]
                kind = "dctcp"
                [rdma]
                rto_min = "50ms"
                [run]
                stall_after = "1s"
                [[workload]]
                kind = "permutation"
                size = "50KB"
                {}"#,
            query(&format!(
                r#"value = "egress-time"
                {largest}"#
            ))
        )
    };
    let reaches = |largest: &str| {
        let (_, results) = finish(&support::scenario(&text(largest)), 1);
        let last = results.hops.iter().filter(|result| result.hop == 2);
        last.filter_map(|result| Some(result.estimate?.reach))
            .collect::<Vec<_>>()
    };
    assert!(reaches("").iter().all(|&reach| reach == Reach::Within));
    assert!(
        reaches("largest = 100000.0")
            .iter()
            .all(|&reach| reach == Reach::Largest)
    );
}
