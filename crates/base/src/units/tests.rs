use super::*;

#[test]
fn a_byte_is_a_whole_number_of_picoseconds_at_common_rates() {
    for (gbps, ps) in [
        (10, 800),
        (25, 320),
        (100, 80),
        (400, 20),
        (800, 10),
        (1600, 5),
    ] {
        assert_eq!(
            Rate::from_gbps(gbps).transmission(Bytes::new(1)).as_ps(),
            ps
        );
    }
}

#[test]
fn transmission_rounds_up() {
    let third = Rate::from_bps(3_000_000_000_000).expect("non-zero");
    assert_eq!(third.transmission(Bytes::new(1)).as_ps(), 3);
}

#[test]
fn truncated_times_are_those_of_the_published_simulator() {
    // Measured on the published HPCC simulator: the floor of the exact value, but one less if the
    // exact value is an integer and its double is below it.
    let ns = |bytes, gbps| {
        Rate::from_gbps(gbps)
            .transmission_truncated_ns(Bytes::new(bytes))
            .as_ns()
    };
    assert_eq!([ns(1_048, 100), ns(1_048, 400)], [83, 20]);
    assert_eq!([ns(1_090, 100), ns(1_090, 400)], [87, 21]);
    assert_eq!([ns(75, 25), ns(1_000, 25), ns(1_025, 25)], [23, 319, 327]);
    assert_eq!(truncated_ns(2.000_000_577), 2_000_000_576);
    assert_eq!(truncated_ns(2.000_005_948), 2_000_005_948);
}

#[test]
fn bandwidth_delay_product_of_the_papers_fabric() {
    assert_eq!(
        Rate::from_gbps(100).bytes_in(Duration::from_ns(12_240)),
        Bytes::new(153_000)
    );
}

#[test]
fn display_uses_the_largest_even_unit() {
    assert_eq!(Duration::from_us(1).to_string(), "1us");
    assert_eq!(Duration::from_ps(1_500).to_string(), "1500ps");
    assert_eq!(Rate::from_gbps(1600).to_string(), "1600Gbps");
    assert_eq!(Rate::from_mbps(50).to_string(), "50Mbps");
    assert_eq!(Bytes::new(32 << 20).to_string(), "32MiB");
    assert_eq!(Bytes::new(0).to_string(), "0B");
}
