//! Collectives with unequal members: parts of all sizes, and the stages of a pipeline. Times on an
//! idle star are exact to the picosecond.

use crate::collectives::row::run;

const BYTE: u64 = 80;
const DELAY: u64 = 1_000_000;
const US: u64 = 1_000_000;

/// Time of a message of up to four packets from a host that sends nothing else.
fn message(bytes: u64) -> u64 {
    let packet = |payload: u64| (payload + 48) * BYTE;
    2 * DELAY + (bytes + bytes.div_ceil(1_000) * 48) * BYTE + packet(bytes.min(1_000))
}

fn star(hosts: u64, keys: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = {hosts}
            rate = "100Gbps"
            delay = "1us"
            [cc]
            kind = "none"
            [[workload]]
            kind = "collective"
            {keys}
        "#
    )
}

#[test]
fn an_all_to_all_v_takes_its_largest_part_where_each_has_one() {
    let keys = r#"operation = "all-to-all-v"
        size = "3500B"
        weights = [[0, 3500, 0], [0, 0, 1000], [0, 0, 0]]"#;
    let (summary, _, rows) = run(&star(3, keys), 1);
    assert_eq!(rows[0].duration, message(3_500));
    assert_eq!((rows[0].slowest_rank, rows[0].last_sender), (1, 0));
    assert_eq!(summary.flows.started, 2);
    // The bus bandwidth depends on the busiest link, not on the bytes that a member keeps.
    let gbps = 3_500.0 * 8e3 / message(3_500) as f64;
    assert!((summary.jobs[0].busbw_gbps.unwrap() - gbps).abs() < 1e-6);
}

/// Returns the ends of the computations of each stage, in the order in which the stage runs them.
fn ends(orders: &[Vec<(bool, usize)>], spans: &[[u64; 2]], message: u64) -> Vec<Vec<u64>> {
    let mut ends: Vec<Vec<u64>> = orders.iter().map(|order| vec![0; order.len()]).collect();
    // Each pass fixes at least one more end, and later passes keep it.
    for _ in 0..orders.len() * orders[0].len() {
        for (stage, order) in orders.iter().enumerate() {
            for (at, &(back, batch)) in order.iter().enumerate() {
                let other = match back {
                    false => stage.checked_sub(1),
                    true => Some(stage + 1).filter(|&next| next < orders.len()),
                };
                let come = other.map_or(0, |other| {
                    let place = orders[other].iter().position(|one| *one == (back, batch));
                    ends[other][place.unwrap()] + message
                });
                let free = if at == 0 { 0 } else { ends[stage][at - 1] };
                ends[stage][at] = come.max(free) + spans[stage][usize::from(back)];
            }
        }
    }
    ends
}

#[test]
fn a_pipeline_takes_what_its_stages_compute_and_hand_on() {
    const BATCHES: usize = 5;
    // No two events of a stage coincide.
    let spans = [[31, 17], [23, 41], [19, 29], [37, 13]].map(|times| times.map(|us| us * US));
    let words = |back: usize| {
        let times: Vec<String> = spans
            .iter()
            .map(|of| format!(r#""{}us""#, of[back] / US))
            .collect();
        times.join(", ")
    };
    for algorithm in ["gpipe", "1f1b"] {
        let keys = format!(
            r#"operation = "pipeline"
                algorithm = "{algorithm}"
                size = "{}B"
                chunks = {BATCHES}
                forward = [{}]
                backward = [{}]"#,
            BATCHES * 3_000,
            words(0),
            words(1)
        );
        let (summary, _, rows) = run(&star(4, &keys), 1);
        let orders: Vec<Vec<(bool, usize)>> = (0..4)
            .map(|stage| {
                let ahead = if algorithm == "gpipe" {
                    BATCHES
                } else {
                    3 - stage
                };
                let mut order: Vec<_> = (0..ahead).map(|batch| (false, batch)).collect();
                for batch in ahead..BATCHES {
                    order.extend([(false, batch), (true, batch - ahead)]);
                }
                order.extend((BATCHES - ahead..BATCHES).map(|batch| (true, batch)));
                order
            })
            .collect();
        let last = *ends(&orders, &spans, message(3_000))[0].last().unwrap();
        let completion = summary.jobs[0].completion_ns.unwrap();
        assert!((completion * 1e3 - last as f64).abs() < 0.5, "{algorithm}");
        // The last message arrives before the last computation.
        assert_eq!(rows[0].end, last - spans[0][1], "{algorithm}");
    }
}
