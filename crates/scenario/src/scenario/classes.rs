//! Algorithms of flow classes, and the joint requirements of a run's algorithms on the network.

use std::collections::BTreeSet;

use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_core::plugin::quirks::EntryFormat;
use fabricsim_core::plugin::{CcContext, CreditRules};
use fabricsim_hpcc::HpccConfig;
use fabricsim_pint::PintConfig;
use fabricsim_qdisc::EcnConfig;

use crate::cc::registry::{AnyCcConfig, ClassFactories, TelemetryId, Transport};
use crate::scenario::Scenario;
use crate::schema::ecn::EcnRule;
use crate::schema::part::Part;
use crate::text::error::Error;

impl Scenario {
    /// Yields every algorithm of the scenario: first `[cc]`, then the algorithms of classes.
    pub fn algorithms(&self) -> impl Iterator<Item = &AnyCcConfig> {
        std::iter::once(&self.cc).chain(self.class_cc.values())
    }

    /// Returns the algorithm of flows of `class`.
    #[must_use]
    pub fn cc_of(&self, class: ClassId) -> &AnyCcConfig {
        self.class_cc.get(&class).unwrap_or(&self.cc)
    }

    /// Returns `true` if any algorithm of the scenario reads the telemetry `what`.
    pub fn needs(&self, what: TelemetryId) -> bool {
        self.telemetry().contains(&what)
    }

