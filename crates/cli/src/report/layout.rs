//! The runs of a report by their axes: settings, and the seeds of each.

use std::collections::BTreeMap;

use serde_json::Value;

use super::differences::flatten;
pub(super) use super::roles::Role;
use super::roles::roles;
use super::schemes::common_name;

/// The axis that numbers replications.
const SEED: &str = "seed";
/// An axis with several values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) name: String,
    /// In the order of the sweep.
    pub(super) values: Vec<String>,
    pub(super) role: Role,
}

/// Runs that differ in the seed alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) name: String,
    /// The index of its value on each axis.
    pub(super) at: Vec<usize>,
    /// Indices of its runs, in the order of seeds; `None` for a seed that it does not have.
    pub(super) runs: Vec<Option<usize>>,
}

/// The runs of a report as settings on axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub(super) axes: Vec<Axis>,
    /// In the order of the sweep.
    pub(super) settings: Vec<Setting>,
    /// The seeds, if they are known.
    pub(super) seeds: Vec<String>,
}

/// A run before its flows are read.
pub(super) struct Head<'h> {
    pub(super) name: &'h str,
    /// Its summary.json, or `Null`.
    pub(super) summary: &'h Value,
    /// Axes with their values, if it is a point of a sweep.
    pub(super) axes: Option<Vec<(String, String)>>,
}

