//! Grouping of the settings that share a figure.

use fabricsim_plot::figure::Style;

use super::layout::{Layout, Role, describe};
use super::read::{Pooled, Results};
use super::runs::Run;

/// Settings in one figure, at most, if they have axes.
const MOST: usize = 7;

/// Settings that share a figure: the values of axes that they share, and each setting's index with
/// its label.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) members: Vec<(usize, String)>,
}

/// A setting in a figure.
pub(super) struct Member<'r> {
    pub(super) pooled: &'r Pooled,
    /// Its runs, in the order of seeds.
    pub(super) runs: Vec<&'r Run>,
    pub(super) name: String,
    pub(super) style: Style,
}

/// Groups settings by their axes.
///
/// Few settings, or settings without axes of a sweep, make one group. Otherwise each figure
/// compares the values of one axis, preferably of alternatives, and each combination of the other
/// axes has its own figure.
pub(super) fn groups(layout: &Layout) -> Vec<Group> {
    let all = || {
        let names = layout.settings.iter().map(|setting| setting.name.clone());
        vec![Group {
            name: String::new(),
            members: names.enumerate().collect(),
        }]
    };
    if layout.settings.len() <= MOST {
        return all();
    }
    let fits = |axis: &usize| (2..=MOST).contains(&layout.axes[*axis].values.len());
    let alternatives = layout.of_role(|role| *role == Role::Alternatives);
    let widest = || {
        let axes = (0..layout.axes.len()).filter(fits);
        axes.max_by_key(|axis| layout.axes[*axis].values.len())
    };
    let compared = alternatives.into_iter().find(fits).or_else(widest);
    let Some(compared) = compared.filter(|_| layout.axes.len() > 1) else {
        return all();
    };
    let mut axes = layout.axes.clone();
    axes.remove(compared);
    let mut groups: Vec<Group> = Vec::new();
    for (index, setting) in layout.settings.iter().enumerate() {
        let mut at = setting.at.clone();
        let own = at.remove(compared);
        let name = describe(&axes, &at);
        let member = (index, layout.axes[compared].describe(own));
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.members.push(member),
            None => groups.push(Group {
                name,
                members: vec![member],
            }),
        }
    }
    groups
}

impl Group {
    /// Returns the members that have flows, with their styles.
    pub(super) fn members<'r>(&self, results: &'r Results) -> Vec<Member<'r>> {
        let labels: Vec<&String> = self.members.iter().map(|(_, label)| label).collect();
        let styles = Style::of_names(&labels);
        let member = |((setting, label), style): (&(usize, String), Style)| {
            let runs = results.layout.settings[*setting].runs.iter().flatten();
            let runs = runs.map(|&run| &results.runs[run]);
            Member {
                pooled: &results.pooled[*setting],
                runs: runs.filter(|run| run.flows > 0).collect(),
                name: label.clone(),
                style,
            }
        };
        let members = self.members.iter().zip(styles).map(member);
        members.filter(|member| !member.runs.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::testing::layout;
    use super::*;

    #[test]
    fn few_settings_share_a_figure() {
        let groups = groups(&layout(&["cc.kind=hpcc,seed=1", "cc.kind=dctcp,seed=1"]));
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].members[1], (1, "dctcp".to_owned()));
    }

    #[test]
    fn many_settings_are_grouped_by_all_axes_but_the_algorithms() {
        let mut points = Vec::new();
        for load in ["0.3", "0.5", "0.7", "0.8"] {
            for cc in ["hpcc", "dctcp"] {
                for seed in ["1", "2", "3"] {
                    points.push(format!(
                        "cc.kind={cc},workload.0.load={load},seed={seed},k=8"
                    ));
                }
            }
        }
        let points: Vec<&str> = points.iter().map(String::as_str).collect();
        let groups = groups(&layout(&points));
        assert_eq!(groups.len(), 4);
        assert_eq!(groups[0].name, "load = 0.3");
        let members = [(0, "hpcc".to_owned()), (1, "dctcp".to_owned())];
        assert_eq!(groups[0].members, members);
    }

    #[test]
    fn without_algorithms_the_axis_with_most_values_is_compared() {
        let mut points = Vec::new();
        for load in ["0.3", "0.5", "0.7"] {
            for k in ["1", "2", "3", "4"] {
                points.push(format!("load={load},k={k}"));
            }
        }
        let points: Vec<&str> = points.iter().map(String::as_str).collect();
        let groups = groups(&layout(&points));
        assert_eq!(groups.len(), 3);
        assert_eq!(groups[2].name, "load = 0.7");
    }

    #[test]
    fn settings_without_axes_are_one_group() {
        let many: Vec<String> = (0..20).map(|i| format!("run {i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(groups(&layout(&many)).len(), 1);
    }
}
