//! The positions of each knob, the default first.

use fabricsim_base::units::Duration;

/// The resolution of times.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TimeUnit {
    /// That of [`Time`](fabricsim_base::units::Time).
    Picosecond,
    /// Whole nanoseconds: the rest is cut off.
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
    /// They are not rounded.
    Fraction,
    /// Whole bits per second: the rest is cut off after every operation.
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
// A call that the compiler does not make before it knows whether the result is wanted.
#[cold]
#[inline(never)]
const fn whole(bps: f64) -> f64 {
    bps.trunc()
}

/// The path of an ideal completion time, where a pair of hosts has several.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum IdealPath {
    /// That of the least time.
    Least,
    /// The first one.
    First,
}

/// The NIC rate that the defaults of an algorithm follow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NicRateSource {
    /// That of the flow's own NIC.
    Flow,
    /// That of the first host's first link, for all flows.
    FirstHost,
}

/// The lowest rate of an algorithm that sets none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MinRateRule {
    /// 1 Gbps, at most a hundredth of the NIC rate.
    Scaled,
    /// 1 Gbps.
    Fixed,
}

/// The whole window of RDMA's algorithms.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WindowRule {
    /// The bytes that the flow's own NIC sends in T, as in the HPCC paper.
    OwnNic,
    /// The bytes that the slowest link of the path carries in T: of the pair, or the most of all
    /// pairs.
    SlowestLink,
}

/// The fields of the INT header.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EntryFormat {
    /// Full width, with an identity of the path.
    Exact,
    /// 64 bits for each of five hops, in coarse units, without an identity of the path. Rates that
    /// the header has no code for are taken for its lowest.
    Quantized,
}

/// The digest of HPCC-PINT.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ValueCode {
    /// Logarithms to base 1.05, rounded as such: one byte.
    Byte,
    /// Logarithms to base 1.01 of rounded values, counted as two bytes on the wire.
    TwoBytes,
}

/// The arithmetic of switches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SwitchArithmetic {
    /// Double precision, unless a size of tables is set.
    Exact,
    /// By tables of logarithms of 16 bits.
    Tables,
}

/// The packets that a utilization is measured from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MeasuredPackets {
    /// All that leave a port.
    All,
    /// Data; ACKs and pauses only set the time and size of the last packet.
    Data,
}

/// The random draw where not every digest counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SamplingDraw {
    /// The packets that carry one, by a hash.
    Packets,
    /// The ACKs that the sender looks at; every packet carries one.
    Acks,
}

/// The numbers by which switches round at random.
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
    /// The worst case of what can arrive after a pause.
    WorstCase,
    /// Three times what the link carries in its delay.
    ThreeDelays,
}

/// The ports and priorities that headroom and reserves are set aside for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SetAside {
    /// Each priority in use at a port.
    PrioritiesInUse,
    /// The port, once.
    WholePort,
}

/// The buffer of a switch where no size is set: by the NIC rate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UnsetBuffer {
    /// At least twice what is set aside.
    TwiceSetAside,
    /// Whatever is set aside.
    ByRate,
}

/// The numbers that decide ECN marks.
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
    /// By flow number.
    ByFlow,
    /// Counted from 10,000 for each pair of hosts.
    ByPair,
}

/// The least retransmission timeout where none is set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LeastTimeout {
    /// By whether the fabric can lose packets.
    ByFabric,
    /// That of fabrics that can.
    Lossy,
}

/// Whether ACKs leave a host while their priority is paused, where nothing is set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PausedAcks {
    /// Those of the priorities that are paused wait.
    Wait,
    /// All wait in one queue for priority 3, or leave under some algorithms.
    ByAlgorithm,
}

/// The links that routes go over, where several join two nodes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ParallelLinks {
    /// All of them.
    All,
    /// The last one in the list of links. The others are there, with their ports, and carry nothing.
    Last,
}

/// The NIC by which a reply leaves a host with several.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReplyNic {
    /// The one at which its packet arrived.
    Arrival,
    /// The one that its own addresses and ports select, as for data in its direction.
    Hashed,
}

/// The order in which the flows of a NIC have their turns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FlowTurns {
    /// By the place that a host keeps for a flow, which a later flow takes over.
    BySlot,
    /// By a list in the order of starts, from which flows that have ended are taken when a search
    /// passes them.
    Listed,
}

/// Time at which a NIC port with nothing to send checks again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NicTimer {
    /// The time at which the first flow that its window allows to send is due.
    Precise,
    /// The time at which the first flow with bytes left is due, whether or not its window lets it
    /// go, and not at all when that time has passed. A flow that waits for its pacing beside one
    /// that waits for its window is then late until the next arrival. Hosts know what to do with a
    /// time that has passed only where events are in the order of insertion.
    FirstWithBytes,
}

/// The order of events of one time at one node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SimultaneousEvents {
    /// Arrivals by port, then the node's own events by kind and port.
    ByNode,
    /// By when they were set, as in one event list; hosts have the events of the published NIC.
    ByInsertion,
}
