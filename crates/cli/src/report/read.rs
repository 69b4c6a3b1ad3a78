//! Reading of the runs of a report, the flows of one setting at a time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fabricsim::Error;
use fabricsim_base::id::ClassId;
use fabricsim_plot::figure::{CdfOf, SlowdownCurve, Style, cdf_curve};
use fabricsim_report::{
    Confidence, FctRecord, Goodput, GroupTails, Percentile, SizeClass, SlowdownTable,
    bins_for_each, group_tails, incast_rounds,
};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use super::layout::{Head, Layout};
use super::runs::{Run, SHOWN};
use crate::queries::read_queries;
use crate::results::{
    FlowSelection, PARTIAL, Place, fct_file, names, places, read_flows, read_summary,
    refuse_mixture, summary_beside,
};

/// Bins of a figure over size, at most, as in the published analysis: each has several times the
/// flows that its percentile needs, if there are so many.
const BINS: usize = 20;

/// The flows of all seeds of a setting.
#[derive(Debug, Default)]
pub(crate) struct Pooled {
    /// Slowdowns over size, of each class of flows in the order of their numbers.
    pub(super) curves: Vec<(u16, SlowdownCurve)>,
    /// Distributions of slowdowns, for classes of flows of one size.
    pub(super) of_one_size: Vec<(u16, Vec<(f64, f64)>)>,
    /// Tails of the slowdown by class and size, of the flows of all seeds together.
    pub(super) tails: Vec<GroupTails>,
    /// Distribution of completion times.
    pub(super) fct: Vec<(f64, f64)>,
    /// Distribution of slowdowns.
    pub(super) slowdown: Vec<(f64, f64)>,
}

/// Everything that a report reads.
#[derive(Debug)]
pub(super) struct Results {
    /// In the order of the caller, points of a sweep in its order.
    pub(super) runs: Vec<Run>,
    pub(super) layout: Layout,
    /// The flows of each setting of the layout.
    pub(super) pooled: Vec<Pooled>,
}

