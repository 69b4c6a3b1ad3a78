//! `fabricsim list`.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args as _;
use clap::error::ErrorKind;
use fabricsim::Error;
use fabricsim_base::input::{DefaultValue, Key, Keys};
use fabricsim_pint::query::QueryConfig;
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::schema::capture::CaptureSettings;
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

use fabricsim_scenario::text::error::escaped;
use fabricsim_scenario::text::messages::suggest;
use serde_json::{Value, json};

use crate::console::{exit_with, output};
use crate::text::line;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim list                                    everything
  fabricsim list cc                                 algorithms and the keys of [cc]
  fabricsim list workload                           workloads and the keys of [[workload]]
  fabricsim list hpcc                               the keys of one thing, by its name
  fabricsim list fat-tree --json                    the same for programs")]
pub(crate) struct ListArgs {
    /// Topic (cc, topology, workload, settings) or name of what is listed, such as hpcc, fat-tree,
    /// poisson or switch [default: everything]
    pub(crate) what: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What things of one kind are called, and what they are.
struct Section {
    topic: &'static str,
    title: &'static str,
    things: Vec<Thing>,
}

/// Something that a scenario can name or has, with its keys.
#[derive(Clone)]
struct Thing {
    name: &'static str,
    about: String,
    keys: Vec<Key>,
}

impl Thing {
    fn new((name, about, keys): (&'static str, &str, Keys)) -> Self {
        Self {
            name,
            about: about.to_owned(),
            keys: keys.to_vec(),
        }
    }

    /// The name without the brackets of a table.
    fn bare_name(&self) -> &'static str {
        self.name.trim_matches(['[', ']', '(', ')'])
    }
}

pub(crate) fn list(args: &ListArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let mut sections = sections(registry);
    if let Some(what) = &args.what {
        sections = chosen(sections, what).unwrap_or_else(|message| {
            let mut command = ListArgs::augment_args(clap::Command::new("fabricsim list"));
            exit_with(command.error(ErrorKind::InvalidValue, message))
        });
    }
    match args.json {
        true => output(&format!("{:#}\n", json(&sections)))?,
        false => output(&text(&sections))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the sections of a topic, or those that have something called `what`.
fn chosen(sections: Vec<Section>, what: &str) -> Result<Vec<Section>, String> {
    let mut names: Vec<&str> = sections
        .iter()
        .flat_map(|section| section.things.iter().map(Thing::bare_name))
        .chain(sections.iter().map(|section| section.topic))
        .collect();
    names.dedup();
    if sections.iter().any(|section| section.topic == what) {
        return Ok((sections.into_iter())
            .filter(|section| section.topic == what)
            .collect());
    }
    let bare = what.trim_matches(['[', ']']);
    if !names.contains(&bare) {
        let help = suggest(what, &names);
        return Err(format!(
            "there is no topic and no thing called `{}`; {help}",
            escaped(what)
        ));
    }
    let of_name = |mut section: Section| {
        section.things.retain(|thing| thing.bare_name() == bare);
        section
    };
    let sections = sections.into_iter().map(of_name);
    Ok(sections
        .filter(|section| !section.things.is_empty())
        .collect())
}

fn text(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        line!(text, "{}", section.title);
        for Thing { name, about, keys } in &section.things {
            line!(text, "  {name:<14} {about}");
            for Key { name, meaning, .. } in keys {
                line!(text, "      {name:<20} {meaning}");
            }
        }
    }
    text
}

/// Returns a list of all things, each with its topic and keys.
fn json(sections: &[Section]) -> Value {
    let key = |key: &Key| {
        json!({
            "name": key.name,
            "value": key.kind.to_string(),
            "meaning": key.meaning,
            "required": key.default == DefaultValue::Required,
        })
    };
    let things = sections.iter().flat_map(|section| {
        section.things.iter().map(move |thing| {
            let keys: Vec<Value> = thing.keys.iter().map(key).collect();
            json!({
                "topic": section.topic,
                "of": section.title,
                "name": thing.name,
                "about": thing.about,
                "keys": keys,
            })
        })
    });
    Value::Array(things.collect())
}

/// Everything, in the order in which it is listed.
fn sections(registry: &Registry) -> Vec<Section> {
    let algorithms = registry.congestion_controls.entries().iter();
    let algorithms = algorithms.map(|cc| Thing {
        name: cc.name,
        about: cc.about.to_owned(),
        keys: cc.keys(),
    });
    let policies = registry.routing_policies();
    let policies =
        policies.map(|policy| Thing::new((policy.name(), policy.about(), policy.keys())));
    let of = |topic, title, things| Section {
        topic,
        title,
        things,
    };
    vec![
        of(
            "cc",
            "Congestion-control algorithms: [cc] kind = \"...\"",
            algorithms.collect(),
        ),
        of(
            "topology",
            "Topologies: [topology] kind = \"...\"",
            registry.topologies().map(Thing::new).collect(),
        ),
        of(
            "workload",
            "Workloads: [[workload]] kind = \"...\"",
            registry.workloads().map(Thing::new).collect(),
        ),
        of(
            "settings",
            "Failures and repairs: [[event]] kind = \"...\"",
            event::KINDS.iter().copied().map(Thing::new).collect(),
        ),
        of(
            "settings",
            "Queue disciplines of TCP: [[queue]] discipline = { kind = \"...\" }",
            registry.disciplines().map(Thing::new).collect(),
        ),
        of(
            "settings",
            "Routing policies: [routing] policy = \"...\" or { kind = \"...\" }",
            policies.collect(),
        ),
        of(
            "settings",
            "Other settings",
            tables().into_iter().map(Thing::new).collect(),
        ),
    ]
}

/// The tables of a scenario that have no kinds: name, what is in them, keys.
fn tables() -> [(&'static str, &'static str, Keys); 13] {
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
        (
            "[capture]",
            "frames at ports, for Wireshark",
            CaptureSettings::KEYS,
        ),
        ("[pint]", "what all queries share", BudgetSettings::KEYS),
        (
            "[[query]]",
            "what packets are asked on their way (PINT)",
            QueryConfig::KEYS,
        ),
    ]
}
