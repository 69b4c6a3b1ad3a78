//! Tests of opening connections.

use fabricsim_base::units::{Duration, Time};
use fabricsim_transport::tcp::{Bits, ClassConfig, Opening, Pattern, TcpConfig};

use crate::network::{Fate, Network, Path, Segment, faultless, is_data, ms};

fn is_syn(packet: &Segment) -> bool {
    packet.telemetry.bits.has(Bits::SYN) && packet.payload == 0
}

fn is_syn_ack(packet: &Segment) -> bool {
    is_syn(packet) && packet.telemetry.bits.has(Bits::ACK)
}

/// Returns the completion time in milliseconds of `size` bytes over 20 ms, with the given `fate` of
/// packets.
fn transfer(class: ClassConfig, size: u64, fate: impl FnMut(Time, &Segment) -> Fate) -> f64 {
    let path = Path::wan(ms(20), 1 << 20);
    let mut network = Network::new(2, path, &TcpConfig::default(), class, fate);
    network.flow(0, 1, size, Time::ZERO, 0);
    network.finish();
    network.fct_ms()[0]
}

fn lose_first(wanted: fn(&Segment) -> bool, count: u32) -> impl FnMut(Time, &Segment) -> Fate {
    let mut left = count;
    move |_, packet| {
        if wanted(packet) && left > 0 {
            left -= 1;
            Fate::Lost
        } else {
            Fate::Arrives
        }
    }
}

#[test]
fn a_flow_takes_a_round_trip_more_with_a_handshake() {
    let with = transfer(ClassConfig::default(), 1_000, faultless);
    let open = ClassConfig {
        opening: Opening::Open,
        ..ClassConfig::default()
    };
    let without = transfer(open, 1_000, faultless);
    assert!((20.0..20.5).contains(&without), "{without}");
    assert!((40.0..40.6).contains(&with), "{with}");
}

#[test]
fn a_fetch_takes_two_round_trips_and_its_bytes() {
    let fetch = ClassConfig {
        pattern: Pattern::Fetch,
        ..ClassConfig::default()
    };
    let fct = transfer(fetch, 14_480, faultless);
    // Ten segments of 1,514 bytes at 50 Mbps take 2.4 ms.
    assert!((42.4..42.7).contains(&fct), "{fct}");
}

#[test]
fn a_lost_syn_or_syn_ack_costs_a_second_and_two_cost_three() {
    for (wanted, count, cost) in [
        (is_syn as fn(&Segment) -> bool, 1, 1_000.0),
        (is_syn_ack, 1, 1_000.0),
        // A second later, the SYN is repeated, and also the SYN-ACK by the server's own timer.
        (is_syn_ack, 3, 3_000.0),
    ] {
        for pattern in [Pattern::Plain, Pattern::Fetch] {
            let class = ClassConfig {
                pattern,
                ..ClassConfig::default()
            };
            let lost = transfer(class.clone(), 5_000, lose_first(wanted, count));
            let whole = transfer(class, 5_000, faultless);
            assert!((lost - whole - cost).abs() < 1.0, "{lost} and {whole}");
        }
    }
}

#[test]
fn data_opens_a_connection_whose_acknowledgement_of_the_syn_ack_is_lost() {
    let bare_ack =
        |packet: &Segment| !is_data(packet) && !is_syn(packet) && packet.telemetry.ack() == 0;
    let fct = transfer(ClassConfig::default(), 5_000, lose_first(bare_ack, 1));
    assert!((40.0..42.0).contains(&fct), "{fct}");
}

#[test]
fn a_flow_is_reported_while_its_syn_has_no_reply() {
    let path = Path::wan(ms(20), 1 << 20);
    let dead = |_: Time, _: &Segment| Fate::Lost;
    let class = ClassConfig::default();
    let mut network = Network::new(2, path, &TcpConfig::default(), class, dead);
    network.flow(0, 1, 1_000, Time::ZERO, 0);
    network.run_until(Time::ZERO + Duration::from_ms(8_000));
    assert_eq!(
        network.unfinished(),
        ["0: a reply to its SYN, which was sent 4 times"]
    );
    assert_eq!(network.live(0).len(), 1);
}

#[test]
fn a_lost_last_acknowledgement_is_made_up_for() {
    for pattern in [Pattern::Plain, Pattern::Fetch] {
        let class = ClassConfig {
            pattern,
            ..ClassConfig::default()
        };
        // From the server's point of view everything has arrived: the ACK to a second copy ends the
        // flow.
        let last = |packet: &Segment| {
            packet.telemetry.bits.has(Bits::ACK)
                && !is_syn(packet)
                && packet.payload == 0
                && packet.telemetry.ack() > 5_000
        };
        let fct = transfer(class, 5_000, lose_first(last, 1));
        let limit = if pattern == Pattern::Plain {
            600.0
        } else {
            45.0
        };
        assert!(fct < limit, "{fct}");
    }
}
