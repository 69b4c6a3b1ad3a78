//! Inputs from which a controller is built: the configuration, the flow and the network.

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

/// The way in which receivers echo marks: requested in the SYN and confirmed in the SYN-ACK. RDMA
/// echoes each mark.
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
    /// The echo of RFC 3168: set from a mark until the sender signals its reaction (CWR).
    Classic,
    /// The echo of RFC 8257, section 3.2: set if the last packet was marked.
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
    /// The sender: it reports [`Signal::Mark`](super::Signal::Mark) once per window and reduces the
    /// bytes in flight by proportional rate reduction.
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

/// Node that decides which packets carry telemetry, if not all of them do.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TelemetryCarrier {
    /// The sender.
    #[default]
    Sender,
    /// The first switch, by the plan of all queries. All packets have room for its bytes.
    Switch,
}

/// Treatment of RDMA packets that find no room in a switch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Overflow {
    /// They are dropped, unless switches pause their neighbors before that happens.
    #[default]
    Drop,
    /// Their headers are forwarded, and receivers report each of them.
    Trim,
}

/// The network in which the flows of one configuration run.
#[derive(Clone, Debug)]
pub struct CcContext {
    /// The NIC rate of the hosts: the most common one, or the rate chosen by [`Quirks::nic_rate`].
    pub nic_rate: Rate,
    /// The distinct rates of all links, ascending.
    pub link_rates: Arc<[Rate]>,
    /// Multiplier of the units of the published INT header, which are 128 bytes sent and 80 bytes
    /// of a queue.
    pub entry_multiple: u32,
    /// The largest base round-trip time over all pairs of hosts.
    pub base_rtt: Duration,
    /// The largest number of switches on a path between two hosts.
    pub longest_path: u16,
    /// Seed of the run, for randomized algorithms.
    pub seed: u64,
    /// The habits of the reference simulator that the model follows.
    pub quirks: Quirks,
    /// Node that decides which packets carry telemetry.
    pub carrier: TelemetryCarrier,
    /// Treatment of packets that find no room.
    pub overflow: Overflow,
    /// Constants that the controllers of this configuration share.
    pub shared: SharedConstants,
}

impl CcContext {
    /// Returns a network with NICs and links of `rate` and defaults for all other fields, for
    /// senders outside of a simulation.
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

/// Returns the multiplier of the published script for NICs of `rate`: one for each 25 Gbps.
fn default_entry_multiple(rate: Rate) -> u32 {
    let multiple = rate.as_bps() / Rate::from_gbps(25).as_bps();
    u32::try_from(multiple).unwrap_or(u32::MAX).max(1)
}

/// Constants derived from the configuration and the network. Nearly all flows share the constants
/// of the first flow, to save memory. A clone starts empty.
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
    /// The number of the flow, or of the flow for which a TCP connection was opened.
    pub id: FlowId,
    /// The class of the flow.
    pub class: ClassId,
    /// The flow with its path; `None` if a TCP connection does not know one.
    pub flow: Option<Flow>,
    /// Current time.
    pub now: Time,
    /// The rate of the flow's NIC port, which is the initial rate of an RDMA flow.
    pub line_rate: Rate,
    /// The base round-trip time for the algorithm (`T` in the HPCC paper): the largest of all
    /// pairs, or the pair's own, depending on the configuration.
    pub base_rtt: Duration,
    /// The bandwidth-delay product: the bytes that the NIC sends in `base_rtt` (`W_init = B_NIC x
    /// T` in the HPCC paper), or the window chosen by [`Quirks::window`].
    pub bdp: Bytes,
    /// Payload bytes of a full packet.
    pub mtu: Bytes,
    /// `PerFlow` if the packets of an RDMA flow stay on one path.
    pub paths: PathStability,
    /// Bytes of a full packet on the wire, without telemetry.
    pub wire: Bytes,
    /// Bytes of the IP packet, without link-layer overhead.
    pub ip: Bytes,
    /// The initial window of TCP (RFC 6928).
    pub initial_window: Bytes,
    /// The feedback of marks that both sides have agreed on.
    pub feedback: Feedback,
    /// The network.
    pub network: &'a CcContext,
}

impl<'a> FlowStart<'a> {
    /// Returns the start of an RDMA flow at time 0 with packets of `mtu` payload bytes and 48
    /// header bytes, over a path with a round-trip time of `base_rtt`. For tests and drivers of
    /// controllers.
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

