//! Checks the values of a scenario's tables, reads the files that they name and builds the network.

use std::path::Path;
use std::sync::Arc;

use fabricsim_base::input::ConfigError;
use fabricsim_topology::Topology;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};

use crate::kinds::Registry;
use crate::read::classes::{class_algorithms, with_priorities};
use crate::read::event::resolve_events;
use crate::read::queries::admit_queries;
use crate::read::queue::check_queues;
use crate::read::raw::{RawScenario, RawTcp};
use crate::read::routing::policy_of;
use crate::read::topology::{build_topology, completed};
use crate::read::traffic::Traffic;
use crate::scenario::Scenario;
use crate::scenario::places::Places;
use crate::schema::part::{Part, Refused};
use crate::schema::profile::quirks;

/// Checks `raw` and returns the scenario. Its paths are relative to `base`, its network is `built`
/// if it is already known, and its positions are `places`.
///
/// # Errors
/// Returns the faulty parts, each with its first error. Tables are checked against the network if
/// it can be built, and against one another if each of them is valid.
pub(crate) fn check(
    mut raw: RawScenario,
    (base, built): (&Path, Option<Topology>),
    registry: &Registry,
    places: Places,
) -> Result<Scenario, Vec<Refused>> {
    let refused = |part: Part| move |error: ConfigError| part.refused(error);
    // Collect the errors of all tables before giving up, so that users see them at once.
    let mut found = refused_settings(&raw);
    let tcp = with_profile(raw.tcp);
    keep(&mut found, tcp.validate().map_err(refused(Part::Tcp)));
    let routing_policy =
        policy_of(&mut raw.routing, raw.policy, registry).map_err(refused(Part::Routing));
    let routing_policy = keep(&mut found, routing_policy);
    let class_cc = keep(&mut found, class_algorithms(&raw.workloads, raw.classes));
    let queues = keep_all(&mut found, check_queues(raw.queues));
    let queries = keep(&mut found, admit_queries(raw.queries));
    let topology = match built {
        Some(built) => Ok(built),
        None => build_topology(&*raw.topology, base),
    };
    let topology = topology.map_err(|reason| Part::Topology.refused(reason));
    let topology = topology.and_then(|built| completed(built, &raw.host, &raw.switch));
    // All following checks need the network.
    let Some(topology) = keep(&mut found, topology).map(Arc::new) else {
        return Err(found);
    };
    let output = raw.output.validate_for(&topology);
    keep(&mut found, output.map_err(refused(Part::Output)));
    let traffic = Traffic {
        topology: &topology,
        folder: base,
        seed: raw.seed,
        times: quirks(raw.profile).start_times,
    };
    let workloads = raw.workloads.iter_mut();
    found.extend(traffic.load_each(workloads.map(|raw| &mut raw.workload)));
    let events = keep_all(&mut found, resolve_events(raw.events, &topology));
    if let Some(observe) = &raw.observe {
        let checked = observe.validate(&topology, &raw.run);
        keep(&mut found, checked.map_err(refused(Part::Observe)));
    }
    if let Some(capture) = &raw.capture {
        let checked = capture.validate(&topology);
        keep(&mut found, checked.map_err(refused(Part::Capture)));
    }
    // Checks across tables assume that each table is valid.
    let (Some(routing_policy), Some(class_cc), Some(queries), true) =
        (routing_policy, class_cc, queries, found.is_empty())
    else {
        return Err(found);
    };
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
        capture: raw.capture,
        queries,
        places: Arc::new(places),
        text: None,
    };
    match scenario.check() {
        Ok(()) => Ok(scenario),
        Err(refused) => Err(vec![refused]),
    }
}

/// Returns the value of `checked`, or adds its error to `found`.
fn keep<T>(found: &mut Vec<Refused>, checked: Result<T, Refused>) -> Option<T> {
    checked.map_err(|refused| found.push(refused)).ok()
}

/// Returns all values of `checked`, and adds its errors to `found`.
fn keep_all<T>(
    found: &mut Vec<Refused>,
    checked: impl Iterator<Item = Result<T, Refused>>,
) -> Vec<T> {
    checked.filter_map(|one| keep(found, one)).collect()
}

/// Returns the errors of tables with values that are wrong for any other tables.
fn refused_settings(raw: &RawScenario) -> Vec<Refused> {
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

/// Returns the settings of TCP; the default profile is the datacenter's.
fn with_profile(tcp: RawTcp) -> TcpConfig {
    match tcp.names_profile {
        true => tcp.config,
        false => TcpConfig {
            profile: TcpProfile::Datacenter,
            ..tcp.config
        },
    }
}
