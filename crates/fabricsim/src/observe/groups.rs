//! The queue lengths of groups of ports, weighted by time.

use std::collections::BTreeMap;
use std::io::{self, Write};

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Bytes;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::observe::{ALL_PORTS, ObserveSettings, queue_ports};
use fabricsim_topology::{Topology, tiers_of};
use serde::{Deserialize, Serialize};

use crate::simulation::Simulation;
use fabricsim_network::{QueueArea, QueueBin};

/// Name of the file with the queue lengths of groups of ports.
pub(crate) const QUEUE_GROUPS: &str = "queue_groups.csv";

/// The queue lengths of a group of switch ports, over the time of all ports together.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct QueueGroupSummary {
    /// Name of the group: "all", a tier such as "ToR to host", or a name from the scenario.
    pub group: String,
    /// Number of ports.
    pub ports: u64,
    /// Mean length, in bytes.
    pub mean_bytes: f64,
    /// Median length: the upper end of its bin; 0 if it is the empty queue.
    pub p50_bytes: u64,
    /// 95th percentile of the length.
    pub p95_bytes: u64,
    /// 99th percentile of the length.
    pub p99_bytes: u64,
    /// Upper end of the last bin.
    pub longest_bytes: u64,
}

/// A group of ports and the time that their queues spent at each length.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueueGroup {
    name: String,
    ports: u64,
    /// Time in each bin, in picoseconds, summed over all ports. Bins are keyed by their ends.
    bins: BTreeMap<(Bytes, Bytes), u128>,
    byte_ps: u128,
    time_ps: u128,
}

/// Returns the queue lengths of the groups of ports in `scenario`.
pub(crate) fn groups_of(scenario: &Scenario, simulation: &Simulation) -> Vec<QueueGroup> {
    let settings = scenario.observe().into_iter();
    settings
        .flat_map(|settings| queue_groups(settings, scenario.topology(), simulation))
        .collect()
}

/// Returns the groups of `settings`: all observed ports, their tiers if there are several, and the
/// named groups.
fn queue_groups(
    settings: &ObserveSettings,
    topology: &Topology,
    simulation: &Simulation,
) -> Vec<QueueGroup> {
    if !settings.queue_distribution {
        return Vec::new();
    }
    let ports = queue_ports(settings, topology);
    let tiers = tiers_of(topology, &ports);
    let mut members: Vec<(String, Vec<(NodeId, PortId)>)> =
        vec![(ALL_PORTS.to_owned(), ports.clone())];
    for (port, tier) in ports.iter().zip(tiers) {
        match members[1..].iter().position(|(name, _)| *name == tier) {
            Some(place) => members[1 + place].1.push(*port),
            None => members.push((tier, vec![*port])),
        }
    }
    if members.len() == 2 {
        members.pop();
    }
    for group in &settings.queue_groups {
        members.push((group.name.clone(), group.choose(&ports, topology)));
    }
    let (bins, areas) = (simulation.queue_distribution(), simulation.queue_areas());
    let groups = members.into_iter();
    groups
        .map(|(name, ports)| QueueGroup::new(name, &ports, &bins, &areas))
        .collect()
}

impl QueueGroup {
    /// Returns the group of `ports`, which must be sorted.
    fn new(
        name: String,
        ports: &[(NodeId, PortId)],
        bins: &[QueueBin],
        areas: &[QueueArea],
    ) -> Self {
        let member = |node, port| ports.binary_search(&(node, port)).is_ok();
        let mut group = Self {
            name,
            ports: ports.len() as u64,
            bins: BTreeMap::new(),
            byte_ps: 0,
            time_ps: 0,
        };
        for bin in bins.iter().filter(|bin| member(bin.node, bin.port)) {
            let time = u128::from(bin.time.as_ps());
            *group.bins.entry((bin.from, bin.upto)).or_default() += time;
        }
        for area in areas.iter().filter(|area| member(area.node, area.port)) {
            group.byte_ps += area.byte_ps;
            group.time_ps += u128::from(area.time.as_ps());
        }
        group
    }

    /// Returns the upper end of the bin that the queues do not exceed for at least `percent` of the
    /// time.
    fn percentile(&self, percent: u32) -> u64 {
        let mut below = 0;
        let bin = self.bins.iter().find(|(_, time)| {
            below += **time;
            below * 100 >= self.time_ps * u128::from(percent)
        });
        bin.map_or(0, |((from, upto), _)| end(*from, *upto))
    }

