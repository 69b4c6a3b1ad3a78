//! Quantities of runs over time.

use std::collections::BTreeMap;
use std::path::Path;

use clap::ValueEnum;
use fabricsim::Error;
use fabricsim_base::units::Duration;
use fabricsim_plot::figure::{
    Figure, FlowWords, Quantity, Selection, Subject, TimeRun, TimeView, ValueScale,
    read_time_lines, time_figure,
};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use super::{Drawing, capitalized, refused};
use crate::results::refuse_mixture;

#[derive(Debug, clap::Args)]
pub(super) struct SeriesArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Quantity to draw
    #[arg(long, value_enum, default_value = "queue")]
    of: SeriesKind,

    /// Only ports of this node, a number or a name (can be repeated)
    #[arg(long)]
    node: Vec<String>,

    /// Only ports with this number (can be repeated)
    #[arg(long)]
    port: Vec<u64>,

    /// Only this flow (can be repeated)
    #[arg(long)]
    flow: Vec<u64>,

    /// Begin at this simulated time, such as 200us
    #[arg(long, value_name = "TIME", default_value = "0s")]
    from: Duration,

    /// End at this simulated time [default: the end of the run]
    #[arg(long, value_name = "TIME")]
    to: Option<Duration>,

    /// Logarithmic axis of values, on which zero has no position
    #[arg(long)]
    log: bool,

    /// Largest number of series over all results; series with the largest sums are drawn
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=100))]
    most: u16,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SeriesKind {
    /// Queue of a switch port
    Queue,
    /// Utilization of a link
    Utilization,
    /// Time for which a port was paused, per interval
    Paused,
    /// Packets that a port marked, per interval
    Marks,
    /// Packets that a port dropped or its link lost, per interval
    Drops,
    /// Sending rate of a flow, as its algorithm sets it
    Rate,
    /// Window of a flow
    Window,
    /// Smoothed round-trip time of a flow over TCP
    Rtt,
    /// Smoothed round-trip time of a flow over TCP, less its shortest one
    QueueingDelay,
    /// Acknowledged throughput of a flow
    Throughput,
    /// Acknowledged throughput of all flows together
    TotalThroughput,
}

impl SeriesKind {
    const fn quantity(self) -> Quantity {
        match self {
            Self::Queue => Quantity::Queue,
            Self::Utilization => Quantity::Utilization,
            Self::Paused => Quantity::Paused,
            Self::Marks => Quantity::Marks,
            Self::Drops => Quantity::Drops,
            Self::Rate => Quantity::Rate,
            Self::Window => Quantity::Window,
            Self::Rtt => Quantity::RoundTrip,
            Self::QueueingDelay => Quantity::QueueingDelay,
            Self::Throughput => Quantity::Throughput,
            Self::TotalThroughput => Quantity::TotalThroughput,
        }
    }
}

