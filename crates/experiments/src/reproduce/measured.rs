//! The results of the points of a preset.

use std::path::{Path, PathBuf};

use fabricsim_base::id::ClassId;
use fabricsim_report::{Cut, FctRecord, read_fct};

use super::point_facts::PointFacts;
use crate::sweep::{Point, PointResults, PointState, Sweep};
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

/// The class of the judged flows. All other classes (incasts) only disturb them.
const JUDGED: ClassId = ClassId(0);

/// Reads the flows of points, one point at a time, and records the facts about each point.
pub(super) struct Measured<'s> {
    sweep: &'s Sweep,
    dir: PathBuf,
    cut: Cut,
    facts: Vec<PointFacts>,
}

impl<'s> Measured<'s> {
    pub(super) fn new(sweep: &'s Sweep, dir: &Path, cut: Cut) -> Self {
        Self {
            sweep,
            dir: dir.to_owned(),
            cut,
            facts: Vec::new(),
        }
    }

    /// Returns the value of `axis` at `point`.
    pub(super) fn value<'p>(&self, point: &'p Point, axis: &str) -> Option<&'p str> {
        let place = self.sweep.axes().iter().position(|name| name == axis)?;
        point.values().get(place).map(String::as_str)
    }

    /// Returns the folder of the sweep.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the cut that selects the flows that count.
    pub(super) const fn cut(&self) -> Cut {
        self.cut
    }

    /// Records the facts about a point that was read elsewhere.
    pub(super) fn note(&mut self, facts: PointFacts) {
        self.facts.push(facts);
    }

    /// Returns all points.
    pub(super) fn points(&self) -> &'s [Point] {
        self.sweep.points()
    }

    /// Returns the sums of `point`, counting all its flows; `None` if it has no results.
    pub(super) fn results(&mut self, point: &Point) -> Option<PointResults> {
        let mut facts = PointFacts::new(point.name());
        let results = match PointState::of(point, &self.dir) {
            PointState::Done(results) => Some(*results),
            _ => None,
        };
        if let Some(results) = &results {
            facts.fill(
                results,
                usize::try_from(results.flows.finished).unwrap_or(usize::MAX),
            );
        }
        self.facts.push(facts);
        results
    }

    /// Returns the flows of `point` that count; `None` if it has no results.
    pub(super) fn flows(&mut self, point: &Point) -> Result<Option<Vec<FctRecord>>, Error> {
        let mut facts = PointFacts::new(point.name());
        let PointState::Done(results) = PointState::of(point, &self.dir) else {
            self.facts.push(facts);
            return Ok(None);
        };
        let path = point.folder(&self.dir).join("fct.csv");
        let text = read_text(FileKind::RESULTS, &path)?;
        let name = path.display().to_string();
        let mut records = read_fct(&text).map_err(|error| Error::input(&name, &text, error))?;
        drop(text);
        records.retain(|record| record.class == JUDGED);
        let flows = self.cut.apply(&records);
        facts.fill(&results, flows.report.kept);
        self.facts.push(facts);
        Ok(Some(flows.kept))
    }

    /// Returns the recorded facts, in the order in which points were read.
    pub(super) fn into_facts(self) -> Vec<PointFacts> {
        self.facts
    }
}
