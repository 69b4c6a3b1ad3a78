//! Checks the values of a scenario's tables, reads the files that they name and builds the network.

use std::path::Path;
use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_topology::RoutingPolicy;

use crate::kinds::Registry;
use crate::read::classes::{class_algorithms, with_priorities};
use crate::read::event::resolve_events;
use crate::read::queries::admit_queries;
use crate::read::queue::check_places;
use crate::read::raw::RawScenario;
use crate::read::routing::find_policy;
use crate::read::topology::build_topology;
use crate::read::traffic::Traffic;
use crate::scenario::Scenario;
use crate::scenario::places::Places;
use crate::schema::part::{Part, Refused};
use crate::schema::profile::quirks;

/// Returns the scenario of `raw`, whose paths are relative to `base` and whose places are `places`.
///
/// # Errors
/// The first part that cannot be used.
pub(crate) fn check(
    mut raw: RawScenario,
    base: &Path,
    registry: &Registry,
    places: Places,
) -> Result<Scenario, Refused> {
    let topology = build_topology(&*raw.topology, base);
    let topology = Arc::new(topology.map_err(|reason| Part::Topology.refused(reason))?);
    let routing_policy = check_settings(&raw, registry)?;
    let traffic = Traffic {
        topology: &topology,
        folder: base,
        seed: raw.seed,
        times: quirks(raw.profile).start_times,
    };
    traffic.load(raw.workloads.iter_mut().map(|raw| &mut raw.workload))?;
    let class_cc = class_algorithms(&raw.workloads, raw.classes)?;
    check_places(&raw.queues)?;
    let events = resolve_events(raw.events, &topology)?;
    if let Some(observe) = &raw.observe {
        let checked = observe.validate(&topology, &raw.run);
        checked.map_err(|error| Part::Observe.refused(error))?;
    }
    let queries = admit_queries(raw.queries)?;
    let scenario = Scenario {
        name: raw.name,
        folder: base.to_owned(),
        seed: raw.seed,
        profile: raw.profile,
        topology_config: raw.topology,
        topology,
        switch: raw.switch,
        queues: raw.queues,
        transport: raw.transport,
        tcp: raw.tcp,
        routing: raw.routing,
        routing_policy,
        workloads: with_priorities(raw.workloads, &class_cc, &raw.cc),
        events,
        cc: raw.cc,
        class_cc,
        run: raw.run,
        output: raw.output,
        observe: raw.observe,
        queries,
        places: Arc::new(places),
    };
    scenario.check()?;
    Ok(scenario)
}

/// Checks what the tables that may be left out can tell by themselves, and returns the policy of
/// routes.
fn check_settings(
    raw: &RawScenario,
    registry: &Registry,
) -> Result<Arc<dyn RoutingPolicy>, Refused> {
    let refused = |part: Part| move |error: ConfigError| part.refused(error);
    raw.switch.validate().map_err(refused(Part::Switch))?;
    raw.transport.validate().map_err(refused(Part::Rdma))?;
    raw.tcp.validate().map_err(refused(Part::Tcp))?;
    let policy = find_policy(&raw.routing, registry).map_err(refused(Part::Routing))?;
    raw.run.validate().map_err(refused(Part::Run))?;
    raw.output.validate().map_err(refused(Part::Output))?;
    Ok(policy)
}
