//! Assignment of a scenario's classes and priorities to TCP and RDMA.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::quirks::SetAside;
use fabricsim_core::plugin::{CcContext, Overflow};
use fabricsim_qdisc::{BufferConfig, LossyConfig, Pfc, Precision};
use fabricsim_report::HEADER_BYTES;
use fabricsim_transport::rdma::Recovery;
use fabricsim_transport::tcp::{ClassConfig, Opening, Pattern, Reuse, TcpSettings};
use fabricsim_transport::{ClassTransports, Transport};

use crate::scenario::Scenario;
use crate::schema::part::{Part, Refused};

/// The priority of TCP for workloads that do not name one.
pub(crate) const TCP_PRIORITY: Priority = Priority::new(1);

/// Returns the class of the flows of workload `index`.
pub(crate) fn class_of(index: usize) -> ClassId {
    ClassId(u16::try_from(index).unwrap_or(u16::MAX))
}

impl Scenario {
    /// Returns the number of priorities that flows and ACKs of RDMA use, according to the scenario.
    #[must_use]
    pub fn priorities(&self) -> u8 {
        u8::try_from(self.rdma_priorities().len()).expect("eight priorities")
    }

    /// Returns the priorities that flows and ACKs of RDMA use, according to the scenario.
    #[must_use]
    pub fn rdma_priorities(&self) -> PrioritySet {
        let mut used = PrioritySet::EMPTY;
        for workload in &self.workloads {
            for (priority, _) in workload.users(ClassId(0)) {
                used.insert(priority);
            }
        }
        if let Some(acks) = self.ack_priority() {
            used.insert(acks);
        }
        let tcp = if self.has_tcp() {
            self.tcp_priorities()
        } else {
            PrioritySet::EMPTY
        };
        used.without(tcp)
    }

    /// Returns the priority of RDMA ACKs, if they have their own.
    fn ack_priority(&self) -> Option<Priority> {
        let number = self.transport.ack_priority?;
        Priority::try_from(number).ok()
    }

    /// Returns `true` if any algorithm of the scenario is for TCP.
    #[must_use]
    pub fn has_tcp(&self) -> bool {
        self.algorithms().any(|cc| cc.transport() == Transport::Tcp)
    }

    /// Returns `true` if any algorithm of the scenario is for RDMA.
    #[must_use]
    pub fn has_rdma(&self) -> bool {
        self.algorithms()
            .any(|cc| cc.transport() == Transport::Rdma)
    }

    /// Returns the transport of each class's flows.
    #[must_use]
    pub fn class_transports(&self) -> ClassTransports {
        let own = self.class_cc.iter();
        ClassTransports::new(
            self.cc.transport(),
            own.map(|(class, cc)| (*class, cc.transport())),
        )
    }

    /// Returns the TCP settings of hosts.
    #[must_use]
    pub fn tcp_settings(&self, network: &CcContext) -> TcpSettings {
        let own = self.class_cc.iter();
        let own = own.filter_map(|(class, cc)| Some((*class, cc.tcp_class(network)?)));
        let mut own: BTreeMap<ClassId, ClassConfig> = own.collect();
        for (class, reuse) in self.fetches() {
            if let Some(config) = self.cc_of(class).tcp_class(network) {
                let pattern = Pattern::Fetch;
                let fetch = ClassConfig {
                    pattern,
                    reuse,
                    ..config
                };
                own.insert(class, fetch);
            }
        }
        TcpSettings::new(
            &self.tcp,
            self.cc.tcp_class(network).unwrap_or_default(),
            own,
        )
    }

    /// Yields the classes of workloads that send requests, with the reuse of their connections.
    fn fetches(&self) -> impl Iterator<Item = (ClassId, Reuse)> {
        let workloads = self.workloads.iter().enumerate();
        workloads.filter_map(|(index, workload)| Some((class_of(index), workload.fetches()?)))
    }

