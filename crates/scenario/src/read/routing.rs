//! Reads the `[routing]` table.

use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_topology::RoutingPolicy;
use toml::de::DeTable;

use crate::kinds::Registry;
use crate::read::tables::read_table;
use crate::schema::routing::RoutingSettings;
use crate::text::document::Document;
use crate::text::error::Error;
use crate::text::messages::suggest;

/// Takes the `[routing]` table out of `root`, with the policy that it names.
pub(crate) fn read_routing<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    registry: &Registry,
) -> Result<(RoutingSettings, Arc<dyn RoutingPolicy>), Error> {
    let routing = read_table(document, root, "routing", |routing| {
        find_policy(routing, registry).map(|_| ())
    })?;
    let policy = find_policy(&routing, registry).expect("the name has been looked up");
    Ok((routing, policy))
}

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
