//! `fabricsim list`.

use fabricsim::registry::LAWS;
use fabricsim::scenario::ROOT_KEYS;
use fabricsim::settings::{Keys, OutputSettings, RoutingSettings, RunSettings, SwitchSettings};
use fabricsim::transport_keys;

use crate::args::{ListArgs, ListTopic};

pub(crate) fn list(args: &ListArgs) {
    let wanted = |topic| args.what.is_none_or(|what| what == topic);
    if wanted(ListTopic::Cc) {
        heading("Congestion control laws: [cc] kind = \"…\"");
        for law in LAWS {
            kind(law.name, law.about, law.keys);
        }
    }
    if wanted(ListTopic::Topology) {
        heading("Topologies: [topology] kind = \"…\"");
        for (name, about, keys) in fabricsim_topology::KINDS {
            kind(name, about, keys);
        }
    }
    if wanted(ListTopic::Workload) {
        heading("Workloads: [[workload]] kind = \"…\"");
        for (name, about, keys) in fabricsim_workload::KINDS {
            kind(name, about, keys);
        }
    }
    if wanted(ListTopic::Settings) {
        heading("Other settings");
        kind("(top)", "keys before any table", ROOT_KEYS);
        kind(
            "[switch]",
            "buffers, pauses and marks",
            SwitchSettings::KEYS,
        );
        kind(
            "[transport]",
            "packets, acknowledgements and timeouts",
            transport_keys(),
        );
        kind(
            "[routing]",
            "how flows are spread over equal paths",
            RoutingSettings::KEYS,
        );
        kind("[run]", "when to stop", RunSettings::KEYS);
        kind("[output]", "where results go", OutputSettings::KEYS);
    }
}

fn heading(text: &str) {
    println!("{text}");
}

fn kind(name: &str, about: &str, keys: Keys) {
    println!("  {name:<14} {about}");
    for (key, meaning) in keys {
        println!("      {key:<20} {meaning}");
    }
}
