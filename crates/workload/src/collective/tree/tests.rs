use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::units::{Bytes, Rate};

use super::*;
use crate::collective::{CollectiveConfig, CollectiveOperation as Operation};
use crate::context::testing::context;
use crate::reducers::Reducer;

/// The rate of all links to hosts.
const RATE: Rate = Rate::from_gbps(100);

/// Returns `leaves` leaves with `per_leaf` hosts each and two spines. The spines are the last
/// switches. Aggregators have the numbers after them.
fn leaf_spine(leaves: u32, per_leaf: u32, room: u32) -> WorkloadContext {
    let count = leaves * per_leaf;
    let spines = [leaves, leaves + 1];
    let reducer = |number: u32| Reducer {
        node: NodeId(count + leaves + 2 + number),
        neighbors: match number < leaves {
            true => spines.to_vec(),
            false => (0..leaves).collect(),
        },
        is_inner: false,
    };
    let switches: Arc<[Reducer]> = (0..leaves + 2).map(reducer).collect();
    WorkloadContext {
        reducers: Some(Reducers {
            taken: vec![0; switches.len()],
            switches,
            hosts: (0..count).map(|host| vec![host / per_leaf]).collect(),
            room,
        }),
        ..context(count, 1)
    }
}

fn config(algorithm: CollectiveAlgorithm, group_size: Option<u32>) -> CollectiveConfig {
    let mut config = CollectiveConfig::new(Operation::AllReduce, Bytes::new(1_000));
    (config.algorithm, config.group_size) = (Some(algorithm), group_size);
    config
}

/// Returns the trees of the groups, and the number of trees in each switch.
fn trees(
    config: &CollectiveConfig,
    context: &WorkloadContext,
) -> Result<(Vec<Option<Tree>>, Vec<u32>), ConfigError> {
    let groups = config.checked(context)?;
    let (trees, reducers) = Trees::of(&config.shape(groups.size, groups.rate)?, &groups, context)?;
    Ok((trees.0, reducers.unwrap().taken))
}

#[test]
fn a_tree_has_the_switches_of_hosts_and_one_above_them() {
    let context = leaf_spine(3, 2, 4);
    let (found, taken) = trees(&config(CollectiveAlgorithm::Sharp, None), &context).unwrap();
    let [Some(tree)] = &found[..] else {
        panic!("one group has one tree")
    };
    let switches: Vec<u32> = tree.nodes.iter().map(|node| node.switch).collect();
    assert_eq!(switches, [3, 0, 1, 2]);
    assert_eq!(tree.leaves, [0, 0, 1, 1, 2, 2]);
    assert_eq!(taken, [1, 1, 1, 1, 0]);
    let of_root: Vec<_> = (tree.nodes[0].children.iter())
        .map(|child| (child.end, child.members.clone()))
        .collect();
    let below = |node, first| (End::Node(node), vec![first, first + 1]);
    assert_eq!(of_root, [below(1, 0), below(2, 2), below(3, 4)]);
    assert_eq!(tree.nodes[1].parent, Some(0));
    assert_eq!(tree.nodes[1].children[1].end, End::Member(1));
}

#[test]
fn groups_share_the_spines_and_lack_room_then() {
    let context = leaf_spine(2, 4, 3);
    let mut config = config(CollectiveAlgorithm::Sharp, Some(2));
    config.group_stride = 4;
    let (found, taken) = trees(&config, &context).unwrap();
    let roots: Vec<Option<u32>> = (found.iter())
        .map(|tree| tree.as_ref().map(|tree| tree.nodes[0].switch))
        .collect();
    // The fourth group finds its leaves full.
    assert_eq!(roots, [Some(2), Some(3), Some(2), None]);
    assert_eq!(taken, [3, 3, 2, 1]);
}

#[test]
fn hosts_of_one_switch_need_no_other() {
    let context = leaf_spine(2, 4, 1);
    for algorithm in [CollectiveAlgorithm::Sharp, CollectiveAlgorithm::Nvls] {
        let (found, taken) = trees(&config(algorithm, Some(4)), &context).unwrap();
        assert!(found.iter().flatten().all(|tree| tree.nodes.len() == 1));
        assert_eq!(taken, [1, 1, 0, 0]);
    }
}

#[test]
fn impossible_trees_are_refused() {
    let across = config(CollectiveAlgorithm::Nvls, None);
    let error = trees(&across, &leaf_spine(2, 4, 1)).unwrap_err();
    assert_eq!(error.key, "algorithm");
    assert!(
        error.message.contains("node 4 shares none with node 0"),
        "{error}"
    );
    let error = trees(&config(CollectiveAlgorithm::Sharp, None), &context(4, 1)).unwrap_err();
    assert!(error.help.contains("reduction_trees"), "{error}");
    let mut alone = leaf_spine(1, 2, 1);
    let reducers = alone.reducers.as_mut().unwrap();
    reducers.hosts = vec![vec![0], Vec::new()].into();
    let error = trees(&config(CollectiveAlgorithm::Sharp, None), &alone).unwrap_err();
    assert!(
        error.message.contains("node 1 is linked to none"),
        "{error}"
    );
}