    /// Rejects requests over RDMA, and endless traffic in a run without any other end.
    pub(super) fn check_fetches(&self) -> Result<(), Refused> {
        for (class, _) in self.fetches() {
            let cc = self.cc_of(class);
            if cc.transport() != Transport::Tcp {
                let workload = &self.workloads[class.index()];
                return Err(Part::Workload(class.index()).refused_whole(
                    format!(
                        "`{}` needs TCP connections, and {} is an RDMA algorithm",
                        workload.kind(),
                        cc.name()
                    ),
                    "give the workload an algorithm of TCP: `cc = { kind = \"cubic\" }`",
                ));
            }
            if cc.opening() == Opening::Open {
                let workload = &self.workloads[class.index()];
                return Err(Part::Workload(class.index()).refused_whole(
                    format!(
                        "`{}` opens its connections by a handshake, and its algorithm has \
                         `opening = \"open\"`",
                        workload.kind()
                    ),
                    "leave `opening` out, or give the workload an algorithm of its own without it: \
                     `cc = { kind = \"cubic\" }`",
                ));
            }
        }
        let endless = self.workloads.iter().all(|workload| workload.is_endless());
        if endless && !self.workloads.is_empty() && self.run.stop_at.is_none() {
            return Err(Part::Workload(0).refused_whole(
                "the flows of all workloads never end, and so the run would not",
                "add [run] with `stop_at`, such as \"10s\", or a workload that ends",
            ));
        }
        Ok(())
    }

    /// Returns the priorities of TCP: the priorities that its flows use and, if `[cc]` is an
    /// algorithm of TCP, all unused priorities.
    #[must_use]
    pub fn tcp_priorities(&self) -> PrioritySet {
        let mut own = PrioritySet::EMPTY;
        for (priority, users) in Priority::all().zip(self.users()).skip(1) {
            let tcp = if users.is_empty() {
                self.cc.transport() == Transport::Tcp && self.ack_priority() != Some(priority)
            } else {
                users.iter().any(|cc| cc.transport() == Transport::Tcp)
            };
            if tcp {
                own.insert(priority);
            }
        }
        own
    }

    /// Returns the buffer of a switch, without the additions of `SwitchSettings::buffer_of`. If all
    /// priorities are TCP's, there are no reserves.
    pub fn buffer_config(&self) -> BufferConfig {
        let switch = self.switch.resolved(self.nic_rate(), self.quirks());
        let mut config = switch.buffer_config();
        if self.output.exact_buffers {
            config.largest_use = Precision::Exact;
        }
        if self.quirks().set_aside == SetAside::PrioritiesInUse {
            config.priorities = self.priorities();
        }
        if self.lossy().priorities == PrioritySet::DATA {
            config.pfc = Pfc::Off;
            config.reserve = Bytes::ZERO;
        }
        config
    }

    /// Returns the settings of switches for the priorities of TCP, and also for RDMA's if its
    /// packets are trimmed.
    pub fn lossy(&self) -> LossyConfig {
        let tcp = self.tcp_priorities();
        let trimmed = match self.switch.trim_above {
            Some(_) => PrioritySet::DATA.without(tcp),
            None => PrioritySet::EMPTY,
        };
        LossyConfig {
            priorities: tcp.union(trimmed),
            alpha: self.switch.lossy_alpha(),
            limit: self.switch.lossy_limit,
            trimmed,
            trim_above: self.switch.trim_above.unwrap_or_default(),
        }
    }

