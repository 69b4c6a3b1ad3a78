//! Tests of congestion controls at a bottleneck: windows, queues and long-run throughput.

use fabricsim_base::units::{Duration, Rate, Time};
use std::sync::Arc;

use fabricsim_core::plugin::DynFactory;
use fabricsim_transport::cc::{CubicConfig, NewRenoConfig, PragueConfig, TcpDctcpConfig};
use fabricsim_transport::tcp::{ClassConfig, Feedback, Opening, Switch, TcpConfig};

use crate::network::{Fate, Network, Path, Segment, at_ms, faultless, is_data, ms};

const PACKET: f64 = 1_514.0;

fn class(cc: Arc<dyn DynFactory>, feedback: Feedback) -> ClassConfig {
    ClassConfig {
        cc,
        feedback,
        opening: Opening::Open,
        ..ClassConfig::default()
    }
}

/// Returns settings with an acknowledgement for every segment, so that windows grow by a whole
/// segment per round trip.
fn undelayed() -> TcpConfig {
    TcpConfig {
        quick_acks: Some(u32::MAX),
        ..TcpConfig::default()
    }
}

/// Long-run observations of a flow.
struct Steady {
    /// Used share of the bottleneck's rate.
    utilization: f64,
    dropped: u64,
    marked: u64,
    longest_queue: u64,
    /// Windows in segments, one every 10 ms.
    windows: Vec<f64>,
}

impl Steady {
    /// Returns how often the window has fallen through the middle of its range.
    fn reductions(&self) -> u64 {
        let most = self.windows.iter().fold(0.0f64, |most, &w| most.max(w));
        let middle = 0.75 * most;
        let falls = |pair: &&[f64]| pair[0] >= middle && pair[1] < middle;
        self.windows.windows(2).filter(falls).count() as u64
    }
}

/// Observes an endless flow from 20 s to 20 s + `span`.
fn steady(path: Path, config: &TcpConfig, class: ClassConfig, span: Duration) -> Steady {
    let mut network = Network::new(2, path, config, class, faultless);
    network.flow(0, 1, u64::MAX / 4, Time::ZERO, 0);
    network.run_until(at_ms(20_000));
    let before = (network.carried, network.dropped, network.marked);
    network.longest_queue = 0;
    let mut windows = Vec::new();
    let end = network.now + span;
    while network.now < end {
        network.run_until(network.now + ms(10));
        let window = network.live(0)[0].window.unwrap();
        windows.push(window.get() as f64 / 1_448.0);
    }
    let carried = (network.carried - before.0) as f64 * PACKET / 1_448.0;
    Steady {
        utilization: carried * 8.0 / path.rate.as_bps_f64() / span.as_secs_f64(),
        dropped: network.dropped - before.1,
        marked: network.marked - before.2,
        longest_queue: network.longest_queue,
        windows,
    }
}

fn reno() -> ClassConfig {
    class(Arc::new(NewRenoConfig::default()), Feedback::None)
}

#[test]
fn newreno_is_a_sawtooth_of_known_period_and_loss() {
    // 40 ms at 50 Mbps are 165 segments, and the buffer holds as many.
    let path = Path::wan(ms(40), 250_000);
    let steady = steady(path, &undelayed(), reno(), ms(180_000));
    let most = steady.windows.iter().fold(0.0f64, |most, &w| most.max(w));
    let least = steady.windows.iter().fold(most, |least, &w| least.min(w));
    println!(
        "NewReno: window {least} to {most}, {} drops",
        steady.dropped
    );
    // W_max is the capacity of path and buffer: 165.1 and 165.1 segments.
    assert!((325.0..336.0).contains(&most), "{most}");
    assert!((least / most - 0.5).abs() < 0.03, "{least} of {most}");
    // The whole path is used if the buffer holds a bandwidth-delay product.
    assert!(steady.utilization > 0.995, "{}", steady.utilization);
    // p = 8 / (3 W^2): one loss episode in 3 W^2 / 8 segments. The window still grows for the round
    // trip until the loss is detected, so each episode loses two segments.
    let sent = 180.0 * 50e6 / 8.0 / PACKET;
    let episodes = steady.reductions();
    assert_eq!(steady.dropped, 2 * episodes);
    let cycle = sent / episodes as f64;
    let expected = 3.0 * most * most / 8.0;
    println!("NewReno: {cycle:.0} segments per episode, {expected:.0} expected");
    assert!(
        (cycle / expected - 1.0).abs() < 0.1,
        "{cycle} and {expected}"
    );
}

#[test]
fn newreno_without_buffer_uses_three_quarters() {
    let path = Path::wan(ms(40), 3_100);
    // Pairs of segments leave together when the window grows, so two must fit.
    let steady = steady(path, &undelayed(), reno(), ms(60_000));
    println!("NewReno without buffer: {:.3}", steady.utilization);
    assert!(
        (0.70..0.80).contains(&steady.utilization),
        "{}",
        steady.utilization
    );
}

