//! Limits on the size of networks.

use fabricsim_base::input::ConfigError;
use fabricsim_hpcc::INT;
use fabricsim_topology::RoutesSize;

use crate::scenario::Scenario;

/// Maximum number of entries in all forwarding tables together: they take 2 GiB.
const MOST_ENTRIES: u64 = 1 << 28;

/// Maximum number of switches on a path for telemetry of each hop.
const MOST_INT_SWITCHES: usize = 128;

impl Scenario {
    /// Rejects networks with forwarding tables that would take too much memory.
    pub(crate) fn check_routes(&self) -> Result<(), ConfigError> {
        let topology = &self.topology;
        let switches = topology.forwarders().count();
        if (switches as u64).saturating_mul(topology.endpoints().count() as u64) <= MOST_ENTRIES {
            return Ok(());
        }
        let size = RoutesSize::of(topology);
        if size.entries() <= MOST_ENTRIES {
            return Ok(());
        }
        Err(ConfigError::new(
            "topology",
            format!(
                "the routes of {} switches to hosts at {} places need {}, and the limit is {}",
                size.switches,
                size.groups,
                memory(size.bytes()),
                memory(MOST_ENTRIES * (size.bytes() / size.entries())),
            ),
            format!(
                "make the network smaller, or put its hosts on fewer switches: switches times switches \
                 with hosts can be up to {MOST_ENTRIES}"
            ),
        ))
    }

    /// Rejects algorithms that read telemetry of each hop if some path is certainly too long for
    /// it.
    pub(crate) fn check_long_paths(&self) -> Result<(), ConfigError> {
        let switches = self.topology.forwarders().count();
        if !self.needs(INT) || switches <= MOST_INT_SWITCHES {
            return Ok(());
        }
        let longest = self.topology.some_long_path();
        if longest <= MOST_INT_SWITCHES {
            return Ok(());
        }
        Err(ConfigError::new(
            "cc",
            format!(
                "a path passes {longest} switches, and telemetry is built for up to {MOST_INT_SWITCHES}"
            ),
            "choose an algorithm that does not read telemetry of each hop, such as \"dctcp\" or \"hpcc-pint\", or \
             a network with shorter paths",
        ))
    }
}

/// Formats a number of bytes.
#[must_use]
pub fn memory(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
