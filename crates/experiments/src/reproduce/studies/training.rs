//! Public workloads of training over routing policies and congestion controls, with a failure and
//! with a slow rank.

mod bound;
mod claims;
mod extent;
mod layers;
mod model;
mod overlapped;
mod picture;
mod row;

use std::io::Write as _;
use std::path::Path;

use fabricsim::output::write_in_folder;
use fabricsim_report::observed::read_operations;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use self::claims::SLOW;
use self::model::MODELS;
use self::row::PathParts;
use super::{Study, StudyCard};
use crate::sweep::{Point, PointResults, PointState, Sweep};

pub use extent::Extent;
pub use row::TrainingRow;

/// The sweep, without the files of workloads.
const TEXT: &str = include_str!("../../../data/presets/training.toml");
/// Folder of workloads in the folder of results.
const FOLDER: &str = "workloads";

const CONTROLS: [&str; 3] = ["DCQCN", "HPCC", "NSCC"];
const ROUTINGS: [&str; 3] = ["ECMP", "spraying", "adaptive"];
const CONDITIONS: [&str; 3] = ["healthy", "failure", "straggler"];

/// Writes the workloads into `dir`, and returns the sweep over them. `overrides` (`key=value`, dotted
/// keys) change the base scenario.
///
/// # Errors
/// If a file cannot be written, an override is no key of a scenario, or its value is invalid.
pub fn sweep(extent: Extent, dir: &Path, overrides: &[String]) -> Result<Sweep, Error> {
    let folder = dir.join(FOLDER);
    std::fs::create_dir_all(&folder).map_err(|source| Error::Write {
        path: folder.clone(),
        source,
    })?;
    let mut text = TEXT.to_owned();
    for model in &MODELS {
        let name = model.file(extent);
        let content = model.workload(extent);
        write_in_folder(&folder, &name, |file| file.write_all(content.as_bytes()))?;
        let place = format!("\"{}\"", model.name.to_uppercase());
        text = text.replace(&place, &format!("\"{FOLDER}/{name}\""));
    }
    let mut changes = extent.changes();
    changes.extend(overrides.iter().cloned());
    Sweep::from_text("training.toml", &text, dir, &changes)
}

/// Judges the results of `sweep` in `dir`. Points without results are left out and listed in the
/// card. With other settings of the base scenario (`changed`), no bound is known.
///
/// # Errors
/// If a file of results cannot be read.
pub fn judge(
    study: &Study,
    extent: Extent,
    sweep: &Sweep,
    dir: &Path,
    changed: bool,
) -> Result<StudyCard, Error> {
    let mut rows = Vec::new();
    let mut missing = Vec::new();
    let (mut hops, mut cpu) = (0, 0.0);
    for point in sweep.points() {
        let PointState::Done(results) = PointState::of(point, dir) else {
            missing.push(point.name());
            continue;
        };
        hops += results.packet_hops;
        cpu += results.cpu_s;
        match row(extent, point, &results, dir, changed)? {
            Some(row) => rows.push(row),
            None => missing.push(point.name()),
        }
    }
    let workloads = MODELS.map(|model| model.name);
    let computed_us = |name: &str| {
        let mut models = MODELS.iter();
        let model = models.find(|model| model.name == name);
        model.map_or(0.0, |model| model.chain(extent, 1.0).computed_us())
    };
    let parts = MODELS.map(|model| model.part(extent)).join("; ");
    let mut notes = vec![
        parts,
        format!(
            "{} runs, {:.2} billion packet-hops, {cpu:.0} CPU seconds",
            rows.len(),
            hops as f64 / 1e9
        ),
        "exposed communication: the time of an iteration in which a rank does not compute, mean over \
         ranks; critical path: the operations that decided the end of the iteration, each of which \
         started when the one before it ended"
            .to_owned(),
    ];
    if !missing.is_empty() {
        notes.push(format!("without results: {}", missing.join("; ")));
    }
    for row in &rows {
        notes.push(line(row));
    }
    let eighth = match extent.divisor() {
        1 => String::new(),
        divisor => format!(", all sizes and computing times divided by {divisor}"),
    };
    Ok(StudyCard {
        study: study.name,
        source: study.source,
        extent: format!(
            "one iteration on {} GPUs, 8 in each server, 2 servers behind the same leaves{eighth}",
            extent.gpus()
        ),
        claims: claims::claims(&rows, &workloads, &CONTROLS, computed_us),
        notes,
        table: row::table(&rows),
        figure: picture::figure(&rows, [&workloads, &CONTROLS, &ROUTINGS, &CONDITIONS]),
    })
}

/// Returns the row of `point`; `None` if its iteration has not ended.
fn row(
    extent: Extent,
    point: &Point,
    results: &PointResults,
    dir: &Path,
    changed: bool,
) -> Result<Option<TrainingRow>, Error> {
    let Some(job) = results.jobs.first() else {
        return Ok(None);
    };
    let Some(iteration_ns) = job.iteration_mean_ns else {
        return Ok(None);
    };
    let [workload, control, routing, condition] = point.values() else {
        unreachable!("the study has four axes");
    };
    let path = point.folder(dir).join("operations.csv");
    let text = read_text(FileKind::RESULTS, &path)?;
    let name = path.display().to_string();
    let operations = read_operations(&text).map_err(|error| Error::input(&name, &text, error))?;
    let slow = if condition == "straggler" { SLOW } else { 1.0 };
    let mut models = MODELS.iter();
    let model = models.find(|model| model.name == workload);
    let bound = model.map(|model| model.chain(extent, slow).bound_us());
    let iteration_us = iteration_ns / 1e3;
    Ok(Some(TrainingRow {
        workload: workload.clone(),
        control: control.clone(),
        routing: routing.clone(),
        condition: condition.clone(),
        iteration_us,
        computation_us: iteration_us * job.rank_times.computing_share.unwrap_or(0.0),
        bound_us: bound.filter(|_| !changed),
        path: PathParts::of(&operations),
    }))
}

fn line(row: &TrainingRow) -> String {
    format!(
        "{:<9} {:<5} {:<8} {:<9} iteration {:>9.1} us  exposed {:>9.1} us  path: {}",
        row.workload,
        row.control,
        row.routing,
        row.condition,
        row.iteration_us,
        row.exposed_us(),
        row.path.describe()
    )
}
