//! The `[switch]` table.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_core::plugin::Quirks;
use fabricsim_core::plugin::quirks::{HeadroomRule, UnsetBuffer};
use fabricsim_qdisc::{BufferConfig, EcnConfig, Headroom, Pfc, PortBuffer};
use fabricsim_topology::{Topology, TopologyError};

use crate::schema::ecn::{EcnRule, check_thresholds, in_proportion};

settings! {
    /// The `[switch]` table.
    pub struct SwitchSettings {
        /// Bytes of one switch.
        ///
        /// By default, 16 MiB for each 50 Gbps of NIC rate, at least 1 MiB, and at least twice the
        /// headroom and reserves of the switch.
        #[range(above "0B")]
        #[refused(
            "a switch without a buffer cannot store a packet",
            "give a size such as \"32MiB\""
        )]
        #[note("(default \"16MiB\" for each 50 Gbps of NIC rate, more if headroom needs it)")]
        pub buffer: Option<Bytes> = none,
        /// Pause neighbors rather than drop.
        pub pfc: bool = true,
        /// Room of a port for packets that arrive after a pause.
        pub headroom: Option<Headroom> = none,
        /// Share of the free buffer that a NIC-rate port may take.
        ///
        /// In steps of 1/16384. A port of twice the rate may take twice the share, up to the whole.
        #[range(from 0.00006103515625, to 1.0)]
        #[refused(
            "a share of {value} is not between 1/16384 and 1",
            "give a number such as 0.125 or 0.11"
        )]
        pub alpha: f64 = 0.125,
        /// Bytes of each port and priority that are its own.
        ///
        /// They do not count as shared.
        pub reserve: Bytes = "4KiB",
        /// Distance below the pause threshold at which a paused neighbor resumes.
        pub resume_offset: Bytes = "3KiB",
        /// Marking at NIC rate: { kmin = "400KB", kmax = "1600KB", pmax = 0.2 }.
        ///
        /// Scaled in proportion at other rates; for all priorities.
        #[note("(default: as the algorithm wants)")]
        pub ecn: Option<EcnConfig> = none,
        /// Marking by port and priority: [{ rate = "400Gbps", priority = 3, kmin = …, kmax = …,
        /// pmax = … }].
        ///
        /// The first rule that matches a port and priority decides; otherwise `ecn` does.
        pub ecn_rules: Vec<EcnRule> = empty,
        /// Largest length of a TCP queue, as a multiple of the free buffer.
        #[range(from 0.000001, to 64.0)]
        #[refused(
            "a share of {value} is not between 0.000001 and 64",
            "give a number such as 0.5, 1 or 8"
        )]
        #[note("(default 1)")]
        pub lossy_alpha: Option<f64> = none,
        /// Most bytes of a TCP queue, even if more is free.
        #[range(from "1B")]
        #[refused("a queue of {value} takes no packet", "give a size such as \"256KB\"")]
        #[note("(default: any number)")]
        pub lossy_limit: Option<Bytes> = none,
        /// Bytes of a queue of RDMA above which packets are trimmed: their payload is cut off, and
        /// their headers go first; with `pfc = false`.
        #[range(from "1B")]
        #[refused(
            "a queue of {value} takes no packet, and all would be trimmed",
            "give the bytes of several packets, such as \"80KB\""
        )]
        #[note("(default: no packet is trimmed)")]
        pub trim_above: Option<Bytes> = none,
        /// Trees of collectives that each switch can reduce and multicast for; 0 if it cannot.
        ///
        /// A Quantum-2 switch has at most one active tree at each of its 64 ports (NVIDIA SHARP
        /// 3.13, capabilities of devices).
        pub reduction_trees: u32 = 0,
        /// Rate of the link between a switch and its aggregator.
        #[note("(default: the sum of the rates of the switch's ports, at most \"100Tbps\")")]
        pub reduction_rate: Option<Rate> = none,
        /// One-way delay of the link between a switch and its aggregator.
        ///
        /// The default has no published source: it is an assumption.
        #[range(above "0s")]
        #[refused(
            "an aggregator {value} from its switch would be the switch",
            "give a time such as \"100ns\""
        )]
        pub reduction_delay: Duration = "100ns",
    }
}

