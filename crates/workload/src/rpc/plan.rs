//! The parameters of a workload of remote procedure calls, for its applications.

use std::sync::Arc;

use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::mix;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::AppFlow;

use super::{RpcMode, RpcReuse, RpcTargets, ServiceTimes};
use crate::cdf::SizeCdf;

/// The bit of a tag that marks a response.
pub(super) const RESPONSE: u64 = 1 << 63;

/// Parameters that all clients and servers of a workload share.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) class: ClassId,
    pub(super) priority: Priority,
    pub(super) dst_port: u16,
    pub(super) servers: Arc<[NodeId]>,
    pub(super) connections: u32,
    pub(super) reuse: RpcReuse,
    pub(super) mode: RpcMode,
    pub(super) targets: RpcTargets,
    pub(super) outstanding: u32,
    pub(super) sizes: SizeCdf,
    pub(super) response: Bytes,
    pub(super) service: Duration,
    pub(super) service_times: ServiceTimes,
    pub(super) think: Duration,
    pub(super) start: Time,
    /// Time from which no query is sent.
    pub(super) end: Time,
    /// Largest number of queries of each client.
    pub(super) limit: u64,
    /// Mix of the run's seed and the number of the workload.
    pub(super) seed: u64,
}

impl Plan {
    /// Returns a separate flow of `size` to `dst`.
    pub(super) const fn flow(&self, dst: NodeId, size: Bytes) -> AppFlow {
        AppFlow {
            priority: self.priority,
            dst_port: self.dst_port,
            ..AppFlow::new(dst, size, self.class)
        }
    }

    /// Returns the service time for query `number` of `client`. Client and server compute the same
    /// value without exchanging it.
    pub(super) fn service_time(&self, client: NodeId, number: u64) -> Duration {
        match self.service_times {
            ServiceTimes::Fixed => self.service,
            ServiceTimes::Exponential => {
                let bits = mix(self.seed ^ mix(u64::from(client.0) << 40 ^ mix(number)));
                let uniform = (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
                let factor = -libm::log(1.0 - uniform);
                Duration::from_secs_f64(self.service.as_secs_f64() * factor)
            }
        }
    }
}
