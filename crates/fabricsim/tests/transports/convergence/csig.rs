//! CSIG: the free bandwidth stays near the headroom, for one flow or many at the port.

use fabricsim::{Scenario, Simulation};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;

use crate::convergence::{FLOWS, WIRE, settled};

#[test]
fn the_port_is_filled_up_to_the_headroom() {
    for flows in FLOWS {
        let seen = settled(flows, "kind = \"csig\"", [10_000, 20_000]);
        let used = seen.utilization;
        assert!(used > 0.85 && used < 0.97, "{flows}: {used}");
        assert!(seen.fairness > 0.9, "{flows}: {}", seen.fairness);
    }
}

#[test]
fn the_tag_takes_four_bytes_of_each_packet() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [[workload]]
        kind = "incast"
        fan_in = 1
        receiver = 1
        size = "1MB"
        at = "0s"
        [cc]
        kind = "csig"
    "#;
    let scenario = Scenario::from_toml(text).unwrap();
    let mut simulation = Simulation::new(&scenario, 1).unwrap();
    assert_eq!(simulation.network_info().telemetry_bytes, 4);
    simulation.run_until(Time::MAX);
    let port = simulation.port(NodeId(2), PortId(1)).unwrap();
    assert!((port.sent.as_f64() - 1_000.0 * (WIRE + 4.0)).abs() < 0.5);
}
