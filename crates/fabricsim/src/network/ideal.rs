//! The completion time of a flow on the idle network.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fabricsim_core::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_core::flow::{Completion, FlowRequest, PathInfo};
use fabricsim_core::id::FlowId;
use fabricsim_core::plugin::Quirks;
use fabricsim_core::plugin::quirks::{IdealPath, TimeUnit};
use fabricsim_core::units::{Bytes, Duration};
use fabricsim_report::{HEADER_BYTES, ideal_fct, ideal_fct_truncated};
use fabricsim_transport::tcp::{Opening, Pattern, Reuse};
use rustc_hash::FxHashMap;

use fabricsim_scenario::scenario::transports::TcpFacts;

/// The flow completion time on the idle network: base round-trip time and the flow's bytes, with 48
/// bytes of headers for each packet, at the bottleneck's rate. Flows of TCP have its segments and
/// headers, and one more round trip where a handshake opens their connection. Requests whose
/// connection may have been open have none.
///
/// Of several shortest paths it is the least, by the routes that were in force when the flow
/// started; under `profile = "ns3-hpcc"` that of the first.
#[derive(Clone, Debug)]
pub struct IdealFct {
    path: IdealPath,
    times: TimeUnit,
    mtu: Bytes,
    tcp: Option<Arc<TcpFacts>>,
    /// The path of the least ideal, for flows that have another one than their `path`. There are
    /// such flows only where links of equally long paths differ.
    better: Arc<Mutex<FxHashMap<FlowId, PathInfo>>>,
}

impl IdealFct {
    pub(crate) fn new(quirks: &Quirks, mtu: Bytes, tcp: Option<Arc<TcpFacts>>) -> Self {
        Self {
            path: quirks.ideal_path,
            times: quirks.ideal_times,
            mtu,
            tcp,
            better: Arc::default(),
        }
    }

    /// The ideal completion time of a flow.
    #[must_use]
    pub fn of(&self, completion: &Completion) -> Duration {
        let flow = &completion.flow;
        let better = self.better().get(&flow.id).copied();
        self.along(&better.unwrap_or(flow.path), &flow.request)
    }

    /// Returns whether the ideal is the least over all shortest paths.
    pub(crate) fn is_least(&self) -> bool {
        self.path == IdealPath::Least
    }

    /// Notes which of `paths` flow `id` would be fastest on, when it starts with the path `own`.
    pub(crate) fn choose(
        &self,
        id: FlowId,
        request: &FlowRequest,
        own: &PathInfo,
        paths: &[PathInfo],
    ) {
        let best = paths.iter().min_by_key(|path| self.along(path, request));
        if let Some(best) = best
            && self.along(best, request) < self.along(own, request)
        {
            self.better().insert(id, *best);
        }
    }

    /// The ideal completion time of a flow on `path`.
    pub(crate) fn along(&self, path: &PathInfo, request: &FlowRequest) -> Duration {
        if let Some(tcp) = &self.tcp
            && let Some(class) = tcp.class(request.class)
        {
            let ideal = ideal_fct(path, request.size, tcp.mss, tcp.headers);
            return match (class.pattern, class.reuse, class.opening) {
                (Pattern::Fetch, Reuse::LateBinding, _) | (Pattern::Plain, _, Opening::Open) => {
                    ideal
                }
                (Pattern::Fetch, Reuse::None, _) | (Pattern::Plain, _, Opening::Handshake) => {
                    // That of a download is the longest time there is.
                    ideal.saturating_add(path.base_rtt)
                }
            };
        }
        match self.times {
            TimeUnit::Picosecond => ideal_fct(path, request.size, self.mtu, HEADER_BYTES),
            TimeUnit::Nanosecond => ideal_fct_truncated(path, request.size, self.mtu, HEADER_BYTES),
        }
    }

    /// The payload of a full packet of RDMA.
    pub(crate) const fn mtu(&self) -> Bytes {
        self.mtu
    }

    /// Returns the facts about TCP, if some flows use it.
    pub(crate) fn tcp(&self) -> Option<&TcpFacts> {
        self.tcp.as_deref()
    }

    /// The payload of a full packet of `request`'s transport.
    pub(crate) fn payload(&self, request: &FlowRequest) -> Bytes {
        let tcp = self.tcp();
        tcp.filter(|tcp| tcp.class(request.class).is_some())
            .map_or(self.mtu, |tcp| tcp.mss)
    }

    /// Saves what is known of flows that are under way.
    pub(crate) fn save(&self, out: &mut Writer) {
        self.better().store(out);
    }

    /// Loads what [`Self::save`] has saved.
    pub(crate) fn load(&self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        *self.better() = Stored::fetch(input)?;
        Ok(())
    }

    fn better(&self) -> MutexGuard<'_, FxHashMap<FlowId, PathInfo>> {
        self.better.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