    /// Returns `true` if the network must support TCP's features: both transports at hosts, queues
    /// that are lossy by priority, and room in headers.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.has_tcp() || self.switch.trim_above.is_some() || self.uses_credit()
    }

    /// Returns the fate of RDMA packets that find no room in the buffer.
    #[must_use]
    pub const fn overflow(&self) -> Overflow {
        match self.switch.trim_above {
            Some(_) => Overflow::Trim,
            None => Overflow::Drop,
        }
    }

    /// Rejects trimming if no packet could be dropped, if receivers treat a gap as a loss, or if it
    /// is not modeled.
    pub(super) fn check_trimming(&self) -> Result<(), ConfigError> {
        let Some(above) = self.switch.trim_above else {
            return Ok(());
        };
        let refuse = |message: String, help: &'static str| {
            Err(ConfigError::new("trim_above", message, help))
        };
        if self.switch.pfc {
            return refuse(
                "switches pause their neighbors before a packet finds no room, so none is trimmed"
                    .to_owned(),
                "set pfc = false, or leave the key out",
            );
        }
        if self.recovery() != Recovery::AnyOrder {
            return refuse(
                "a NACK names the trimmed packet, but receivers with this [rdma] `recovery` report gaps \
                 instead"
                    .to_owned(),
                "leave `recovery` out, or set it to \"any-order\"",
            );
        }
        if self.profile.is_some() || self.queries.is_some() {
            return refuse(
                "trimming is not modeled together with a profile or with queries".to_owned(),
                "leave out this key, or `profile` and [[query]]",
            );
        }
        let longest = self.transport.mtu + HEADER_BYTES;
        if above < longest {
            return refuse(
                format!("a queue of {above} cannot hold a full packet of {longest}"),
                "give the bytes of several packets, such as \"80KB\"",
            );
        }
        Ok(())
    }

    /// Rejects TCP and RDMA in one priority, and TCP if it is not modeled.
    pub(super) fn check_transports(&self) -> Result<(), ConfigError> {
        if !self.has_tcp() {
            return Ok(());
        }
        let refuse =
            |message: String, help: &'static str| Err(ConfigError::new("cc", message, help));
        if self.profile.is_some() {
            return refuse(
                "the published simulator has no TCP, and this profile follows it".to_owned(),
                "leave out `profile`, or choose an RDMA algorithm (`fabricsim list cc`)",
            );
        }
        if self.queries.is_some() {
            return refuse(
                "TCP packets have no room for the digests of [[query]]".to_owned(),
                "leave out the queries, or choose RDMA algorithms (`fabricsim list cc`)",
            );
        }
        for (priority, users) in Priority::all().zip(self.users()) {
            if priority.is_control() && users.iter().any(|cc| cc.transport() == Transport::Tcp) {
                return refuse(
                    "TCP flows have priority 0, which is reserved for control".to_owned(),
                    "give the flows of the list priorities from 1 to 7",
                );
            }
            let of = |transport| users.iter().find(|cc| cc.transport() == transport);
            if let (Some(tcp), Some(rdma)) = (of(Transport::Tcp), of(Transport::Rdma)) {
                return refuse(
                    format!(
                        "{} (TCP) and {} (RDMA) share priority {priority}, and only one of them can \
                         have it without loss",
                        tcp.name(),
                        rdma.name()
                    ),
                    "give their workloads different priorities: `priority` defaults to 1 for TCP, to 3 \
                     for RDMA, and to 3 in lists",
                );
            }
        }
        let acks = self.ack_priority();
        match acks.filter(|&own| self.tcp_priorities().contains(own)) {
            None => Ok(()),
            Some(own) => refuse(
                format!("[rdma], key `ack_priority`: priority {own} is TCP's"),
                "give a priority that no flows of TCP have, or leave the key out",
            ),
        }
    }

    /// Rejects thresholds for priorities of TCP, because their queues have disciplines instead.
    pub(super) fn check_ecn_priorities(&self) -> Result<(), ConfigError> {
        let tcp = self.tcp_priorities();
        let mut named = self
            .switch
            .ecn_rules
            .iter()
            .filter_map(|rule| rule.priority);
        let of_tcp = |number: u8| Priority::try_from(number).is_ok_and(|own| tcp.contains(own));
        match named.find(|&number| of_tcp(number)) {
            None => Ok(()),
            Some(priority) => Err(ConfigError::new(
                "ecn_rules",
                format!(
                    "[switch], key `ecn_rules`: priority {priority} is TCP's, and thresholds are for RDMA"
                ),
                "give its queues a discipline: [[queue]] with `discipline = \"step bytes 300KB\"`",
            )),
        }
    }

    /// Returns the facts about TCP flows that a simulation of the scenario needs; `None` if there
    /// are no such flows.
    pub fn tcp_facts(&self) -> Option<Arc<TcpFacts>> {
        self.has_tcp().then(|| {
            let parameters = self.tcp.parameters();
            Arc::new(TcpFacts {
                transports: self.class_transports(),
                priorities: self.tcp_priorities(),
                settings: self.tcp_settings(&CcContext::of_nics(self.nic_rate())),
                mss: Bytes::new(u64::from(parameters.mss)),
                headers: Bytes::new(u64::from(parameters.headers)),
                syn: Bytes::new(u64::from(parameters.syn_packet())),
                request: Bytes::new(u64::from(parameters.request)),
            })
        })
    }
}

/// Facts about TCP flows that a simulation needs.
#[derive(Debug)]
pub struct TcpFacts {
    transports: ClassTransports,
    priorities: PrioritySet,
    settings: TcpSettings,
    /// The payload of a full segment.
    pub mss: Bytes,
    /// The header bytes of a segment.
    pub headers: Bytes,
    /// Size of a SYN or SYN-ACK on the wire.
    pub syn: Bytes,
    /// The payload of a request of `fetch`.
    pub request: Bytes,
}

impl TcpFacts {
    /// Returns the settings of the flows of `class`, if they use TCP.
    pub fn class(&self, class: ClassId) -> Option<&ClassConfig> {
        (self.transports.of(class) == Transport::Tcp).then(|| self.settings.class(class))
    }

    /// Returns `true` if flows of `class` may have `priority`.
    pub fn may_use(&self, class: ClassId, priority: Priority) -> bool {
        let tcp = self.priorities.contains(priority);
        tcp == (self.transports.of(class) == Transport::Tcp)
    }
}
