//! Assignment of ranks to hosts.

use fabricsim_base::choices;
use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::rng::{Purpose, Stream};

use crate::context::WorkloadContext;
use crate::host_range::{HostRange, select};

/// Entity of the stream that places ranks: the same for all workloads of a run.
const PLACEMENT: u64 = u64::MAX;

choices! {
    /// The assignment of ranks to hosts.
    #[derive(Default)]
    pub enum Placement {
        /// Ranks follow the order of hosts.
        #[default]
        Packed = "packed" ("in the order of hosts"),
        /// Neighboring ranks are `placement_stride` hosts apart.
        Scattered = "scattered" ("neighbors are `placement_stride` hosts apart"),
        /// Ranks are shuffled; workloads of one seed and the same hosts have the same order.
        Random = "random" ("shuffled by the run's seed, the same for all jobs"),
    }
}

/// The order of hosts, and the number of hosts to skip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order<'a> {
    pub(crate) hosts: Option<&'a [HostRange]>,
    pub(crate) placement: Placement,
    pub(crate) stride: u32,
    pub(crate) skip: u32,
}

impl Order<'_> {
    /// Returns the hosts in the order of the ranks that they can have.
    pub(crate) fn placed(&self, context: &WorkloadContext) -> Result<Vec<NodeId>, ConfigError> {
        let hosts = select("hosts", self.hosts, context)?;
        let mut hosts: Vec<NodeId> = hosts.iter().map(|&at| context.hosts[at].id).collect();
        if self.placement != Placement::Scattered && self.stride != 1 {
            return Err(ConfigError::new(
                "placement_stride",
                "only scattered ranks have a stride",
                "remove it, or write placement = \"scattered\"",
            ));
        }
        match self.placement {
            Placement::Packed => {}
            Placement::Scattered => {
                let stride = self.stride as usize;
                let from = |first: usize| hosts.iter().skip(first).step_by(stride).copied();
                hosts = (0..stride.min(hosts.len())).flat_map(from).collect();
            }
            Placement::Random => {
                let mut stream = Stream::new(context.seed, PLACEMENT, Purpose::Wiring);
                for last in (1..hosts.len()).rev() {
                    let drawn = stream.below(last as u64 + 1);
                    hosts.swap(last, usize::try_from(drawn).unwrap_or(last));
                }
            }
        }
        let all = hosts.len();
        hosts.drain(..all.min(self.skip as usize));
        Ok(hosts)
    }
}
