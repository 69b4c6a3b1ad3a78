//! One finished flow.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Completion;
use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::units::{Bytes, Duration, Time};

/// A finished flow: its hosts, size, times, and its completion time on an idle network.
///
/// Times are exact picoseconds; files hold nanoseconds with up to three decimals.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct FctRecord {
    /// The flow's number in its run.
    pub flow: FlowId,
    /// The sending host.
    pub src: NodeId,
    /// The receiving host.
    pub dst: NodeId,
    /// The flow's class: the workload that created it.
    pub class: ClassId,
    /// Payload bytes.
    pub size: Bytes,
    /// Time at which the flow started.
    pub start: Time,
    /// Flow completion time: from the start to the last acknowledgement at the sender.
    pub fct: Duration,
    /// The completion time on an idle network.
    pub ideal: Duration,
    /// Payload bytes that were sent more than once.
    pub retransmitted: Bytes,
}

impl FctRecord {
    /// Creates the record of a flow that has finished in a run; `ideal` is its completion time on
    /// an idle network.
    #[must_use]
    pub fn new(completion: &Completion, ideal: Duration) -> Self {
        let request = completion.flow.request;
        Self {
            flow: completion.flow.id,
            src: request.src,
            dst: request.dst,
            class: request.class,
            size: request.size,
            start: request.start,
            fct: completion.fct(),
            ideal,
            retransmitted: completion.retransmitted,
        }
    }

    /// Returns the completion time over the ideal completion time, at least one.
    ///
    /// The published formula ([`ideal_fct`](crate::ideal_fct)) counts a packet twice, so short
    /// flows beat it; analyses of the published simulator also clamp at one.
    #[must_use]
    pub fn slowdown(&self) -> f64 {
        let ideal = self.ideal.as_ps().max(1);
        (self.fct.as_ps() as f64 / ideal as f64).max(1.0)
    }

    /// Returns the time at which the flow finished.
    #[must_use]
    pub fn finish(&self) -> Time {
        self.start.saturating_add(self.fct)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// A flow of `size` bytes from 0 to 1 at time zero that took `fct_ns` instead of `ideal_ns`.
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
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::{Flow, FlowRequest, PathInfo};
    use fabricsim_base::priority::Priority;
    use fabricsim_base::units::Rate;

    use super::testing::record;
    use super::*;

    #[test]
    fn slowdown_is_at_least_one() {
        assert!((record(1, 1_500, 1_000).slowdown() - 1.5).abs() < 1e-12);
        assert!((record(1, 900, 1_000).slowdown() - 1.0).abs() < 1e-12);
        assert!(record(1, 900, 0).slowdown().is_finite());
    }

    #[test]
    fn a_completion_becomes_a_record() {
        let request = FlowRequest {
            src: NodeId(3),
            dst: NodeId(4),
            size: Bytes::new(10),
            start: Time::from_ns(100),
            class: ClassId(2),
            priority: Priority::new(3),
            src_port: Some(10_000),
            dst_port: 100,
        };
        let path = PathInfo {
            base_rtt: Duration::from_us(4),
            bottleneck: Rate::from_gbps(100),
            switches: 1,
        };
        let flow = Flow::new(FlowId(9), request, path);
        let completion = Completion {
            flow,
            finish: Time::from_ns(350),
            retransmitted: Bytes::new(5),
        };
        let record = FctRecord::new(&completion, Duration::from_ns(200));
        assert_eq!(
            (record.flow, record.src, record.dst, record.class),
            (FlowId(9), NodeId(3), NodeId(4), ClassId(2))
        );
        assert_eq!(record.fct, Duration::from_ns(250));
        assert_eq!(record.finish(), Time::from_ns(350));
        assert_eq!(record.retransmitted, Bytes::new(5));
    }
}
