//! The links between the groups of a dragonfly.

use fabricsim_base::input::ConfigError;

/// Links between groups in the absolute arrangement: the outer links of a group are numbered, and
/// in each round of them, link k leads to group k of the remaining groups (Camarero, Vallejo and
/// Beivide, Topological Characterization of Hamming and Dragonfly Networks, TACO 2014).
#[derive(Clone, Copy, Debug)]
pub(super) struct GlobalLinks {
    groups: u32,
    /// Number of outer links of each group.
    per_group: u32,
}

/// One end of a link between groups.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct GlobalEnd {
    pub(super) group: u32,
    /// Index of the link among the outer links of its group.
    pub(super) link: u32,
}

impl GlobalLinks {
    /// Creates the links of `groups` groups with `per_group` outer links each.
    ///
    /// # Errors
    /// Fails if there are fewer than two groups, or the links do not spread evenly over the other
    /// groups.
    pub(super) fn new(groups: u32, per_group: u32) -> Result<Self, ConfigError> {
        if groups < 2 {
            return Err(ConfigError::new(
                "groups",
                format!("{groups} is too few"),
                "write at least 2",
            ));
        }
        let others = groups - 1;
        if per_group == 0 || !per_group.is_multiple_of(others) {
            return Err(ConfigError::new(
                "groups",
                format!(
                    "the {per_group} outer links of a group do not spread evenly over {others} other groups"
                ),
                format!("write {}", fitting(groups, per_group)),
            ));
        }
        Ok(Self { groups, per_group })
    }

    /// Yields each link once, with its end in the lower group first, group by group.
    pub(super) fn all(self) -> impl Iterator<Item = (GlobalEnd, GlobalEnd)> {
        let ends = (0..self.groups)
            .flat_map(move |group| (0..self.per_group).map(move |link| GlobalEnd { group, link }));
        ends.map(move |end| (end, self.other_end(end)))
            .filter(|(near, far)| near.group < far.group)
    }

    fn other_end(self, near: GlobalEnd) -> GlobalEnd {
        let others = self.groups - 1;
        let (round, place) = (near.link / others, near.link % others);
        let group = place + u32::from(place >= near.group);
        let back = near.group - u32::from(near.group > group);
        GlobalEnd {
            group,
            link: round * others + back,
        }
    }
}

/// Returns the numbers of groups nearest to `groups` over which `per_group` links spread evenly.
fn fitting(groups: u32, per_group: u32) -> String {
    let small = (1..=per_group.isqrt()).filter(|&divisor| per_group.is_multiple_of(divisor));
    let divisors = small.flat_map(|divisor| [divisor, per_group / divisor]);
    let (less, more): (Vec<u64>, Vec<u64>) = divisors
        .map(|others| u64::from(others) + 1)
        .partition(|&fits| fits < u64::from(groups));
    let near = less
        .into_iter()
        .max()
        .into_iter()
        .chain(more.into_iter().min());
    let near: Vec<String> = near.map(|fits| fits.to_string()).collect();
    near.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_groups_that_fit_are_named_at_any_size() {
        assert_eq!(fitting(6, 12), "5 or 7");
        assert_eq!(fitting(100, 12), "13");
        assert_eq!(fitting(7, 65_000 * 65_000), "6 or 9");
    }

    #[test]
    fn every_link_comes_back_and_every_pair_has_as_many() {
        for (groups, per_group) in [(2, 1), (3, 2), (5, 12), (9, 8)] {
            let links = GlobalLinks::new(groups, per_group).unwrap();
            let mut pairs = std::collections::BTreeMap::new();
            for (near, far) in links.all() {
                assert_eq!(links.other_end(far), near);
                *pairs.entry((near.group, far.group)).or_insert(0) += 1;
            }
            assert_eq!(u32::try_from(pairs.len()), Ok(groups * (groups - 1) / 2));
            assert!(
                pairs
                    .values()
                    .all(|&count| count == per_group / (groups - 1))
            );
        }
    }

    #[test]
    fn links_that_do_not_spread_are_refused_with_numbers_that_do() {
        let error = GlobalLinks::new(4, 8).unwrap_err();
        assert_eq!(error.key, "groups");
        assert_eq!(error.help, "write 3 or 5");
        assert!(GlobalLinks::new(1, 8).is_err());
    }
}
