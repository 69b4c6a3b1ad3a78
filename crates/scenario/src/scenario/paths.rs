//! Checks for features that do not work if packets of a flow take several paths.

use fabricsim_base::input::ConfigError;
use fabricsim_core::plugin::quirks::EntryFormat;
use fabricsim_core::plugin::{PathStability, Transport};
use fabricsim_hpcc::INT;
use fabricsim_pint::query::{Aggregation, QueryConfig};
use fabricsim_transport::rdma::Recovery;

use crate::cc::registry::AnyCcConfig;
use crate::scenario::Scenario;

impl Scenario {
    /// Rejects policies that choose a path for each packet if this would make results meaningless.
    pub(crate) fn check_path_stability(&self) -> Result<(), ConfigError> {
        if self.routing_policy.path_stability() == PathStability::PerFlow {
            return Ok(());
        }
        let policy = self.routing_policy.name();
        let refuse = |message: String, help: &str| Err(ConfigError::new("policy", message, help));
        let queries = self.queries.as_ref().map_or(&[][..], |all| &all.queries);
        let per_path = |query: &&QueryConfig| !query.aggregation().is_per_packet();
        if let Some(query) = queries.iter().find(per_path) {
            let what = match query.aggregation() {
                Aggregation::Static => "the path of a flow",
                _ => "values of the hops of a flow",
            };
            return refuse(
                format!(
                    "`{policy}` sends each packet on its own path, and the query `{}` decodes {what} from \
                     several packets",
                    query.name.as_deref().unwrap_or_default()
                ),
                "set policy = \"ecmp\", or query `max`, `min` or `sum`, which need one packet",
            );
        }
        let probes =
            |cc: &&AnyCcConfig| cc.transport() == Transport::Tcp && cc.telemetry() == Some(INT);
        if let Some(cc) = self.algorithms().find(probes) {
            return refuse(
                format!(
                    "`{policy}` sends each packet on its own path, and `{}` compares probes of one path",
                    cc.name()
                ),
                "set policy = \"ecmp\", or give [cc] another algorithm",
            );
        }
        if self.quirks().entries == EntryFormat::Quantized && self.needs(INT) {
            return refuse(
                format!(
                    "`{policy}` sends each packet on its own path, and the INT header of the profile does \
                     not identify paths"
                ),
                "set policy = \"ecmp\", or leave out the profile",
            );
        }
        self.check_entropy()
    }

    /// Rejects policies with which senders choose the paths of packets if no RDMA sender could do
    /// so, or if receivers would treat packets out of order as lost.
    fn check_entropy(&self) -> Result<(), ConfigError> {
        let policy = self.routing_policy.name();
        if self.routing_policy.entropy().is_none() {
            return Ok(());
        }
        if self.has_tcp() {
            return Err(ConfigError::new(
                "policy",
                format!("`{policy}` is a policy of RDMA senders, and [cc] has TCP"),
                "set policy = \"ecmp\", or give all traffic an RDMA algorithm",
            ));
        }
        if self.recovery() != Recovery::AnyOrder {
            return Err(ConfigError::new(
                "policy",
                format!(
                    "`{policy}` needs receivers that accept packets in any order, which [rdma] `recovery` \
                     rules out"
                ),
                "leave `recovery` out, or set it to \"any-order\"",
            ));
        }
        Ok(())
    }
}
