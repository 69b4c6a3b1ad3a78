//! Records for tests.

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_report::FctRecord;

/// Returns a flow of `size` bytes from 0 to 1 at time zero that took `fct_ns` instead of
/// `ideal_ns`.
pub(crate) fn record(size: u64, fct_ns: u64, ideal_ns: u64) -> FctRecord {
    FctRecord {
        flow: FlowId(0),
        src: NodeId(0),
        dst: NodeId(1),
        class: ClassId(0),
        size: Bytes::new(size),
        start: Time::ZERO,
        fct: Duration::from_ns(fct_ns),
        ideal: Duration::from_ns(ideal_ns),
        retransmitted: Bytes::ZERO,
    }
}