    /// Returns the kinds of telemetry that algorithms of the scenario read.
    pub fn telemetry(&self) -> Vec<TelemetryId> {
        let mut kinds: Vec<TelemetryId> = Vec::new();
        for kind in self.algorithms().filter_map(AnyCcConfig::telemetry) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// Returns the classes with their own algorithm but without a workload, in ascending order. A
    /// program may still inject flows of these classes.
    #[must_use]
    pub fn unused_classes(&self) -> Vec<ClassId> {
        let used = self.used_classes();
        let own = self.class_cc.keys().copied();
        own.filter(|class| !used.contains(class)).collect()
    }

    /// Returns the classes of the flows of all workloads.
    fn used_classes(&self) -> BTreeSet<ClassId> {
        let workloads = self.workloads.iter().enumerate();
        let users = workloads.flat_map(|(index, workload)| {
            let own = ClassId(u16::try_from(index).unwrap_or(u16::MAX));
            workload.users(own)
        });
        users.map(|(_, class)| class).collect()
    }

    /// Rejects NIC rules for classes without a workload; call this if no program injects flows.
    ///
    /// # Errors
    /// Fails if there is such a class; the error names the first one and all classes in use.
    pub fn refuse_unused_nics(&self) -> Result<(), Error> {
        let used = self.used_classes();
        let mut named = self.routing.nics.iter().map(|rule| ClassId(rule.class));
        let Some(class) = named.find(|class| !used.contains(class)) else {
            return Ok(());
        };
        let known: Vec<String> = used.iter().map(ToString::to_string).collect();
        Err(self.refuse(
            Part::Routing,
            format!("[routing], key `nics`: no flow has class {class}"),
            format!("the classes of this scenario are {}", known.join(", ")),
        ))
    }

    /// Returns the rules of receivers for granting credit in `network`, if any algorithm uses
    /// credit. All algorithms that do have the same rules.
    #[must_use]
    pub fn credit(&self, network: &CcContext) -> Option<CreditRules> {
        let mtu = self.transport.mtu;
        self.algorithms().find_map(|cc| cc.credit(mtu, network))
    }

    /// Returns `true` if any algorithm of the scenario uses credit.
    #[must_use]
    pub fn uses_credit(&self) -> bool {
        let network = CcContext::of_nics(self.nic_rate());
        self.credit(&network).is_some()
    }

    /// Rejects credit if packets have no room for it, or if classes need different rules for
    /// granting it.
    pub(crate) fn check_credit(&self) -> Result<(), ConfigError> {
        let network = CcContext {
            base_rtt: Duration::from_ms(1),
            ..CcContext::of_nics(self.nic_rate())
        };
        let mtu = self.transport.mtu;
        let of = |cc: &AnyCcConfig| cc.credit(mtu, &network).map(|rules| (cc.name(), rules));
        let mut users = self.algorithms().filter_map(of);
        let Some((name, first)) = users.next() else {
            return Ok(());
        };
        let refuse =
            |message: String, help: &'static str| Err(ConfigError::new("cc", message, help));
        if self.profile.is_some() || self.queries.is_some() {
            return refuse(
                format!(
                    "{name} needs room for credit in packets, and packets of a profile or with \
                     queries have none"
                ),
                "leave out `profile` and [[query]], or choose another algorithm (`fabricsim list cc`)",
            );
        }
        match users.find(|(_, rules)| *rules != first) {
            None => Ok(()),
            Some((other, _)) => refuse(
                format!(
                    "classes of {name} and {other} need different rules for credit, and a receiver \
                     has one pacer for all its senders"
                ),
                "give them the same keys",
            ),
        }
    }

    /// Returns the keys that are set but have no effect, each with the reason.
    #[must_use]
    pub fn without_effect(&self) -> Vec<String> {
        if self.has_tcp() {
            return Vec::new();
        }
        let limit = self.switch.lossy_limit.map(|_| {
            "[switch] lossy_limit has no effect: the scenario has no TCP algorithm".to_owned()
        });
        let alpha = self.switch.lossy_alpha;
        let alpha = alpha.filter(|_| self.switch.trim_above.is_none()).map(|_| {
            "[switch] lossy_alpha has no effect: the scenario has no TCP algorithm and no trimming, and \
             `alpha` bounds the share of the buffer of an ingress port"
                .to_owned()
        });
        limit.into_iter().chain(alpha).collect()
    }

    /// Rejects a limit on TCP queues that is smaller than a full segment.
    pub(crate) fn check_lossy_limit(&self) -> Result<(), ConfigError> {
        let Some(tcp) = self.tcp_facts() else {
            return Ok(());
        };
        let segment = tcp.mss + tcp.headers;
        match self.switch.lossy_limit {
            Some(limit) if limit < segment => Err(ConfigError::new(
                "lossy_limit",
                format!("a queue of {limit} cannot hold a full TCP segment of {segment}"),
                "give a size such as \"256KB\"",
            )),
            _ => Ok(()),
        }
    }

    /// Rejects rules for ports of a rate that no link has.
    pub(crate) fn check_ecn_rates(&self) -> Result<(), ConfigError> {
        let rates: Vec<Rate> = self.topology.rates().collect();
        let mut wanted = self.switch.ecn_rules.iter().filter_map(|rule| rule.rate);
        match wanted.find(|rate| !rates.contains(rate)) {
            None => Ok(()),
            Some(rate) => {
                let mut known: Vec<String> = Vec::new();
                for rate in self.link_rates() {
                    if rates.contains(&rate) {
                        known.push(rate.to_string());
                    }
                }
                Err(ConfigError::new(
                    "ecn_rules",
                    format!("[switch], key `ecn_rules`: no link has {rate}"),
                    format!("the links have {}", known.join(", ")),
                ))
            }
        }
    }

    /// Rejects algorithms with a lowest rate above the rates of all NICs, because they could not
    /// control anything.
    pub(crate) fn check_lowest_rates(&self) -> Result<(), ConfigError> {
        let hosts = self.topology.hosts().iter();
        let nics = hosts.flat_map(|&host| self.topology.ports(host).iter().map(|port| port.rate));
        let Some(fastest) = nics.max() else {
            return Ok(());
        };
        for cc in self.algorithms() {
            if let Some(lowest) = cc.lowest_rate().filter(|&lowest| lowest > fastest) {
                return Err(ConfigError::new(
                    "min_rate",
                    format!(
                        "{}, key `min_rate`: no host is as fast as {lowest}, so no flow would slow \
                         down",
                        cc.name()
                    ),
                    format!("give a rate below {fastest}, or leave the key out"),
                ));
            }
        }
        Ok(())
    }

    /// Yields the settings of the algorithms that read digests.
    pub fn pint_configs(&self) -> impl Iterator<Item = PintConfig> {
        self.algorithms().filter_map(AnyCcConfig::pint)
    }

    /// Rejects classes of `hpcc-pint` that require different digests from switches.
    pub(crate) fn check_digests(&self) -> Result<(), ConfigError> {
        let mut configs = self.pint_configs();
        let Some(first) = configs.next() else {
            return Ok(());
        };
        if configs.all(|config| config.same_at_switches(&first)) {
            return Ok(());
        }
        Err(ConfigError::new(
            "cc",
            "classes of hpcc-pint need different digests, and switches write one",
            "give them the same log_base, digest_bits, rounding and arithmetic",
        ))
    }

    /// Returns the units of telemetry that algorithms require ([`CcContext::entry_multiple`]).
    #[must_use]
    pub fn int_multiple(&self) -> Option<u32> {
        self.int_multiples().find_map(|multiple| multiple)
    }

    fn int_multiples(&self) -> impl Iterator<Item = Option<u32>> {
        let hpcc = self
            .algorithms()
            .filter_map(AnyCcConfig::typed::<HpccConfig>);
        hpcc.map(|config| config.int_multiple)
    }

    /// Rejects units of telemetry if telemetry has full width, and also different units, because
    /// switches can write only one.
    pub(crate) fn check_int_multiple(&self) -> Result<(), ConfigError> {
        let Some(multiple) = self.int_multiple() else {
            return Ok(());
        };
        if self.quirks().entries == EntryFormat::Exact {
            return Err(ConfigError::new(
                "cc",
                "hpcc, key `int_multiple`: telemetry has units under `profile = \"ns3-hpcc\"` alone",
                "leave the key out, or set the profile",
            ));
        }
        match self.int_multiples().all(|other| other == Some(multiple)) {
            true => Ok(()),
            false => Err(ConfigError::new(
                "cc",
                "classes of hpcc need telemetry in different units, and switches write one",
                "give them the same int_multiple",
            )),
        }
    }

    /// Returns the factory of the algorithms.
    pub fn class_factories(&self, network: &CcContext) -> ClassFactories {
        let own = self.class_cc.iter();
        let own = own.map(|(class, cc)| (*class, cc.rdma_factory()));
        ClassFactories::new(self.cc.rdma_factory(), own, network)
    }

    /// Returns `true` if switches mark RDMA packets anywhere.
    #[must_use]
    pub fn marks_packets(&self) -> bool {
        !self.ecn_in_use().is_empty()
    }

    /// Returns the shortest RDMA queue in which packets are marked, according to all rules for any
    /// rate; `None` if no rule marks.
    #[must_use]
    pub fn marked_above(&self) -> Option<Bytes> {
        self.ecn_in_use().iter().map(|rule| rule.kmin).min()
    }

    /// Returns the rules that mark packets, in the form of the key `ecn_rules`. The scenario's
    /// rules are first, followed by the defaults of all other ports: one for each priority, or a
    /// single one if all priorities have the same.
    pub(crate) fn ecn_in_use(&self) -> Vec<EcnRule> {
        let wanted = self.wanted_marks().unwrap_or_default();
        let rule = |priority: Option<u8>, ecn: &EcnConfig| EcnRule {
            rate: None,
            priority,
            kmin: ecn.kmin,
            kmax: ecn.kmax,
            pmax: ecn.pmax,
        };
        let others: Vec<Option<&EcnConfig>> = wanted[1..]
            .iter()
            .map(|wanted| self.switch.ecn.as_ref().or(wanted.as_ref()))
            .collect();
        let mut rules = self.switch.ecn_rules.clone();
        match others[0] {
            Some(first) if others.iter().all(|other| *other == Some(first)) => {
                rules.push(rule(None, first));
            }
            _ => {
                let by_priority = (1u8..).zip(&others);
                rules.extend(by_priority.filter_map(|(p, ecn)| ecn.map(|ecn| rule(Some(p), ecn))));
            }
        }
        rules
    }

    /// Returns the algorithms of each priority, each algorithm once.
    pub(crate) fn users(&self) -> [Vec<&AnyCcConfig>; Priority::COUNT] {
        let mut users: [Vec<&AnyCcConfig>; Priority::COUNT] = Default::default();
        for (index, workload) in self.workloads.iter().enumerate() {
            let own = ClassId(u16::try_from(index).unwrap_or(u16::MAX));
            for (priority, class) in workload.users(own) {
                let users = &mut users[priority.index()];
                let cc = self.cc_of(class);
                if !users.contains(&cc) {
                    users.push(cc);
                }
            }
        }
        users
    }

    /// Returns the marking settings that the RDMA algorithms of each priority need at NIC rate.
    /// Priorities without a workload have the settings of `[cc]`.
    ///
    /// # Errors
    /// Fails if two algorithms of one priority need different settings and the scenario does not
    /// set any.
    pub fn wanted_marks(&self) -> Result<[Option<EcnConfig>; Priority::COUNT], ConfigError> {
        let users = self.users();
        let mut wanted: [Option<EcnConfig>; Priority::COUNT] = Default::default();
        let mut wanted_by = [""; Priority::COUNT];
        for (priority, users) in users.iter().enumerate() {
            let algorithms = if users.is_empty() {
                vec![&self.cc]
            } else {
                users.clone()
            };
            for cc in algorithms {
                let of_rdma = Some(cc).filter(|cc| cc.transport() == Transport::Rdma);
                let marks = of_rdma.and_then(|cc| cc.marking(self.nic_rate()));
                let Some(marks) = marks.map(EcnConfig::from) else {
                    continue;
                };
                match &wanted[priority] {
                    Some(other) if *other != marks && self.switch.ecn.is_none() => {
                        return Err(ConfigError::new(
                            "ecn",
                            format!(
                                "{} and {} share priority {priority} and need different \
                                 marking thresholds",
                                wanted_by[priority],
                                cc.name()
                            ),
                            "give their workloads different priorities, or set `ecn` in [switch]",
                        ));
                    }
                    Some(_) => {}
                    None => {
                        wanted[priority] = Some(marks);
                        wanted_by[priority] = cc.name();
                    }
                }
            }
        }
        Ok(wanted)
    }
}
