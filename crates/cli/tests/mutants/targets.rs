//! Processing of a text of each kind, and the conditions for any text.

use std::path::Path;

use fabricsim::{Error, Scenario, Simulation};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Duration, Rate, Time};
use fabricsim_experiments::Sweep;
use fabricsim_experiments::harm::{HarmSettings, HarmTest, read_workload};
use fabricsim_experiments::judge::read_published;
use fabricsim_plot::figure::{
    FlowWords, Quantity, Selection, TimeRun, TimeView, read_time_lines, time_figure,
};
use fabricsim_report::observed::{
    fairness_over_time, link_uses, paused_ports, read_flow_samples, read_links, read_pauses,
    read_queue_distribution,
};
use fabricsim_report::{
    BinRule, BinTable, Confidence, Percentile, SizeBins, SlowdownTable, bins_csv, compare,
    equal_count_bins, read_fct, read_hpcc_fct,
};
use fabricsim_topology::{GraphmlConfig, parse_hpcc};
use fabricsim_workload::{
    FlowTimes, GraphConfig, Host, ListFormat, Names, RankTrace, SizeCdf, TraceForm, TraceImport,
    Workload, WorkloadContext, detect, goal_binary_to_text, parse_connection_matrix, parse_csv,
    parse_hpcc_flows,
};

/// A kind of input.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Kind {
    Scenario,
    Sweep,
    Override,
    Topology,
    Graphml,
    FlowsCsv,
    FlowsTxt,
    Sizes,
    FctCsv,
    FctTxt,
    Harm,
    HarmWorkload,
    Published,
    Observed,
    Graph,
    Profile,
    GoalBinary,
    Chakra,
    TraceJson,
    Kineto,
}

impl Kind {
    /// Returns `true` if such a file is read as bytes.
    pub(crate) const fn is_binary(self) -> bool {
        matches!(
            self,
            Self::GoalBinary | Self::Chakra | Self::TraceJson | Self::Kineto
        )
    }
}

/// Outcome of processing a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    Used,
    Refused,
}

/// Simulated time for which networks run. Networks beyond the next two limits are built, but do not
/// run.
const RUN: Duration = Duration::from_us(20);
const MOST_NODES: usize = 200;
const MOST_FLOWS: f64 = 10_000.0;

/// Words of libraries that no message may show.
pub(crate) const RAW: [&str; 4] = [
    "invalid type",
    "invalid value",
    "expected struct",
    "missing field",
];

/// The scenario that an override changes.
const CHANGED: &str = include_str!("../../../../examples/scenarios/default.toml");

/// Processes `text`, a file in `folder`, as the command does.
///
/// # Errors
/// If a condition is violated: a refusal without a place or without a suggested fix.
pub(crate) fn judge(kind: Kind, text: &str, folder: &Path) -> Result<Verdict, String> {
    let context = context();
    match kind {
        Kind::Scenario => of_error(build(Scenario::from_text("x.toml", text, folder, &[]))),
        Kind::Override => of_error(build(Scenario::from_text(
            "default.toml",
            CHANGED,
            folder,
            &[text.to_owned()],
        ))),
        Kind::Sweep => of_error(Sweep::from_text("x.toml", text, folder, &[]).map(drop)),
        Kind::Harm => of_error(
            HarmSettings::from_text("x.toml", text)
                .and_then(|settings| HarmTest::new(settings, folder))
                .map(drop),
        ),
        Kind::Topology => of_input(text, parse_hpcc(text)),
        Kind::Graphml => of_input(text, GraphmlConfig::new("x.graphml").read(text)),
        Kind::FlowsCsv => of_input(text, parse_csv(text, &context)),
        Kind::FlowsTxt => match detect(text) {
            ListFormat::ConnectionMatrix => of_input(text, parse_connection_matrix(text, &context)),
            _ => of_input(text, parse_hpcc_flows(text, &context, FlowTimes::Exact)),
        },
        Kind::Sizes => of_input(
            text,
            SizeCdf::parse(text).map(|sizes| {
                for u in [0.0, 0.5, 1.0 - f64::EPSILON] {
                    assert!(sizes.sample(u) <= sizes.max(), "a size above the largest");
                }
                assert!(sizes.mean().is_finite(), "a mean of {}", sizes.mean());
            }),
        ),
        Kind::FctCsv => of_input(text, read_fct(text).map(|records| sum_up(&records))),
        Kind::FctTxt => of_input(text, read_hpcc_fct(text).map(|records| sum_up(&records))),
        Kind::HarmWorkload => of_input(text, read_workload(text).map(drop)),
        Kind::Published => of_input(text, read_published(text).map(drop)),
        Kind::Observed => observed(text),
        Kind::Graph => of_input(text, graph(text, &context)),
        Kind::Profile => of_input(text, GraphConfig::new("x.graph.csv").load_profile(text)),
        Kind::GoalBinary | Kind::Chakra | Kind::TraceJson | Kind::Kineto => {
            judge_binary(kind, text.as_bytes(), &context)
        }
    }
}

/// Processes `bytes` as the command does with such a file.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_bytes(kind: Kind, bytes: &[u8]) -> Result<Verdict, String> {
    judge_binary(kind, bytes, &context())
}

/// The calls of the host for a mutant of a trace of Kineto.
pub(crate) const HOST_TRACE: &str = r#"{"schema": "1.0.1", "nodes": [
  {"id": 1, "name": "[pytorch|profiler|execution_graph|thread]", "parent": 0, "rf_id": 0, "tid": 1,
   "inputs": [], "input_types": []},
  {"id": 2, "name": "nccl:all_reduce", "parent": 1, "rf_id": 3, "tid": 1,
   "inputs": [[1, 2, 0, 50, 4, "cuda:0"]], "input_types": ["Tensor(float)"]}]}"#;

