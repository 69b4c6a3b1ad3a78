//! A simulation inside another program: a closed loop of requests.
//!
//! Every host runs an application that keeps one request open. When a request is done, the
//! application waits for a think time and sends the next request to another host. A background
//! workload from the scenario runs at the same time. An application reacts at the exact time of an
//! event, so the program need not step the simulation; nothing is written to disk.
//!
//! `cargo run --release -p fabricsim --example embed`

use std::error::Error;

use fabricsim::flow::Completion;
use fabricsim::plugin::{AppContext, AppFlow, Application};
use fabricsim::prelude::{
    Bytes, ClassId, Duration, FctRecord, NodeId, Scenario, Simulation, Stop, Time,
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

/// Simulated time per row of the table.
const ROW: Duration = Duration::from_us(100);
/// Time after which hosts send no new requests.
const END: Duration = Duration::from_us(500);
/// Delay before the next request of a host.
const THINK_TIME: Duration = Duration::from_us(2);
/// The class of requests; the scenario's workloads are classes 0, 1, ….
const REQUESTS: ClassId = ClassId(100);

/// Keeps one request open. Each request is sent to another host than the one before.
#[derive(Debug)]
struct Requester {
    hosts: u32,
    round: u32,
}

impl Requester {
    fn request(&mut self, context: &mut AppContext<'_>) {
        if context.now() >= Time::ZERO + END {
            return;
        }
        let src = context.host().0;
        let dst = (src + 1 + self.round % (self.hosts - 1)) % self.hosts;
        self.round += 1;
        let flow = AppFlow::new(NodeId(dst), Bytes::new(20_000), REQUESTS);
        context
            .start_flow(&flow)
            .expect("hosts of a leaf-spine reach one another");
    }
}

impl Application for Requester {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        self.request(context);
    }

    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        if completion.flow.request.class == REQUESTS {
            context.set_timer(THINK_TIME, 0);
        }
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, _token: u64) {
        self.request(context);
    }
}

/// Formats the number of requests or of all other flows in `records`, and their mean completion
/// time.
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

/// Selection of the flows in a column.
#[derive(Clone, Copy, PartialEq)]
enum Requests {
    Only,
    None,
}

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = Scenario::from_toml(SCENARIO)?;
    let mut simulation = Simulation::new(&scenario, 1)?;
    let hosts = u32::try_from(simulation.network_info().hosts)?;
    for host in 0..hosts {
        simulation.add_application(NodeId(host), Requester { hosts, round: 0 })?;
    }
    if simulation.run_until(Time::MAX) != Stop::Finished {
        return Err("nothing moves any more".into());
    }

    println!(
        "{:>8} {:>8} {:>11} {:>8} {:>11}",
        "from", "requests", "mean FCT", "others", "mean FCT"
    );
    let completions = simulation.take_completions();
    for rows in completions.chunk_by(|a, b| row_of(a) == row_of(b)) {
        let records: Vec<FctRecord> = rows.iter().map(|done| simulation.record(done)).collect();
        let from = Time::ZERO + ROW.saturating_mul(row_of(&rows[0]));
        let (requests, others) = (
            cell(&records, Requests::Only),
            cell(&records, Requests::None),
        );
        println!("{:>8} {requests} {others}", from.to_string());
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

/// Returns the row of the table to which a completion belongs.
fn row_of(completion: &Completion) -> u64 {
    completion.finish.as_ps() / ROW.as_ps()
}
