//! What a network takes, estimated before it is taken.

use fabricsim_core::input::ConfigError;
use fabricsim_core::units::Bytes;
use fabricsim_topology::{Link, RoutesSize, Topology};

use crate::error::Error;
use crate::registry::RequiredTelemetry;
use crate::scenario::{Part, Scenario};

/// The most entries of all forwarding tables: 2 GiB of them.
const MOST_ENTRIES: u64 = 1 << 28;

/// The most switches on a path that telemetry of each hop has room for.
pub(crate) const MOST_INT_SWITCHES: usize = 128;

/// Memory of a host and of a port of any node, in bytes, before anything is sent.
/// Measured on a star, a fat-tree of k = 64 and a leaf-spine of 2.5 million links.
const HOST_BYTES: u64 = 1_300;
const PORT_BYTES: u64 = 1_560;

/// Networks that take less are built without a question.
const SMALL_BYTES: u64 = 256 << 20;

impl Scenario {
    /// Refuses networks whose forwarding tables would take too much memory.
    pub(crate) fn check_routes(&self) -> Result<(), ConfigError> {
        let topology = &self.topology;
        let switches = topology.len() - topology.hosts().len();
        if (switches as u64).saturating_mul(topology.hosts().len() as u64) <= MOST_ENTRIES {
            return Ok(());
        }
        let size = RoutesSize::of(topology);
        if size.entries() <= MOST_ENTRIES {
            return Ok(());
        }
        Err(ConfigError::new(
            "topology",
            format!(
                "the routes of {} switches to hosts at {} places would take {}, and {} is the most \
                 that is built",
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

    /// Refuses algorithms that read telemetry of each hop where some path is certainly too long for it.
    pub(crate) fn check_long_paths(&self) -> Result<(), ConfigError> {
        let switches = self.topology.len() - self.topology.hosts().len();
        if !self.needs(RequiredTelemetry::Int) || switches <= MOST_INT_SWITCHES {
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

    /// Refuses a network that would take more memory than this machine has left.
    ///
    /// # Errors
    /// The size that it would need, and what there is.
    pub(crate) fn check_memory(&self) -> Result<(), Error> {
        let needed = network_bytes(&self.topology);
        if needed <= SMALL_BYTES {
            return Ok(());
        }
        match available() {
            Some(left) if needed > left => Err(self.places.refuse(
                Part::Topology,
                format!(
                    "the network of {} nodes and {} links would take about {}, and this process can get {}",
                    self.topology.len(),
                    self.topology.links().len(),
                    memory(needed),
                    memory(left),
                ),
                "make it smaller, or give it more memory",
            )),
            _ => Ok(()),
        }
    }
}

/// What a network takes before anything is sent, about.
fn network_bytes(topology: &Topology) -> u64 {
    let hosts = topology.hosts().len() as u64;
    let ports = 2 * topology.links().len() as u64;
    hosts * HOST_BYTES + ports * PORT_BYTES + RoutesSize::of(topology).bytes()
}

/// The memory that a simulation takes, estimated.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MemoryNeed {
    /// What the network takes before anything is sent, in bytes.
    pub network: u64,
    /// What each packet takes that is under way or waits, in bytes: its telemetry has room for the longest
    /// path.
    pub packet: u64,
    /// What the packets take that are on the links when all of them are full, in bytes.
    pub full_links: u64,
}

impl MemoryNeed {
    /// The need of `topology` for packets that take `packet` bytes of memory and, when they are full,
    /// `wire` bytes on a link.
    pub(crate) fn of(topology: &Topology, packet: usize, wire: Bytes) -> Self {
        let packet = packet as u64;
        let packets = |link: &Link| 2 * link.rate.bytes_in(link.delay).get() / wire.get().max(1);
        let links = topology.links().iter().map(packets);
        let under_way = links.fold(0u64, u64::saturating_add);
        Self {
            network: network_bytes(topology),
            packet,
            full_links: under_way.saturating_mul(packet),
        }
    }
}

/// Bytes in words.
#[must_use]
pub fn memory(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// The memory that this process can still get, where Linux tells it.
fn available() -> Option<u64> {
    let kib = |text: &str, name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number = line.split_ascii_whitespace().next()?;
        number.parse::<u64>().ok()?.checked_mul(1_024)
    };
    let machine = kib(
        &std::fs::read_to_string("/proc/meminfo").ok()?,
        "MemAvailable:",
    );
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))
        .and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok());
    let used = kib(
        &std::fs::read_to_string("/proc/self/status").ok()?,
        "VmSize:",
    );
    let left = limit.map(|limit| limit.saturating_sub(used.unwrap_or(0)));
    machine.into_iter().chain(left).min()
}
