//! Slowdowns of the flows of a sweep's points: of one class, or of all seeds together.

use std::path::Path;

use fabricsim::Error;
use fabricsim_report::{
    FctRecord, Percentile, ReplicaMean, SizeClass, SweepCurves, SweepTable, percentile,
};

use crate::results::{FlowSelection, fct_file};

/// The flows of the points of a sweep that count.
pub(super) struct SweepFlows<'s> {
    /// The folder of the sweep.
    pub(super) folder: &'s Path,
    pub(super) selection: &'s FlowSelection,
    pub(super) size: SizeClass,
}

impl SweepFlows<'_> {
    /// Returns the slowdowns of `point` in increasing order; `None` if it has no flows.
    fn slowdowns(&self, point: &str) -> Result<Option<Vec<f64>>, Error> {
        let folder = self.folder.join("points").join(point);
        if !fct_file(&folder).exists() {
            return Ok(None);
        }
        let mut records = self.selection.read(&folder)?;
        records.retain(|record| self.size.contains(record.size));
        let mut slowdowns: Vec<f64> = records.iter().map(FctRecord::slowdown).collect();
        slowdowns.sort_unstable_by(f64::total_cmp);
        Ok(Some(slowdowns))
    }

    /// Adds the columns `names` to `table`: the number of flows of each point, and their slowdown at
    /// the percentile `of`, or the mean.
    pub(super) fn add_columns(
        &self,
        table: &mut SweepTable,
        names: [String; 2],
        of: Option<Percentile>,
    ) -> Result<(), Error> {
        table.add_columns(names, |point| {
            let Some(slowdowns) = self.slowdowns(point)? else {
                return Ok([String::new(), String::new()]);
            };
            let value = match of {
                Some(of) => percentile(&slowdowns, of.fraction()),
                None => {
                    let count = slowdowns.len().max(1) as f64;
                    let mean = slowdowns.iter().sum::<f64>() / count;
                    Some(mean).filter(|_| !slowdowns.is_empty())
                }
            };
            let value = value.map_or_else(String::new, |value| value.to_string());
            Ok([slowdowns.len().to_string(), value])
        })
    }

    /// Gives `curves` the percentile `of` of the flows of all seeds together, wherever each seed alone
    /// has too few.
    pub(super) fn pool(&self, curves: &mut SweepCurves, of: Percentile) -> Result<(), Error> {
        for (curve, place, points) in std::mem::take(&mut curves.lacking) {
            let mut together = Vec::new();
            for point in &points {
                together.extend(self.slowdowns(point)?.unwrap_or_default());
            }
            together.sort_unstable_by(f64::total_cmp);
            let known = of.is_known_of(together.len());
            let Some(mean) = percentile(&together, of.fraction()).filter(|_| known) else {
                continue;
            };
            curves.curves[curve].1[place] = Some(ReplicaMean {
                replications: 1,
                mean,
                deviation: None,
                interval: None,
            });
            curves.pooled += 1;
            curves.too_few -= points.len();
        }
        Ok(())
    }
}