    /// Returns the NIC rate from which defaults are derived ([`Quirks::nic_rate`]).
    #[must_use]
    pub fn default_nic_rate(&self) -> Rate {
        match self.network.quirks.nic_rate {
            NicRateSource::Flow => self.line_rate,
            NicRateSource::FirstHost => self.network.nic_rate,
        }
    }

    /// Returns the constants of this flow: the shared constants of the first flow of the
    /// configuration if they `fit`, otherwise new ones from `make`.
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

/// Marking thresholds of a switch port. Packets are never marked up to `kmin` bytes, always marked
/// above `kmax`, and in between with a probability that grows linearly to `pmax`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkingThresholds {
    /// Bytes up to which no packet is marked.
    pub kmin: Bytes,
    /// Bytes above which every packet is marked.
    pub kmax: Bytes,
    /// Probability of a mark at `kmax`, 0 to 1.
    pub pmax: f64,
}

/// Returns `full x rate / line_rate`, rounded down, at least one byte: the window of an algorithm
/// that controls a rate and scales its window with it.
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

/// Returns the minimum rate on NICs of `nic_rate` if the algorithm sets none
/// ([`Quirks::min_rate`]).
#[must_use]
pub fn default_min_rate(nic_rate: Rate, quirks: &Quirks) -> Rate {
    let fixed = Rate::from_gbps(1);
    match quirks.min_rate {
        MinRateRule::Scaled => fixed.min(Rate::from_bps_f64(nic_rate.as_bps_f64() / 100.0)),
        MinRateRule::Fixed => fixed,
    }
}

/// The configuration of an algorithm: one table of a scenario. It is also the factory of
/// controllers ([`ControllerFactory`]).
pub trait CcConfig: Clone + std::fmt::Debug {
    /// The keys of the table with their meanings.
    const KEYS: Keys;

    /// The transport of its flows.
    const TRANSPORT: Transport = Transport::Rdma;

    /// The telemetry that its controllers read, if any; runs with this algorithm carry it.
    const TELEMETRY: Option<TelemetryId> = None;

    /// Checks that every value is meaningful.
    ///
    /// # Errors
    /// The error names the key, the problem and a valid alternative.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Returns the configuration with all defaults that depend on the network filled in.
    #[must_use]
    fn resolved(&self, _network: &CcContext) -> Self {
        self.clone()
    }

    /// Returns the telemetry bytes of a full data packet on the wire, for reports. Controllers that
    /// read a [`TelemetryView`](super::TelemetryView) do not count the telemetry from which the
    /// view is decoded.
    fn telemetry_bytes(&self, _network: &CcContext) -> u16 {
        0
    }

    /// Returns the marking thresholds for ports of `rate`, used unless the user sets thresholds;
    /// `None` if the algorithm does not read marks.
    fn marking(&self, _rate: Rate) -> Option<MarkingThresholds> {
        None
    }

    /// Returns the rules by which receivers grant credit to flows of the algorithm, with full
    /// packets of `mtu` payload bytes; `None` if it uses no credit. RDMA only.
    fn credit(&self, _mtu: Bytes, _network: &CcContext) -> Option<CreditRules> {
        None
    }

    /// Returns the minimum rate that the user has set, or that [`Self::resolved`] has. Above the NICs'
    /// rate, it would leave no control.
    fn lowest_rate(&self) -> Option<Rate> {
        None
    }

    /// Returns the minimum rate of a flow that starts now.
    fn lowest_rate_of(&self, start: &FlowStart<'_>) -> Option<Rate> {
        let network = CcContext {
            nic_rate: start.default_nic_rate(),
            ..start.network.clone()
        };
        self.resolved(&network).lowest_rate()
    }

    /// Returns the feedback of marks for which the algorithm is designed. Its TCP connections
    /// request it unless the scenario sets another one.
    fn feedback(&self) -> Feedback {
        Feedback::None
    }

    /// Returns the use of ECN on TCP connections that have `agreed` on a feedback.
    fn ecn(&self, _agreed: Feedback) -> EcnUse {
        EcnUse::CLASSIC
    }
}

/// Builds the controller of each flow. Configurations implement this.
pub trait ControllerFactory<H>: Send + Sync + std::fmt::Debug {
    /// The type of the controllers.
    type Controller: CongestionControl<H>;

    /// Returns the controller of a flow that starts now.
    fn build(&self, start: &FlowStart<'_>) -> Self::Controller;

    /// Returns the lowest pacing rate that the controller of a flow that starts now sets, if that is
    /// known.
    fn lowest_rate_of(&self, _start: &FlowStart<'_>) -> Option<Rate> {
        None
    }
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