/// Draws quantities of runs over time.
pub(super) fn series(args: &SeriesArgs) -> Result<Figure, Error> {
    let quantity = args.of.quantity();
    let of_ports = !args.node.is_empty() || !args.port.is_empty();
    let refuse = |message, help| Err(refused(&args.drawing, message, help));
    match quantity.subject() {
        Subject::Flow if of_ports => {
            return refuse(
                "these are series of flows, and --node and --port choose series of ports",
                "choose them with --flow",
            );
        }
        Subject::Port if !args.flow.is_empty() => {
            return refuse(
                "these are series of ports, and --flow chooses series of flows",
                "choose them with --node and --port",
            );
        }
        Subject::Run if of_ports || !args.flow.is_empty() => {
            return refuse(
                "this is the sum over all flows of a run, so there is nothing to select",
                "leave --node, --port and --flow out, or draw `--of throughput`",
            );
        }
        Subject::Port | Subject::Flow | Subject::Run => {}
    }
    if args.to.is_some_and(|to| to <= args.from) {
        return refuse(
            "--to is not after --from",
            "give an interval such as --from 1ms --to 2ms",
        );
    }
    let selection = Selection {
        nodes: args.node.clone(),
        ports: args.port.clone(),
        flows: args.flow.clone(),
    };
    let mut runs = Vec::new();
    for (place, name) in args.drawing.places()? {
        let path = &place.path;
        refuse_mixture(path)?;
        let file = match path.is_dir() {
            true => path.join(quantity.file()),
            false => path.clone(),
        };
        if path.is_dir() && !file.exists() {
            let file = quantity.file();
            return refuse(
                &format!("there is no {file}"),
                "enable it in [observe] of the scenario, see docs/scenarios.md",
            );
        }
        let text = read_text(FileKind::RESULTS, &file)?;
        let summary = summary_of(&file);
        let words = flow_words(&summary, names_beside(&file));
        let lines = read_time_lines(&text, quantity, &selection, &words);
        runs.push(TimeRun {
            name,
            lines: lines
                .map_err(|error| Error::input(&file.display().to_string(), &text, error))?,
            events: events(&summary, &words.nodes),
        });
    }
    let title = args.drawing.title(&capitalized(&quantity.to_string()));
    let nanoseconds = |time: Duration| time.as_ps() as f64 / 1e3;
    let view = TimeView {
        from: nanoseconds(args.from),
        upto: args.to.map(nanoseconds),
        scale: match args.log {
            true => ValueScale::Log,
            false => ValueScale::Linear,
        },
    };
    let most = usize::from(args.most);
    Ok(time_figure(&title, quantity, &runs, most, view))
}

/// Returns the summary of the run that wrote `file`; `Null` if there is none.
fn summary_of(file: &Path) -> Value {
    let text = read_text(FileKind::SUMMARY, &file.with_file_name("summary.json")).ok();
    let summary = text.and_then(|text| serde_json::from_str(&text).ok());
    summary.unwrap_or(Value::Null)
}