#[test]
fn newreno_follows_the_square_root_formula() {
    // Throughput = 1.2247 segments per round trip over sqrt(p), with a queue of a tenth.
    let path = Path::wan(ms(100), 60_000);
    let steady = steady(path, &undelayed(), reno(), ms(180_000));
    let sent = steady.utilization * 180.0 * 50e6 / 8.0 / PACKET;
    let p = steady.reductions() as f64 / sent;
    let rtt = 0.1 + 0.004;
    let formula = 1.2247 / rtt / p.sqrt();
    let measured = sent / 180.0;
    println!("NewReno: {measured:.0} segments/s, {formula:.0} by the formula");
    assert!(
        (measured / formula - 1.0).abs() < 0.12,
        "{measured} and {formula}"
    );
}

#[test]
fn cubic_fills_the_path_with_less_than_half_of_it_as_buffer() {
    let cc = Arc::new(CubicConfig::default());
    // 80 ms are 330 segments; the buffer holds 0.45 times as many.
    let path = Path::wan(ms(80), 225_000);
    let steady = steady(
        path,
        &TcpConfig::default(),
        class(cc, Feedback::None),
        ms(120_000),
    );
    let most = steady.windows.iter().fold(0.0f64, |most, &w| most.max(w));
    let least = steady.windows.iter().fold(most, |least, &w| least.min(w));
    println!(
        "CUBIC: {:.4}, window {least} to {most}, {} drops",
        steady.utilization, steady.dropped
    );
    assert!(steady.utilization > 0.985, "{}", steady.utilization);
    assert!((least / most - 0.7).abs() < 0.03, "{least} of {most}");
}

#[test]
fn dctcp_keeps_the_queue_at_the_threshold() {
    let cc = Arc::new(TcpDctcpConfig::default());
    // 10 Gbps, 100 us: 83 segments. The threshold is 20.
    for feedback in [Feedback::Dctcp, Feedback::Accurate] {
        let path = Path {
            nic: Rate::from_gbps(40),
            rate: Rate::from_gbps(10),
            delay: Duration::from_us(50),
            buffer: 1 << 20,
            mark_above: 20 * 1_514,
        };
        let config = TcpConfig {
            ack_every: Some(1),
            profile: fabricsim_transport::tcp::TcpProfile::Datacenter,
            headers: Some(fabricsim_base::units::Bytes::new(66)),
            ..TcpConfig::default()
        };
        let mut network = Network::new(2, path, &config, class(cc.clone(), feedback), faultless);
        network.flow(0, 1, u64::MAX / 4, Time::ZERO, 0);
        network.run_until(at_ms(100));
        network.longest_queue = 0;
        let before = network.carried;
        network.run_until(at_ms(400));
        let carried = (network.carried - before) as f64 * PACKET / 1_448.0;
        let utilization = carried * 8.0 / 10e9 / 0.3;
        let longest = network.longest_queue as f64 / PACKET;
        println!("DCTCP {feedback:?}: {utilization:.4}, longest queue {longest:.1} segments");
        assert_eq!(network.dropped, 0);
        assert!(utilization > 0.99, "{utilization}");
        assert!((20.0..27.0).contains(&longest), "{longest}");
    }
}

#[test]
fn prague_keeps_the_queue_short_and_the_path_full() {
    let cc = Arc::new(PragueConfig::default());
    let path = Path {
        // Marks above 2 ms of queue.
        mark_above: 12_500,
        ..Path::wan(ms(30), 1 << 20)
    };
    let config = TcpConfig::default();
    let steady = steady(path, &config, class(cc, Feedback::Accurate), ms(30_000));
    println!(
        "Prague: {:.4}, longest queue {} bytes, {} marks",
        steady.utilization, steady.longest_queue, steady.marked
    );
    assert_eq!(steady.dropped, 0);
    assert!(steady.utilization > 0.98, "{}", steady.utilization);
    assert!(steady.longest_queue < 24_000, "{}", steady.longest_queue);
    assert!(steady.marked > 100);
}

