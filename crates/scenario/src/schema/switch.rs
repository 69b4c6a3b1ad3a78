//! The `[switch]` table.

use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::Fidelity;
use fabricsim_core::units::{Bytes, Rate};
use fabricsim_qdisc::{BufferConfig, EcnConfig, Headroom, Pfc, PortBuffer};
use fabricsim_topology::Topology;
use serde::{Deserialize, Serialize};

use crate::schema::ecn::{EcnRule, check_thresholds, in_proportion};
use crate::schema::keys::Keys;

/// The `[switch]` table.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SwitchSettings {
    /// The buffer of one switch; absent means 16 MiB for each 50 Gbps of NIC rate, at least 1 MiB,
    /// and at least twice what the switch sets aside for headroom and reserves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Pause neighbors rather than drop.
    pub pfc: bool,
    /// The rule for the headroom of a port; absent means `worst-case`, under a profile its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headroom: Option<Headroom>,
    /// The share of the free buffer that a port at NIC rate may take: a power of one half.
    pub alpha: f64,
    /// Bytes of each (port, priority) that are not counted as shared.
    pub reserve: Bytes,
    /// How far below the threshold a paused neighbor goes on.
    pub resume_offset: Bytes,
    /// ECN thresholds of a port at NIC rate, in proportion at others, for all priorities; absent
    /// means what the algorithm of each priority wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<EcnConfig>,
    /// ECN thresholds of ports of one rate, of one priority, or of both; the first rule that fits a
    /// port and priority holds, before `ecn`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ecn_rules: Vec<EcnRule>,
    /// The share of the free buffer that a queue of TCP may be as long as; absent means 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lossy_alpha: Option<f64>,
}

impl Default for SwitchSettings {
    fn default() -> Self {
        Self {
            buffer: None,
            pfc: true,
            headroom: None,
            alpha: 0.125,
            reserve: Bytes::new(4 << 10),
            resume_offset: Bytes::new(3 << 10),
            ecn: None,
            ecn_rules: Vec::new(),
            lossy_alpha: None,
        }
    }
}

impl SwitchSettings {
    /// The keys of the table.
    pub const KEYS: Keys = &[
        (
            "buffer",
            "bytes of one switch (default \"16MiB\" for each 50 Gbps of NIC rate, more where headroom needs it)",
        ),
        ("pfc", "pause neighbors rather than drop (default true)"),
        (
            "headroom",
            "\"worst-case\" (default, never drops) or \"published\" (3 x rate x delay)",
        ),
        (
            "alpha",
            "share of the free buffer that a NIC-rate port may take (default 0.125)",
        ),
        (
            "reserve",
            "bytes of each port and priority that are its own (default \"4KiB\")",
        ),
        (
            "resume_offset",
            "how far below the threshold a neighbor goes on (default \"3KiB\")",
        ),
        (
            "ecn",
            "marking at NIC rate: { kmin = \"400KB\", kmax = \"1600KB\", pmax = 0.2 } (default: as the algorithm wants)",
        ),
        (
            "ecn_rules",
            "marking by port and priority: [{ rate = \"400Gbps\", priority = 3, kmin = …, kmax = …, pmax = … }]",
        ),
        (
            "lossy_alpha",
            "share of the free buffer that a queue of TCP may be as long as (default 1)",
        ),
    ];