#[test]
fn the_room_that_earlier_workloads_take_is_gone() {
    use crate::workload::Workload;
    let config = config(CollectiveAlgorithm::Sharp, None);
    let mut context = leaf_spine(2, 2, 1);
    assert!(config.warnings(&context).is_empty());
    context.reducers = config.reserved(&context).unwrap();
    let warnings = config.warnings(&context);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("1 of 1 groups") && warnings[0].contains("\"ring\""));
    // The ring of 4 ranks has 24 messages, a tree of 4 ranks and 3 switches 12.
    let flows = |context: &WorkloadContext| config.expected(context).unwrap().flows;
    assert!((flows(&context) - 24.0).abs() < 0.1);
    assert!((flows(&leaf_spine(2, 2, 1)) - 12.0).abs() < 0.1);
}

/// Lets the switches of the tree forward the contributions of all members, as [`Part`] says, and
/// checks that each member gets the parts that its operation owes it.
///
/// [`Part`]: crate::collective::aggregation::Part
#[test]
fn members_get_what_the_operation_owes_them() {
    let context = leaf_spine(3, 2, 1);
    for (algorithm, ranks) in [
        (CollectiveAlgorithm::Sharp, 6),
        (CollectiveAlgorithm::Sharp, 5),
        (CollectiveAlgorithm::Nvls, 2),
    ] {
        for operation in [
            Operation::AllReduce,
            Operation::AllGather,
            Operation::ReduceScatter,
            Operation::Broadcast,
        ] {
            let mut config = config(algorithm, None);
            (config.operation, config.ranks) = (operation, Some(ranks));
            let (found, _) = trees(&config, &context).unwrap();
            let shape = config.shape(ranks, RATE).unwrap();
            let tree = found[0].as_ref().unwrap();
            let mut got: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for block in 0..shape.unit_blocks() {
                let part = shape.part(block);
                for child in tree.nodes.iter().flat_map(|node| &node.children) {
                    if let End::Member(member) = child.end
                        && part.goes_down(&child.members)
                    {
                        got.entry(member).or_default().push(part.result);
                    }
                }
                let root = &tree.nodes[0];
                let contributions = root.children.iter();
                let contributions = contributions.filter(|child| part.goes_up(&child.members));
                assert_eq!(
                    contributions.count(),
                    part.contributions(root.children.len())
                );
            }
            let everything: Vec<u32> = (0..ranks).collect();
            for member in 0..ranks {
                let mut own = got.remove(&member).unwrap_or_default();
                own.sort_unstable();
                let others = everything.iter().copied().filter(|&other| other != member);
                let expected: Vec<u32> = match (operation, algorithm) {
                    (Operation::AllReduce, CollectiveAlgorithm::Sharp) => vec![0],
                    // All parts, and the part that it reduces before.
                    (Operation::AllReduce, _) => [&everything[..], &[ranks + member]].concat(),
                    (Operation::ReduceScatter, _) => vec![member],
                    (Operation::AllGather, CollectiveAlgorithm::Sharp) => others.collect(),
                    (Operation::AllGather, _) => everything.clone(),
                    // The root needs no copy of its own data, but a store of NVLink makes one.
                    (_, CollectiveAlgorithm::Sharp) if member == 0 => Vec::new(),
                    _ => vec![0],
                };
                assert_eq!(own, expected, "{operation:?} {algorithm:?} {member}");
            }
        }
    }
}

#[test]
fn segments_divide_what_a_rank_reduces() {
    let chunks = |algorithm, size, segment: Option<u64>| {
        let mut config = config(algorithm, None);
        (config.size, config.segment) = (Bytes::new(size), segment.map(Bytes::new));
        config.shape(8, RATE).unwrap().chunks
    };
    let sharp = CollectiveAlgorithm::Sharp;
    assert_eq!(chunks(sharp, 0, None), 1);
    assert_eq!(chunks(sharp, 40_960, None), 10);
    assert_eq!(chunks(sharp, 40_961, None), 11);
    assert_eq!(chunks(sharp, 1 << 30, None), 1_024);
    assert_eq!(chunks(CollectiveAlgorithm::Nvls, 1 << 30, None), 128);
    assert_eq!(chunks(sharp, 40_960, Some(20_000)), 3);
    let mut many = config(sharp, None);
    (many.size, many.segment) = (Bytes::new(1 << 30), Some(Bytes::new(1_000)));
    assert_eq!(many.shape(8, RATE).unwrap_err().key, "segment");
}
