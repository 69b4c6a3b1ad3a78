//! `topology.csv`: the network of a run, with the names of its nodes.

use std::io::{self, Write};

use fabricsim_base::id::NodeId;
use fabricsim_topology::{Tiers, Topology};

/// The name of the file.
pub(super) const TOPOLOGY: &str = "topology.csv";

/// Writes a row for each port of each node, in the order of their numbers.
pub(super) fn write_topology(out: &mut impl Write, topology: &Topology) -> io::Result<()> {
    writeln!(
        out,
        "node,name,kind,tier,port,peer,peer_name,peer_port,rate_bps,delay_ns"
    )?;
    let tiers = Tiers::of(topology);
    for node in (0..topology.len()).map(NodeId::from_index) {
        let name = topology.name(node);
        let kind = match topology.is_host(node) {
            true => "host",
            false => "switch",
        };
        for (number, port) in topology.ports(node).iter().enumerate() {
            write!(
                out,
                "{node},{name},{kind},{},{number},{},{},{},{},{}",
                tiers.of_link(node, port.peer),
                port.peer,
                topology.name(port.peer),
                port.peer_port.0,
                port.rate.as_bps(),
                port.delay.as_ns(),
            )?;
            match port.delay.as_ps() % 1_000 {
                0 => writeln!(out)?,
                ps => writeln!(out, ".{ps:03}")?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Duration;
    use fabricsim_topology::DumbbellConfig;

    use super::*;

    #[test]
    fn each_port_has_a_row() {
        let config = DumbbellConfig {
            hosts_per_side: 1,
            bottleneck_delay: Duration::from_ps(1_500),
            ..DumbbellConfig::default()
        };
        let topology = config.build().expect("a dumbbell");
        let mut text = Vec::new();
        write_topology(&mut text, &topology).expect("memory takes everything");
        let text = String::from_utf8(text).expect("names are text");
        assert_eq!(
            text,
            "node,name,kind,tier,port,peer,peer_name,peer_port,rate_bps,delay_ns\n\
             0,host0,host,host to switch,0,2,switch0,0,100000000000,1000\n\
             1,host1,host,host to switch,0,3,switch1,0,100000000000,1000\n\
             2,switch0,switch,switch to host,0,0,host0,0,100000000000,1000\n\
             2,switch0,switch,switch to switch,1,3,switch1,1,100000000000,1.500\n\
             3,switch1,switch,switch to host,0,1,host1,0,100000000000,1000\n\
             3,switch1,switch,switch to switch,1,2,switch0,1,100000000000,1.500\n"
        );
    }
}
