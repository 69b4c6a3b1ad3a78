//! The division of each switch's buffer, its thresholds, and its largest use in a run.

mod largest;

use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_qdisc::{BufferConfig, PortBuffer};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::switch::SwitchSettings;
use serde::Serialize;

pub use largest::BufferSummary;
pub(crate) use largest::{BUFFERS, summary_of, write_buffers};

/// Time for which a signal travels one metre of cable, in nanoseconds.
pub const NS_PER_METRE: f64 = 5.0;

/// The buffers of equal switches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BufferGroup {
    /// Names of the switches.
    pub switches: Vec<String>,
    /// The whole buffer of one switch.
    pub buffer_bytes: u64,
    /// The part for headroom and reserves.
    pub set_aside_bytes: u64,
    /// The part for sharing.
    pub shared_bytes: u64,
    /// `true` if switches pause their neighbors, `false` if they drop packets beyond a threshold.
    pub pfc: bool,
    /// Number of priorities with headroom and reserves.
    pub priorities: u8,
    /// Bytes of each port and priority that do not count as shared.
    pub reserve_bytes: u64,
    /// Distance below the pause threshold at which a paused neighbor resumes.
    pub resume_offset_bytes: u64,
    /// Equal ports.
    pub ports: Vec<PortGroup>,
}

/// The buffer of equal ports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortGroup {
    /// Number of ports.
    pub ports: usize,
    /// Rate of the link, the higher one of both directions.
    pub rate_bps: u64,
    /// One-way delay of the link.
    pub delay_ns: f64,
    /// Length of a cable with this delay.
    pub delay_m: f64,
    /// Headroom of one priority.
    pub headroom_bytes: u64,
    /// The formula of the headroom.
    pub headroom_formula: String,
    /// Length of the longest cable for which the headroom stores every packet that arrives after a
    /// pause; absent if it is too small for any cable.
    pub headroom_covers_m: Option<f64>,
    /// The threshold of a port and priority as a share of the free bytes.
    pub alpha: f64,
    /// Shared bytes at which one port reaches its threshold while all other ports are empty.
    pub threshold_alone_bytes: u64,
    /// Shared bytes of each port at which all ports of the switch reach the threshold together, if
    /// they have this rate.
    pub threshold_all_bytes: u64,
    /// The marking thresholds of the priorities in use.
    pub ecn: Vec<EcnThresholds>,
}

/// The marking thresholds of a priority at a port, in bytes of its queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EcnThresholds {
    /// The priority.
    pub priority: u8,
    /// Bytes up to which no packet is marked.
    pub kmin_bytes: u64,
    /// Bytes above which every packet is marked.
    pub kmax_bytes: u64,
    /// Probability of a mark at `kmax`.
    pub pmax: f64,
}

/// Ports of one switch with equal links.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wires {
    /// Rate at which the switch sends.
    rate: Rate,
    /// The higher rate of both directions.
    fastest: Rate,
    delay: Duration,
    ports: usize,
}

/// The buffers of a scenario's switches.
pub(crate) struct Buffers<'a> {
    scenario: &'a Scenario,
    settings: SwitchSettings,
    common: BufferConfig,
}

impl<'a> Buffers<'a> {
    pub(crate) fn new(scenario: &'a Scenario) -> Self {
        Self {
            scenario,
            settings: (scenario.switch()).resolved(scenario.nic_rate(), scenario.quirks()),
            common: scenario.buffer_config(),
        }
    }

    /// Returns the ports of `switch`.
    fn ports(&self, switch: NodeId) -> Vec<PortBuffer> {
        let topology = self.scenario.topology();
        let ports = topology.ports(switch).iter();
        ports
            .map(|port| PortBuffer {
                rate: topology.fastest_rate(port),
                delay: port.delay,
            })
            .collect()
    }

    /// Returns the settings of the buffer of a switch with `ports`.
    fn config(&self, ports: &[PortBuffer]) -> BufferConfig {
        let scenario = self.scenario;
        (scenario.switch()).buffer_of(&self.common, ports, scenario.quirks())
    }

