//! Inputs from which a controller is made: the configuration, the flow and the network.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::{CongestionControl, CreditRules};
use crate::packet::Flags;
use crate::plugin::quirks::{MinRateRule, NicRateSource, Quirks};
use crate::plugin::routing::PathStability;
use crate::plugin::telemetry_kind::TelemetryId;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::{ClassId, FlowId};
use fabricsim_base::input::{Choice, ConfigError, Keys, ValueKind};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};

/// A transport protocol.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum Transport {
    /// RDMA over converged Ethernet.
    Rdma,
    /// TCP.
    Tcp,
}

/// The feedback of marks, asked for in the SYN and agreed to in the SYN-ACK. RDMA echoes each mark.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[repr(u8)]
#[derive(Stored)]
pub enum Feedback {
    /// Packets are not ECN-capable.
    #[default]
    None,
    /// The echo of RFC 3168: set from a mark until the sender says that it has heard.
    Classic,
    /// The echo of RFC 8257, section 3.2: as the last packet was.
    Dctcp,
    /// A count of marked packets (RFC 9768).
    Accurate,
}

fabricsim_base::setting_values! {
    Feedback => ValueKind::Name(&[
        Choice { name: "none", remark: "" },
        Choice { name: "classic", remark: "RFC 3168" },
        Choice { name: "dctcp", remark: "RFC 8257" },
        Choice { name: "accurate", remark: "RFC 9768" },
    ]),
}

/// Component that responds to ECN marks.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum MarkResponse {
    /// The sender reports [`Signal::Mark`](super::Signal::Mark) once per window and brings down
    /// what is in flight by proportional rate reduction.
    OncePerWindow,
    /// The controller, by [`Ack::marked`](super::Ack::marked).
    Own,
}

/// Use of ECN by TCP connections.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct EcnUse {
    /// The codepoint of data: [`Flags::ECT0`], [`Flags::ECT1`] or none.
    pub codepoint: Flags,
    /// Component that responds to ECN marks.
    pub response: MarkResponse,
}

impl EcnUse {
    /// ECT(0), and the sender reacts (RFC 3168).
    pub const CLASSIC: Self = Self {
        codepoint: Flags::ECT0,
        response: MarkResponse::OncePerWindow,
    };
}

/// Node that decides which packets carry telemetry that not all do.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TelemetryCarrier {
    /// The sender.
    #[default]
    Sender,
    /// The first switch, by the plan of all queries, whose bytes all packets have room for.
    Switch,
}

/// What becomes of packets of RDMA that find no room in a switch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Overflow {
    /// They are dropped, where switches do not pause their neighbors before.
    #[default]
    Drop,
    /// Their headers go on, and receivers report each of them.
    Trim,
}

/// The network that flows of one configuration run in.
#[derive(Clone, Debug)]
pub struct CcContext {
    /// The rate of the hosts' NICs: the most common one, or as [`Quirks::nic_rate`] has it.
    pub nic_rate: Rate,
    /// The distinct rates of all links, ascending.
    pub link_rates: Arc<[Rate]>,
    /// The units of the published INT header: 128 bytes sent and 80 bytes of a queue, times this.
    pub entry_multiple: u32,
    /// The largest base round-trip time of all pairs of hosts.
    pub base_rtt: Duration,
    /// The most switches on a path between two hosts.
    pub longest_path: u16,
    /// Seed of the run, for algorithms that draw.
    pub seed: u64,
    /// The ways in which the model follows the reference simulator.
    pub quirks: Quirks,
    /// Node that decides which packets carry telemetry.
    pub carrier: TelemetryCarrier,
    /// What becomes of packets that find no room.
    pub overflow: Overflow,
    /// Constants that the controllers of this configuration share.
    pub shared: SharedConstants,
}

impl CcContext {
    /// Returns a network of NICs and links of `rate` of which nothing else is known, for senders
    /// outside of a simulation.
    #[must_use]
    pub fn of_nics(rate: Rate) -> Self {
        Self {
            nic_rate: rate,
            link_rates: [rate].into(),
            entry_multiple: default_entry_multiple(rate),
            base_rtt: Duration::ZERO,
            longest_path: 0,
            seed: 0,
            quirks: Quirks::EXACT,
            carrier: TelemetryCarrier::Sender,
            overflow: Overflow::Drop,
            shared: SharedConstants::default(),
        }
    }
}

