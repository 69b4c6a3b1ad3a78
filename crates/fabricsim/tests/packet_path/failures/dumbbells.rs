//! One link in the middle that fails, loses packets or changes its rate.

use crate::support;
use fabricsim_base::units::{Bytes, Rate};

use crate::failures::{each_algorithm, event, finish, us};

fn dumbbell(size: &str, cc: &str, events: &[String]) -> String {
    format!(
        r#"
            [topology]
            kind = "dumbbell"
            hosts_per_side = 1
            [[workload]]
            kind = "incast"
            fan_in = 1
            receiver = 1
            size = "{size}"
            at = "0s"
            [cc]
            kind = "{cc}"
            {}"#,
        events.concat()
    )
}

/// Returns an event for the link between the two switches of the dumbbell.
fn middle(at_us: u64, kind: &str) -> String {
    event(at_us, &format!("link = [2, 3]\nkind = {kind}"))
}

#[test]
fn a_long_flow_takes_as_long_as_a_slower_link_makes_it() {
    let events = [
        middle(100, "\"link-rate\"\nrate = \"25Gbps\""),
        middle(500, r#""link-up""#),
        middle(600, "\"link-rate\"\nrate = \"10Gbps\""),
    ];
    let mut simulation = support::simulation(&dumbbell("10MB", "none", &events), 1);
    let done = finish(&mut simulation);
    // 1,048 bytes on the wire for each of 10,000 packets: at 100, 25, 100 and then 10 Gbps.
    let bits = |us: f64, gbps: f64| us * gbps * 1e3;
    let early = bits(100.0, 100.0) + bits(400.0, 25.0) + bits(100.0, 100.0);
    let expected = 600.0 + (10_000.0 * 1_048.0 * 8.0 - early) / 10e3;
    let took = done[0].fct().as_secs_f64() * 1e6;
    assert!(
        (took / expected - 1.0).abs() < 0.01,
        "{took} and {expected}"
    );
    assert_eq!(simulation.counters().lost_payload, Bytes::ZERO);
}

#[test]
fn hpcc_follows_the_rate_that_telemetry_reports() {
    for profile in ["", "profile = \"ns3-hpcc\"\n"] {
        let events = [middle(0, "\"link-rate\"\nrate = \"25Gbps\"")];
        let text = format!("{profile}{}", dumbbell("10MB", "hpcc", &events));
        let mut simulation = support::simulation(&text, 1);
        let done = finish(&mut simulation);
        let wire = Rate::from_gbps(25).transmission(Bytes::new(10_000 * 1_090));
        let share = wire.as_secs_f64() / done[0].fct().as_secs_f64();
        assert!((0.9..0.97).contains(&share), "{profile}: {share}");
    }
}

#[test]
fn a_lossy_link_loses_its_share_until_it_is_healed() {
    each_algorithm(|cc, _| {
        let kind = cc.split('"').nth(1).unwrap();
        let events = [
            middle(1, "\"link-loss\"\nloss = 0.01"),
            middle(1_500, "\"link-loss\"\nloss = 0"),
        ];
        let mut simulation = support::simulation(&dumbbell("40MB", kind, &events), 1);
        simulation.run_until(us(1_500));
        let losses = simulation.counters().link_losses;
        let lost = losses as f64;
        let data = simulation.endpoint_counters().packets as f64;
        // Data in one direction, and up to as many ACKs in the other.
        assert!(data > 500.0, "{data}");
        let spread = 4.0 * (0.02 * data).sqrt();
        assert!(lost > 0.01 * data - spread, "{lost} of {data}");
        assert!(lost < 0.02 * data + spread, "{lost} of {data}");
        finish(&mut simulation);
        assert_eq!(simulation.counters().link_losses, losses);
    });
}

/// 1,048 bytes at 100 Gbps take 83.84 ns: six packets have left the host within the first 500 ns,
/// and none of them has reached the switch, 1 us away.
#[test]
fn a_flap_faster_than_the_wire_loses_what_was_on_it_and_nothing_else() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [[workload]]
        kind = "incast"
        fan_in = 1
        receiver = 1
        size = "200KB"
        at = "0s"
        [cc]
        kind = "none"
        window_bdp = 0
        [[event]]
        at = "500ns"
        kind = "link-down"
        link = [0, 2]
        [[event]]
        at = "600ns"
        kind = "link-up"
        link = [0, 2]
    "#;
    let text = text.replace("window_bdp = 0", "window_bdp = 0.0");
    let mut simulation = support::simulation(&text, 1);
    finish(&mut simulation);
    let counters = simulation.counters();
    assert_eq!(
        (counters.link_down_drops, counters.lost_payload.get()),
        (6, 6_000)
    );
}
