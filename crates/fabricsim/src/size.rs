//! Memory needed by a network, estimated before it is allocated.

use fabricsim_core::units::Bytes;
use fabricsim_topology::{Link, RoutesSize, Topology};

use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::scenario::size::memory;
use fabricsim_scenario::schema::part::Part;
use fabricsim_scenario::text::error::Error;

/// Memory of a host and of a port of any node, in bytes, before anything is sent.
/// Measured on a star, a fat-tree of k = 64 and a leaf-spine of 2.5 million links.
const HOST_BYTES: u64 = 1_300;
const PORT_BYTES: u64 = 1_560;

/// Networks that take less are built without a question.
const SMALL_BYTES: u64 = 256 << 20;

/// Refuses a network that would take more memory than this machine has left.
///
/// # Errors
/// The size that it would need, and what there is.
pub(crate) fn check_memory(scenario: &Scenario) -> Result<(), Error> {
    let needed = network_bytes(scenario.topology());
    if needed <= SMALL_BYTES {
        return Ok(());
    }
    match available() {
            Some(left) if needed > left => Err(scenario.refuse(
                Part::Topology,
                format!(
                    "the network of {} nodes and {} links would take about {}, and this process can get {}",
                    scenario.topology().len(),
                    scenario.topology().links().len(),
                    memory(needed),
                    memory(left),
                ),
                "make it smaller, or give it more memory",
            )),
            _ => Ok(()),
        }
}

/// Estimates the memory of a network before anything is sent, in bytes.
fn network_bytes(topology: &Topology) -> u64 {
    let hosts = topology.hosts().len() as u64;
    let ports = 2 * topology.links().len() as u64;
    hosts * HOST_BYTES + ports * PORT_BYTES + RoutesSize::of(topology).bytes()
}

/// The memory that a simulation takes, estimated.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MemoryNeed {
    /// Memory of the network before anything is sent, in bytes.
    pub network: u64,
    /// Memory of each packet in flight or in a queue, in bytes: its telemetry has room for the
    /// longest path.
    pub packet: u64,
    /// Memory of the packets on the links when all links are full, in bytes.
    pub full_links: u64,
}

impl MemoryNeed {
    /// The need of `topology` for packets that take `packet` bytes of memory and, when they are
    /// full, `wire` bytes on a link.
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
