//! Common parts of all builders: a topology under construction, and checks of settings.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::limits::MAX_LINK_DELAY;
use fabricsim_base::units::{Duration, Rate};

use crate::graph::{Link, Topology};
use crate::limits::{MAX_LINKS, MAX_NODES, MAX_PORTS};
use crate::names::NodeNames;
use crate::node_kind::NodeKind;

/// A topology under construction: hosts 0..h, switches h..h+s, and links.
pub(super) struct Plan {
    hosts: u32,
    switches: u32,
    /// At most [`MAX_LINKS`], to bound the memory; `count` includes the links beyond this limit.
    links: Vec<Link>,
    count: u64,
    /// Names of the switches without their numbers, with the number of switches for each name, in
    /// order.
    tiers: Vec<(&'static str, u32)>,
}

impl Plan {
    /// Creates a plan with this many nodes; if they are too many, the error has the key `key`.
    pub(super) fn new(key: &'static str, hosts: u64, switches: u64) -> Result<Self, ConfigError> {
        let nodes = hosts.saturating_add(switches);
        let too_many = || {
            ConfigError::new(
                key,
                format!(
                    "this makes {nodes} nodes, more than the {MAX_NODES} that can be simulated"
                ),
                "choose a smaller value",
            )
        };
        if nodes > u64::from(MAX_NODES) {
            return Err(too_many());
        }
        let hosts = u32::try_from(hosts).map_err(|_| too_many())?;
        let switches = u32::try_from(switches).map_err(|_| too_many())?;
        Ok(Self {
            hosts,
            switches,
            links: Vec::new(),
            count: 0,
            tiers: vec![("switch", switches)],
        })
    }

    /// Names the switches: each tier has a word, which is followed by a number, counted from 0, and
    /// a number of switches.
    pub(super) fn name_switches(&mut self, tiers: &[(&'static str, u32)]) {
        self.tiers = tiers.to_vec();
    }

    /// Returns the id of switch number `index`.
    pub(super) fn switch(&self, index: u32) -> NodeId {
        NodeId(self.hosts + index)
    }

    /// Adds a lossless link.
    pub(super) fn link(&mut self, a: NodeId, b: NodeId, rate: Rate, delay: Duration) {
        self.count += 1;
        if self.count > u64::from(MAX_LINKS) {
            return;
        }
        self.links.push(Link {
            a,
            b,
            rate,
            delay,
            loss: 0.0,
        });
    }

    /// Builds the topology; the error has the key `key` if the settings' own checks missed
    /// something.
    pub(super) fn finish(self, key: &'static str) -> Result<Topology, ConfigError> {
        if self.count > u64::from(MAX_LINKS) {
            return Err(ConfigError::new(
                key,
                format!(
                    "this makes {} links, more than the {MAX_LINKS} that can be simulated",
                    self.count
                ),
                "choose a smaller value",
            ));
        }
        let mut kinds = vec![NodeKind::Host; self.hosts as usize];
        kinds.resize((self.hosts + self.switches) as usize, NodeKind::Switch);
        let topology = Topology::new(kinds, self.links)
            .map_err(|error| ConfigError::new(key, error.to_string(), "choose another value"))?;
        let names = NodeNames::by_tier(self.hosts, &self.tiers);
        Ok(topology.called(names))
    }
}

/// Returns the group of `nics` switches to which a host's NICs are linked; `first` is the switch
/// that a host with one NIC would use.
pub(super) const fn group_of(first: u32, nics: u32) -> std::ops::Range<u32> {
    let start = first / nics * nics;
    start..start + nics
}

/// Rejects a number of NICs that does not divide `switches` into whole groups.
pub(super) fn whole_groups(nics: u32, switches: u32, which: &str) -> Result<(), ConfigError> {
    if nics == 0 || !switches.is_multiple_of(nics) {
        return Err(ConfigError::new(
            "nics_per_host",
            format!("{switches} {which} are not whole groups of {nics}, one switch for each NIC"),
            format!("write a number that divides {switches}"),
        ));
    }
    Ok(())
}

/// Rejects a value less than `least`.
pub(crate) fn at_least(key: &'static str, value: u32, least: u32) -> Result<(), ConfigError> {
    if value < least {
        return Err(ConfigError::new(
            key,
            format!("{value} is too few"),
            format!("write at least {least}"),
        ));
    }
    Ok(())
}

/// Rejects more links at one node than the maximum.
pub(super) fn fits_ports(key: &'static str, node: &str, links: u64) -> Result<(), ConfigError> {
    if links > u64::from(MAX_PORTS) {
        return Err(ConfigError::new(
            key,
            format!("this gives {node} {links} links, more than the {MAX_PORTS} that it can have"),
            "choose a smaller value",
        ));
    }
    Ok(())
}

/// Rejects a delay of zero or above the maximum.
pub(crate) fn some_delay(key: &'static str, delay: Duration) -> Result<(), ConfigError> {
    if delay == Duration::ZERO {
        return Err(ConfigError::new(
            key,
            "a delay of zero is not possible yet: the window engine needs a delay of at least 1ps",
            "write the propagation delay of the cable, such as \"1us\"",
        ));
    }
    if delay > MAX_LINK_DELAY {
        return Err(ConfigError::new(
            key,
            format!(
                "a delay of {delay} is too long: {MAX_LINK_DELAY} is the most that a link can have"
            ),
            "write the propagation delay of the cable, such as \"1us\"",
        ));
    }
    Ok(())
}
