//! The positions of each knob, the default first.

use fabricsim_base::units::Duration;

/// The resolution of times.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TimeUnit {
    /// The resolution of [`Time`](fabricsim_base::units::Time).
    Picosecond,
    /// Whole nanoseconds, truncated.
    Nanosecond,
}

impl TimeUnit {
    /// Returns `duration` in this resolution.
    #[must_use]
    pub const fn cut(self, duration: Duration) -> Duration {
        match self {
            Self::Picosecond => duration,
            Self::Nanosecond => Duration::from_ns(duration.as_ns()),
        }
    }
}

/// The resolution of rates in bit/s.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RateUnit {
    /// Rates keep their fraction.
    Fraction,
    /// Whole bits per second, truncated after every operation.
    WholeBit,
}

impl RateUnit {
    /// Returns `bps` in this resolution.
    #[inline]
    #[must_use]
    pub const fn cut(self, bps: f64) -> f64 {
        match self {
            Self::Fraction => bps,
            Self::WholeBit => whole(bps),
        }
    }
}

/// Returns `bps` without its fraction.
// Not inlined, so that the compiler does not compute it unless the result is needed.
#[cold]
#[inline(never)]
const fn whole(bps: f64) -> f64 {
    bps.trunc()
}

/// The path for which the ideal completion time is computed if a pair of hosts has several paths.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum IdealPath {
    /// The path with the shortest time.
    Least,
    /// The first path.
    First,
}

/// The NIC from which an algorithm's default rates are derived.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NicRateSource {
    /// The flow's own NIC.
    Flow,
    /// The first link of the first host, for all flows.
    FirstHost,
}

/// The minimum rate if the algorithm sets none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MinRateRule {
    /// 1 Gbps, but at most a hundredth of the NIC rate.
    Scaled,
    /// 1 Gbps.
    Fixed,
}

/// The full window of RDMA's algorithms.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WindowRule {
    /// The bytes that the flow's own NIC sends in T, as in the HPCC paper.
    OwnNic,
    /// The bytes that the slowest link of the path carries in T: of the pair, or the maximum over
    /// all pairs.
    SlowestLink,
}

/// The fields of the INT header.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EntryFormat {
    /// Full width, with a path identifier.
    Exact,
    /// 64 bits for each of five hops, in coarse units, without a path identifier. If the header has
    /// no code for a rate, the lowest coded rate is used.
    Quantized,
}

/// The digest of HPCC-PINT.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ValueCode {
    /// Logarithms to base 1.05, rounded after taking the logarithm: one byte.
    Byte,
    /// Logarithms to base 1.01 of rounded values, counted as two bytes on the wire.
    TwoBytes,
}

/// The arithmetic of switches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SwitchArithmetic {
    /// Double precision, unless a table size is set.
    Exact,
    /// Lookup tables of 16-bit logarithms.
    Tables,
}

/// The packets from which a utilization is measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MeasuredPackets {
    /// All packets that leave a port.
    All,
    /// Data; ACKs and pause frames only set the time and size of the last packet.
    Data,
}

/// The random choice if not every digest counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SamplingDraw {
    /// A hash chooses the packets that carry a digest.
    Packets,
    /// Every packet carries a digest, and the sender chooses the ACKs that count.
    Acks,
}

/// The random numbers for the rounding of switches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RoundingDraws {
    /// A stream for each switch.
    OwnStream,
    /// One sequence that is never seeded, shared by the switch and the senders.
    SharedSequence,
}

/// The default rule of headroom.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HeadroomRule {
    /// The worst case of arrivals after a pause.
    WorstCase,
    /// Three times the bytes that the link carries in its delay.
    ThreeDelays,
}

/// The ports and priorities for which headroom and reserves are set aside.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SetAside {
    /// Each priority in use at a port.
    PrioritiesInUse,
    /// The port as a whole, once.
    WholePort,
}

/// The buffer size of a switch if none is set: derived from the NIC rate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UnsetBuffer {
    /// At least twice the bytes that are set aside.
    TwiceSetAside,
    /// Independent of the bytes that are set aside.
    ByRate,
}

/// The random numbers that decide ECN marks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MarkDraws {
    /// A stream for each port and priority.
    OwnStream,
    /// The first numbers of the generator's consecutive streams, one for each mark.
    PortStreams,
}

/// The default hash of flows and order of next hops.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EcmpRule {
    /// A seeded mixing hash; next hops ascending.
    Seeded,
    /// Murmur3, seeded by the switch number; next hops descending.
    BySwitch,
}

/// The source ports of flows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SourcePortRule {
    /// Derived from the flow number.
    ByFlow,
    /// Counted from 10,000 for each pair of hosts.
    ByPair,
}

/// The minimum retransmission timeout if none is set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LeastTimeout {
    /// Depends on the fabric: far longer if it cannot lose packets.
    ByFabric,
    /// The timeout of lossy fabrics, in every fabric.
    Lossy,
}

/// The treatment of ACKs while their priority is paused at a host, if none is set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PausedAcks {
    /// ACKs of paused priorities wait.
    Wait,
    /// All ACKs wait in one queue for priority 3, or leave under some algorithms.
    ByAlgorithm,
}

/// The links that routes use if several links join two nodes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ParallelLinks {
    /// All links.
    All,
    /// The last one in the list of links. The other links exist, with their ports, but carry no
    /// packets.
    Last,
}

/// The NIC by which a reply leaves a host with several NICs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReplyNic {
    /// The NIC at which its packet arrived.
    Arrival,
    /// The NIC that the hash of the reply's addresses and ports selects, as for data in that
    /// direction.
    Hashed,
}

/// The order in which the flows of a NIC take turns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FlowTurns {
    /// Flows take turns by slot. A host assigns a slot to each flow, and a later flow reuses it.
    BySlot,
    /// Flows take turns in the order of their starts. A search removes the ended flows that it
    /// passes.
    Listed,
}

/// Time at which a NIC port with nothing to send checks again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NicTimer {
    /// The time at which the first flow with an open window is due.
    Precise,
    /// The time at which the first flow with bytes left is due, even if its window is closed; no
    /// check if that time has passed. A flow that waits for its pacing while another flow waits for
    /// its window is therefore late until the next arrival. Hosts handle a time that has passed
    /// only if events are ordered by insertion.
    FirstWithBytes,
}

/// The order of simultaneous events at one node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SimultaneousEvents {
    /// Arrivals by port, then the node's own events by kind and port.
    ByNode,
    /// Events are in the order in which they were set, as in one event list. Hosts have the events
    /// of the published NIC.
    ByInsertion,
}