    /// Returns `true` if its ports were observed for some time.
    pub(crate) const fn was_observed(&self) -> bool {
        self.time_ps > 0
    }

    /// Returns the entry of the group for `summary.json`.
    pub(crate) fn summary(&self) -> QueueGroupSummary {
        let last = self.bins.last_key_value();
        QueueGroupSummary {
            group: self.name.clone(),
            ports: self.ports,
            mean_bytes: if self.time_ps == 0 {
                0.0
            } else {
                self.byte_ps as f64 / self.time_ps as f64
            },
            p50_bytes: self.percentile(50),
            p95_bytes: self.percentile(95),
            p99_bytes: self.percentile(99),
            longest_bytes: last.map_or(0, |((from, upto), _)| end(*from, *upto)),
        }
    }
}

/// Returns the length that represents a bin: its upper end, or zero for the empty queue.
const fn end(from: Bytes, upto: Bytes) -> u64 {
    if from.get() == 0 && upto.get() == 1 {
        0
    } else {
        upto.get()
    }
}

/// Writes `queue_groups.csv`: a row for each bin of each group.
pub(crate) fn write_queue_groups(out: &mut impl Write, groups: &[QueueGroup]) -> io::Result<()> {
    /// The last column has fractions in units of 1 / `WHOLE`.
    const WHOLE: u128 = 1_000_000_000;
    writeln!(out, "group,ports,from_bytes,upto_bytes,time_ns,share_below")?;
    for group in groups {
        let mut below = 0;
        for ((from, upto), time) in &group.bins {
            below += time;
            let share = below * WHOLE / group.time_ps.max(1);
            write!(
                out,
                "{},{},{},{},{}",
                group.name,
                group.ports,
                from.get(),
                upto.get(),
                time / 1_000
            )?;
            match time % 1_000 {
                0 => {}
                ps => write!(out, ".{ps:03}")?,
            }
            writeln!(out, ",{}.{:09}", share / WHOLE, share % WHOLE)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Duration;

    use super::*;

    fn bin(port: u16, from: u64, upto: u64, ns: u64) -> QueueBin {
        QueueBin {
            node: NodeId(9),
            port: PortId(port),
            from: Bytes::new(from),
            upto: Bytes::new(upto),
            time: Duration::from_ns(ns),
        }
    }

    fn area(port: u16, byte_ns: u128, ns: u64) -> QueueArea {
        QueueArea {
            node: NodeId(9),
            port: PortId(port),
            byte_ps: byte_ns * 1_000,
            time: Duration::from_ns(ns),
        }
    }

    #[test]
    fn the_time_of_all_ports_counts() {
        let bins = [
            bin(0, 0, 1, 900),
            bin(0, 1_000, 2_000, 100),
            bin(1, 0, 1, 90),
            bin(1, 1_000, 2_000, 890),
            bin(1, 5_000, 6_000, 20),
            bin(2, 7_000, 8_000, 1_000),
        ];
        let areas = [
            area(0, 150_000, 1_000),
            area(1, 1_450_000, 1_000),
            area(2, 1, 1_000),
        ];
        let ports = [0, 1].map(|port| (NodeId(9), PortId(port)));
        let group = QueueGroup::new("two".to_owned(), &ports, &bins, &areas);
        let wanted = QueueGroupSummary {
            group: "two".to_owned(),
            ports: 2,
            mean_bytes: 800.0,
            p50_bytes: 2_000,
            p95_bytes: 2_000,
            p99_bytes: 2_000,
            longest_bytes: 6_000,
        };
        assert_eq!(group.summary(), wanted);
        assert!(group.was_observed());
        let mut text = Vec::new();
        write_queue_groups(&mut text, &[group]).expect("memory");
        assert_eq!(
            String::from_utf8(text).expect("text"),
            "group,ports,from_bytes,upto_bytes,time_ns,share_below\n\
             two,2,0,1,990,0.495000000\n\
             two,2,1000,2000,990,0.990000000\n\
             two,2,5000,6000,20,1.000000000\n"
        );
    }

    #[test]
    fn nothing_was_observed() {
        let group = QueueGroup::new("none".to_owned(), &[], &[], &[]);
        assert_eq!(
            (group.percentile(99), group.summary().longest_bytes),
            (0, 0)
        );
        assert!(!group.was_observed());
    }
}
