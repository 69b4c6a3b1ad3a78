//! The utilization of links, by the distances of their ends from hosts.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Rate;
use fabricsim_topology::{LinkLoads, Topology, levels, tier_names};

use super::{BusyLink, TierUtilization};

/// Returns the utilization of each tier, and of the busiest direction of a link, if links carry
/// `loads` bytes per second; `None` for a network without links.
pub(super) fn summed(
    topology: &Topology,
    loads: &LinkLoads,
) -> Option<(Vec<TierUtilization>, BusyLink)> {
    let levels = levels(topology);
    let names = tier_names(topology, &levels);
    // In the order of the report: upward links from the hosts on, then downward ones from the top.
    let mut tiers: Vec<Option<Sum>> = vec![None; 2 * names.len() * names.len()];
    let mut busiest: Option<(f64, u32, usize)> = None;
    let rates = rates(topology);
    for (index, (link, loads)) in (0u32..).zip(topology.links().iter().zip(&loads.loads)) {
        let ends = [link.a, link.b];
        for direction in 0..2 {
            let [from, to] =
                [ends[direction], ends[1 - direction]].map(|node| levels[node.index()]);
            if from.max(to) == usize::MAX {
                continue; // no host is connected to these switches
            }
            let capacity = rates[index as usize][direction].as_bps_f64() / 8.0;
            let used = loads[direction] / capacity;
            let sum = tiers[place(from, to, names.len())].get_or_insert_with(|| Sum {
                from,
                to,
                ..Sum::default()
            });
            sum.links += 1;
            sum.bytes += loads[direction];
            sum.capacity += capacity;
            sum.busiest = sum.busiest.max(used);
            if busiest.is_none_or(|(most, ..)| used > most) {
                busiest = Some((used, index, direction));
            }
        }
    }
    let name = |from: usize, to: usize| format!("{} to {}", names[from], names[to]);
    let tiers = tiers.into_iter().flatten();
    let tiers = tiers.map(|sum| TierUtilization {
        tier: name(sum.from, sum.to),
        links: sum.links,
        mean: sum.bytes / sum.capacity,
        busiest: sum.busiest,
    });
    // Only one link is reported by name, so its port is looked up last.
    let (utilization, index, direction) = busiest?;
    let link = &topology.links()[index as usize];
    let (node, peer) = match direction {
        0 => (link.a, link.b),
        _ => (link.b, link.a),
    };
    let ports = topology.ports(node);
    let port = ports.iter().position(|port| port.link == index)?;
    let busiest = BusyLink {
        tier: name(levels[node.index()], levels[peer.index()]),
        node,
        name: topology.name(node).to_owned(),
        port: PortId::from_index(port),
        peer,
        peer_name: topology.name(peer).to_owned(),
        utilization,
    };
    Some((tiers.collect(), busiest))
}

/// Returns the rates of each link: from its first end, and back.
fn rates(topology: &Topology) -> Vec<[Rate; 2]> {
    let links = topology.links();
    let mut rates: Vec<[Rate; 2]> = links.iter().map(|link| [link.rate; 2]).collect();
    for node in (0..topology.len()).map(NodeId::from_index) {
        for port in topology.ports(node) {
            let link = port.link as usize;
            rates[link][usize::from(links[link].a != node)] = port.rate;
        }
    }
    rates
}

/// The totals over the links of a tier.
#[derive(Clone, Debug, Default)]
struct Sum {
    from: usize,
    to: usize,
    links: u64,
    bytes: f64,
    capacity: f64,
    busiest: f64,
}

/// Returns the index of a tier among `levels` squared ones in each direction.
fn place(from: usize, to: usize, levels: usize) -> usize {
    if from <= to {
        from * levels + to
    } else {
        2 * levels * levels - 1 - (to * levels + from)
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::{Duration, Rate};
    use fabricsim_topology::{Link, NodeKind, RailConfig};

    use super::*;

    #[test]
    fn switches_without_hosts_are_left_out() {
        use NodeKind::{Host, Switch};
        let link = |a, b| Link {
            a: NodeId(a),
            b: NodeId(b),
            rate: Rate::from_gbps(100),
            delay: Duration::from_us(1),
            loss: 0.0,
        };
        let kinds = vec![Host, Host, Switch, Switch, Switch];
        let links = vec![link(0, 2), link(1, 2), link(3, 4)];
        let topology = Topology::new(kinds, links).expect("hosts reach each other");
        let loads = LinkLoads {
            loads: vec![[1e9, 0.0], [0.0, 1e9], [0.0, 0.0]],
        };
        let (tiers, busiest) = summed(&topology, &loads).expect("links");
        let names: Vec<&str> = tiers.iter().map(|tier| tier.tier.as_str()).collect();
        assert_eq!(names, ["host to switch", "switch to host"]);
        assert!((busiest.utilization - 0.08).abs() < 1e-12);
    }

    /// Links inside servers are separate from links of NICs, which are far slower.
    #[test]
    fn links_inside_of_servers_are_a_tier() {
        let cluster = RailConfig::default()
            .build()
            .expect("the defaults are possible");
        let loads = LinkLoads {
            loads: vec![[1e9, 1e9]; cluster.links().len()],
        };
        let (tiers, busiest) = summed(&cluster, &loads).expect("links");
        let found: Vec<(&str, u64)> = tiers.iter().map(|t| (t.tier.as_str(), t.links)).collect();
        let wanted = [
            ("host to leaf", 512),
            ("host to server", 512),
            ("leaf to spine", 512),
            ("spine to leaf", 512),
            ("server to host", 512),
            ("leaf to host", 512),
        ];
        assert_eq!(found, wanted);
        assert!((busiest.utilization - 0.02).abs() < 1e-12);
    }
}
