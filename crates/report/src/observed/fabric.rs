//! The network of a run.

use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::Duration;

use crate::columns::Word;
use crate::table::Table;

/// A port of a node and the link at it: a row of `topology.csv`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FabricPort<'t> {
    /// The host or switch.
    pub node: NodeId,
    /// Its name.
    pub name: &'t str,
    /// `true` if the node is a host.
    pub is_host: bool,
    /// Tiers at both ends of the link, such as `leaf to spine`.
    pub tier: &'t str,
    /// The port.
    pub port: PortId,
    /// The node at the other end.
    pub peer: NodeId,
    /// Port of the other end.
    pub peer_port: PortId,
    /// Rate at which the node sends, in bits per second.
    pub rate_bps: u64,
    /// One-way delay of the link.
    pub delay: Duration,
}

/// Reads `topology.csv`, in the order of its rows. Every port has a row of its own, and the port at
/// the other end of its link leads back to it.
///
/// # Errors
/// Fails at the offending word, also if a port has two rows or no port leads back to it.
pub fn read_fabric(text: &str) -> Result<Vec<FabricPort<'_>>, InputError> {
    let table = Table::new(text, "topology.csv")?;
    let names = [
        "node",
        "name",
        "kind",
        "tier",
        "port",
        "peer",
        "peer_port",
        "rate_bps",
        "delay_ns",
    ];
    let places = table.positions(names)?;
    let rows = table.read(|_, line, fields| {
        let [node, name, kind, tier, port, peer, peer_port, rate, delay] =
            places.map(|place| fields[place]);
        let own = FabricPort {
            node: NodeId(node.integer("node")?),
            name: name.text,
            is_host: is_host(kind)?,
            tier: tier.text,
            port: PortId(port.integer("port")?),
            peer: NodeId(peer.integer("peer")?),
            peer_port: PortId(peer_port.integer("peer_port")?),
            rate_bps: rate.integer("rate_bps")?,
            delay: Duration::from_ps(delay.nanoseconds("delay_ns")?),
        };
        Ok((own, line))
    })?;
    let mut other_ends = BTreeMap::new();
    for (own, line) in &rows {
        let end = (own.peer, own.peer_port);
        if other_ends.insert((own.node, own.port), end).is_some() {
            return Err(line.error("the port has two rows", "remove one of them"));
        }
    }
    for (own, line) in &rows {
        if other_ends.get(&(own.peer, own.peer_port)) != Some(&(own.node, own.port)) {
            return Err(line.error(
                format!(
                    "port {} of node {} does not lead back to this port",
                    own.peer_port.0, own.peer.0
                ),
                "every link has a row at each end: run the scenario again",
            ));
        }
    }
    Ok(rows.into_iter().map(|(own, _)| own).collect())
}

fn is_host(kind: Word<'_>) -> Result<bool, InputError> {
    match kind.text {
        "host" => Ok(true),
        "switch" => Ok(false),
        _ => Err(kind.error(
            format!("`{}` is no kind of node", kind.text),
            "write `host` or `switch`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
node,name,kind,tier,port,peer,peer_name,peer_port,rate_bps,delay_ns
0,host0,host,host to switch,0,2,switch0,1,100,1000.5
1,host1,host,host to switch,0,2,switch0,0,100,1000
2,switch0,switch,switch to host,0,1,host1,0,200,1000
2,switch0,switch,switch to host,1,0,host0,0,100,1000
";

    #[test]
    fn each_row_is_a_port() {
        let ports = read_fabric(TEXT).expect("four rows");
        assert_eq!(ports.len(), 4);
        let first = ports[0];
        assert_eq!((first.name, first.is_host), ("host0", true));
        assert_eq!((first.peer, first.peer_port), (NodeId(2), PortId(1)));
        assert_eq!(first.delay, Duration::from_ps(1_000_500));
        assert_eq!((ports[2].is_host, ports[2].rate_bps), (false, 200));
    }

    #[test]
    fn links_have_two_ends() {
        let place = |text: &str| {
            let error = read_fabric(text).expect_err("refused");
            text[error.span].to_owned()
        };
        let wrong = TEXT.replace("2,switch0,0,100,1000\n2,", "2,switch0,1,100,1000\n2,");
        assert!(place(&wrong).starts_with("1,host1"));
        let twice = TEXT.replace("switch to host,1,", "switch to host,0,");
        assert!(place(&twice).starts_with("2,switch0"));
        assert_eq!(
            place(&TEXT.replace("host0,host,", "host0,router,")),
            "router"
        );
    }
}