/// Returns the multiple that the published script has for NICs of `rate`: one for each 25 Gbps.
fn default_entry_multiple(rate: Rate) -> u32 {
    let multiple = rate.as_bps() / Rate::from_gbps(25).as_bps();
    u32::try_from(multiple).unwrap_or(u32::MAX).max(1)
}

/// Constants that follow from the configuration and the network, in one piece of memory for nearly
/// all flows: those of the first one. A clone begins anew.
#[derive(Debug, Default)]
pub struct SharedConstants(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Clone for SharedConstants {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A flow that starts.
#[derive(Clone, Copy, Debug)]
pub struct FlowStart<'a> {
    /// The number of the flow, or of the one for which a connection of TCP was opened.
    pub id: FlowId,
    /// Its class.
    pub class: ClassId,
    /// The flow with its path; `None` where a connection of TCP does not know of one.
    pub flow: Option<Flow>,
    /// Now.
    pub now: Time,
    /// The rate of the flow's NIC port: where a flow of RDMA starts.
    pub line_rate: Rate,
    /// The base round-trip time that the algorithm works with (`T` in the HPCC paper): the largest
    /// of all pairs, or the pair's own, as configured.
    pub base_rtt: Duration,
    /// The bandwidth-delay product that goes with it: what the NIC sends in `base_rtt` (`W_init =
    /// B_NIC x T` in the HPCC paper), or as [`Quirks::window`] has it.
    pub bdp: Bytes,
    /// Payload bytes of a full packet.
    pub mtu: Bytes,
    /// Whether the packets of a flow of RDMA stay on one path.
    pub paths: PathStability,
    /// Bytes of a full packet on the wire, without telemetry.
    pub wire: Bytes,
    /// Bytes of its IP packet: without what the link adds.
    pub ip: Bytes,
    /// The first window of TCP (RFC 6928).
    pub initial_window: Bytes,
    /// The feedback of marks that the two sides have agreed on.
    pub feedback: Feedback,
    /// The network.
    pub network: &'a CcContext,
}

impl<'a> FlowStart<'a> {
    /// Returns a start at time 0 of a flow of RDMA with packets of `mtu` payload bytes and 48 bytes
    /// of headers over a path of `base_rtt`, for tests and drivers of controllers.
    #[must_use]
    pub fn new(line_rate: Rate, base_rtt: Duration, mtu: Bytes, network: &'a CcContext) -> Self {
        let bdp = line_rate.bytes_in(base_rtt);
        Self {
            id: FlowId(0),
            class: ClassId(0),
            flow: None,
            now: Time::ZERO,
            line_rate,
            base_rtt,
            bdp,
            mtu,
            paths: PathStability::PerFlow,
            wire: mtu + Bytes::new(48),
            ip: mtu + Bytes::new(34),
            initial_window: bdp,
            feedback: Feedback::Accurate,
            network,
        }
    }

    /// Returns the NIC rate that defaults follow ([`Quirks::nic_rate`]).
    #[must_use]
    pub fn default_nic_rate(&self) -> Rate {
        match self.network.quirks.nic_rate {
            NicRateSource::Flow => self.line_rate,
            NicRateSource::FirstHost => self.network.nic_rate,
        }
    }

    /// Returns the constants of this flow: those of the first flow of the configuration where they
    /// `fit`, others otherwise.
    pub fn shared<T: Send + Sync + 'static>(
        &self,
        fit: impl FnOnce(&T) -> bool,
        make: impl Fn() -> T,
    ) -> Arc<T> {
        let first = self.network.shared.0.get_or_init(|| Arc::new(make()));
        match Arc::clone(first).downcast::<T>() {
            Ok(first) if fit(&first) => first,
            _ => Arc::new(make()),
        }
    }
}

/// Marking thresholds of a switch port: packets are never marked up to `kmin` bytes, marked with a
/// probability that grows linearly to `pmax` at `kmax`, and always marked above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkingThresholds {
    /// Bytes up to which nothing is marked.
    pub kmin: Bytes,
    /// Bytes above which everything is marked.
    pub kmax: Bytes,
    /// Probability of a mark at `kmax`, 0 to 1.
    pub pmax: f64,
}

