//! `fabricsim list`.

use std::fmt::Write;
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::pint::query::QueryConfig;
use fabricsim_core::input::Key;
use fabricsim_core::input::Keys;
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::schema::class::CLASS_KEYS;
use fabricsim_scenario::schema::event;
use fabricsim_scenario::schema::observe::ObserveSettings;
use fabricsim_scenario::schema::queries::BudgetSettings;
use fabricsim_scenario::schema::queue::QUEUE_KEYS;
use fabricsim_scenario::schema::root::ROOT_KEYS;
use fabricsim_scenario::schema::routing::RoutingSettings;
use fabricsim_scenario::schema::run::{OutputSettings, RunSettings};
use fabricsim_scenario::schema::switch::SwitchSettings;
use fabricsim_scenario::schema::{rdma_keys, tcp_keys};

use crate::console::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim list                                    everything
  fabricsim list cc                                 algorithms and the keys of [cc]
  fabricsim list workload                           workloads and the keys of [[workload]]")]
pub(crate) struct ListArgs {
    /// Topic to list [default: everything]
    pub(crate) what: Option<ListTopic>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum ListTopic {
    /// Congestion-control algorithms
    Cc,
    /// Topologies
    Topology,
    /// Workloads
    Workload,
    /// The other tables of a scenario
    Settings,
}

pub(crate) fn list(args: &ListArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let mut text = String::new();
    let wanted = |topic| args.what.is_none_or(|what| what == topic);
    if wanted(ListTopic::Cc) {
        text.push_str("Congestion-control algorithms: [cc] kind = \"...\"\n");
        for cc in registry.congestion_controls.entries() {
            kind(&mut text, cc.name, cc.about, &cc.keys());
        }
    }
    if wanted(ListTopic::Topology) {
        text.push_str("Topologies: [topology] kind = \"...\"\n");
        for (name, about, keys) in registry.topologies() {
            kind(&mut text, name, about, keys);
        }
    }
    if wanted(ListTopic::Workload) {
        text.push_str("Workloads: [[workload]] kind = \"...\"\n");
        for (name, about, keys) in registry.workloads() {
            kind(&mut text, name, about, keys);
        }
    }
    if wanted(ListTopic::Settings) {
        text.push_str("Failures and repairs: [[event]] kind = \"...\"\n");
        for (name, about, keys) in event::KINDS {
            kind(&mut text, name, about, keys);
        }
        text.push_str("Queue disciplines of TCP: [[queue]] discipline = { kind = \"...\" }\n");
        for (name, about, keys) in registry.disciplines() {
            kind(&mut text, name, about, keys);
        }
        text.push_str("Routing policies: [routing] policy = \"...\"\n");
        for policy in registry.routing_policies() {
            kind(&mut text, policy.name(), policy.about(), &[]);
        }
        text.push_str("Other settings\n");
        for (name, about, keys) in tables() {
            kind(&mut text, name, about, keys);
        }
    }
    output(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The tables of a scenario that have no kinds: name, what is in them, keys.
fn tables() -> [(&'static str, &'static str, Keys); 12] {
    [
        ("(top)", "keys before any table", ROOT_KEYS),
        (
            "[switch]",
            "buffers, pauses and marks",
            SwitchSettings::KEYS,
        ),
        (
            "[rdma]",
            "packets, acknowledgements and timeouts of RDMA",
            rdma_keys(),
        ),
        (
            "[tcp]",
            "segments, acknowledgements and timeouts of TCP",
            tcp_keys(),
        ),
        ("[[queue]]", "the discipline of queues of TCP", QUEUE_KEYS),
        (
            "[routing]",
            "how flows are spread over equal paths",
            RoutingSettings::KEYS,
        ),
        ("[[class]]", "the algorithm of a class of flows", CLASS_KEYS),
        ("[run]", "when to stop", RunSettings::KEYS),
        ("[output]", "where results go", OutputSettings::KEYS),
        (
            "[observe]",
            "time series of queues, links and flows",
            ObserveSettings::KEYS,
        ),
        ("[pint]", "what all queries share", BudgetSettings::KEYS),
        (
            "[[query]]",
            "what packets are asked on their way (PINT)",
            QueryConfig::KEYS,
        ),
    ]
}

fn kind(text: &mut String, name: &str, about: &str, keys: &[Key]) {
    writeln!(text, "  {name:<14} {about}").expect(FITS);
    for Key { name, meaning, .. } in keys {
        writeln!(text, "      {name:<20} {meaning}").expect(FITS);
    }
}

const FITS: &str = "a string takes everything";
