//! Finds the policy of a `[routing]` table.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_topology::{ByPriority, RoutingPolicy};

use crate::kinds::Registry;
use crate::schema::routing::RoutingSettings;
use crate::text::messages::suggest;

/// Returns the policy of a scenario. If there is a `table`, it decides, and its name is stored in
/// `routing`; otherwise the name in `routing` decides.
pub(crate) fn policy_of(
    routing: &mut RoutingSettings,
    table: Option<Arc<dyn RoutingPolicy>>,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, ConfigError> {
    let policy = match table {
        Some(policy) => {
            routing.policy = Some(policy.name().to_owned());
            policy
        }
        None => find_policy(routing, registry)?,
    };
    with_priorities(policy, routing, registry)
}

/// Returns `others`, extended by the policies that `routing` names for some priorities.
fn with_priorities(
    others: Arc<dyn RoutingPolicy>,
    routing: &RoutingSettings,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, ConfigError> {
    let rules = &routing.priorities;
    if rules.is_empty() {
        return Ok(others);
    }
    let refuse = |message: String, help: &str| Err(ConfigError::new("priorities", message, help));
    let mut own = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        if !(1..8).contains(&rule.priority) {
            return refuse(
                format!(
                    "priorities of flows are 1 to 7, and {} is none",
                    rule.priority
                ),
                "give a number from 1 to 7",
            );
        }
        if rules[..place]
            .iter()
            .any(|before| before.priority == rule.priority)
        {
            return refuse(
                format!("priority {} has two policies", rule.priority),
                "name each priority once",
            );
        }
        own.push((
            Priority::new(rule.priority),
            named("priorities", &rule.policy, registry)?,
        ));
    }
    let policies = own.iter().map(|(_, policy)| policy).chain([&others]);
    if let Some(policy) = policies
        .into_iter()
        .find(|policy| policy.entropy().is_some())
    {
        return refuse(
            format!(
                "`{}` is a policy of hosts for all their packets, so it cannot apply to some priorities only",
                policy.name()
            ),
            "leave out `priorities`, or name other policies",
        );
    }
    Ok(Arc::new(ByPriority::new(others, own)))
}

/// Finds the policy called `name`; an unknown name is an error at `key`.
fn named(
    key: &'static str,
    name: &str,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, ConfigError> {
    let found = registry
        .routing_policies()
        .find(|policy| policy.name() == name);
    found.cloned().ok_or_else(|| {
        let known = registry.routing_policies();
        let names: Vec<&str> = known.map(|policy| policy.name()).collect();
        let message = format!("there is no routing policy `{name}`");
        ConfigError::new(key, message, suggest(name, &names))
    })
}

/// Returns the policy that `routing` names, or the default.
fn find_policy(
    routing: &RoutingSettings,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, ConfigError> {
    match &routing.policy {
        Some(name) => named("policy", name, registry),
        None => {
            let first = registry.routing_policies().next();
            Ok(Arc::clone(first.expect("there are built-in policies")))
        }
    }
}
