//! A point of a sweep: one scenario with a name.

use std::path::{Path, PathBuf};

use fabricsim::identity::{origin_of, origin_of_branch};
use fabricsim::output::Origin;
use fabricsim::simulation::Expectation;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;

use super::warm::WarmStart;

/// The longest name of a point in bytes: the limit of file systems, minus room for extensions.
pub(super) const LONGEST_NAME: usize = 200;

/// One scenario of a sweep.
#[derive(Clone, Debug)]
pub struct Point {
    name: String,
    values: Vec<String>,
    scenario: Scenario,
    expected: Expectation,
    origin: Origin,
}

impl Point {
    pub(super) fn new(
        name: String,
        values: Vec<String>,
        scenario: Scenario,
        warm_start: Option<&WarmStart>,
    ) -> Result<Self, Error> {
        let mut expected = Expectation::default();
        for (index, workload) in scenario.workloads().iter().enumerate() {
            let share = workload
                .expected(&scenario.workload_context(index))
                .expect("what a workload expects was asked when it was read");
            expected.flows += share.flows;
            expected.bytes += share.bytes;
        }
        Ok(Self {
            name,
            values,
            origin: match warm_start {
                None => origin_of(&scenario)?,
                Some(warm) => origin_of_branch(&scenario, warm.checkpoint())?,
            },
            scenario,
            expected,
        })
    }

    /// Returns `axis=value` for each axis, joined by commas. It is also the name of the point's
    /// folder.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value of each axis, in the order of [`Sweep::axes`](super::Sweep::axes).
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Returns the load of the first workload that has one: payload over the rate of the host
    /// links. It is zero if no workload has a load.
    #[must_use]
    pub fn load(&self) -> f64 {
        let mut workloads = self.scenario.workloads().iter();
        let load = workloads.find_map(|workload| workload.load_factor());
        load.unwrap_or(0.0)
    }

    /// Returns the scenario.
    #[must_use]
    pub const fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the flows and bytes that its workloads are expected to produce.
    #[must_use]
    pub const fn expected(&self) -> Expectation {
        self.expected
    }

    /// Returns a checksum of everything on which the results depend: the settings with all
    /// defaults, the files that they name, and the version of fabricsim.
    #[must_use]
    pub fn scenario_checksum(&self) -> &str {
        self.origin.checksum()
    }

    /// Returns the identity of the results: everything on which they depend.
    pub(super) const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the folder of the results in `sweep`, the folder of the sweep.
    #[must_use]
    pub fn folder(&self, sweep: &Path) -> PathBuf {
        points_folder(sweep).join(&self.name)
    }
}

/// Returns the folder with the folders of points.
pub(super) fn points_folder(sweep: &Path) -> PathBuf {
    sweep.join("points")
}

/// Returns the name of the point with these axes and values.
pub(super) fn folder_name<'p>(parts: impl Iterator<Item = (&'p str, &'p str)>) -> String {
    let parts: Vec<String> = parts
        .map(|(axis, value)| format!("{axis}={value}"))
        .collect();
    parts
        .join(",")
        .chars()
        .map(|c| match c {
            '.' | '_' | '+' | '=' | ',' | '-' => c,
            _ if c.is_ascii_alphanumeric() => c,
            _ => '_',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_folders_everywhere() {
        let parts = [
            ("load", "0.5"),
            ("scheme", "HPCC+w / 2"),
            ("hosts", "0..16"),
        ];
        assert_eq!(
            folder_name(parts.into_iter()),
            "load=0.5,scheme=HPCC+w___2,hosts=0..16"
        );
    }
}
