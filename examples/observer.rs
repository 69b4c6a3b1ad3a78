//! A custom observer at every host and switch:
//! `cargo run --release -p fabricsim --example observer`.
//!
//! It records the time that packets spend in switches and the number that leave marked. Each node
//! has its own observer, because nodes run on several threads. The program reads the observers
//! after the run.

use std::error::Error;

use fabricsim::id::NodeId;
use fabricsim::plugin::{DropReason, Ecn, Hop, Observer, Packet, PacketKind};
use fabricsim::units::{Duration, Time};
use fabricsim::{Scenario, Simulation};

const SCENARIO: &str = r#"
name = "observer"

[topology]
kind = "leaf-spine"
leaves = 2
hosts_per_leaf = 8
spines = 2

[[workload]]
kind = "incast"
fan_in = 8
size = "500KB"
at = "0s"

[cc]
kind = "dctcp"
"#;

/// Statistics of the data packets at one node.
#[derive(Debug, Default)]
struct Passage {
    packets: u64,
    marked: u64,
    dropped: u64,
    sojourn: Duration,
}

impl Observer<()> for Passage {
    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, packet: &Packet<()>) {
        if packet.kind() == PacketKind::Data {
            self.packets += 1;
            self.marked += u64::from(packet.ecn() == Ecn::Congestion);
            self.sojourn = self.sojourn.saturating_add(hop.now.since(hop.arrived));
        }
    }

    fn on_drop(&mut self, _now: Time, _node: NodeId, _reason: DropReason, _packet: &Packet<()>) {
        self.dropped += 1;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = Scenario::from_toml(SCENARIO)?;
    let mut simulation = Simulation::new(&scenario, 2)?;
    simulation.observe(|_node| Passage::default());
    simulation.run_until(Time::MAX);
    println!("switch  packets   marked  dropped  mean sojourn");
    for (node, passage) in simulation.observers::<Passage>() {
        if let Some(mean) = passage.sojourn.as_ps().checked_div(passage.packets) {
            let mean = Duration::from_ps(mean);
            println!(
                "{node:>6} {:>8} {:>8} {:>8}  {mean}",
                passage.packets, passage.marked, passage.dropped
            );
        }
    }
    Ok(())
}
