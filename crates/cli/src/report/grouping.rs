//! Grouping of the runs that share a figure.

use std::collections::{BTreeMap, BTreeSet};

/// Runs in one figure at most, if their names have axes.
const MOST: usize = 7;

/// Runs that share a figure: the axis values that they share, and each run's index with its label.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct RunGroup {
    pub(crate) name: String,
    pub(crate) members: Vec<(usize, String)>,
}

/// Groups runs by the axes in their names (`axis=value` joined by commas, as in the names of
/// points).
///
/// Few runs, or names without axes, make one group. Otherwise each figure compares the values of
/// one axis, preferably the axis of algorithms, and each combination of the other axes has its own
/// figure.
pub(crate) fn groups(names: &[String]) -> Vec<RunGroup> {
    let all = || {
        let members = names.iter().cloned().enumerate().collect();
        vec![RunGroup {
            name: String::new(),
            members,
        }]
    };
    let Some(points) = names
        .iter()
        .map(|name| axes(name))
        .collect::<Option<Vec<_>>>()
    else {
        return all();
    };
    if names.len() <= MOST {
        return all();
    }
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (axis, value) in points.iter().flatten() {
        values.entry(axis).or_default().insert(value);
    }
    let fits = |axis: &&str| (2..=MOST).contains(&values[*axis].len());
    let is_algorithm = |axis: &&str| axis.split('.').any(|part| part == "cc" || part == "scheme");
    let candidates = || values.keys().copied().filter(fits);
    let widest = || {
        candidates()
            .filter(|axis| *axis != "seed")
            .max_by_key(|axis| values[axis].len())
    };
    let Some(compared) = candidates().find(is_algorithm).or_else(widest) else {
        return all();
    };
    let mut groups: Vec<RunGroup> = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let others = point
            .iter()
            .filter(|(axis, _)| *axis != compared && values[axis].len() > 1);
        let others: Vec<String> = others
            .map(|(axis, value)| format!("{axis} = {value}"))
            .collect();
        let name = others.join(", ");
        let own = point.iter().find(|(axis, _)| *axis == compared);
        let label = own.map_or_else(|| names[i].clone(), |(_, value)| (*value).to_owned());
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.members.push((i, label)),
            None => groups.push(RunGroup {
                name,
                members: vec![(i, label)],
            }),
        }
    }
    groups
}

/// Parses the axes of a point's name; `None` if it does not consist of axes.
fn axes(name: &str) -> Option<Vec<(&str, &str)>> {
    name.split(',').map(|part| part.split_once('=')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn few_runs_share_a_figure() {
        let names = names(&["cc.kind=hpcc,seed=1", "cc.kind=dctcp,seed=1"]);
        let groups = groups(&names);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].members[1], (1, "cc.kind=dctcp,seed=1".to_owned()));
    }

    #[test]
    fn many_points_are_grouped_by_all_axes_but_the_algorithms() {
        let mut points = Vec::new();
        for load in ["0.3", "0.5"] {
            for cc in ["hpcc", "dctcp"] {
                for seed in ["1", "2", "3"] {
                    points.push(format!(
                        "cc.kind={cc},workload.0.load={load},seed={seed},k=8"
                    ));
                }
            }
        }
        let groups = groups(&points);
        assert_eq!(groups.len(), 6);
        assert_eq!(groups[0].name, "workload.0.load = 0.3, seed = 1");
        assert_eq!(
            groups[0].members,
            [(0, "hpcc".to_owned()), (3, "dctcp".to_owned())]
        );
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        assert_eq!(members, points.len());
    }

    #[test]
    fn without_congestion_control_the_axis_with_most_values_is_compared() {
        let mut points = Vec::new();
        for load in ["0.3", "0.5", "0.7"] {
            for seed in ["1", "2", "3", "4"] {
                points.push(format!("load={load},seed={seed}"));
            }
        }
        let groups = groups(&points);
        assert_eq!(groups.len(), 4);
        assert_eq!(groups[3].name, "seed = 4");
    }

    #[test]
    fn names_without_axes_are_one_group() {
        let many: Vec<String> = (0..20).map(|i| format!("run {i}")).collect();
        assert_eq!(groups(&many).len(), 1);
    }
}
