//! Steps computed by hand, and an incast.

use fabricsim_cli::fabricsim::{Scenario, Simulation};

use super::*;

const LINE: Rate = Rate::from_gbps(100);
/// T: 125,000 bytes in flight at line rate.
const TAU: Duration = Duration::from_us(10);

fn flow() -> PowerTcp {
    let network = CcContext::of_nics(LINE);
    PowerTcpConfig::default().build(&FlowStart::new(LINE, TAU, Bytes::new(1_000), &network))
}

/// Returns one hop at `us` with `sent` bytes sent and `queue` bytes queued.
fn view(us: u64, sent: u64, queue: u64) -> TelemetryView {
    on_path(1, us, sent, queue)
}

/// Returns such a hop on the path numbered `path`.
fn on_path(path: u32, us: u64, sent: u64, queue: u64) -> TelemetryView {
    let mut view = TelemetryView::default();
    let hop = IntHop {
        at: Time::ZERO + Duration::from_us(us),
        sent: ByteCounter::new(Bytes::new(sent), Bytes::new(1 << 32)),
        queue: Bytes::new(queue),
        rate: LINE,
    };
    view.set(IntView {
        path,
        hops: vec![hop],
    });
    view
}

fn ack(cc: &mut PowerTcp, cumulative: u64, view: &TelemetryView) -> f64 {
    cc.on_ack(&Ack::new(
        Time::ZERO,
        cumulative,
        cumulative + 100_000,
        TAU,
        view,
    ));
    cc.window
}

#[test]
fn a_full_link_without_a_queue_has_power_one() {
    let mut cc = flow();
    assert_eq!(ack(&mut cc, 1_000, &view(1, 0, 0)), 125_000.0);
    // 12,500 bytes in 1 us are line rate, so the power stays 1 and the window stays at its upper
    // bound.
    assert_eq!(ack(&mut cc, 2_000, &view(2, 12_500, 0)), 125_000.0);
    assert!((cc.power - 1.0).abs() < 1e-9, "{}", cc.power);
}

#[test]
fn a_queue_of_one_product_halves_the_window() {
    let mut cc = flow();
    ack(&mut cc, 1_000, &view(1, 0, 125_000));
    // Over a whole round trip, the current is 1 and the voltage 2, so the power is 2 and the window
    // is 0.9 (125,000 / 2 + 12,500) + 0.1 125,000 = 80,000.
    let window = ack(&mut cc, 2_000, &view(11, 125_000, 125_000));
    assert!((cc.power - 2.0).abs() < 1e-9, "{}", cc.power);
    assert!((window - 80_000.0).abs() < 1e-6, "{window}");
}

#[test]
fn a_queue_that_grows_counts_before_it_is_long() {
    let mut cc = flow();
    ack(&mut cc, 1_000, &view(1, 0, 0));
    // 12,500 bytes sent and as many queued in 1 us: the current is 2, the voltage 1.1. A tenth of a
    // round trip counts: 0.9 + 0.1 2.2 = 1.12. 0.9 (125,000 / 1.12 + 12,500) + 12,500 = 124,196.4.
    let window = ack(&mut cc, 2_000, &view(2, 12_500, 12_500));
    assert!((cc.power - 1.12).abs() < 1e-9, "{}", cc.power);
    assert!((window - 124_196.43).abs() < 0.01, "{window}");
}

#[test]
fn another_path_is_not_compared() {
    let mut cc = flow();
    ack(&mut cc, 1_000, &view(1, 0, 0));
    let other = on_path(2, 2, 1 << 30, 1 << 20);
    assert_eq!(ack(&mut cc, 2_000, &other), 125_000.0);
    assert!((cc.power - 1.0).abs() < 1e-9, "{}", cc.power);
}

/// Returns the mean queue of a 16-to-1 incast of endless flows from 0.5 to 1 ms, in bytes.
fn standing_queue(cc: &str) -> f64 {
    let mut registry = CcRegistry::default();
    registry.register::<PowerTcpConfig>("my-powertcp", "PowerTCP");
    let text = format!(
        "[topology]\nkind = \"star\"\nhosts = 17\n[[workload]]\nkind = \"incast\"\nreceiver = 16\n\
         fan_in = 16\nsize = \"100MB\"\nat = \"0s\"\n[cc]\n{cc}\n"
    );
    let scenario = Scenario::from_toml_with(&text, &registry).expect("a valid scenario");
    let mut simulation = Simulation::new(&scenario, 1).expect("it can be built");
    let mut sum = 0.0;
    for sample in 0..500u64 {
        simulation.run_until(Time::ZERO + Duration::from_us(500 + sample));
        sum += simulation.queued_bytes().as_f64();
    }
    assert_eq!(simulation.live_flows().len(), 16);
    sum / 500.0
}

#[test]
fn in_an_incast_the_queue_stays_near_zero() {
    let (own, hpcc) = (
        standing_queue("kind = \"my-powertcp\"\nflows = 160"),
        standing_queue("kind = \"hpcc\""),
    );
    let dcqcn = standing_queue("kind = \"dcqcn\"");
    println!("powertcp {own:.0}, hpcc {hpcc:.0}, dcqcn {dcqcn:.0} bytes");
    assert!(own < 30_000.0, "{own}");
    assert!(dcqcn > 10.0 * own, "{dcqcn} and {own}");
}
