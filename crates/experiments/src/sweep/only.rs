//! A part of a sweep: points with some values of its axes.

use fabricsim_base::input::InputError;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::messages::suggest;

use super::Sweep;

impl Sweep {
    /// Keeps the points that have one of the listed values, for each of `conditions` of the form
    /// `axis=value,value`. Names of points do not change.
    ///
    /// # Errors
    /// If there is no such axis or value, or if no point is left.
    pub fn only(mut self, conditions: &[String]) -> Result<Self, Error> {
        let all = self.clone();
        for condition in conditions {
            let located = |error| Error::input("--only", condition, error);
            let (axis, values) = all.condition(condition).map_err(located)?;
            self.points
                .retain(|point| values.contains(&point.values()[axis].as_str()));
            if self.points.is_empty() {
                return Err(located(InputError::new(
                    0..condition.len(),
                    "no run matches this and the conditions before it",
                    "leave one of the conditions out",
                )));
            }
        }
        Ok(self)
    }

    /// Returns the axis and the values of a condition. Each value exists at some point.
    fn condition<'c>(&self, text: &'c str) -> Result<(usize, Vec<&'c str>), InputError> {
        let Some((name, values)) = text.split_once('=') else {
            return Err(InputError::new(
                0..text.len(),
                "this is not a condition",
                "write axis=value or axis=value,value",
            ));
        };
        let axes: Vec<&str> = self.axes().iter().map(String::as_str).collect();
        let Some(axis) = axes.iter().position(|axis| *axis == name) else {
            return Err(InputError::new(
                0..name.len(),
                format!("there is no axis `{name}`"),
                suggest(name, &axes),
            ));
        };
        let mut known: Vec<&str> = Vec::new();
        for point in self.points() {
            let value = point.values()[axis].as_str();
            if !known.contains(&value) {
                known.push(value);
            }
        }
        let mut at = name.len() + 1;
        let mut wanted = Vec::new();
        for value in values.split(',') {
            if !known.contains(&value) {
                return Err(InputError::new(
                    at..at + value.len(),
                    format!("axis `{name}` has no value `{value}`"),
                    suggest(value, &known),
                ));
            }
            at += value.len() + 1;
            wanted.push(value);
        }
        Ok((axis, wanted))
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Duration;

    use super::*;
    use crate::reproduce::Preset;

    fn sweep(preset: &str) -> Sweep {
        let preset = Preset::named(preset).expect("a preset");
        preset.sweep(Duration::from_ms(1), &[]).expect("a sweep")
    }

    fn part(preset: &str, conditions: &[&str]) -> Result<Sweep, String> {
        let conditions: Vec<String> = conditions.iter().map(ToString::to_string).collect();
        let part = sweep(preset).only(&conditions);
        part.map_err(|error| error.to_string())
    }

    #[test]
    fn a_part_has_the_points_of_the_whole() {
        let conditions = [
            "load=0.7",
            "scheme=HPCC-INT,HPCC-PINT",
            "workload=websearch",
        ];
        let both = part("hpcc-results", &conditions).expect("two points");
        let names: Vec<&str> = both.points().iter().map(|point| point.name()).collect();
        assert_eq!(
            names,
            [
                "workload=websearch,load=0.7,scheme=HPCC-INT",
                "workload=websearch,load=0.7,scheme=HPCC-PINT",
            ]
        );
        let whole = sweep("hpcc-results");
        for point in both.points() {
            let same = whole.points().iter().find(|all| all.name() == point.name());
            let same = same.expect("a point of the whole");
            assert_eq!(same.scenario_checksum(), point.scenario_checksum());
        }
        let all = part("hpcc-results", &[]).expect("all points");
        assert_eq!(all.points().len(), whole.points().len());
    }

    /// The text of the sweep has `[[only]]` tables, too.
    #[test]
    fn a_part_of_a_selection_is_smaller() {
        let whole = sweep("buffer-sizing");
        let some = part("buffer-sizing", &["experiment=flooding", "seed=1"]).expect("points");
        assert!((1..whole.points().len()).contains(&some.points().len()));
        let mut names = some.points().iter().map(|point| point.name());
        assert!(names.all(|name| name.contains("experiment=flooding") && name.contains("seed=1")));
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (conditions, said) in [
            (&["lod=0.7"][..], "there is no axis `lod`"),
            (&["load=0.75"], "axis `load` has no value `0.75`"),
            (&["load"], "this is not a condition"),
            (&["load=0.5", "load=0.7"], "no run matches this"),
        ] {
            let error = part("hpcc-results", conditions).expect_err("a fault");
            assert!(error.contains(said), "{error}");
        }
    }
}
