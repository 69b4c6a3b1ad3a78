//! Assigns hosts to ranks, and ranks to groups.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Rate;

use super::CollectiveConfig;
use crate::context::WorkloadContext;

/// The ranks of a job in groups of equal size.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Groups {
    /// The host of each rank.
    pub(super) hosts: Vec<NodeId>,
    /// Number of ranks of each group.
    pub(super) size: u32,
    /// The least rate of the network interfaces of a host.
    pub(super) rate: Rate,
    /// Distance in ranks from one member of a group to the next.
    stride: u32,
}

impl Groups {
    /// Divides the ranks as `config` describes.
    pub(super) fn of(
        config: &CollectiveConfig,
        context: &WorkloadContext,
    ) -> Result<Self, ConfigError> {
        let mut hosts = config.placed(context)?;
        let left = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
        let ranks = config.ranks.unwrap_or(left);
        if ranks > left || ranks == 0 {
            return Err(ConfigError::new(
                if config.ranks.is_some() {
                    "ranks"
                } else {
                    "skip"
                },
                format!("there are {left} hosts for {ranks} ranks"),
                "choose fewer ranks, from 1, or more `hosts`",
            ));
        }
        hosts.truncate(ranks as usize);
        let (size, stride) = (config.group_size.unwrap_or(ranks), config.group_stride);
        let block = u64::from(size) * u64::from(stride);
        if size < 1 || block > u64::from(ranks) || !u64::from(ranks).is_multiple_of(block) {
            let (key, help) = match config.group_size {
                Some(_) => (
                    "group_size",
                    "let group_size times group_stride be a divisor of the number of ranks",
                ),
                None => (
                    "group_stride",
                    "one group has no stride: give `group_size`, too",
                ),
            };
            return Err(ConfigError::new(
                key,
                format!("{ranks} ranks cannot be divided into groups of {size}, {stride} apart"),
                help,
            ));
        }
        let rate = |id: &NodeId| {
            let at = context.hosts.binary_search_by_key(id, |host| host.id);
            context.hosts[at.expect("ranks are on hosts of the topology")].rate
        };
        let rate = hosts.iter().map(rate).min();
        Ok(Self {
            rate: rate.expect("a job has a rank"),
            hosts,
            size,
            stride,
        })
    }

    /// Returns the number of groups.
    pub(super) fn count(&self) -> u32 {
        self.ranks() / self.size
    }

    /// Returns the number of ranks.
    pub(super) fn ranks(&self) -> u32 {
        u32::try_from(self.hosts.len()).expect("hosts have numbers of 32 bits")
    }

    /// Returns the group of `rank`, and the position of the rank in it.
    pub(super) const fn place(&self, rank: u32) -> (u32, u32) {
        let block = self.size * self.stride;
        let (outer, inner) = (rank / block, rank % block);
        (
            outer * self.stride + inner % self.stride,
            inner / self.stride,
        )
    }

    /// Returns the rank of `member` of `group`.
    pub(super) const fn rank(&self, group: u32, member: u32) -> u32 {
        let outer = group / self.stride;
        outer * self.size * self.stride + member * self.stride + group % self.stride
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::collective::CollectiveOperation;
    use crate::context::testing::context;
    use crate::placement::Placement;

    fn config() -> CollectiveConfig {
        CollectiveConfig::new(CollectiveOperation::AllReduce, Bytes::new(1_000_000))
    }

    fn hosts(config: &CollectiveConfig, count: u32) -> Vec<u32> {
        let groups = Groups::of(config, &context(count, 1)).unwrap();
        groups.hosts.iter().map(|host| host.0).collect()
    }

    #[test]
    fn tensor_and_data_parallel_groups_divide_the_ranks() {
        let mut config = config();
        config.group_size = Some(4);
        let tensor = Groups::of(&config, &context(16, 1)).unwrap();
        assert_eq!((tensor.count(), tensor.place(6)), (4, (1, 2)));
        config.group_stride = 4;
        let data = Groups::of(&config, &context(32, 1)).unwrap();
        assert_eq!((data.count(), data.place(6)), (8, (2, 1)));
        for groups in [tensor, data] {
            for rank in 0..groups.ranks() {
                let (group, member) = groups.place(rank);
                assert!(group < groups.count() && member < groups.size);
                assert_eq!(groups.rank(group, member), rank);
            }
        }
    }

    #[test]
    fn placements_are_orders_of_all_hosts() {
        let mut config = config();
        assert_eq!(hosts(&config, 5), [0, 1, 2, 3, 4]);
        config.placement = Placement::Scattered;
        config.placement_stride = 2;
        assert_eq!(hosts(&config, 5), [0, 2, 4, 1, 3]);
        config.placement = Placement::Random;
        config.placement_stride = 1;
        let mut drawn = hosts(&config, 50);
        // A second job that skips these hosts receives exactly the remaining ones.
        config.ranks = Some(20);
        let mut both = hosts(&config, 50);
        config.skip = 20;
        config.ranks = None;
        both.extend(hosts(&config, 50));
        assert_eq!(both, drawn);
        assert!(!drawn.is_sorted());
        drawn.sort_unstable();
        assert_eq!(drawn, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn groups_that_do_not_divide_the_ranks_are_refused() {
        for (size, stride) in [(3, 1), (4, 3), (0, 1), (16, 2)] {
            let mut config = config();
            (config.group_size, config.group_stride) = (Some(size), stride);
            let error = Groups::of(&config, &context(16, 1)).unwrap_err();
            assert_eq!(error.key, "group_size", "{error}");
        }
        let mut config = config();
        config.skip = 16;
        assert_eq!(
            Groups::of(&config, &context(16, 1)).unwrap_err().key,
            "skip"
        );
        config.placement_stride = 3;
        let error = Groups::of(&config, &context(16, 1)).unwrap_err();
        assert_eq!(error.key, "placement_stride");
    }
}