    /// Returns the kinds of ports of `switch`, in the order of their first port.
    fn wires(&self, switch: NodeId) -> Vec<Wires> {
        let topology = self.scenario.topology();
        let mut kinds: Vec<Wires> = Vec::new();
        for port in topology.ports(switch) {
            let one = Wires {
                rate: port.rate,
                fastest: topology.fastest_rate(port),
                delay: port.delay + topology.pass_delay(switch),
                ports: 1,
            };
            let same = |known: &&mut Wires| {
                (known.rate, known.fastest, known.delay) == (one.rate, one.fastest, one.delay)
            };
            match kinds.iter_mut().find(same) {
                Some(known) => known.ports += 1,
                None => kinds.push(one),
            }
        }
        kinds
    }

    /// Returns the group of the single switch `node`, which has the ports of `wires`.
    fn group(&self, node: NodeId, wires: &[Wires]) -> BufferGroup {
        let ports = self.ports(node);
        let config = self.config(&ports);
        let set_aside = config.set_aside(&ports);
        let shared = config.size.saturating_sub(set_aside);
        let groups = wires.iter().map(|wire| {
            let own = PortBuffer {
                rate: wire.fastest,
                delay: wire.delay,
            };
            PortGroup {
                ports: wire.ports,
                ..self.port_group(&config, shared, &own, (wire.rate, ports.len()))
            }
        });
        BufferGroup {
            switches: vec![self.scenario.topology().name(node).to_owned()],
            buffer_bytes: config.size.get(),
            set_aside_bytes: set_aside.get(),
            shared_bytes: shared.get(),
            pfc: config.pfc == fabricsim_qdisc::Pfc::On,
            priorities: config.priorities,
            reserve_bytes: config.reserve.get(),
            resume_offset_bytes: config.resume_offset.get(),
            ports: groups.collect(),
        }
    }

    /// Returns the group of the single port `port`, one of `count` at a switch with `shared` bytes
    /// for sharing. Its queue leaves at `rate`.
    fn port_group(
        &self,
        config: &BufferConfig,
        shared: Bytes,
        port: &PortBuffer,
        (rate, count): (Rate, usize),
    ) -> PortGroup {
        let nic_rate = self.scenario.nic_rate();
        let headroom = config.headroom_of(port);
        let longest = BufferConfig::longest_delay(headroom, port.rate);
        let metres = |seconds: f64| (seconds * 1e9 / NS_PER_METRE * 10.0).floor() / 10.0;
        let threshold = |ports| config.threshold(shared, port.rate, nic_rate, ports).get();
        PortGroup {
            ports: 1,
            rate_bps: port.rate.as_bps(),
            delay_ns: port.delay.as_secs_f64() * 1e9,
            delay_m: metres(port.delay.as_secs_f64()),
            headroom_bytes: headroom.get(),
            headroom_formula: config.headroom_formula(),
            headroom_covers_m: longest.map(|delay| metres(delay.as_secs_f64())),
            alpha: config.share(port.rate, nic_rate),
            threshold_alone_bytes: threshold(1),
            threshold_all_bytes: threshold(count as u64),
            ecn: self.ecn(rate),
        }
    }

    /// Returns the marking thresholds of a port of `rate` for the priorities of RDMA.
    fn ecn(&self, rate: Rate) -> Vec<EcnThresholds> {
        let scenario = self.scenario;
        let wanted = scenario.wanted_marks().unwrap_or_default();
        let priorities = scenario.rdma_priorities();
        let thresholds = priorities.iter().filter_map(|priority| {
            let wanted = wanted[priority.index()].as_ref();
            let ecn = (self.settings).ecn_at(rate, priority, wanted, scenario.nic_rate())?;
            Some(EcnThresholds {
                priority: priority.get(),
                kmin_bytes: ecn.kmin.get(),
                kmax_bytes: ecn.kmax.get(),
                pmax: ecn.pmax,
            })
        });
        thresholds.collect()
    }
}

/// Returns the buffers of all switches of `scenario`. Equal switches form a group.
#[must_use]
pub fn buffer_groups(scenario: &Scenario) -> Vec<BufferGroup> {
    let buffers = Buffers::new(scenario);
    let mut groups: Vec<(Vec<Wires>, BufferGroup)> = Vec::new();
    for node in scenario.topology().forwarders() {
        let wires = buffers.wires(node);
        match groups.iter_mut().find(|(known, _)| *known == wires) {
            Some((_, group)) => {
                let name = scenario.topology().name(node);
                group.switches.push(name.to_owned());
            }
            None => {
                let group = buffers.group(node, &wires);
                groups.push((wires, group));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
