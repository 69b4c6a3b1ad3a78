//! The queues of TCP at the ports of switches.

use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_network::QueuePlan;
use fabricsim_qdisc::{DisciplineContext, DisciplineKind, StepConfig};
use fabricsim_transport::Transport;

use crate::cc::registry::AnyCcConfig;
use crate::scenario::Scenario;
use crate::schema::far_end::FarEnd;
use crate::schema::part::{Part, Refused};
use crate::schema::queue::QueueRule;

/// Maximum number of flow queues at all ports together.
const MOST_FLOW_QUEUES: u64 = 1 << 25;
/// Memory of one flow queue, in bytes.
const FLOW_QUEUE_BYTES: f64 = 90.0;

/// The limit of a queue that only the switch's buffer bounds.
const UNBOUNDED: Bytes = Bytes::new(u64::MAX >> 1);

impl Scenario {
    /// Rejects `[[queue]]` tables for ports or priorities that do not exist or that RDMA uses.
    pub(super) fn check_queues(&self) -> Result<(), Refused> {
        let tcp = self.tcp_priorities();
        for (index, rule) in self.queues.iter().enumerate() {
            let refuse = |key: &'static str, message: String, help: &str| {
                let error = ConfigError::new(key, message, help);
                Err(Part::Queue(index).refused(error))
            };
            if !self.has_tcp() {
                return refuse(
                    "discipline",
                    "the scenario has no TCP algorithm, and the switch buffer bounds queues of RDMA"
                        .to_owned(),
                    "set [switch], or choose a TCP algorithm (`fabricsim list cc`)",
                );
            }
            let foreign = |number: &&u8| !tcp.iter().any(|own| own.get() == **number);
            if let Some(priority) = rule.place.priorities.iter().find(foreign) {
                return refuse(
                    "priorities",
                    format!(
                        "priority {priority} has no TCP traffic, and the switch buffer bounds queues of \
                         RDMA"
                    ),
                    &format!("the priorities of TCP are {}", listed(tcp)),
                );
            }
            if let Some(rate) = rule.place.rate
                && !self.topology.rates().any(|own| own == rate)
            {
                let rates: Vec<String> = self.link_rates().iter().map(Rate::to_string).collect();
                return refuse(
                    "rate",
                    format!("no link has {rate}"),
                    &format!("the links have {}", rates.join(", ")),
                );
            }
            // A large number of flow queues could exhaust the memory.
            let queues = self.flow_queues(rule);
            if queues > MOST_FLOW_QUEUES {
                return refuse(
                    "discipline",
                    format!(
                        "all ports together have {queues} flow queues, which need about {:.0} GB; at most \
                         {MOST_FLOW_QUEUES} can be simulated",
                        queues as f64 * FLOW_QUEUE_BYTES / 1e9
                    ),
                    "give a smaller `flows`, or the discipline to fewer ports (`rate`, `towards`)",
                );
            }
        }
        Ok(())
    }

    /// Returns the number of queues over which a rule spreads flows, at all ports of switches that
    /// match.
    fn flow_queues(&self, rule: &QueueRule) -> u64 {
        let queues = rule.discipline.flow_queues();
        if queues == 0 {
            return 0;
        }
        let towards = |node| match self.topology.is_host(node) {
            true => FarEnd::Hosts,
            false => FarEnd::Switches,
        };
        let tcp = self.tcp_priorities();
        let fits = |rate, node| {
            let own = tcp.iter();
            own.filter(|&priority| rule.place.fits(priority, rate, towards(node)))
                .count() as u64
        };
        let ports = self
            .topology
            .forwarders()
            .flat_map(|node| self.topology.ports(node));
        let count: u64 = ports.map(|port| fits(port.rate, port.peer)).sum();
        count.saturating_mul(queues)
    }

    /// Returns the builder of TCP queues.
    pub fn tcp_queues(&self) -> TcpQueues<'_> {
        TcpQueues {
            scenario: self,
            users: self.users(),
            priorities: self.tcp_priorities(),
        }
    }
}

/// Builder of TCP queues.
#[derive(Debug)]
pub struct TcpQueues<'a> {
    scenario: &'a Scenario,
    /// The algorithms of each priority.
    users: [Vec<&'a AnyCcConfig>; Priority::COUNT],
    priorities: PrioritySet,
}

impl TcpQueues<'_> {
    /// Returns the step threshold at which TCP algorithms of `priority` need packets to be marked
    /// at a port of `rate`; the lowest if they differ.
    fn step(&self, priority: Priority, rate: Rate) -> Option<Bytes> {
        let own = &self.users[priority.index()];
        let default = own.is_empty().then_some(&self.scenario.cc);
        let algorithms = own.iter().copied().chain(default);
        let tcp = algorithms.filter(|cc| cc.transport() == Transport::Tcp);
        let steps = tcp.filter_map(|cc| Some(cc.marking(rate)?.kmin));
        steps.min()
    }

    /// Returns the queues of TCP's priorities at a port; `first_entity` is the number of its first
    /// queue.
    #[must_use]
    pub fn at(&self, rate: Rate, towards: FarEnd, first_entity: u64) -> Vec<QueuePlan> {
        let own = self.priorities.iter();
        own.map(|priority| {
            let context = DisciplineContext {
                seed: self.scenario.seed,
                entity: first_entity + u64::from(priority.get()),
                rate,
                packet: self.scenario.tcp.parameters().full_packet(),
            };
            let rule = self.scenario.queues.iter();
            let mut rule = rule.filter(|rule| rule.place.fits(priority, rate, towards));
            let discipline = match (rule.next(), self.step(priority, rate)) {
                (Some(QueueRule { discipline, .. }), _) => Some(discipline.clone()),
                (None, Some(step)) => {
                    let config = StepConfig {
                        bytes: Some(step),
                        limit_bytes: Some(UNBOUNDED),
                        ..StepConfig::default()
                    };
                    Some(config.into_config())
                }
                (None, None) => None,
            };
            QueuePlan {
                priority,
                discipline,
                context,
            }
        })
        .collect()
    }
}

fn listed(priorities: PrioritySet) -> String {
    let own: Vec<String> = priorities.iter().map(|own| own.to_string()).collect();
    own.join(", ")
}
