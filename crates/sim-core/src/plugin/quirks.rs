//! The habits of the reference simulator, knob by knob.

mod knobs;

pub use knobs::{
    EcmpRule, EntryFormat, FlowTurns, HeadroomRule, IdealPath, LeastTimeout, MarkDraws,
    MeasuredPackets, MinRateRule, NicRateSource, NicTimer, ParallelLinks, PausedAcks, RateUnit,
    ReplyNic, RoundingDraws, SamplingDraw, SetAside, SimultaneousEvents, SourcePortRule,
    SwitchArithmetic, TimeUnit, UnsetBuffer, ValueCode, WindowRule,
};

use fabricsim_base::units::Rate;

/// The rounding, truncation, quantization and event order of a model, compared with the published
/// HPCC simulator (on ns-3.17).
///
/// A scenario's profile chooses one of the constants. The code that a knob changes tests that knob
/// alone, so its effect is easy to find. The exceptions are [`Self::entries`], [`Self::nic_timer`]
/// and [`Self::event_order`]: a network has the published variants of either all three or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quirks {
    /// The resolution of transmission times. The published simulator computes them as doubles and
    /// truncates them to nanoseconds (`DataRate::CalculateTxTime`).
    pub transmission: TimeUnit,
    /// The resolution of pacing (`RdmaHw::UpdateNextAvail`).
    pub pacing: TimeUnit,
    /// The resolution of the base round-trip time T (`baseRtt`), and of the share of each hop.
    pub base_rtt: TimeUnit,
    /// The resolution of start times in a list of flows, which the script reads through a double.
    pub start_times: TimeUnit,
    /// The resolution of ideal completion times (the script's `standalone_fct`).
    pub ideal_times: TimeUnit,
    /// The path of an ideal completion time.
    pub ideal_path: IdealPath,
    /// The resolution of an algorithm's rates (`DataRate` stores whole bits per second).
    pub rates: RateUnit,
    /// The NIC from which thresholds and default rates are derived (`get_nic_rate`).
    pub nic_rate: NicRateSource,
    /// The minimum rate if the algorithm sets none (`MIN_RATE`).
    pub min_rate: MinRateRule,
    /// The additive increase of HPCC and HPCC-PINT, as a share of the NIC rate: 50 Mbps at 100 Gbps
    /// in the papers, 40 in the script (`RATE_AI`).
    pub increase_share: f64,
    /// The additive increase of DCTCP; `None` means one full packet per base round-trip time
    /// (`DCTCP_RATE_AI`).
    pub fixed_increase: Option<Rate>,
    /// The full window W of RDMA's algorithms (the script's `maxBdp` and `pairBdp`).
    pub window: WindowRule,
    /// The fields of the INT header (`IntHop`).
    pub entries: EntryFormat,
    /// The digest of HPCC-PINT (`Pint::encode_u`).
    pub value_code: ValueCode,
    /// The arithmetic by which switches compute PINT's utilization (`SwitchNode::logres_shift`,
    /// `log2apprx`).
    pub switch_arithmetic: SwitchArithmetic,
    /// The packets from which switches measure PINT's utilization
    /// (`SwitchNode::SwitchNotifyDequeue`).
    pub measured: MeasuredPackets,
    /// The random choice if not every digest counts (`RdmaHw::HandleAckHpPint`).
    pub sampling: SamplingDraw,
    /// The random numbers for PINT's rounding, in a network with one switch.
    pub rounding_draws: RoundingDraws,
    /// The default rule of headroom (the script's `3 x rate x delay`).
    pub headroom: HeadroomRule,
    /// The ports and priorities for which headroom and reserves are set aside
    /// (`SwitchMmu::ConfigHdrm`).
    pub set_aside: SetAside,
    /// The size of a switch's buffer if none is set.
    pub unset_buffer: UnsetBuffer,
    /// The random numbers that decide ECN marks (`SwitchMmu::ShouldSendCN`).
    pub mark_draws: MarkDraws,
    /// The default hash of flows and order of next hops (`SwitchNode::EcmpHash`).
    pub ecmp: EcmpRule,
    /// The links that routes use if several links join two nodes (the script's `nbr2if`).
    pub parallel_links: ParallelLinks,
    /// The NIC by which a reply leaves a host with several NICs (`RdmaHw::GetNicIdxOfRxQp`).
    pub reply_nic: ReplyNic,
    /// The source ports of flows, which ECMP hashes (the script counts them).
    pub source_ports: SourcePortRule,
    /// The minimum retransmission timeout if none is set.
    pub least_timeout: LeastTimeout,
    /// The treatment of ACKs at a host with paused data, and their order (`ACK_HIGH_PRIO`).
    pub paused_acks: PausedAcks,
    /// The time at which a NIC with nothing to send checks again
    /// (`QbbNetDevice::DequeueAndTransmit`).
    pub nic_timer: NicTimer,
    /// The order in which flows of a NIC take turns (`RdmaEgressQueue::GetNextQindex`).
    pub turns: FlowTurns,
    /// The order of simultaneous events at one node (`MapScheduler`).
    pub event_order: SimultaneousEvents,
}

