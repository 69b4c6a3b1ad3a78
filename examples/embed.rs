//! A simulation inside another program: a closed loop of requests, driven from a loop of our own.
//!
//! Every host keeps one request open: when it is done the host sends the next one, to another host,
//! while a background workload from the scenario runs beside. The program decides how far simulated
//! time goes at each step and what happens between steps; nothing is written to disk.
//!
//! `cargo run --release -p fabricsim --example embed`

use std::error::Error;

use fabricsim::prelude::{
    Bytes, ClassId, Duration, FctRecord, FlowRequest, NodeId, Priority, Scenario, Simulation, Stop,
    Time,
};

const SCENARIO: &str = r#"
name = "embed"
seed = 1

[topology]
kind = "leaf-spine"
leaves = 4
hosts_per_leaf = 4
spines = 2

[[workload]]
kind = "poisson"
sizes = "websearch"
load = 0.2
duration = "500us"

[cc]
kind = "hpcc"
"#;

/// How far simulated time goes before the program looks at the network again.
const STEP: Duration = Duration::from_us(5);
/// How many steps make a row of the table.
const STEPS_PER_ROW: u32 = 20;
/// When the last requests start.
const END: Duration = Duration::from_us(500);
/// What a host thinks about before its next request.
const THINK_TIME: Duration = Duration::from_us(2);
/// Tells requests from the workloads of the scenario, which are classes 0, 1, ….
const REQUESTS: ClassId = ClassId(100);

/// The request number `round` of host `src`: each goes to another host than the one before.
fn request(src: NodeId, round: u32, hosts: u32, start: Time) -> FlowRequest {
    FlowRequest {
        src,
        dst: NodeId((src.0 + 1 + round % (hosts - 1)) % hosts),
        size: Bytes::new(20_000),
        start,
        class: REQUESTS,
        priority: Priority::new(3),
        src_port: None,
        dst_port: 300,
    }
}

/// The number of `records` of requests or of other flows, and their mean completion time.
fn cell(records: &[FctRecord], requests: Requests) -> String {
    let wanted = records
        .iter()
        .filter(|record| (record.class == REQUESTS) == (requests == Requests::Only));
    let times: Vec<f64> = wanted
        .map(|record| record.fct.as_secs_f64() * 1e6)
        .collect();
    if times.is_empty() {
        return format!("{:>8} {:>11}", 0, "-");
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    format!("{:>8} {mean:>8.2} us", times.len())
}

/// Which flows a column shows.
#[derive(Clone, Copy, PartialEq)]
enum Requests {
    Only,
    None,
}

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = Scenario::from_toml(SCENARIO)?;
    let mut simulation = Simulation::new(&scenario, 1)?;
    let hosts = u32::try_from(simulation.network_info().hosts)?;
    let mut rounds = vec![0u32; simulation.network_info().hosts];
    for host in 0..hosts {
        simulation.inject(request(NodeId(host), 0, hosts, Time::ZERO))?;
    }

    println!(
        "{:>8} {:>8} {:>11} {:>8} {:>11}",
        "until", "requests", "mean FCT", "others", "mean FCT"
    );
    let mut until = Time::ZERO;
    let mut row = Vec::new();
    for step in 1.. {
        until += STEP;
        let stop = simulation.run_until(until);
        for done in simulation.take_completions() {
            row.push(simulation.record(&done));
            if done.flow.request.class != REQUESTS {
                continue;
            }
            // What finished in this step is seen at its end, and flows start no earlier than that.
            // An application at a host (`Simulation::add_application`) reacts at the very time.
            let start = (done.finish + THINK_TIME).max(until);
            if start < Time::ZERO + END {
                let src = done.flow.request.src;
                let round = &mut rounds[src.index()];
                *round += 1;
                simulation.inject(request(src, *round, hosts, start))?;
            }
        }
        let over = stop == Stop::Finished && until >= Time::ZERO + END;
        if step % STEPS_PER_ROW == 0 || over {
            let (requests, others) = (cell(&row, Requests::Only), cell(&row, Requests::None));
            println!("{:>8} {requests} {others}", until.to_string());
            row.clear();
        }
        match stop {
            Stop::Stalled => return Err("nothing moves any more".into()),
            _ if over => break,
            _ => {}
        }
    }
    let network = simulation.counters();
    println!(
        "{} flows, {} packet-hops, longest queue {} bytes",
        simulation.flows_finished(),
        network.packet_hops,
        network.max_queue.get()
    );
    Ok(())
}
