//! Memory needed by a network, estimated before it is allocated.

use fabricsim_base::units::Bytes;
use fabricsim_report::HEADER_BYTES;
use fabricsim_topology::{Link, RoutesSize, Topology};

use crate::simulation::Expectation;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::scenario::size::memory;
use fabricsim_scenario::schema::part::Part;
use fabricsim_scenario::text::error::Error;

/// Memory of a host and of a port of any node, in bytes, before traffic starts. Measured on a star,
/// a fat-tree of k = 64 and a leaf-spine of 2.5 million links.
const HOST_BYTES: u64 = 1_300;
const PORT_BYTES: u64 = 1_560;

/// Networks below this size are built without a check.
const SMALL_BYTES: u64 = 256 << 20;

/// Rejects a network that would need more memory than this machine has left.
///
/// # Errors
/// The error states the needed and the available memory.
pub(crate) fn check_memory(scenario: &Scenario) -> Result<(), Error> {
    let needed = network_bytes(scenario.topology());
    if needed <= SMALL_BYTES {
        return Ok(());
    }
    match available() {
        Some(left) if needed > left => Err(scenario.refuse(
            Part::Topology,
            format!(
                "the network of {} nodes and {} links needs about {}, and this process can get {}",
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

/// A scenario is rejected if its packets could need more than this many times the memory that is
/// left. The estimate assumes that all links are full simultaneously, in both directions; windows
/// keep most runs far below it.
const MOST_TIMES: u64 = 16;

/// Rejects a scenario if its packets would need much more memory than the machine has left.
///
/// # Errors
/// The error states the needed and the available memory.
pub(crate) fn check_packet_memory(scenario: &Scenario, need: &MemoryNeed) -> Result<(), Error> {
    let needed = need.most_packets();
    let given = scenario.run().packet_memory.map(Bytes::get);
    if needed <= SMALL_BYTES && given.is_none() {
        return Ok(());
    }
    let by_machine = || available().map(|left| left.saturating_mul(MOST_TIMES));
    let Some(most) = given.or_else(by_machine).filter(|&most| needed > most) else {
        return Ok(());
    };
    let there_is = match given {
        Some(_) => format!("[run] packet_memory is {}", memory(most)),
        None => format!("this process can get {}", memory(most / MOST_TIMES)),
    };
    Err(scenario.refuse(
        Part::Topology,
        format!(
            "its packets need up to {} if all links are full, and {there_is}",
            memory(needed)
        ),
        format!(
            "give links lower rates or shorter delays, or send fewer bytes; or allow more with [run] \
             packet_memory = \"{}GB\"",
            needed.div_ceil(1_000_000_000)
        ),
    ))
}

/// Estimates the memory of a network before traffic starts, in bytes.
fn network_bytes(topology: &Topology) -> u64 {
    let hosts = topology.hosts().len() as u64;
    let ports = 2 * topology.links().len() as u64;
    hosts * HOST_BYTES + ports * PORT_BYTES + RoutesSize::of(topology).bytes()
}

/// The estimated memory of a simulation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MemoryNeed {
    /// Memory of the network before traffic starts, in bytes.
    pub network: u64,
    /// Memory of each packet in flight or in a queue, in bytes. Its telemetry has room for the
    /// longest path.
    pub packet: u64,
    /// Memory of the packets on the links if all links are full, in bytes.
    pub full_links: u64,
    /// Memory of all packets that the workloads are expected to send, in bytes.
    pub traffic: u64,
}

impl MemoryNeed {
    /// Estimates the need of `topology` for packets that take `packet` bytes of memory and carry up
    /// to `mtu` bytes of payload, given the traffic `expected` from the workloads.
    pub(crate) fn of(
        topology: &Topology,
        packet: usize,
        mtu: Bytes,
        expected: Expectation,
    ) -> Self {
        let (packet, wire) = (packet as u64, mtu + HEADER_BYTES);
        let packets = |link: &Link| 2 * link.rate.bytes_in(link.delay).get() / wire.get().max(1);
        let links = topology.links().iter().map(packets);
        let under_way = links.fold(0u64, u64::saturating_add);
        Self {
            network: network_bytes(topology),
            packet,
            full_links: under_way.saturating_mul(packet),
            traffic: whole(expected.bytes / mtu.as_f64() + expected.flows).saturating_mul(packet),
        }
    }

    /// Returns a warning if packets may need more memory than this machine has left.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let needed = self.most_packets();
        if needed <= SMALL_BYTES {
            return None;
        }
        let left = available().filter(|&left| needed > left)?;
        Some(format!(
            "packets need up to {} if all links are full, and this process can get {}: the system may \
             kill it; give links lower rates or shorter delays, or send fewer bytes",
            memory(needed),
            memory(left)
        ))
    }

    /// Returns the maximum memory that packets in flight can need: for full links, or for all
    /// packets if these are fewer.
    fn most_packets(&self) -> u64 {
        self.full_links.min(self.traffic)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it saturates, and nothing is expected to be below zero"
)]
const fn whole(number: f64) -> u64 {
    number as u64
}

/// Returns the memory that this process can still allocate, if Linux reports it.
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
    machine
        .into_iter()
        .chain(left)
        .chain(limit_of_group())
        .min()
}

/// Returns the memory limit of this process's control group, if it has one. Its current usage is
/// not subtracted, because most of that is a cache of files.
fn limit_of_group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    // The second version has a single hierarchy with an empty name.
    let of_line = |line: &str| -> Option<u64> {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?);
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => return None,
        };
        // In a container, the process's own group is the root, under any name outside.
        let limit = |group: &str| -> Option<u64> {
            let text = std::fs::read_to_string(format!("{root}{group}/{file}")).ok()?;
            text.trim().parse().ok()
        };
        limit(group).or_else(|| limit(""))
    };
    groups.lines().filter_map(of_line).min()
}
