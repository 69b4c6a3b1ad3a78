//! Checks the values of a scenario's tables, reads the files that they name and builds the network.

use std::path::Path;
use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_topology::Topology;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};

use crate::kinds::Registry;
use crate::read::classes::{class_algorithms, with_priorities};
use crate::read::event::resolve_events;
use crate::read::queries::admit_queries;
use crate::read::queue::check_queues;
use crate::read::raw::{RawScenario, RawTcp};
use crate::read::routing::find_policy;
use crate::read::topology::build_topology;
use crate::read::traffic::Traffic;
use crate::scenario::Scenario;
use crate::scenario::places::Places;
use crate::schema::part::{Part, Refused};
use crate::schema::profile::quirks;

/// Returns the scenario of `raw`, whose paths are relative to `base`, whose network is `built` if it
/// is known, and whose places are `places`.
///
/// # Errors
/// The first part that cannot be used.
pub(crate) fn check(
    mut raw: RawScenario,
    (base, built): (&Path, Option<Topology>),
    registry: &Registry,
    places: Places,
) -> Result<Scenario, Refused> {
    let topology = match built {
        Some(built) => Ok(built),
        None => build_topology(&*raw.topology, base),
    };
    let topology = topology.map_err(|reason| Part::Topology.refused(reason))?;
    let topology = (raw.host.apply(topology)).map_err(|error| Part::Host.refused(error))?;
    let topology = Arc::new(topology);
    let tcp = with_profile(raw.tcp);
    let refused = |part: Part| move |error: ConfigError| part.refused(error);
    tcp.validate().map_err(refused(Part::Tcp))?;
    let routing_policy = match raw.policy {
        Some(policy) => {
            raw.routing.policy = Some(policy.name().to_owned());
            policy
        }
        None => find_policy(&raw.routing, registry).map_err(refused(Part::Routing))?,
    };
    let output = raw.output.validate_for(&topology);
    output.map_err(refused(Part::Output))?;
    let traffic = Traffic {
        topology: &topology,
        folder: base,
        seed: raw.seed,
        times: quirks(raw.profile).start_times,
    };
    traffic.load(raw.workloads.iter_mut().map(|raw| &mut raw.workload))?;
    let class_cc = class_algorithms(&raw.workloads, raw.classes)?;
    let queues = check_queues(raw.queues)?;
    let events = resolve_events(raw.events, &topology)?;
    if let Some(observe) = &raw.observe {
        let checked = observe.validate(&topology, &raw.run);
        checked.map_err(refused(Part::Observe))?;
    }
    let queries = admit_queries(raw.queries)?;
    let scenario = Scenario {
        name: raw.name,
        folder: base.to_owned(),
        seed: raw.seed,
        profile: raw.profile,
        topology_config: raw.topology,
        topology,
        host: raw.host,
        switch: raw.switch,
        queues,
        transport: raw.transport,
        tcp,
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

/// Returns the tables with values that are wrong whatever the other tables say.
pub(crate) fn refused_settings(raw: &RawScenario) -> Vec<Refused> {
    let parts = [
        (Part::Switch, raw.switch.validate()),
        (Part::Rdma, raw.transport.validate()),
        (Part::Run, raw.run.validate()),
        (Part::Output, raw.output.validate()),
    ];
    let refused = parts.into_iter().filter_map(|(part, checked)| {
        let error = checked.err()?;
        Some(part.refused(error))
    });
    refused.collect()
}

/// Returns the settings of TCP, whose profile is that of datacenters where none is named.
fn with_profile(tcp: RawTcp) -> TcpConfig {
    match tcp.names_profile {
        true => tcp.config,
        false => TcpConfig {
            profile: TcpProfile::Datacenter,
            ..tcp.config
        },
    }
}
