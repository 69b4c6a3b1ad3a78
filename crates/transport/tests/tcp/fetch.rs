//! Tests of requests over reused connections.

use fabricsim_base::units::Time;
use fabricsim_transport::cc::CubicConfig;
use fabricsim_transport::tcp::{Bits, ClassConfig, Pattern, Reuse, Switch, TcpConfig};

use crate::network::{Fate, Network, Path, Segment, at_ms, faultless, ms};

fn class(reuse: Reuse, hystart: Switch) -> ClassConfig {
    ClassConfig {
        cc: std::sync::Arc::new(CubicConfig {
            hystart,
            ..CubicConfig::default()
        }),
        pattern: Pattern::Fetch,
        reuse,
        ..ClassConfig::default()
    }
}

/// Returns the completion times of fetches given as (start in ms, size), and the number of SYNs
/// sent.
fn fetches(reuse: Reuse, flows: &[(u64, u64)]) -> (Vec<f64>, u32) {
    let syns = std::cell::Cell::new(0u32);
    let fate = |_: Time, packet: &Segment| {
        let bits = packet.telemetry.bits;
        let syn = bits.has(Bits::SYN) && !bits.has(Bits::ACK);
        syns.set(syns.get() + u32::from(syn));
        Fate::Arrives
    };
    let path = Path::wan(ms(160), 4 << 20);
    let config = TcpConfig::default();
    let mut network = Network::new(2, path, &config, class(reuse, Switch::On), fate);
    for &(start, size) in flows {
        network.flow(0, 1, size, at_ms(start), 0);
    }
    network.finish();
    let fct = network.fct_ms();
    let retransmitted: u64 = network
        .done
        .iter()
        .map(|done| done.retransmitted.get())
        .sum();
    assert_eq!(retransmitted, network.counters(1).retransmitted.get());
    // All connections are closed in the end.
    network.run_until(network.now + ms(5_000));
    assert_eq!(network.unfinished(), Vec::<String>::new());
    (fct, syns.get())
}

#[test]
fn a_request_inherits_the_connection_that_is_freed_while_it_dials() {
    // The first fetch ends between 400 and 600 ms; the second one dials at that time.
    let first = 100 * 1_448;
    let (alone, _) = fetches(Reuse::None, &[(0, first)]);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive"
    )]
    let soon = alone[0] as u64 - 80;
    let flows = [(0, first), (soon, first)];
    let (own, own_syns) = fetches(Reuse::None, &flows);
    let (bound, bound_syns) = fetches(Reuse::LateBinding, &flows);
    // Both dial, but the warm connection of the first one serves the second one.
    assert_eq!((own_syns, bound_syns), (2, 2));
    assert!((own[0] - bound[0]).abs() < 1.0);
    // The second fetch waits 80 ms, and then needs one round trip plus the transmission, because
    // the window is 100 segments.
    let bytes = 100.0 * 1_514.0 * 8.0 / 50e3;
    let warm = 80.0 + 160.0 + bytes;
    assert!((bound[1] - warm).abs() < 30.0, "{} and {warm}", bound[1]);
    assert!(own[1] > bound[1] + 200.0, "{} and {}", own[1], bound[1]);
}

#[test]
fn a_request_that_comes_later_dials_anew() {
    let (fct, syns) = fetches(Reuse::LateBinding, &[(0, 14_480), (2_000, 14_480)]);
    assert_eq!(syns, 2);
    assert!((fct[0] - fct[1]).abs() < 1.0, "{fct:?}");
}

#[test]
fn a_lost_syn_ack_is_rescued_by_another_connection() {
    let mut lost = false;
    let fate = move |at: Time, packet: &Segment| {
        let bits = packet.telemetry.bits;
        if bits.has(Bits::SYN) && bits.has(Bits::ACK) && at > at_ms(200) && !lost {
            lost = true;
            return Fate::Lost;
        }
        Fate::Arrives
    };
    let path = Path::wan(ms(40), 4 << 20);
    let config = TcpConfig::default();
    let late = class(Reuse::LateBinding, Switch::On);
    let mut network = Network::new(2, path, &config, late, fate);
    network.flow(0, 1, 2_000_000, Time::ZERO, 0);
    network.flow(0, 1, 14_480, at_ms(250), 0);
    network.finish();
    let fct = network.fct_ms();
    let rescued = fct[0] - 250.0 + 43.0;
    assert!((fct[1] - rescued).abs() < 3.0, "{fct:?}");
}

/// Returns the minimum time, in milliseconds, of `size` bytes on an idle path of 50 Mbps: two round
/// trips, then rounds of 10, 20, 40, ... segments, and the remaining bytes as soon as the window
/// fills the path.
fn bound_ms(size: u64, rtt: f64) -> f64 {
    let packet = 1_514.0 * 8.0 / 50e3;
    let mut left = size.div_ceil(1_448) as f64;
    let mut window = 10.0;
    let mut time = 2.0 * rtt;
    while left > window && window * packet < rtt {
        left -= window;
        window *= 2.0;
        time += rtt;
    }
    time + left * packet
}

#[test]
fn an_idle_path_is_used_as_well_as_slow_start_allows() {
    let mut sum = (0.0, 0.0);
    for rtt in [10, 40, 160] {
        for size in [1_000, 65_536, 370_728, 2_097_152] {
            let path = Path::wan(ms(rtt), 64 << 20);
            // Every segment is acknowledged at once, so the window doubles.
            let config = TcpConfig {
                quick_acks: Some(1 << 20),
                ..TcpConfig::default()
            };
            let one = class(Reuse::None, Switch::Off);
            let mut network = Network::new(2, path, &config, one, faultless);
            network.flow(0, 1, size, Time::ZERO, 0);
            network.finish();
            let (fct, bound) = (network.fct_ms()[0], bound_ms(size, rtt as f64));
            assert!(fct >= bound, "{size} over {rtt} ms: {fct} is below {bound}");
            assert!(
                fct < bound * 1.04 + 0.5,
                "{size} over {rtt} ms: {fct} is above {bound}"
            );
            sum = (sum.0 + fct, sum.1 + bound);
        }
    }
    println!(
        "sum of completion times {:.1} ms, of bounds {:.1} ms",
        sum.0, sum.1
    );
}
