//! An instance of one rank that runs one request at a time is the queue M/D/1.

use super::{DECODE, PROMPT, run, star};

/// Requests of 6 prompt tokens and 3 generated ones: 6 + 2 * 2 = 10 ms of service.
const SERVICE: u64 = 6 * PROMPT + 2 * DECODE;

fn rows(rate: f64, count: u32) -> Vec<fabricsim_report::ServingRecord> {
    let keys = format!(
        r#"
            model = "llama-3-8b"
            hosts = ["0"]
            rate = {rate}
            count = {count}
            input_tokens = 6
            output_tokens = 3
            max_batch = 1
        "#
    );
    run(&star(2, &keys), 1).2
}

/// Lindley's recursion: a request waits for the work that the one before has left.
#[test]
fn waiting_times_follow_lindleys_recursion() {
    let rows = rows(80.0, 3_000);
    assert_eq!(rows.len(), 3_000);
    let mut free = 0;
    let mut waited = 0;
    for row in &rows {
        let arrival = row.arrival.as_ps();
        let begin = arrival.max(free);
        assert_eq!(row.queueing.as_ps(), begin - arrival, "{row:?}");
        assert_eq!(row.prefill.as_ps(), 6 * PROMPT);
        assert_eq!(row.ttft, row.queueing + row.prefill);
        assert_eq!(row.tpot().unwrap().as_ps(), DECODE);
        assert_eq!(row.e2e().as_ps(), begin - arrival + SERVICE);
        free = begin + SERVICE;
        waited += u64::from(begin > arrival);
    }
    assert!((2_200..2_600).contains(&waited), "{waited} of 80%");
}

/// The mean wait of M/D/1 is rho / (2 (1 - rho)) times of service (Pollaczek and Khinchine), and
/// the mean number in the system is rate times time (Little), in any interval.
#[test]
fn means_are_those_of_m_d_1_and_little() {
    let rows = rows(50.0, 40_000);
    let service = SERVICE as f64;
    let mean = rows
        .iter()
        .map(|row| row.queueing.as_ps() as f64)
        .sum::<f64>()
        / rows.len() as f64;
    let expected = 0.5 / (2.0 * 0.5) * service;
    assert!((mean / expected - 1.0).abs() < 0.06, "{mean} {expected}");

    let (from, to) = (rows[4_000].arrival.as_ps(), rows[36_000].arrival.as_ps());
    let within = |start: u64, end: u64| end.min(to).saturating_sub(start.max(from)) as f64;
    let present: f64 = rows
        .iter()
        .map(|row| within(row.arrival.as_ps(), row.completion.as_ps()))
        .sum();
    let number = present / (to - from) as f64;
    let arrived = &rows[4_000..36_000];
    let stay: f64 = arrived.iter().map(|row| row.e2e().as_ps() as f64).sum();
    let rate_times_stay = stay / (to - from) as f64;
    assert!(
        (number / rate_times_stay - 1.0).abs() < 0.01,
        "{number} {rate_times_stay}"
    );
    // rho + rho^2 / (2 (1 - rho)) at 0.5.
    assert!((number / 0.75 - 1.0).abs() < 0.06, "{number}");
}
