//! Memory used by hosts and flows, checked against the figures of docs/performance.md, section
//! "Large fabrics".

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::network::Stop;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes for each host of a fat-tree, its share of the switches included, before anything is sent.
const HOST: usize = 8_448;
/// Bytes for each flow that has started and not ended, at its sender.
const LIVE_FLOW: usize = 1_024;

fn simulation(topology: &str) -> Simulation {
    let text = format!(
        r#"
            [topology]
            {topology}
            [[workload]]
            kind = "poisson"
            sizes = "1KB"
            load = 0.01
            duration = "1ns"
            [cc]
            kind = "hpcc""#
    );
    let scenario = Scenario::from_toml(&text).unwrap();
    Simulation::new(&scenario, 1).unwrap()
}

/// One test, because the allocator counts for the whole process.
#[test]
fn hosts_and_live_flows_cost_what_the_documents_say() {
    for k in [8, 16] {
        let hosts = k * k * k / 4;
        let before = ALLOCATOR.current_usage();
        let simulation = simulation(&format!(
            r#"kind = "fat-tree"
            k = {k}"#
        ));
        let host = (ALLOCATOR.current_usage() - before) / hosts;
        println!("k = {k}: {host} bytes for each of {hosts} hosts");
        assert!((HOST / 2..HOST).contains(&host), "k = {k}: {host}");
        drop(simulation);
    }

    let mut simulation = simulation(
        r#"kind = "star"
        hosts = 64"#,
    );
    let flows = 10_000;
    let request = |flow: u32| FlowRequest {
        src: NodeId(0),
        dst: NodeId(1 + flow % 63),
        size: Bytes::new(1_000_000),
        start: Time::from_ns(10),
        class: ClassId(0),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    };
    for flow in 0..flows {
        simulation.inject(request(flow)).unwrap();
    }
    assert_eq!(simulation.run_until(Time::from_ns(9)), Stop::TimeReached);
    let before = ALLOCATOR.current_usage();
    assert_eq!(simulation.run_until(Time::from_ns(500)), Stop::TimeReached);
    assert!(simulation.flows_started() >= u64::from(flows));
    assert_eq!(simulation.flows_finished(), 0);
    let after = ALLOCATOR.current_usage();
    // What waited outside has been freed, so this is less than the flows take now.
    let flow = after.saturating_sub(before) / flows as usize;
    println!("{flow} bytes more for each live flow");
    assert!((LIVE_FLOW / 4..LIVE_FLOW).contains(&flow), "{flow}");
}
