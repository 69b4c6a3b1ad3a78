//! Tests of Prague with handmade round trips.

use super::super::tcp_harness::{Stream, ack, cc, cc_with, congestion, rate};
use super::*;

/// Returns Prague in congestion avoidance with a window of 100 segments.
fn avoiding(config: &PragueConfig) -> Prague {
    let mut prague = cc(config);
    prague.window.cwnd = 100.0;
    prague.window.ssthresh = 50.0;
    prague
}

#[test]
fn the_average_begins_at_one_with_the_first_mark_and_reductions_are_spread() {
    let rtt = Duration::from_ms(40);
    let mut prague = avoiding(&PragueConfig::default());
    let mut stream = Stream::default();
    for _ in 0..20 {
        prague.window.cwnd = 100.0;
        stream.round(&mut prague, Time::ZERO, rtt, 0.0);
    }
    assert_eq!(prague.marks, Marks::None);
    prague.window.cwnd = 100.0;
    let mut marked = stream.ack(Time::ZERO, rtt, 100);
    marked.marked = 1;
    prague.on_ack(&marked);
    // One segment of fifty so far.
    assert!(
        (prague.window.cwnd - 99.0).abs() < 1e-9,
        "{}",
        prague.window.cwnd
    );
    assert!((prague.window.ssthresh - 50.0).abs() < 1e-9);
    for _ in 0..49 {
        prague.on_ack(&stream.ack(Time::ZERO, rtt, 100));
    }
    // The increase continues: 49 segments add about 49 / 75.
    assert!(
        (prague.window.cwnd - 50.67).abs() < 0.1,
        "{}",
        prague.window.cwnd
    );
    assert!(prague.debt.abs() < 1e-9);
}

#[test]
fn the_average_converges_as_fifteen_sixteenths_to_the_power_of_rounds() {
    let rtt = Duration::from_ms(40);
    let mut prague = avoiding(&PragueConfig::default());
    prague.marks = Marks::Share(1.0);
    prague.period_end = 100;
    let mut stream = Stream::default();
    let mut measured = Vec::new();
    for _ in 0..64 {
        prague.window.cwnd = 100.0;
        stream.round(&mut prague, Time::ZERO, rtt, 0.0);
        if let Marks::Share(alpha) = prague.marks {
            measured.push(alpha);
        }
    }
    for (rounds, alpha) in [
        (1, 0.9375),
        (8, 0.5967),
        (16, 0.3561),
        (32, 0.1268),
        (64, 0.0161),
    ] {
        let after = measured[rounds - 1];
        assert!((after - alpha).abs() < 1e-4, "{rounds}: {after}");
    }
}

#[test]
fn a_window_is_two_over_the_share_of_marks() {
    // Each round trip adds one segment and removes alpha / 2 of the window.
    let rtt = Duration::from_ms(40);
    let mut prague = avoiding(&PragueConfig::default());
    let mut stream = Stream::default();
    let mut mean = 0.0;
    for number in 0..3_000 {
        let now = Time::ZERO + rtt * number;
        stream.round(&mut prague, now, rtt, 0.02);
        if number >= 1_000 {
            mean += prague.window.cwnd / 2_000.0;
        }
    }
    assert!((mean / 100.0 - 1.0).abs() < 0.1, "{mean}");
}

#[test]
fn short_paths_increase_as_if_they_were_longer_when_the_flow_is_old() {
    let rtt = Duration::from_ms(5);
    let config = PragueConfig {
        independent_after: 3,
        ..PragueConfig::default()
    };
    let mut prague = avoiding(&config);
    let mut stream = Stream::default();
    let mut growth = Vec::new();
    for _ in 0..6 {
        let before = prague.window.cwnd;
        stream.round(&mut prague, Time::ZERO, rtt, 0.0);
        growth.push(prague.window.cwnd - before);
    }
    assert!((growth[0] - 1.0).abs() < 0.05, "{growth:?}");
    // (5 / 25)^2.
    assert!((growth[5] - 0.04).abs() < 0.002, "{growth:?}");
}