    /// Refuses values without a meaning.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.alpha_shift().is_none() {
            return Err(ConfigError::new(
                "alpha",
                format!("a share of {} is not a power of one half", self.alpha),
                "give one of 1.0, 0.5, 0.25, 0.125, 0.0625, …",
            ));
        }
        if let Some(share) = self.lossy_alpha
            && !(1.0 / 256.0..=64.0).contains(&share)
        {
            return Err(ConfigError::new(
                "lossy_alpha",
                format!("a share of {share} is not between 1/256 and 64"),
                "give a number such as 0.5, 1 or 8",
            ));
        }
        if self.buffer == Some(Bytes::ZERO) {
            return Err(ConfigError::new(
                "buffer",
                "a switch without a buffer cannot store a packet",
                "give a size such as \"32MiB\"",
            ));
        }
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

    /// The share of the free buffer that a queue of TCP may be as long as.
    pub fn lossy_alpha(&self) -> f64 {
        self.lossy_alpha.unwrap_or(1.0)
    }

    fn alpha_shift(&self) -> Option<u8> {
        (0..=16u8).find(|&shift| (self.alpha * f64::from(1u32 << shift) - 1.0).abs() < 1e-12)
    }

    /// The settings with every default filled in.
    #[must_use]
    pub fn resolved(&self, nic_rate: Rate, fidelity: Fidelity) -> Self {
        let scaled = (16u64 << 20).saturating_mul(nic_rate.as_bps() / 1_000_000) / 50_000;
        Self {
            buffer: Some(
                self.buffer
                    .unwrap_or_else(|| Bytes::new(scaled.max(1 << 20))),
            ),
            headroom: Some(self.headroom.unwrap_or(match fidelity {
                Fidelity::Exact => Headroom::WorstCase,
                Fidelity::Published => Headroom::Published,
            })),
            ..self.clone()
        }
    }

    /// The buffer of a switch; call it on resolved settings.
    pub fn buffer_config(&self) -> BufferConfig {
        let defaults = BufferConfig::default();
        BufferConfig {
            size: self.buffer.unwrap_or(defaults.size),
            pfc: if self.pfc { Pfc::On } else { Pfc::Off },
            headroom: self.headroom.unwrap_or(defaults.headroom),
            reserve: self.reserve,
            resume_offset: self.resume_offset,
            priorities: defaults.priorities,
            alpha_shift: self.alpha_shift().unwrap_or(defaults.alpha_shift),
        }
    }

    /// The buffer of a switch with `ports`: `common`, but where no size is set large enough to have
    /// as much to share as it sets aside for headroom and reserves.
    pub fn buffer_of(
        &self,
        common: &BufferConfig,
        ports: &[PortBuffer],
        fidelity: Fidelity,
    ) -> BufferConfig {
        let mut config = common.clone();
        if self.buffer.is_none() && fidelity == Fidelity::Exact {
            let set_aside = config.set_aside(ports);
            config.size = config.size.max(set_aside.saturating_add(set_aside));
        }
        config
    }

    /// Refuses a buffer that does not hold what some switch of `topology` sets aside, as `config` has it.
    pub fn validate_for(
        &self,
        topology: &Topology,
        config: &BufferConfig,
        longest_packet: Bytes,
    ) -> Result<(), ConfigError> {
        let Some(size) = self.buffer else {
            return Ok(());
        };
        for node in topology.switches() {
            let ports: Vec<PortBuffer> = topology
                .ports(node)
                .iter()
                .map(|port| PortBuffer {
                    rate: port.rate,
                    delay: port.delay,
                })
                .collect();
            let set_aside = config.set_aside(&ports);
            if set_aside >= size {
                return Err(ConfigError::new(
                    "buffer",
                    format!(
                        "switch {node} sets {} bytes aside for the headroom and reserves of its {} \
                         ports ({} priorities), and its buffer has {}",
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
            let share = (size - set_aside).get() >> config.alpha_shift;
            if config.pfc == Pfc::Off && share + config.reserve.get() < longest_packet.get() {
                return Err(ConfigError::new(
                    "buffer",
                    format!(
                        "a port of switch {node} may fill {} bytes, and a full packet has {}: all \
                         would be dropped",
                        share + config.reserve.get(),
                        longest_packet.get()
                    ),
                    "give a larger buffer, or a larger `alpha`",
                ));
            }
        }
        Ok(())
    }

    /// The thresholds of a port of `rate` for `priority`, whose algorithm wants `wanted` at NIC rate.
    pub fn ecn_at(
        &self,
        rate: Rate,
        priority: u8,
        wanted: Option<&EcnConfig>,
        nic_rate: Rate,
    ) -> Option<EcnConfig> {
        let fits = |rule: &&EcnRule| {
            rule.rate.is_none_or(|only| only == rate)
                && rule.priority.is_none_or(|only| only == priority)
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