/// Returns the ports of the switch `node`.
fn ports_of(topology: &Topology, node: NodeId) -> Vec<PortBuffer> {
    let ports = topology.ports(node).iter();
    ports
        .map(|port| PortBuffer {
            rate: topology.fastest_rate(port),
            delay: port.delay + topology.pass_delay(node),
        })
        .collect()
}

impl SwitchSettings {
    /// Checks the values.
    ///
    /// # Errors
    /// Fails if a value has no meaning; the error has the key, a message and help.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        if let Some(ecn) = &self.ecn {
            check_thresholds("ecn", ecn)?;
        }
        for rule in &self.ecn_rules {
            check_thresholds("ecn_rules", &rule.thresholds())?;
            if rule.priority.is_some_and(|p| !(1..=7).contains(&p)) {
                return Err(ConfigError::new(
                    "ecn_rules",
                    "priorities of flows are 1 to 7 (0 is the switches' own, and never marked)",
                    "give a priority from 1 to 7, or leave it out",
                ));
            }
        }
        Ok(())
    }

    /// Returns `topology` with an aggregator in each switch, if switches reduce.
    ///
    /// # Errors
    /// Fails if there are too many nodes then, or if the link of an aggregator is impossible.
    pub(crate) fn with_aggregators(&self, topology: Topology) -> Result<Topology, ConfigError> {
        let (rate, delay) = (self.reduction_rate, self.reduction_delay);
        if self.reduction_trees == 0 {
            return match rate {
                None => Ok(topology),
                Some(rate) => Err(ConfigError::new(
                    "reduction_rate",
                    format!("no switch reduces, so {rate} has no effect"),
                    "give `reduction_trees`, too, such as 64",
                )),
            };
        }
        let grown = topology.with_aggregators(self.reduction_trees, rate, delay);
        grown.map_err(|error| {
            let key = match (&error, rate) {
                (TopologyError::Rate { .. }, Some(_)) => "reduction_rate",
                (TopologyError::LongDelay { .. }, _) => "reduction_delay",
                _ => "reduction_trees",
            };
            let help = "write values of a switch, such as \"25.6Tbps\" and \"100ns\"";
            ConfigError::new(key, error.to_string(), help)
        })
    }

    /// Returns the largest length of a TCP queue, as a multiple of the free buffer.
    pub fn lossy_alpha(&self) -> f64 {
        self.lossy_alpha.unwrap_or(1.0)
    }

    /// Returns the settings with all defaults filled in.
    #[must_use]
    pub fn resolved(&self, nic_rate: Rate, quirks: &Quirks) -> Self {
        let scaled = (16u64 << 20).saturating_mul(nic_rate.as_bps() / 1_000_000) / 50_000;
        Self {
            buffer: Some(
                self.buffer
                    .unwrap_or_else(|| Bytes::new(scaled.max(1 << 20))),
            ),
            headroom: Some(self.headroom.unwrap_or(match quirks.headroom {
                HeadroomRule::WorstCase => Headroom::WorstCase,
                HeadroomRule::ThreeDelays => Headroom::Published,
            })),
            ..self.clone()
        }
    }

    /// Returns the buffer of a switch; call this on resolved settings.
    pub fn buffer_config(&self) -> BufferConfig {
        let defaults = BufferConfig::default();
        BufferConfig {
            size: self.buffer.unwrap_or(defaults.size),
            pfc: if self.pfc { Pfc::On } else { Pfc::Off },
            headroom: self.headroom.unwrap_or(defaults.headroom),
            reserve: self.reserve,
            resume_offset: self.resume_offset,
            priorities: defaults.priorities,
            alpha: self.alpha,
            ..defaults
        }
    }

    /// Returns the buffer of a switch with `ports`: `common`, enlarged if no size is set. It is
    /// then at least twice as large as its headroom and reserves.
    pub fn buffer_of(
        &self,
        common: &BufferConfig,
        ports: &[PortBuffer],
        quirks: &Quirks,
    ) -> BufferConfig {
        let mut config = common.clone();
        if self.buffer.is_none() && quirks.unset_buffer == UnsetBuffer::TwiceSetAside {
            let set_aside = config.set_aside(ports);
            config.size = config.size.max(set_aside.saturating_add(set_aside));
        }
        config
    }

    /// Rejects a buffer that is too small for the headroom and reserves of some switch of
    /// `topology` according to `config`.
    pub fn validate_for(
        &self,
        topology: &Topology,
        config: &BufferConfig,
        longest_packet: Bytes,
    ) -> Result<(), ConfigError> {
        let Some(size) = self.buffer else {
            return Ok(());
        };
        for node in topology.forwarders() {
            let ports = ports_of(topology, node);
            let set_aside = config.set_aside(&ports);
            if set_aside >= size {
                return Err(ConfigError::new(
                    "buffer",
                    format!(
                        "{} sets {} bytes aside for the headroom and reserves of its {} \
                         ports ({} priorities), and its buffer has {}",
                        topology.label(node),
                        set_aside.get(),
                        ports.len(),
                        config.priorities,
                        size.get()
                    ),
                    if self.pfc {
                        "give a larger buffer, leave the key out to have it sized, or set pfc = false"
                    } else {
                        "give a larger buffer, or a smaller `reserve`"
                    },
                ));
            }
            let fills = config.alpha_of(size - set_aside) + config.usable_reserve();
            if config.pfc == Pfc::Off && fills < longest_packet {
                return Err(ConfigError::new(
                    "buffer",
                    format!(
                        "a port of {} may fill {} bytes, and a full packet has {}: all \
                         would be dropped",
                        topology.label(node),
                        fills.get(),
                        longest_packet.get()
                    ),
                    "give a larger buffer, or a larger `alpha`",
                ));
            }
        }
        Ok(())
    }

    /// Returns a switch of `topology` with too little buffer: in addition to their reserves, its
    /// ports have no room for a packet of `longest_packet`. Also returns the number of bytes that a
    /// port may use of the shared part.
    pub fn with_reserves_alone(
        &self,
        topology: &Topology,
        config: &BufferConfig,
        longest_packet: Bytes,
    ) -> Option<(NodeId, Bytes)> {
        let size = self.buffer.filter(|_| config.pfc == Pfc::Off)?;
        let mut switches = topology.forwarders().map(|node| {
            let set_aside = config.set_aside(&ports_of(topology, node));
            (node, config.alpha_of(size.saturating_sub(set_aside)))
        });
        switches.find(|(_, share)| *share < longest_packet)
    }

    /// Returns the thresholds of a port of `rate` for `priority`; `wanted` are the ones that its
    /// algorithm needs at NIC rate.
    pub fn ecn_at(
        &self,
        rate: Rate,
        priority: Priority,
        wanted: Option<&EcnConfig>,
        nic_rate: Rate,
    ) -> Option<EcnConfig> {
        let fits = |rule: &&EcnRule| {
            rule.rate.is_none_or(|only| only == rate)
                && rule.priority.is_none_or(|only| only == priority.get())
        };
        match self.ecn_rules.iter().find(fits) {
            Some(rule) if rule.rate.is_some() => Some(rule.thresholds()),
            Some(rule) => Some(in_proportion(&rule.thresholds(), rate, nic_rate)),
            None => self
                .ecn
                .as_ref()
                .or(wanted)
                .map(|ecn| in_proportion(ecn, rate, nic_rate)),
        }
    }
}