#[test]
fn it_paces_twice_as_fast_in_slow_start_and_not_without_feedback() {
    let rtt = Duration::from_ms(40);
    let mut prague = cc(&PragueConfig::default());
    prague.on_ack(&ack(Time::ZERO, rtt));
    let slow = rate(&prague).expect("it paces").as_bps_f64();
    assert!(
        (slow / (2.0 * 11.0 * 1_500.0 * 8.0 / 0.04) - 1.0).abs() < 1e-6,
        "{slow}"
    );
    let mut reno = cc_with(&PragueConfig::default(), Feedback::Classic);
    reno.on_ack(&ack(Time::ZERO, rtt));
    assert_eq!(rate(&reno), None);
    let ecn = PragueConfig::default().ecn(Feedback::Classic);
    assert_eq!(ecn.response, MarkResponse::OncePerWindow);
    congestion(&mut reno, Time::ZERO, Signal::Mark);
    assert!((reno.window.cwnd - 5.5).abs() < 1e-9);
}

/// Runs an old flow over 10 ms with a window of 100 segments for 1 s. `marked` tells if
/// acknowledgements are marked, and `see` observes the flow after each one.
fn old_flow<T: PartialEq>(marked: u32, see: impl Fn(&Prague) -> Option<T>) -> Vec<(u64, T)> {
    let mut prague = avoiding(&PragueConfig {
        independent_after: 0,
        ..PragueConfig::default()
    });
    prague.marks = Marks::Share(0.01);
    prague.period_end = 100;
    let mut stream = Stream::default();
    let mut seen: Vec<(u64, T)> = Vec::new();
    for tenth in 0..10_000u64 {
        prague.window.cwnd = 100.0;
        let now = Time::ZERO + Duration::from_us(100) * tenth;
        let mut ack = stream.ack(now, Duration::from_ms(10), 100);
        ack.marked = marked;
        prague.on_ack(&ack);
        if let Some(value) = see(&prague)
            && seen.last().is_none_or(|(_, last)| *last != value)
        {
            seen.push((tenth, value));
        }
    }
    seen
}

/// The average is taken at the first end of a 10 ms round trip after the target of 25 ms.
#[test]
fn an_old_flow_averages_marks_once_in_a_target_round_trip() {
    let averaged = old_flow(0, |prague| prague.averaged_at);
    assert_eq!(averaged.len(), 40, "{averaged:?}");
    assert!(averaged.windows(2).all(|pair| pair[1].0 - pair[0].0 == 250));
}

/// With permanent marks, a reduction state begins at each round trip of 10 ms, and the first one to
/// begin after 25 ms reduces: one every 30 ms.
#[test]
fn an_old_flow_reduces_after_whole_round_trips() {
    let reduced = old_flow(1, |prague| prague.reduced_at);
    assert_eq!(reduced.len(), 34, "{reduced:?}");
    assert!(reduced.windows(2).all(|pair| pair[1].0 - pair[0].0 == 300));
}

#[test]
fn a_mark_while_losses_are_recovered_reduces_nothing() {
    let rtt = Duration::from_ms(40);
    let mut prague = avoiding(&PragueConfig::default());
    let mut stream = Stream::default();
    let mut repairing = stream.ack(Time::ZERO, rtt, 100);
    repairing.recovering = Recovering::Yes;
    repairing.growth = Growth::Reducing;
    repairing.marked = 1;
    prague.on_ack(&repairing);
    assert!((prague.window.cwnd - 100.0).abs() < 1e-9);
    assert!((prague.debt + prague.window.ssthresh - 50.0).abs() < 1e-9);
    // The mark has been recorded even so.
    assert_ne!(prague.marks, Marks::None);
    let mut recovered = stream.ack(Time::ZERO, rtt, 100);
    recovered.marked = 1;
    prague.on_ack(&recovered);
    assert!(prague.debt > 40.0, "{}", prague.debt);
}