#[test]
fn two_flows_of_one_algorithm_share_the_path() {
    let algorithms: [(&str, Arc<dyn DynFactory>, Feedback); 3] = [
        (
            "newreno",
            Arc::new(NewRenoConfig::default()),
            Feedback::None,
        ),
        ("cubic", Arc::new(CubicConfig::default()), Feedback::Classic),
        (
            "prague",
            Arc::new(PragueConfig::default()),
            Feedback::Accurate,
        ),
    ];
    for (name, cc, feedback) in algorithms {
        let path = Path {
            mark_above: 25_000,
            ..Path::wan(ms(20), 60_000)
        };
        let config = TcpConfig::default();
        let mut network = Network::new(3, path, &config, class(cc, feedback), faultless);
        network.flow(0, 2, u64::MAX / 4, Time::ZERO, 0);
        network.flow(1, 2, u64::MAX / 4, at_ms(500), 0);
        network.run_until(at_ms(60_000));
        let before = [0, 1].map(|host| network.live(host)[0].acknowledged.get());
        network.run_until(at_ms(180_000));
        let rates = [0, 1].map(|host| {
            (network.live(host)[0].acknowledged.get() - before[host]) as f64 * 8.0 / 120e6
        });
        println!("{name}: {:.1} and {:.1} Mbps", rates[0], rates[1]);
        let fairness =
            (rates[0] + rates[1]).powi(2) / (2.0 * (rates[0].powi(2) + rates[1].powi(2)));
        assert!(fairness > 0.9, "{name}: {rates:?}");
    }
}

/// Returns the share of a Prague flow next to a CUBIC flow, in a queue that marks both above 10 ms.
fn share_beside_cubic(classic_fallback: Switch) -> f64 {
    let prague = Arc::new(PragueConfig {
        classic_fallback,
        ..PragueConfig::default()
    });
    let path = Path {
        mark_above: 62_500,
        ..Path::wan(ms(20), 1 << 20)
    };
    let classes = [
        class(prague, Feedback::Accurate),
        class(Arc::new(CubicConfig::default()), Feedback::Classic),
    ];
    let config = TcpConfig::default();
    let mut network = Network::with_classes(3, path, &config, &classes, faultless);
    network.flow(0, 2, u64::MAX / 4, Time::ZERO, 0);
    network.flow(1, 2, u64::MAX / 4, at_ms(500), 1);
    network.run_until(at_ms(30_000));
    let bytes = |network: &Network<_>, host| network.live(host)[0].acknowledged.get();
    let before = [0, 1].map(|host| bytes(&network, host));
    network.run_until(at_ms(120_000));
    let carried = [0, 1].map(|host| (bytes(&network, host) - before[host]) as f64);
    carried[0] / (carried[0] + carried[1])
}

#[test]
fn in_a_classic_queue_prague_starves_cubic_unless_it_falls_back() {
    let alone = share_beside_cubic(Switch::Off);
    let fallback = share_beside_cubic(Switch::On);
    println!("Prague's share {alone:.2}, with the fall-back {fallback:.2}");
    assert!(alone > 0.8, "{alone}");
    assert!((0.3..0.7).contains(&fallback), "{fallback}");
}

#[test]
fn one_mark_reduces_the_window_once_and_nothing_is_sent_again() {
    let cases: [(Feedback, Arc<dyn DynFactory>, f64); 7] = [
        (Feedback::Classic, Arc::new(CubicConfig::default()), 0.7),
        (Feedback::Accurate, Arc::new(CubicConfig::default()), 0.7),
        (Feedback::Accurate, Arc::new(NewRenoConfig::default()), 0.5),
        (Feedback::Classic, Arc::new(PragueConfig::default()), 0.5),
        // DCTCP averages from the start, so about (15 / 16)^6 of alpha is left. Prague does not.
        (Feedback::Dctcp, Arc::new(TcpDctcpConfig::default()), 0.66),
        (Feedback::Accurate, Arc::new(PragueConfig::default()), 0.5),
        (Feedback::None, Arc::new(CubicConfig::default()), 1.0),
    ];
    for (feedback, cc, kept) in cases {
        // Mark a single packet, because a second reduction would be an error.
        let mut marked = false;
        let fate = move |at: Time, packet: &Segment| {
            if !marked && is_data(packet) && at > at_ms(150) {
                marked = true;
                return Fate::Marked;
            }
            Fate::Arrives
        };
        let path = Path::wan(ms(40), 1 << 20);
        let config = TcpConfig::default();
        let class = class(cc, feedback);
        let mut network = Network::new(2, path, &config, class, fate);
        network.flow(0, 1, u64::MAX / 4, Time::ZERO, 0);
        network.run_until(at_ms(150));
        let mut most = 0.0f64;
        let mut last = 0.0;
        for _ in 0..30 {
            network.run_until(network.now + ms(10));
            last = network.live(0)[0].window.unwrap().get() as f64 / 1_448.0;
            most = most.max(last);
        }
        println!("{feedback:?}: {most} to {last}");
        if kept < 1.0 {
            assert_eq!(network.marked, 1);
            assert!(
                (last / most / kept - 1.0).abs() < 0.12,
                "{feedback:?}: {most} to {last}"
            );
        } else {
            assert_eq!((network.marked, last >= most), (0, true));
        }
        assert_eq!(network.counters(0).retransmitted.get(), 0);
    }
}