impl Results {
    /// Returns the classes and ranges of sizes that have flows in any run, in order.
    pub(super) fn groups(&self) -> Vec<(u16, SizeClass)> {
        let mut groups: Vec<(u16, SizeClass)> = Vec::new();
        for tail in self.runs.iter().flat_map(|run| &run.tails) {
            let group = (tail.class.0, tail.size);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        let order = |size: SizeClass| SizeClass::ALL.iter().position(|own| *own == size);
        groups.sort_by_key(|(class, size)| (*class, order(*size)));
        groups
    }
}

/// Reads the runs at `paths` with the flows that `selection` chooses. Each path is a folder of
/// results, a file of flows or a folder of a sweep.
///
/// The flows of one setting are in memory at a time.
pub(super) fn read_runs(paths: &[PathBuf], selection: &FlowSelection) -> Result<Results, Error> {
    let places = places(paths)?;
    let all: Vec<PathBuf> = places.iter().map(|place| place.path.clone()).collect();
    let names = names(&all);
    let summaries: Vec<Value> = places
        .iter()
        .map(|place| read_summary(&summary_of(&place.path)))
        .collect::<Result<_, _>>()?;
    let several = sweeps_of(&places).len() > 1;
    let heads: Vec<Head<'_>> = places
        .iter()
        .zip(names.iter().zip(&summaries))
        .map(|(place, (name, summary))| Head {
            name,
            summary,
            axes: axes_of(place, name, several),
        })
        .collect();
    let layout = Layout::new(&heads);
    drop(heads);
    let mut read: Vec<Option<Run>> = places.iter().map(|_| None).collect();
    let mut inputs: Vec<Option<(String, Value)>> =
        names.into_iter().zip(summaries).map(Some).collect();
    let mut pooled = Vec::new();
    for setting in &layout.settings {
        let mut replications = Vec::new();
        for &index in setting.runs.iter().flatten() {
            let (name, summary) = inputs[index].take().expect("a run is of one setting");
            let (run, records) = read_run(&places[index], name, summary, selection)?;
            read[index] = Some(run);
            replications.push(records);
        }
        pooled.push(Pooled::new(&replications));
    }
    Ok(Results {
        runs: read.into_iter().flatten().collect(),
        layout,
        pooled,
    })
}

/// Returns the path of the summary of the run at `path`.
fn summary_of(path: &Path) -> PathBuf {
    let whole = path.join("summary.json");
    let partial = path.join(PARTIAL);
    match !whole.exists() && !fct_file(path).exists() && partial.exists() {
        true => summary_beside(&partial),
        false => whole,
    }
}

/// Returns the folders of the sweeps to which `places` belong, each once.
fn sweeps_of(places: &[Place]) -> Vec<&Path> {
    let mut sweeps: Vec<&Path> = Vec::new();
    for place in places.iter().filter(|place| place.is_point) {
        let sweep = place.path.parent().and_then(Path::parent);
        sweeps.extend(sweep.filter(|sweep| !sweeps.contains(sweep)));
    }
    sweeps
}

/// Returns the values of a run on the axes of its sweep, and on the axis `sweep` if there are
/// several. Without a record of the point, they are those of its `name`.
fn axes_of(place: &Place, name: &str, several: bool) -> Option<Vec<(String, String)>> {
    let text = read_text(FileKind::SUMMARY, &place.path.join("point.json")).ok();
    let record = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let recorded = record.as_ref().and_then(|record| {
        let pair = |own: &Value| {
            let text = |key| own.get(key)?.as_str().map(str::to_owned);
            Some((text("axis")?, text("value")?))
        };
        record.get("axes")?.as_array()?.iter().map(pair).collect()
    });
    let folder = place.path.file_name().and_then(|name| name.to_str());
    let named = || axes_of_name(folder.filter(|_| place.is_point).unwrap_or(name));
    let mut axes: Vec<(String, String)> = recorded.or_else(named)?;
    if several {
        let sweep = place.path.parent().and_then(Path::parent)?;
        let sweep = sweep.file_name()?.to_string_lossy().into_owned();
        axes.insert(0, ("sweep".to_owned(), sweep));
    }
    Some(axes)
}

/// Parses the axes of a point's name: `load=0.3,scheme=HPCC`.
pub(super) fn axes_of_name(name: &str) -> Option<Vec<(String, String)>> {
    let parts = name.split(',').map(|part| part.split_once('='));
    parts
        .map(|pair| pair.map(|(axis, value)| (axis.to_owned(), value.to_owned())))
        .collect()
}

/// Reads a run and its flows.
fn read_run(
    place: &Place,
    name: String,
    summary: Value,
    selection: &FlowSelection,
) -> Result<(Run, Vec<FctRecord>), Error> {
    let path = &place.path;
    let mut remarks = Vec::new();
    refuse_mixture(path)?;
    let partial = path.join(PARTIAL);
    let whole = fct_file(path);
    // Without its flows a whole run is still not the one that was interrupted.
    let only_partial = !whole.exists()
        && partial.exists()
        && (summary.is_null() || summary["status"] == "interrupted");
    let records = if whole.exists() {
        read_flows(&whole)?
    } else if only_partial {
        remarks.push(
            "the run was interrupted: the report has only the flows of fct.partial.csv".to_owned(),
        );
        read_flows(&partial)?
    } else if place.is_point || !summary.is_null() {
        remarks.push("there is no fct.csv: the run has failed or has not finished".to_owned());
        Vec::new()
    } else {
        // The error names the missing file.
        read_flows(&whole)?
    };
    let records = selection.apply(path, records)?;
    let queries = read_queries(path, selection)?;
    let run = Run {
        name,
        path: path.clone(),
        flows: records.len(),
        tails: group_tails(&records, &SHOWN, Confidence::P95),
        incasts: incasts(&records, &summary),
        queries,
        slowdowns: SlowdownTable::new(&records),
        goodput: Goodput::of_flows_above(Goodput::LONG, &records),
        remarks,
        summary,
    };
    Ok((run, records))
}

impl Pooled {
    /// Computes figures of the flows of all seeds, `replications`.
    fn new(replications: &[Vec<FctRecord>]) -> Self {
        let records = replications.concat();
        let mut pooled = Self {
            tails: group_tails(&records, &SHOWN, Confidence::P95),
            fct: cdf_curve(&records, CdfOf::Fct),
            slowdown: cdf_curve(&records, CdfOf::Slowdown),
            ..Self::default()
        };
        for (class, flows) in by_class(&records) {
            let of_class = |records: &Vec<FctRecord>| {
                let own = records.iter().filter(|record| record.class.0 == class);
                own.copied().collect::<Vec<FctRecord>>()
            };
            let own: Vec<Vec<FctRecord>> = replications.iter().map(of_class).collect();
            let own: Vec<Vec<FctRecord>> = own
                .into_iter()
                .filter(|records| !records.is_empty())
                .collect();
            let bins = |level: Percentile| (level, bins_for_each(&own, level).min(BINS));
            let curve = SlowdownCurve::over_replications("", Style::nth(0), &own, &SHOWN.map(bins));
            if curve.has_one_size() {
                pooled
                    .of_one_size
                    .push((class, cdf_curve(&flows, CdfOf::Slowdown)));
            }
            pooled.curves.push((class, curve));
        }
        pooled
    }
}

/// Groups flows by class.
fn by_class(records: &[FctRecord]) -> Vec<(u16, Vec<FctRecord>)> {
    let mut classes: BTreeMap<u16, Vec<FctRecord>> = BTreeMap::new();
    for record in records {
        classes.entry(record.class.0).or_default().push(*record);
    }
    classes.into_iter().collect()
}

/// Returns the completion times of the incasts that `summary` names, by class.
fn incasts(records: &[FctRecord], summary: &Value) -> Vec<(u16, Vec<f64>)> {
    let workloads = summary
        .pointer("/scenario/workload")
        .and_then(Value::as_array);
    let workloads = workloads.map_or(&[][..], Vec::as_slice);
    (0u16..)
        .zip(workloads)
        .filter(|(_, workload)| workload["kind"] == "incast")
        .map(|(class, _)| {
            let rounds = incast_rounds(records, ClassId(class));
            let mut times: Vec<f64> = rounds
                .iter()
                .map(|round| round.time.as_ps() as f64 / 1e3)
                .collect();
            times.sort_unstable_by(f64::total_cmp);
            (class, times)
        })
        .filter(|(_, times)| !times.is_empty())
        .collect()
}
