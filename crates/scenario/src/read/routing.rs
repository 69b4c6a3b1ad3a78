//! Finds the policy of a `[routing]` table.

use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_topology::RoutingPolicy;

use crate::kinds::Registry;
use crate::schema::routing::RoutingSettings;
use crate::text::messages::suggest;

/// Returns the policy of a scenario: `table`, where it is one, whose name `routing` then has, or the
/// one that `routing` names.
pub(crate) fn policy_of(
    routing: &mut RoutingSettings,
    table: Option<Arc<dyn RoutingPolicy>>,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, ConfigError> {
    let Some(policy) = table else {
        return find_policy(routing, registry);
    };
    routing.policy = Some(policy.name().to_owned());
    Ok(policy)
}

/// The policy that `routing` names, or the default.
pub(crate) fn find_policy(
    routing: &RoutingSettings,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, ConfigError> {
    let mut known = registry.routing_policies();
    let found = match &routing.policy {
        None => known.next(),
        Some(name) => known.find(|policy| policy.name() == name),
    };
    found.cloned().ok_or_else(|| {
        let name = routing.policy.as_deref().unwrap_or_default();
        let known = registry.routing_policies();
        let names: Vec<&str> = known.map(|policy| policy.name()).collect();
        let message = format!("there is no routing policy `{name}`");
        ConfigError::new("policy", message, suggest(name, &names))
    })
}
