//! The flows of results that count: arguments of several commands.

use std::collections::BTreeSet;
use std::path::Path;

use fabricsim::Error;
use fabricsim_base::units::Duration;
use fabricsim_report::{Cut, CutEnd, FctRecord};

use super::places::{Place, places};
use super::{fct_file, read_flows};
use crate::console::note;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FlowSelection {
    /// Only flows of this class (in an fct.txt of the published simulator: the destination port)
    #[arg(long, value_name = "N")]
    pub(crate) class: Option<u16>,

    /// Leave out flows that start less than this after the first start
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub(crate) warm_up: Duration,
}

impl FlowSelection {
    /// Returns the flows of the chosen class.
    ///
    /// # Errors
    /// If there are flows, but none of this class.
    pub(crate) fn of_class(
        &self,
        path: &Path,
        mut records: Vec<FctRecord>,
    ) -> Result<Vec<FctRecord>, Error> {
        let Some(class) = self.class else {
            return Ok(records);
        };
        let classes: BTreeSet<u16> = records.iter().map(|record| record.class.0).collect();
        if !classes.is_empty() && !classes.contains(&class) {
            return Err(no_such_class(path, class, &classes));
        }
        records.retain(|record| record.class.0 == class);
        Ok(records)
    }

    /// Returns the flows that count.
    ///
    /// # Errors
    /// The same as [`of_class`](Self::of_class).
    pub(crate) fn apply(
        &self,
        path: &Path,
        records: Vec<FctRecord>,
    ) -> Result<Vec<FctRecord>, Error> {
        let records = self.of_class(path, records)?;
        let cut = Cut {
            warm_up: self.warm_up,
            end: CutEnd::CoolDown(Duration::ZERO),
        };
        Ok(cut.apply(&records).kept)
    }

    /// Reads the flows at `path` that count.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<FctRecord>, Error> {
        self.apply(path, read_flows(path)?)
    }

    /// Describes the selection in a few words; empty if all flows count.
    pub(crate) fn describe(&self) -> String {
        let class = self.class.map(|class| format!("flows of class {class}"));
        let warm_up =
            (self.warm_up > Duration::ZERO).then(|| format!("without the first {}", self.warm_up));
        let parts: Vec<String> = class.into_iter().chain(warm_up).collect();
        parts.join(", ")
    }
}

pub(crate) fn no_such_class(path: &Path, class: u16, classes: &BTreeSet<u16>) -> Error {
    let there_are: Vec<String> = classes.iter().map(u16::to_string).collect();
    Error::Unsupported {
        scenario: path.display().to_string(),
        message: format!("no flow has class {class}"),
        help: format!("the classes of its flows are {}", there_are.join(", ")),
    }
}

/// Returns the places at `paths` that have flows. A point of a sweep without flows is left out with
/// a note.
pub(crate) fn places_with_flows(paths: &[std::path::PathBuf]) -> Result<Vec<Place>, Error> {
    let all = places(paths)?;
    let (with, without): (Vec<Place>, Vec<Place>) = all
        .into_iter()
        .partition(|place| !place.is_point || fct_file(&place.path).exists());
    for place in without {
        note!(
            "{} has no flows: the point has failed or has not run",
            place.path.display()
        );
    }
    if with.is_empty() {
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        return Err(Error::Unsupported {
            scenario: names.join(", "),
            message: "no point of the sweep has results".to_owned(),
            help: "run the sweep first".to_owned(),
        });
    }
    Ok(with)
}
