//! Settings of RDMA that depend on the scenario's fabric.

use fabricsim_base::units::Duration;
use fabricsim_core::plugin::quirks::{LeastTimeout, PausedAcks};
use fabricsim_qdisc::Headroom;
use fabricsim_transport::cc::{DcqcnConfig, TimelyConfig};
use fabricsim_transport::rdma::{RdmaConfig, Recovery};

use crate::scenario::Scenario;

impl Scenario {
    /// Returns the transport settings with all defaults filled in.
    #[must_use]
    pub fn transport_resolved(&self) -> RdmaConfig {
        let by_algorithm = match self.quirks().paused_acks {
            PausedAcks::Wait => false,
            PausedAcks::ByAlgorithm => self.acks_leave_paused(),
        };
        RdmaConfig {
            ack_high_priority: Some(self.transport.ack_high_priority.unwrap_or(by_algorithm)),
            rto_min: Some(self.least_timeout()),
            recovery: Some(self.recovery()),
            ..self.transport.clone()
        }
    }

    /// Returns the method of loss recovery of RDMA.
    #[must_use]
    pub fn recovery(&self) -> Recovery {
        let by_paths = self
            .transport
            .recovery(self.routing_policy.path_stability());
        match (self.transport.recovery, self.switch.trim_above) {
            (None, Some(_)) => Recovery::AnyOrder,
            _ => by_paths,
        }
    }

    /// Returns `true` if the published script lets ACKs leave a paused host ("ack high prio"):
    /// under TIMELY, and under DCQCN without a window.
    fn acks_leave_paused(&self) -> bool {
        let dcqcn = self.cc.typed::<DcqcnConfig>();
        self.cc.typed::<TimelyConfig>().is_some() || dcqcn.is_some_and(|dcqcn| !dcqcn.window)
    }

    /// Returns `true` if RDMA packets can be lost: switches do not pause, or have less headroom
    /// than the worst case requires, or links have losses, or there are events.
    #[must_use]
    pub fn can_lose(&self) -> bool {
        let worst_case = self
            .switch
            .headroom
            .is_none_or(|headroom| headroom == Headroom::WorstCase);
        let mut links = self.topology.links().iter();
        !self.switch.pfc
            || !worst_case
            || !self.events.is_empty()
            || links.any(|link| link.loss > 0.0)
    }

    /// Returns the time without any acknowledged byte after which a run is given up; `base_rtt` is
    /// the largest base round-trip time of the network. A handshake and the first window take two
    /// round trips, and a lost packet takes one more and a timeout.
    #[must_use]
    pub fn stall_after(&self, base_rtt: Duration) -> Duration {
        let rdma = self.has_rdma().then(|| self.least_timeout());
        let tcp = self.has_tcp().then(|| self.tcp.parameters().min_rto);
        let timeout = rdma.into_iter().chain(tcp).max().unwrap_or_default();
        let round_trips = base_rtt.as_ps().saturating_mul(4);
        let longest = Duration::from_ps(round_trips.saturating_add(timeout.as_ps()));
        let by_network = longest.max(Duration::from_ms(1_000));
        self.run.stall_after.unwrap_or(by_network)
    }

    /// Returns the minimum retransmission timeout of RDMA: the one that is set, or the fabric's
    /// default.
    fn least_timeout(&self) -> Duration {
        let by_fabric = || match self.quirks().least_timeout {
            LeastTimeout::ByFabric if !self.can_lose() => RdmaConfig::RTO_LOSSLESS,
            LeastTimeout::ByFabric | LeastTimeout::Lossy => RdmaConfig::RTO_LOSSY,
        };
        let set = self.transport.rto_min.or_else(|| self.trimmed_timeout());
        set.unwrap_or_else(by_fabric)
    }

    /// Returns the minimum retransmission timeout if switches trim packets. A trimmed packet is
    /// reported about a round trip later, so the timeout is 15 us plus six queues at the slowest
    /// link, as in htsim (`_min_rto` in `main_uec.cpp`).
    fn trimmed_timeout(&self) -> Option<Duration> {
        let above = self.switch.trim_above?;
        let slowest = self.topology.rates().min()?;
        let queues = slowest.transmission(above).saturating_mul(6);
        Some(queues.saturating_add(Duration::from_us(15)))
    }
}