impl Layout {
    /// Finds the axes of the runs `heads` and their settings.
    ///
    /// Points of sweeps with the same axes have these. All other runs have one axis, `setting`, by
    /// the settings of their scenarios without the seed.
    pub(super) fn new(heads: &[Head<'_>]) -> Self {
        let axes: Option<Vec<_>> = heads.iter().map(|head| head.axes.as_ref()).collect();
        let same = |all: &Vec<&Vec<(String, String)>>| {
            let names = |axes: &[(String, String)]| {
                let names = axes.iter().map(|(name, _)| name.clone());
                names.collect::<Vec<String>>()
            };
            all.windows(2).all(|pair| names(pair[0]) == names(pair[1]))
        };
        match axes.filter(same) {
            Some(axes) => Self::of_points(heads, &axes),
            None => Self::of_scenarios(heads),
        }
    }

    fn of_points(heads: &[Head<'_>], points: &[&Vec<(String, String)>]) -> Self {
        let Some(first) = points.first() else {
            return Self::default();
        };
        let is_seed = |axis: usize| {
            let name = first[axis].0.as_str();
            name == SEED || name.ends_with(".seed")
        };
        let varies = |axis: usize| points.iter().any(|point| point[axis].1 != first[axis].1);
        let varied: Vec<usize> = (0..first.len())
            .filter(|&axis| !is_seed(axis) && varies(axis))
            .collect();
        let mut axes: Vec<(String, Vec<String>)> = varied
            .iter()
            .map(|&axis| (short(&first[axis].0), Vec::new()))
            .collect();
        let seed_of = |point: &[(String, String)]| {
            let seeds = (0..point.len()).filter(|&axis| is_seed(axis));
            seeds
                .map(|axis| point[axis].1.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut places = Vec::new();
        for point in points {
            let of_axis = |(own, &axis): (&mut (String, Vec<String>), &usize)| {
                place_or_push(&mut own.1, &point[axis].1)
            };
            let at: Vec<usize> = axes.iter_mut().zip(&varied).map(of_axis).collect();
            let seed = match seed_of(point) {
                none if none.is_empty() => None,
                seed => Some(seed),
            };
            places.push((at, seed));
        }
        let roles = roles(&axes);
        let axes: Vec<Axis> = axes
            .into_iter()
            .zip(roles)
            .map(|((name, values), role)| Axis { name, values, role })
            .collect();
        let name = |at: &[usize], runs: &[usize]| match at.is_empty() {
            true => common_name(&names_of(heads, runs)),
            false => describe(&axes, at),
        };
        let (settings, seeds) = settings(&places, name);
        Self {
            axes,
            settings,
            seeds,
        }
    }

    fn of_scenarios(heads: &[Head<'_>]) -> Self {
        let mut known: Vec<Option<BTreeMap<String, String>>> = Vec::new();
        let mut places = Vec::new();
        for head in heads {
            let settings = head.summary.get("scenario").map(|scenario| {
                let mut settings = flatten(scenario);
                // Seeds of parts follow from the scenario's seed.
                settings.retain(|key, _| key != "name" && key != SEED && !key.ends_with(".seed"));
                settings
            });
            let place = known
                .iter()
                .position(|own| own.is_some() && *own == settings);
            let place = place.unwrap_or_else(|| {
                known.push(settings);
                known.len() - 1
            });
            let seed = head.summary.pointer("/scenario/seed").map(Value::to_string);
            places.push((vec![place], seed));
        }
        let name = |_: &[usize], runs: &[usize]| common_name(&names_of(heads, runs));
        let (mut settings, seeds) = settings(&places, name);
        let mut axes = vec![Axis {
            name: "setting".to_owned(),
            values: settings.iter().map(|own| own.name.clone()).collect(),
            role: Role::Alternatives,
        }];
        if settings.len() < 2 {
            axes.clear();
            settings.iter_mut().for_each(|setting| setting.at.clear());
        }
        Self {
            axes,
            settings,
            seeds,
        }
    }

    /// Returns the axes with the role of alternatives, or else of ordered values, or of variants.
    pub(super) fn of_role(&self, wanted: fn(&Role) -> bool) -> Vec<usize> {
        let axes = self.axes.iter().enumerate();
        axes.filter(|(_, axis)| wanted(&axis.role))
            .map(|(place, _)| place)
            .collect()
    }

    /// Returns the largest number of runs of a setting.
    pub(super) fn most_runs(&self) -> usize {
        let counts = self
            .settings
            .iter()
            .map(|own| own.runs.iter().flatten().count());
        counts.max().unwrap_or(0)
    }
}

impl Axis {
    /// Describes a value of the axis: `load = 0.3`, or the value itself if it has letters.
    pub(super) fn describe(&self, value: usize) -> String {
        let own = &self.values[value];
        match (&self.role, own.contains(char::is_alphabetic)) {
            (Role::Ordered(_), _) | (_, false) => format!("{} = {own}", self.name),
            _ => own.clone(),
        }
    }

    /// Returns the indices of the values, increasing if they are numbers.
    pub(super) fn increasing(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.values.len()).collect();
        if let Role::Ordered(numbers) = &self.role {
            places.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        }
        places
    }
}

/// Describes the values `at` of all `axes`.
pub(super) fn describe(axes: &[Axis], at: &[usize]) -> String {
    let parts = axes
        .iter()
        .zip(at)
        .map(|(axis, value)| axis.describe(*value));
    parts.collect::<Vec<String>>().join(", ")
}

fn names_of<'h>(heads: &[Head<'h>], runs: &[usize]) -> Vec<&'h str> {
    runs.iter().map(|&run| heads[run].name).collect()
}

/// Returns the last part of a dotted key, without underscores.
fn short(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    let last = match &parts[..] {
        [.., table, "kind"] => table,
        [.., last] => last,
        [] => name,
    };
    last.replace('_', " ")
}

/// Groups runs at `places` into settings, in the order of their first runs. The seeds of a setting
/// are in one order with all others if every run has one of its own.
fn settings(
    places: &[(Vec<usize>, Option<String>)],
    name: impl Fn(&[usize], &[usize]) -> String,
) -> (Vec<Setting>, Vec<String>) {
    let mut groups: Vec<(&[usize], Vec<usize>)> = Vec::new();
    for (run, (at, _)) in places.iter().enumerate() {
        match groups.iter_mut().find(|(own, _)| *own == at.as_slice()) {
            Some((_, runs)) => runs.push(run),
            None => groups.push((at.as_slice(), vec![run])),
        }
    }
    let mut seeds: Vec<String> = Vec::new();
    let all_known = places.iter().all(|(_, seed)| seed.is_some());
    let each_once = groups.iter().all(|(_, runs)| {
        let own: Vec<_> = runs.iter().map(|&run| &places[run].1).collect();
        (1..own.len()).all(|i| !own[..i].contains(&own[i]))
    });
    if all_known && each_once {
        for (_, seed) in places {
            place_or_push(&mut seeds, seed.as_deref().unwrap_or_default());
        }
    }
    let aligned = |runs: &[usize]| -> Vec<Option<usize>> {
        if seeds.is_empty() {
            return runs.iter().map(|&run| Some(run)).collect();
        }
        let of = |seed: &String| {
            let mut own = runs.iter().copied();
            own.find(|&run| places[run].1.as_ref() == Some(seed))
        };
        seeds.iter().map(of).collect()
    };
    let settings = groups
        .iter()
        .map(|(at, runs)| Setting {
            name: name(at, runs),
            at: at.to_vec(),
            runs: aligned(runs),
        })
        .collect();
    (settings, seeds)
}

/// Returns the place of `value` in `list`. A new value is added at the end.
fn place_or_push(list: &mut Vec<String>, value: &str) -> usize {
    let place = list.iter().position(|own| own == value);
    place.unwrap_or_else(|| {
        list.push(value.to_owned());
        list.len() - 1
    })
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Returns the layout of points with these names.
    pub(crate) fn layout(names: &[&str]) -> Layout {
        let heads: Vec<Head<'_>> = names
            .iter()
            .map(|name| Head {
                name,
                summary: &Value::Null,
                axes: super::super::read::axes_of_name(name),
            })
            .collect();
        Layout::new(&heads)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::layout;
    use super::*;

    #[test]
    fn points_are_settings_on_axes_in_the_order_of_the_sweep() {
        let layout = layout(&[
            "load=0.5,scheme=HPCC,failure=healthy,seed=1",
            "load=0.5,scheme=HPCC,failure=healthy,seed=2",
            "load=0.5,scheme=DCQCN,failure=healthy,seed=2",
            "load=0.3,scheme=DCQCN,failure=agg_down,seed=1",
        ]);
        let roles: Vec<&Role> = layout.axes.iter().map(|axis| &axis.role).collect();
        let ordered = Role::Ordered(vec![0.5, 0.3]);
        assert_eq!(roles, [&ordered, &Role::Alternatives, &Role::Variants]);
        assert_eq!(layout.axes[0].increasing(), [1, 0]);
        assert_eq!(layout.axes[2].values, ["healthy", "agg_down"]);
        let first = &layout.settings[0];
        assert_eq!(first.name, "load = 0.5, HPCC, healthy");
        assert_eq!(first.runs, [Some(0), Some(1)]);
        assert_eq!(layout.settings[1].runs, [None, Some(2)]);
    }

    #[test]
    fn axes_of_names_are_alternatives_unless_they_are_variants() {
        let role = |names: &[&str]| layout(names).axes[0].role.clone();
        assert_eq!(
            role(&["topology=star,seed=1", "topology=clos,seed=1"]),
            Role::Alternatives
        );
        assert_eq!(role(&["cc=none", "cc=hpcc"]), Role::Alternatives);
        assert_eq!(role(&["pfc=none", "pfc=on"]), Role::Variants);
        assert!(matches!(
            role(&["buffer=1MiB", "buffer=4MiB"]),
            Role::Ordered(_)
        ));
    }

    #[test]
    fn other_runs_are_one_axis_of_settings() {
        let scenario = |eta: f64, seed: u64| serde_json::json!({"scenario": {"cc": {"eta": eta}, "seed": seed}});
        let summaries = [scenario(0.9, 1), scenario(0.9, 2), scenario(0.5, 2)];
        let names = ["a-1", "a-2", "b"];
        let heads: Vec<Head<'_>> = names
            .iter()
            .zip(&summaries)
            .map(|(name, summary)| Head {
                name,
                summary,
                axes: None,
            })
            .collect();
        let layout = Layout::new(&heads);
        assert_eq!(layout.axes[0].values, ["a", "b"]);
        assert_eq!(layout.settings[1].runs, [None, Some(2)]);
    }
}
