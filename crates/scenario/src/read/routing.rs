//! Finds the policy of a `[routing]` table.

use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_topology::RoutingPolicy;

use crate::kinds::Registry;
use crate::schema::routing::RoutingSettings;
use crate::text::messages::suggest;

/// The policy that `routing` names, or the default.
pub(crate) fn find_policy(
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
