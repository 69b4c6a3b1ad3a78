//! RDMA settings of the user, and additional settings of the simulation.

use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_base::{choices, settings};
use fabricsim_core::plugin::quirks::{FlowTurns, NicTimer, PausedAcks, TimeUnit};
use fabricsim_core::plugin::{CcContext, CreditRules, EntropyRecycling, Overflow, PathStability};

use super::base_rtt::{BaseReference, BaseRtt};
use super::reply_nics::ReplyNics;

choices! {
    /// Method of loss recovery.
    #[derive(Default)]
    pub enum Recovery {
        /// Receivers discard packets beyond a gap; senders go back to the gap and resend
        /// everything.
        #[default]
        GoBackN = "go-back-n",
        /// Receivers keep and report packets beyond a gap; senders retransmit only lost packets
        /// (IRN: Mittal et al., SIGCOMM 2018, section 3.1).
        Selective = "selective" ("retransmit only lost packets"),
        /// Receivers accept and report packets in any order. A gap is no sign of a loss; senders
        /// detect losses by timeouts.
        AnyOrder = "any-order" ("a gap is not a loss"),
    }
}

settings! {
    /// The `[rdma]` table.
    pub struct RdmaConfig {
        /// Payload bytes of a full packet.
        #[range(from "1B", to "9000B")]
        #[refused("a packet cannot carry {value}", "give 1B to 9000B, such as \"1000B\"")]
        pub mtu: Bytes = "1000B",
        /// Base round-trip time (T) of algorithms and windows.
        #[note(
            "(`\"largest\"`, the default, of all pairs of hosts; `\"pair\"`, the pair's own; or a time such \
             as `\"9us\"`, for all pairs)"
        )]
        pub base_rtt: BaseRtt = "largest",
        /// Least retransmission timeout.
        ///
        /// The timeout is the larger of this and the smoothed round-trip time plus four deviations
        /// (RFC 6298), doubled after each consecutive timeout. If absent, it is
        /// [`RTO_LOSSY`](Self::RTO_LOSSY), or [`RTO_LOSSLESS`](Self::RTO_LOSSLESS) in fabrics that
        /// lose no packet. If switches trim packets, it is the value of htsim.
        ///
        /// Differs from the paper: the published simulator has no timeout, so the loss of a flow's
        /// last packets hangs the flow.
        #[range(above "0s")]
        #[refused(
            "a timeout of zero would resend at once",
            "give a time above the round-trip time, such as \"4ms\""
        )]
        #[note("(default \"4ms\" if packets can be lost, else \"536870912ns\"; if switches trim packets, \"15us\" and six times the time of `trim_above` on the slowest link)")]
        pub rto_min: Option<Duration> = none,
        /// Method of loss recovery: "go-back-n", "selective" (retransmit only lost packets) or
        /// "any-order" (a gap is not a loss).
        #[note("(default \"go-back-n\"; \"any-order\" with a `[routing] policy` that gives packets of a flow \
                several paths)")]
        pub recovery: Option<Recovery> = none,
        /// Least time between two NACKs for one byte, with go-back-n.
        pub nack_interval: Duration = "500us",
        /// ACKs leave a host while their priority is paused.
        #[note("(default false; profile: by algorithm)")]
        pub ack_high_priority: Option<bool> = none,
        /// Switch priority of ACKs.
        #[range(from 1, to 7)]
        #[refused(
            "priorities of flows are 1 to 7 (0 is the switches' own)",
            "give a number from 1 to 7, or leave the key out"
        )]
        #[note("(default: the priority of the data; if switches trim packets, the priority of control)")]
        pub ack_priority: Option<u8> = none,
    }
}

impl RdmaConfig {
    /// The minimum timeout if packets can be lost: far above round-trip times, but short compared
    /// to failures.
    pub const RTO_LOSSY: Duration = Duration::from_ms(4);

    /// The minimum timeout if no packet can be lost: 4.096 us times 2^17, the local ACK timeout of
    /// RoCE connections that Linux's `rdma_cm` creates. Linux chose it to outlast the time for
    /// which the buffers of a path can hold a packet ("RDMA/cma: Change RoCE packet life time from
    /// 18 to 16", 2022), so that pauses do not trigger it.
    pub const RTO_LOSSLESS: Duration = Duration::from_ns(4_096 << 17);

