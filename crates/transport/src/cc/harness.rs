//! A handmade RDMA flow for the tests of congestion controls.

use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcContext, CongestionControl, ControllerFactory, FlowStart, Quirks,
};

/// Rate of the flow's NIC.
pub(super) const LINE: Rate = Rate::from_gbps(100);
/// T of the tests: 100,000 bytes in flight.
const BASE_RTT: Duration = Duration::from_us(8);

/// Returns the controller of a flow that starts at time 0 with `config`.
pub(super) fn cc<C: ControllerFactory<()>>(config: &C, quirks: Quirks) -> C::Controller {
    let network = CcContext {
        quirks,
        ..CcContext::of_nics(LINE)
    };
    config.build(&FlowStart::new(LINE, BASE_RTT, Bytes::new(1_000), &network))
}

/// Returns an acknowledgement at `us` of all bytes below `cumulative`, when `snd_nxt` is
/// `next_seq`.
pub(super) fn ack(
    us: u64,
    cumulative: u64,
    next_seq: u64,
    rtt: Duration,
    marked: bool,
) -> Ack<'static, ()> {
    Ack {
        marked: u32::from(marked),
        ..Ack::new(Time::from_ns(us * 1_000), cumulative, next_seq, rtt, &())
    }
}

/// Returns the controller's rate in Mbps.
pub(super) fn mbps(cc: &impl CongestionControl<()>) -> u64 {
    cc.pacing_rate()
        .map_or(0, |rate| (rate.as_bps() + 500_000) / 1_000_000)
}