/// Imports the trace of one rank.
fn import(trace: RankTrace) -> Result<String, InputError> {
    let imported = TraceImport::new("ring").convert(&[trace]);
    imported.map(|trace| trace.csv).map_err(|error| {
        let place = error.place.unwrap_or(0..0);
        InputError::new(place, error.message, error.help)
    })
}

fn judge_binary(kind: Kind, bytes: &[u8], context: &WorkloadContext) -> Result<Verdict, String> {
    let text = match kind {
        Kind::GoalBinary => goal_binary_to_text(bytes),
        Kind::TraceJson => import(RankTrace::new(TraceForm::Json, bytes.to_vec())),
        Kind::Kineto => import(RankTrace {
            kineto: Some(bytes.to_vec()),
            ..RankTrace::new(TraceForm::Json, HOST_TRACE.as_bytes().to_vec())
        }),
        _ => import(RankTrace::new(TraceForm::Protobuf, bytes.to_vec())),
    };
    match text {
        Ok(text) => of_input(&text, graph(&text, context)),
        // An error of a text has a place in it; any other has none.
        Err(error) => {
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            of_input(text, Err::<(), _>(error))
        }
    }
}

/// Reads operations, and assigns them to hosts if there are enough.
fn graph(text: &str, context: &WorkloadContext) -> Result<(), InputError> {
    let mut config = GraphConfig::new("x.graph.csv");
    config.load(text, context, FlowTimes::Exact)?;
    if config.expected(context).is_ok() {
        let applications = config.applications(context, ClassId(0));
        assert!(
            applications.is_ok_and(|all| !all.is_empty()),
            "ranks have hosts"
        );
    }
    Ok(())
}

/// Returns hosts for flows and ranks.
fn context() -> WorkloadContext {
    let hosts = (0..16)
        .map(|n| Host {
            id: NodeId(n),
            rate: Rate::from_gbps(100),
        })
        .collect();
    WorkloadContext {
        hosts,
        seed: 1,
        index: 0,
        names: Names::default(),
        reducers: None,
    }
}

/// Builds the network of a scenario and, if it is small, runs it briefly.
fn build(scenario: Result<Scenario, Error>) -> Result<(), Error> {
    let scenario = scenario?;
    let mut simulation = Simulation::new(&scenario, 1)?;
    let _ = scenario.resolved().to_string();
    let small =
        scenario.topology().len() <= MOST_NODES && simulation.expected().flows <= MOST_FLOWS;
    if small {
        simulation.run_until(Time::ZERO + RUN);
        for completion in simulation.take_completions() {
            let record = simulation.record(&completion);
            assert!(record.slowdown() >= 1.0, "a slowdown below 1");
        }
    }
    Ok(())
}

/// Computes everything that the commands derive from records.
fn sum_up(records: &[fabricsim_report::FctRecord]) {
    let percentiles = [Percentile::P50, Percentile::P99];
    let bins = SizeBins::of_equal_count(records, 20, BinRule::AllFlows);
    let table = BinTable::new(&bins, &percentiles, Confidence::P95);
    let _ = format!("{table:#}{}", table.csv_header());
    for rule in [BinRule::Published, BinRule::AllFlows] {
        let _ = bins_csv(&equal_count_bins(records, 20, rule));
    }
    let _ = SlowdownTable::new(records);
    let _ = compare(records, records);
}

fn observed(text: &str) -> Result<Verdict, String> {
    let mut verdict = Verdict::Refused;
    let mut add = |read: Result<(), InputError>| {
        if of_input(text, read)? == Verdict::Used {
            verdict = Verdict::Used;
        }
        Ok::<(), String>(())
    };
    add(read_queue_distribution(text).map(drop))?;
    add(read_links(text).map(|samples| drop(link_uses(&samples))))?;
    add(read_pauses(text).map(|rows| drop(paused_ports(&rows, Time::from_ps(1)))))?;
    add(read_flow_samples(text).map(|samples| drop(fairness_over_time(&samples))))?;
    for quantity in [Quantity::Queue, Quantity::Rate] {
        let lines = read_time_lines(text, quantity, &Selection::default(), &FlowWords::default());
        add(lines.map(|lines| {
            let run = TimeRun {
                lines,
                ..TimeRun::default()
            };
            drop(time_figure("x", quantity, &[run], 8, TimeView::default()));
        }))?;
    }
    Ok(verdict)
}

fn of_input<T>(text: &str, read: Result<T, InputError>) -> Result<Verdict, String> {
    let Err(error) = read else {
        return Ok(Verdict::Used);
    };
    if error.span.start > error.span.end || error.span.end > text.len() {
        return Err(format!("{:?} of {} bytes: {error}", error.span, text.len()));
    }
    of_error(Err(Error::input("x", text, error)))
}

fn of_error(outcome: Result<(), Error>) -> Result<Verdict, String> {
    let Err(error) = outcome else {
        return Ok(Verdict::Used);
    };
    let Some(diagnostic) = error.diagnostic() else {
        return Err(format!("no place: {error}"));
    };
    let bare = |text: &str| text.trim().is_empty();
    if bare(diagnostic.help()) || bare(diagnostic.message()) || diagnostic.line() == 0 {
        return Err(format!("no help: {error}"));
    }
    for raw in RAW {
        if diagnostic.message().contains(raw) {
            return Err(format!("`{raw}` is not our word: {error}"));
        }
    }
    Ok(Verdict::Refused)
}
