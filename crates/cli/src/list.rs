//! `fabricsim list`.

mod tables;

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args as _;
use clap::error::ErrorKind;
use fabricsim::Error;
use fabricsim_base::input::{DefaultValue, Key, Keys};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::schema::event;
use fabricsim_scenario::text::error::escaped;
use fabricsim_scenario::text::messages::suggest;
use serde_json::{Value, json};

use crate::console::{exit_with, output};
use crate::offered::Offered;
use crate::text::line;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim list                                    one line for each thing
  fabricsim list cc                                 the congestion-control algorithms
  fabricsim list hpcc                               one algorithm with its keys
  fabricsim list host                               the table [host] with its keys
  fabricsim list workload --all                     the workloads with their keys
  fabricsim list --all                              everything with all keys
  fabricsim list fat-tree --json                    for programs, always with keys

Topics: cc, topology, workload, event, discipline, policy, table; `settings` is the last four.")]
pub(crate) struct ListArgs {
    /// A topic, such as cc or topology, or the name of one thing, such as hpcc, fat-tree or switch
    /// [default: all topics]
    #[arg(value_name = "NAME", value_parser = offered(), hide_possible_values = true)]
    pub(crate) name: Option<String>,

    /// Print the keys of everything listed
    #[arg(long)]
    pub(crate) all: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The topic that covers all topics in [`SETTINGS`].
const ALL_SETTINGS: &str = "settings";

/// Topics other than algorithms, topologies and workloads.
const SETTINGS: [&str; 4] = ["event", "discipline", "policy", "table"];

/// The things of one topic.
struct Section {
    topic: &'static str,
    title: &'static str,
    things: Vec<Thing>,
}

impl Section {
    /// Returns `true` if the section belongs to the topic `name`.
    fn is_of(&self, name: &str) -> bool {
        self.topic == name || (name == ALL_SETTINGS && SETTINGS.contains(&self.topic))
    }
}

/// A kind or a table of scenarios, with its keys.
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

    /// Returns the name without the brackets of a table.
    fn bare_name(&self) -> &'static str {
        self.name.trim_matches(['[', ']', '(', ')'])
    }
}

/// The part of the sections that a name selects.
enum Choice {
    /// Everything in these sections: a topic, or all of them.
    Topics(Vec<Section>),
    /// Only the things with the name.
    Things(Vec<Section>),
}

pub(crate) fn list(args: &ListArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let sections = sections(registry);
    let choice = match &args.name {
        None => Choice::Topics(sections),
        Some(name) => chosen(sections, name).unwrap_or_else(|message| {
            let mut command = ListArgs::augment_args(clap::Command::new("fabricsim list"));
            exit_with(command.error(ErrorKind::InvalidValue, message))
        }),
    };
    let (sections, with_keys) = match choice {
        Choice::Topics(sections) => (sections, args.all),
        Choice::Things(sections) => (sections, true),
    };
    match args.json {
        true => output(&format!("{:#}\n", json(&sections)))?,
        false => output(&text(&sections, with_keys))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Offers all topics and the names of the built-in things.
fn offered() -> Offered {
    Offered::new(names(&sections(&Registry::default())))
}

/// Returns all topics and the names of all things.
fn names(sections: &[Section]) -> Vec<&'static str> {
    let things = sections.iter().flat_map(|section| section.things.iter());
    let topics = sections.iter().map(|section| section.topic);
    let mut names: Vec<&str> = things
        .map(Thing::bare_name)
        .chain(topics)
        .chain([ALL_SETTINGS])
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the sections of the topic `name`, or else the things called `name`.
///
/// # Errors
/// If there are neither. The message suggests a similar name.
fn chosen(sections: Vec<Section>, name: &str) -> Result<Choice, String> {
    let bare = name.trim_matches(['[', ']']);
    if sections.iter().any(|section| section.is_of(bare)) {
        let of_topic = sections.into_iter().filter(|section| section.is_of(bare));
        return Ok(Choice::Topics(of_topic.collect()));
    }
    let names = names(&sections);
    if !names.contains(&bare) {
        return Err(format!(
            "no topic and no thing has the name `{}`; {}",
            escaped(name),
            suggest(name, &names)
        ));
    }
    let of_name = |mut section: Section| {
        section.things.retain(|thing| thing.bare_name() == bare);
        section
    };
    let sections = sections.into_iter().map(of_name);
    Ok(Choice::Things(
        sections
            .filter(|section| !section.things.is_empty())
            .collect(),
    ))
}

fn text(sections: &[Section], with_keys: bool) -> String {
    let mut text = String::new();
    for section in sections {
        line!(text, "{}", section.title);
        for Thing { name, about, keys } in &section.things {
            line!(text, "  {name:<14} {about}");
            for Key { name, meaning, .. } in keys.iter().filter(|_| with_keys) {
                line!(text, "      {name:<20} {meaning}");
            }
        }
    }
    if !with_keys {
        line!(
            text,
            "\n`fabricsim list NAME` prints the keys of one of these, `--all` the keys of all."
        );
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

/// Returns everything, in the order of the list.
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
            "event",
            "Failures and repairs: [[event]] kind = \"...\"",
            event::KINDS.iter().copied().map(Thing::new).collect(),
        ),
        of(
            "discipline",
            "Queue disciplines of TCP: [[queue]] discipline = { kind = \"...\" }",
            registry.disciplines().map(Thing::new).collect(),
        ),
        of(
            "policy",
            "Routing policies: [routing] policy = \"...\" or { kind = \"...\" }",
            policies.collect(),
        ),
        of(
            "table",
            "Tables",
            tables::tables().into_iter().map(Thing::new).collect(),
        ),
    ]
}
