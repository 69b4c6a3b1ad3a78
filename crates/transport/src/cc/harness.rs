//! A flow made by hand, for the tests of algorithms.

use fabricsim_core::flow::{Flow, FlowRequest, PathInfo};
use fabricsim_core::id::{ClassId, FlowId, NodeId};
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, Fidelity, FlowStart,
};
use fabricsim_core::units::{Bytes, Duration, Rate, Time};

/// Rate of the flow's NIC.
pub(super) const LINE: Rate = Rate::from_gbps(100);
/// T of the tests: 100,000 bytes in flight.
const BASE_RTT: Duration = Duration::from_us(8);

/// The algorithm of a flow that starts at time 0 with `config`.
pub(super) fn cc<C>(
    config: &C,
    fidelity: Fidelity,
) -> <C::Factory as ControllerFactory<()>>::Controller
where
    C: CcConfig,
    C::Factory: ControllerFactory<()>,
{
    let factory = config.factory(&CcContext {
        nic_rate: LINE,
        link_rates: &[LINE],
        base_rtt: BASE_RTT,
        longest_path: 1,
        seed: 1,
        fidelity,
    });
    let path = PathInfo {
        base_rtt: BASE_RTT,
        bottleneck: LINE,
        switches: 1,
    };
    factory.build(&FlowStart {
        flow: Flow {
            id: FlowId(0),
            request: FlowRequest {
                src: NodeId(0),
                dst: NodeId(1),
                size: Bytes::new(1 << 30),
                start: Time::ZERO,
                class: ClassId(0),
                priority: 3,
                src_port: Some(10_000),
                dst_port: 100,
            },
            path,
        },
        now: Time::ZERO,
        line_rate: LINE,
        base_rtt: BASE_RTT,
        bdp: path.bdp(),
        mtu: Bytes::new(1_000),
        paths: fabricsim_core::plugin::PathStability::PerFlow,
    })
}

/// An acknowledgement at `us` of all below `cumulative`, when `next_seq` would be sent next.
pub(super) fn ack(
    us: u64,
    cumulative: u64,
    next_seq: u64,
    rtt: Duration,
    congestion: bool,
) -> Ack<'static, ()> {
    Ack {
        now: Time::from_ns(us * 1_000),
        cumulative,
        newly_acked: Bytes::new(1_000),
        next_seq,
        rtt,
        congestion,
        telemetry: &(),
    }
}

/// The algorithm's rate in Mbps.
pub(super) fn mbps(cc: &impl CongestionControl<()>) -> u64 {
    cc.pacing_rate()
        .map_or(0, |rate| (rate.as_bps() + 500_000) / 1_000_000)
}
