//! Tests of the algorithm with handmade round-trip times.

use super::super::harness::{ack, cc, mbps};
use super::*;

/// Returns the rates in Mbps after round trips of `rtts_us` microseconds, with one update each.
fn rates(cc: &mut Timely, rtts_us: &[u64]) -> Vec<u64> {
    let mut rates = Vec::new();
    for &us in rtts_us {
        let cumulative = cc.last_update_seq + 1_000;
        let rtt = Duration::from_us(us);
        cc.on_ack(&ack(0, cumulative, cumulative + 100_000, rtt, false));
        rates.push(mbps(cc));
    }
    rates
}

#[test]
fn rising_round_trips_slow_the_flow_down_and_falling_ones_let_it_go() {
    let mut cc: Timely = cc(&TimelyConfig::default(), Quirks::PUBLISHED);
    // The first one only sets the reference. From 60 to 70 us the gradient is .875 x 10 / 20 =
    // .4375, and the rate falls by .8 of that. Then the average difference becomes negative.
    assert_eq!(
        rates(&mut cc, &[60, 70, 60, 55]),
        [100_000, 65_000, 65_100, 65_200]
    );
}

#[test]
fn short_round_trips_always_speed_up_and_faster_from_the_sixth_on() {
    let mut cc: Timely = cc(&TimelyConfig::default(), Quirks::PUBLISHED);
    rates(&mut cc, &[60, 75]);
    let start = mbps(&cc);
    let steps: Vec<u64> = rates(&mut cc, &[10, 20, 30, 40, 49, 20, 20])
        .iter()
        .map(|rate| rate - start)
        .collect();
    assert_eq!(steps, [100, 200, 300, 400, 500, 1_000, 1_500]);
}

#[test]
fn the_paper_counts_falling_round_trips_and_is_never_faster_below_t_low() {
    let config = TimelyConfig {
        hyper_counts: HyperCounts::Gradients,
        ..TimelyConfig::default()
    };
    let mut cc: Timely = cc(&config, Quirks::EXACT);
    // From 60 to 75 us: .875 x 15 / 20 = .65625, times .8: 1 - .525.
    assert_eq!(rates(&mut cc, &[60, 75]), [100_000, 47_500]);
    // Seven events below t_low, six of them falling: 100 Mbps each.
    let below = rates(&mut cc, &[40, 39, 38, 37, 36, 35, 34]);
    assert_eq!(below[6] - 47_500, 700);
    // An increase of the round-trip time resets the count, which has no effect below t_low either.
    assert_eq!(rates(&mut cc, &[45])[0] - below[6], 100);
    // From 45 to 90 us the average difference is near .875 x 45 / 20 > 1: no rate is left.
    assert_eq!(rates(&mut cc, &[90]), [1_000]);
    // Falling from 90 us, the fifth consecutive fall is the first large increase. The next event
    // that does not fall is a small increase, because the average is still negative, and counting
    // restarts.
    let falling = rates(&mut cc, &[85, 80, 75, 70, 65, 60, 60, 58, 57, 56, 55, 54]);
    // The average at 85 us: .125 x 40 - .875 x 5 > 0, so the rate stays at its minimum.
    assert_eq!(
        falling,
        [
            1_000, 1_100, 1_200, 1_300, 1_800, 2_300, 2_400, 2_500, 2_600, 2_700, 2_800, 3_300
        ]
    );
}

#[test]
fn long_round_trips_always_slow_down() {
    let mut cc: Timely = cc(&TimelyConfig::default(), Quirks::PUBLISHED);
    // 1 - .8 (1 - 500/1000) = .6, although the round-trip times fall.
    assert_eq!(
        rates(&mut cc, &[2_000, 1_000, 1_000]),
        [100_000, 60_000, 36_000]
    );
    rates(&mut cc, &[1_000_000; 10]);
    assert_eq!(mbps(&cc), 1_000);
}

#[test]
fn the_rate_changes_once_per_round_trip() {
    let mut cc: Timely = cc(&TimelyConfig::default(), Quirks::EXACT);
    rates(&mut cc, &[60, 70]);
    let before = mbps(&cc);
    let old = cc.last_update_seq;
    cc.on_ack(&ack(0, old, old + 100_000, Duration::from_us(400), false));
    assert_eq!(mbps(&cc), before);
}
