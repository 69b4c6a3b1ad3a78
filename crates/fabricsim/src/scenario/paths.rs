//! The routing policy of a scenario, and what cannot be had where packets of a flow take several
//! paths.

use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::{Fidelity, PathStability};
use fabricsim_pint::query::{Aggregation, QueryConfig};
use fabricsim_topology::RoutingPolicy;

use super::Scenario;
use crate::kinds::Registry;
use crate::registry::Needs;
use crate::settings::RoutingSettings;
use crate::wording::suggest;

/// The policy that `routing` names, or the default.
pub(super) fn find_policy(
    routing: &RoutingSettings,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, ConfigError> {
    let known = registry.routing_policies();
    let Some(name) = &routing.policy else {
        return Ok(Arc::clone(&known[0]));
    };
    let found = known.iter().find(|policy| policy.name() == name);
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|policy| policy.name()).collect();
        let message = format!("there is no routing policy `{name}`");
        ConfigError::new("policy", message, suggest(name, &names))
    })
}

impl Scenario {
    /// Refuses policies that give each packet a path of its own where results would mean nothing.
    pub(super) fn check_path_stability(&self) -> Result<(), ConfigError> {
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
                    "`{policy}` gives each packet a path of its own, and the query `{}` puts {what} together \
                     from several packets",
                    query.name.as_deref().unwrap_or_default()
                ),
                "set policy = \"ecmp\", or ask for `max`, `min` or `sum`, which are of one packet",
            );
        }
        if self.fidelity() == Fidelity::Published && self.needs(Needs::Int) {
            return refuse(
                format!(
                    "`{policy}` gives each packet a path of its own, and the INT header of the profile does \
                     not tell paths apart"
                ),
                "set policy = \"ecmp\", or leave out the profile",
            );
        }
        Ok(())
    }
}