/// Returns the words for flows: the names of `nodes`, and the algorithm of each class of the
/// scenario in `summary`, with the number of the class if there are several.
pub(crate) fn flow_words(summary: &Value, nodes: BTreeMap<u64, String>) -> FlowWords {
    let scenario = &summary["scenario"];
    let workloads = scenario["workload"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    // `[[class]]` has the algorithms of classes with one of their own, which are workloads or not.
    let classes = scenario["class"].as_array().map_or(&[][..], Vec::as_slice);
    let of_class = |class: u64| {
        let own = classes
            .iter()
            .find(|own| own["id"].as_u64() == Some(class))?;
        own.pointer("/cc/kind")
    };
    let describe = |(class, workload): (u64, &Value)| {
        let own = workload
            .pointer("/cc/kind")
            .or_else(|| of_class(class))
            .or_else(|| scenario.pointer("/cc/kind"));
        let algorithm = own.and_then(Value::as_str).map(str::to_owned);
        let number = (workloads.len() > 1 || !classes.is_empty()).then(|| format!("class {class}"));
        let words: Vec<String> = number.into_iter().chain(algorithm).collect();
        (class, words.join(", "))
    };
    let is_of_list = |class: &u64| usize::try_from(*class).is_ok_and(|own| own >= workloads.len());
    let ids = classes.iter().filter_map(|own| own["id"].as_u64());
    let of_lists = ids.filter(is_of_list).map(|class| (class, &Value::Null));
    FlowWords {
        nodes,
        classes: (0..).zip(workloads).chain(of_lists).map(describe).collect(),
    }
}

/// Returns the names of nodes by their numbers from the `topology.csv` beside `file`. The map is
/// empty if there is no such file.
pub(crate) fn names_beside(file: &Path) -> BTreeMap<u64, String> {
    let text = read_text(FileKind::RESULTS, &file.with_file_name("topology.csv"));
    let text = text.unwrap_or_default();
    // The columns begin with `node,name`, and names have no commas.
    let row = |line: &str| {
        let (node, rest) = line.split_once(',')?;
        let (name, _) = rest.split_once(',')?;
        Some((node.parse().ok()?, name.to_owned()))
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// Returns the events of the scenario in `summary`: the time in nanoseconds and a description.
/// Nodes have their `names`, otherwise their numbers.
pub(crate) fn events(summary: &Value, names: &BTreeMap<u64, String>) -> Vec<(f64, String)> {
    let events = summary.pointer("/scenario/event").and_then(Value::as_array);
    let events = events.map_or(&[][..], Vec::as_slice).iter();
    events.filter_map(|own| event(own, names)).collect()
}

/// Returns the time in nanoseconds and the description of one event.
pub(crate) fn event(event: &Value, names: &BTreeMap<u64, String>) -> Option<(f64, String)> {
    let node = |value: &Value| {
        let name = value.as_u64().and_then(|number| names.get(&number));
        name.cloned().unwrap_or_else(|| value.to_string())
    };
    let at: Duration = event["at"].as_str()?.parse().ok()?;
    let kind = event["kind"].as_str()?;
    let (subject, what) = kind.split_once('-')?;
    let of = match subject {
        "switch" => format!("switch {}", node(&event["switch"])),
        _ => format!(
            "link {} - {}",
            node(&event["link"][0]),
            node(&event["link"][1])
        ),
    };
    let what = match what {
        "rate" => format!("at {}", event["rate"].as_str()?),
        "loss" => format!("loses {}", event["loss"]),
        what => what.to_owned(),
    };
    Some((at.as_ps() as f64 / 1e3, format!("{of} {what}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flows_have_their_class_and_algorithm() {
        let summary = json!({ "scenario": {
            "cc": { "kind": "hpcc" },
            "workload": [{ "kind": "poisson" }, { "kind": "incast", "cc": { "kind": "dcqcn" } }],
        } });
        let words = flow_words(&summary, BTreeMap::new());
        let classes: Vec<&String> = words.classes.values().collect();
        assert_eq!(classes, ["class 0, hpcc", "class 1, dcqcn"]);
        let of_list = json!({ "scenario": {
            "cc": { "kind": "hpcc" },
            "workload": [{ "kind": "list" }],
            "class": [{ "id": 0, "cc": { "kind": "swift" } }, { "id": 7, "cc": { "kind": "dcqcn" } }],
        } });
        let words = flow_words(&of_list, BTreeMap::new());
        let classes: Vec<(&u64, &String)> = words.classes.iter().collect();
        let [swift, dcqcn] = ["class 0, swift", "class 7, dcqcn"].map(str::to_owned);
        assert_eq!(classes, [(&0, &swift), (&7, &dcqcn)]);
        assert!(flow_words(&Value::Null, BTreeMap::new()).classes.is_empty());
    }

    #[test]
    fn events_are_told_in_a_few_words() {
        let summary = json!({ "scenario": { "event": [
            { "kind": "link-down", "at": "1ms", "link": [3, 5] },
            { "kind": "link-rate", "at": "2ms", "link": [3, 5], "rate": "10Gbps" },
            { "kind": "link-loss", "at": "2ms", "link": [3, 5], "loss": 0.01 },
            { "kind": "switch-up", "at": "3us", "switch": 7 },
        ] } });
        let names = BTreeMap::from([(7, "spine0".to_owned())]);
        let events = events(&summary, &names);
        let words: Vec<&str> = events.iter().map(|(_, words)| words.as_str()).collect();
        assert_eq!(
            words,
            [
                "link 3 - 5 down",
                "link 3 - 5 at 10Gbps",
                "link 3 - 5 loses 0.01",
                "switch spine0 up"
            ]
        );
        assert!((events[0].0 - 1e6).abs() < 1e-9 && (events[3].0 - 3e3).abs() < 1e-9);
    }
}