    /// Returns the method of loss recovery: the configured one, or the default for `paths`.
    #[must_use]
    pub fn recovery(&self, paths: PathStability) -> Recovery {
        self.recovery.unwrap_or(match paths {
            PathStability::PerFlow => Recovery::GoBackN,
            PathStability::PerPacket => Recovery::AnyOrder,
        })
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Returns an error if the MTU does not fit in a packet, a time is zero, or a priority does not
    /// exist.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }
}

/// Returns the time from the start of a packet of `wire` bytes to the start of the next one.
#[inline]
pub(super) fn gap(unit: TimeUnit, wire: u16, rate: Rate) -> Duration {
    let size = Bytes::new(u64::from(wire));
    match unit {
        TimeUnit::Picosecond => rate.transmission(size),
        TimeUnit::Nanosecond => rate.transmission_truncated_ns(size),
    }
}

/// Settings of a host's transport, shared by all hosts.
#[derive(Debug)]
pub struct RdmaSettings<F> {
    /// Settings given by the user.
    pub config: RdmaConfig,
    /// Builds the controllers.
    pub factory: F,
    /// The network context for the controllers.
    pub network: CcContext,
    /// Bytes of all headers of a data packet except the telemetry that ACKs echo: 48 (14 link, 20
    /// network, 8 UDP, 6 sequence), and the digests of queries.
    pub data_header: u16,
    /// Bytes of all headers of an ACK except the echoed telemetry (46).
    pub ack_header: u16,
    /// Minimum bytes of an ACK on the wire (60).
    pub ack_least: u16,
    /// Priority of ACKs, if it differs from the acknowledged packet's.
    pub ack_priority: Option<Priority>,
    /// `true` if ACKs leave a host while their priority is paused.
    pub ack_high_priority: bool,
    /// The priority that pauses all ACKs. All ACKs then leave in the order of their creation.
    pub ack_queue: Option<Priority>,
    /// Resolution of pacing.
    pub pacing: TimeUnit,
    /// Time at which an idle NIC port checks again.
    pub nic_timer: NicTimer,
    /// Order of turns among the flows of a NIC port.
    pub turns: FlowTurns,
    /// Values of T and W for congestion control.
    pub base: BaseReference,
    /// Minimum retransmission timeout.
    pub rto_min: Duration,
    /// `PerFlow` if the packets of a flow stay on one path.
    pub paths: PathStability,
    /// Selection of the entropy of packets and the seed of its draws, if each packet has an entropy
    /// value.
    pub entropy: Option<(EntropyRecycling, u64)>,
    /// Selects the NIC port for a reply, if it may differ from the one at which the packet arrived.
    pub reply_nics: Option<ReplyNics>,
    /// Rules by which receivers grant credit, if the congestion control uses credit. Headers must
    /// have room for it.
    pub credit: Option<CreditRules>,
}

impl<F> RdmaSettings<F> {
    /// Returns settings with the published wire format: 48 bytes of headers on data, and ACKs of 46
    /// bytes plus the echoed telemetry, but at least 60.
    ///
    /// # Panics
    /// Panics if `ack_priority` of `config` is not in the range 0 to 7.
    #[must_use]
    pub fn new(config: RdmaConfig, factory: F, network: CcContext, base: BaseReference) -> Self {
        let quirks = network.quirks;
        // If packets are trimmed, packets without payload are control packets, just like trimmed
        // headers.
        let ack_priority = match network.overflow {
            Overflow::Drop => None,
            Overflow::Trim => Some(Priority::CONTROL),
        };
        Self {
            ack_priority: config.ack_priority.map(Priority::new).or(ack_priority),
            ack_high_priority: config.ack_high_priority.unwrap_or(false),
            ack_queue: match quirks.paused_acks {
                PausedAcks::Wait => None,
                PausedAcks::ByAlgorithm => Some(Priority::new(3)),
            },
            rto_min: config.rto_min.unwrap_or(RdmaConfig::RTO_LOSSY),
            config,
            factory,
            network,
            data_header: 48,
            ack_header: 46,
            ack_least: 60,
            pacing: quirks.pacing,
            nic_timer: quirks.nic_timer,
            turns: quirks.turns,
            base,
            paths: PathStability::PerFlow,
            entropy: None,
            reply_nics: None,
            credit: None,
        }
    }

    /// Returns these settings for flows over `paths`.
    #[must_use]
    pub fn over(mut self, paths: PathStability) -> Self {
        self.config.recovery = Some(self.config.recovery(paths));
        self.paths = paths;
        self
    }

    /// Returns these settings with receivers that grant credit by `rules`.
    #[must_use]
    pub const fn with_credit(mut self, rules: Option<CreditRules>) -> Self {
        self.credit = rules;
        self
    }

    /// Returns these settings with the ports of replies selected by `nics`, if given.
    #[must_use]
    pub fn with_reply_nics(mut self, nics: Option<ReplyNics>) -> Self {
        self.reply_nics = nics;
        self
    }

    /// Returns these settings with an entropy value in each packet, selected by `rule` and drawn
    /// with `seed`. Receivers must accept packets in any order.
    #[must_use]
    pub fn with_entropy(mut self, rule: Option<EntropyRecycling>, seed: u64) -> Self {
        self.entropy = rule.map(|rule| (rule, seed));
        self
    }
}