/// `full x rate / line_rate`, rounded down, at least one byte: the window of an algorithm that
/// keeps a rate and lets its window shrink with it.
#[inline]
#[must_use]
pub fn scaled_window(full: Bytes, rate: Rate, line_rate: Rate) -> Bytes {
    let scaled = match full.get().checked_mul(rate.as_bps()) {
        Some(product) => product / line_rate.as_bps(),
        None => {
            let wide =
                u128::from(full.get()) * u128::from(rate.as_bps()) / u128::from(line_rate.as_bps());
            u64::try_from(wide).unwrap_or(u64::MAX)
        }
    };
    Bytes::new(scaled.max(1))
}

/// Returns the lowest rate of an algorithm that sets none, on NICs of `nic_rate`
/// ([`Quirks::min_rate`]).
#[must_use]
pub fn default_min_rate(nic_rate: Rate, quirks: &Quirks) -> Rate {
    let fixed = Rate::from_gbps(1);
    match quirks.min_rate {
        MinRateRule::Scaled => fixed.min(Rate::from_bps_f64(nic_rate.as_bps_f64() / 100.0)),
        MinRateRule::Fixed => fixed,
    }
}

/// The configuration of an algorithm: one table of a scenario. It is the factory of the controllers
/// ([`ControllerFactory`]).
pub trait CcConfig: Clone + std::fmt::Debug {
    /// The keys of the table, each with what it means.
    const KEYS: Keys;

    /// The transport of its flows.
    const TRANSPORT: Transport = Transport::Rdma;

    /// The telemetry that its controllers read, if any; runs with this algorithm carry it.
    const TELEMETRY: Option<TelemetryId> = None;

    /// Refuses values without a meaning.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Returns the configuration with every default filled in that depends on the network.
    #[must_use]
    fn resolved(&self, _network: &CcContext) -> Self {
        self.clone()
    }

    /// Returns the bytes of telemetry that a full data packet takes on the wire, for reports.
    /// Controllers that read a [`TelemetryView`](super::TelemetryView) leave out what it is made
    /// from.
    fn telemetry_bytes(&self, _network: &CcContext) -> u16 {
        0
    }

    /// Returns when ports of `rate` should mark packets, unless the user sets other thresholds;
    /// `None` when the algorithm does not read marks.
    fn marking(&self, _rate: Rate) -> Option<MarkingThresholds> {
        None
    }

    /// Returns the rules by which receivers grant credit to flows of the algorithm, whose full packets
    /// hold `mtu` payload bytes; `None` when it uses no credit. RDMA alone.
    fn credit(&self, _mtu: Bytes, _network: &CcContext) -> Option<CreditRules> {
        None
    }

    /// Returns the lowest rate that the user has set; above the NICs' rate it would leave no
    /// control.
    fn lowest_rate(&self) -> Option<Rate> {
        None
    }

    /// Returns the feedback of marks that the algorithm is made for: what its connections of TCP
    /// ask for where nothing else is said.
    fn feedback(&self) -> Feedback {
        Feedback::None
    }

    /// Returns how connections of TCP that have `agreed` on a feedback use ECN.
    fn ecn(&self, _agreed: Feedback) -> EcnUse {
        EcnUse::CLASSIC
    }
}

/// Makes the controller of each flow: configurations do.
pub trait ControllerFactory<H>: Send + Sync + std::fmt::Debug {
    /// The controller that is made.
    type Controller: CongestionControl<H>;

    /// Returns the controller of a flow that starts now.
    fn build(&self, start: &FlowStart<'_>) -> Self::Controller;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_rate_is_half_the_window() {
        let full = Bytes::new(153_000);
        let line = Rate::from_gbps(100);
        assert_eq!(scaled_window(full, line, line), full);
        assert_eq!(
            scaled_window(full, Rate::from_gbps(50), line),
            Bytes::new(76_500)
        );
        assert_eq!(
            scaled_window(Bytes::new(3), Rate::from_mbps(1), line),
            Bytes::new(1)
        );
        let huge = Bytes::new(1 << 40);
        assert_eq!(
            scaled_window(huge, Rate::from_gbps(800), Rate::from_gbps(1600)).get(),
            1 << 39
        );
    }
}