impl Quirks {
    /// Exact arithmetic, full-width fields, and the papers' defaults.
    pub const EXACT: Self = Self {
        transmission: TimeUnit::Picosecond,
        pacing: TimeUnit::Picosecond,
        base_rtt: TimeUnit::Picosecond,
        start_times: TimeUnit::Picosecond,
        ideal_times: TimeUnit::Picosecond,
        ideal_path: IdealPath::Least,
        rates: RateUnit::Fraction,
        nic_rate: NicRateSource::Flow,
        min_rate: MinRateRule::Scaled,
        increase_share: 5e-4,
        fixed_increase: None,
        window: WindowRule::OwnNic,
        entries: EntryFormat::Exact,
        value_code: ValueCode::Byte,
        switch_arithmetic: SwitchArithmetic::Exact,
        measured: MeasuredPackets::All,
        sampling: SamplingDraw::Packets,
        rounding_draws: RoundingDraws::OwnStream,
        headroom: HeadroomRule::WorstCase,
        set_aside: SetAside::PrioritiesInUse,
        unset_buffer: UnsetBuffer::TwiceSetAside,
        mark_draws: MarkDraws::OwnStream,
        ecmp: EcmpRule::Seeded,
        parallel_links: ParallelLinks::All,
        reply_nic: ReplyNic::Arrival,
        source_ports: SourcePortRule::ByFlow,
        least_timeout: LeastTimeout::ByFabric,
        paused_acks: PausedAcks::Wait,
        nic_timer: NicTimer::Precise,
        turns: FlowTurns::BySlot,
        event_order: SimultaneousEvents::ByNode,
    };

    /// The published HPCC simulator and its script.
    pub const PUBLISHED: Self = Self {
        transmission: TimeUnit::Nanosecond,
        pacing: TimeUnit::Nanosecond,
        base_rtt: TimeUnit::Nanosecond,
        start_times: TimeUnit::Nanosecond,
        ideal_times: TimeUnit::Nanosecond,
        ideal_path: IdealPath::First,
        rates: RateUnit::WholeBit,
        nic_rate: NicRateSource::FirstHost,
        min_rate: MinRateRule::Fixed,
        increase_share: 4e-4,
        fixed_increase: Some(Rate::from_mbps(615)),
        window: WindowRule::SlowestLink,
        entries: EntryFormat::Quantized,
        value_code: ValueCode::TwoBytes,
        switch_arithmetic: SwitchArithmetic::Tables,
        measured: MeasuredPackets::Data,
        sampling: SamplingDraw::Acks,
        rounding_draws: RoundingDraws::SharedSequence,
        headroom: HeadroomRule::ThreeDelays,
        set_aside: SetAside::WholePort,
        unset_buffer: UnsetBuffer::ByRate,
        mark_draws: MarkDraws::PortStreams,
        ecmp: EcmpRule::BySwitch,
        parallel_links: ParallelLinks::Last,
        reply_nic: ReplyNic::Hashed,
        source_ports: SourcePortRule::ByPair,
        least_timeout: LeastTimeout::Lossy,
        paused_acks: PausedAcks::ByAlgorithm,
        nic_timer: NicTimer::FirstWithBytes,
        turns: FlowTurns::Listed,
        event_order: SimultaneousEvents::ByInsertion,
    };
}
