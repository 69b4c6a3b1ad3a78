//! Groups of processes for two sides that take turns: the order of a round.

use super::calendar::BLOCK;
use super::position::InBlock;
use super::sides::Side;

/// Processes that run one after the other: some of the first side, and then processes of the second
/// side with all neighbors in this group and the previous groups.
///
/// In a fat-tree, these are the hosts of some racks and the aggregation switches above them, then
/// the ToR switches of these racks. ToRs read the packets while these are in the cache, and the
/// next group writes the same buffers again.
#[derive(Debug)]
pub(super) struct Group {
    /// The processes of each side.
    pub(super) sides: [Vec<InBlock>; 2],
}

/// Maximum number of processes of the first side in a group, unless one process of the second side
/// needs more. The packets of this number of hosts do not fill a cache of a megabyte.
const MOST_TOGETHER: usize = 128;

/// Maximum number of parts of blocks in all groups, per block. With more parts, for example if the
/// hosts of a rack have distant numbers, iterating over them costs too much, so there is only one
/// group.
const MOST_PARTS: usize = 3;

/// Divides the processes of a partition into groups, or puts them into one group if groups would be
/// small pieces of blocks. `near` contains the neighbors of the second side, which runs in the
/// order of `seconds`.
pub(super) fn groups_in(sides: &[Side], near: &[Vec<usize>], seconds: &[usize]) -> Vec<Group> {
    let groups = groups_of(sides, near, seconds, MOST_TOGETHER);
    let parts = groups.iter().flat_map(|group| &group.sides).map(Vec::len);
    let blocks = sides.len().div_ceil(BLOCK as usize);
    if parts.sum::<usize>() <= MOST_PARTS * blocks {
        groups
    } else {
        groups_of(sides, near, seconds, usize::MAX)
    }
}

/// Divides processes into groups with up to `most` processes of the first side.
fn groups_of(sides: &[Side], near: &[Vec<usize>], seconds: &[usize], most: usize) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut is_placed = vec![false; sides.len()];
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for &place in seconds {
        let neighbors = near[place].iter().copied();
        let mut needed: Vec<usize> = neighbors
            .filter(|&neighbor| !std::mem::replace(&mut is_placed[neighbor], true))
            .collect();
        let are_many = first.len().saturating_add(needed.len()) > most;
        if are_many && !first.is_empty() && !needed.is_empty() {
            let sides = [InBlock::of(&mut first), InBlock::of(&mut second)];
            groups.push(Group { sides });
        }
        first.append(&mut needed);
        second.push(place);
    }
    let others = (0..sides.len()).filter(|&place| sides[place] == Side::First);
    first.extend(others.filter(|&place| !is_placed[place]));
    let sides = [InBlock::of(&mut first), InBlock::of(&mut second)];
    groups.push(Group { sides });
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of each group by side.
    type Places = Vec<[Vec<usize>; 2]>;

    /// Returns the groups of `count` processes; the second side consists of the places that
    /// `is_second` accepts.
    fn groups(
        count: usize,
        is_second: impl Fn(usize) -> bool,
        links: impl IntoIterator<Item = (usize, usize)>,
    ) -> Places {
        let side = |place| {
            if is_second(place) {
                Side::Second
            } else {
                Side::First
            }
        };
        let sides: Vec<Side> = (0..count).map(side).collect();
        let mut near = vec![Vec::new(); count];
        for (first, second) in links {
            near[second].push(first);
        }
        let seconds: Vec<usize> = (0..count).filter(|&place| is_second(place)).collect();
        let places = |parts: &Vec<InBlock>| {
            let mut places = Vec::new();
            for part in parts {
                let bits = (0..BLOCK as usize).filter(|bit| part.members >> bit & 1 != 0);
                places.extend(bits.map(|bit| part.block * BLOCK as usize + bit));
            }
            places
        };
        let groups = groups_in(&sides, &near, &seconds);
        let by_side = groups.iter().map(|group| group.sides.each_ref());
        by_side.map(|sides| sides.map(places)).collect()
    }

    #[test]
    fn a_rack_is_run_with_its_switch_and_the_core_when_all_above_the_racks_have_run() {
        // Three racks of 100 hosts and their ToR switches; two switches above them, on the side of
        // the hosts; a core switch, and an isolated node.
        let hosts = (0..300).map(|host| (host, 300 + host / 100));
        let fabric = (300..303).flat_map(|tor| [(303, tor), (304, tor)]);
        let links = hosts.chain(fabric).chain([(303, 305), (304, 305)]);
        let is_second = |place| (300..303).contains(&place) || place == 305;
        let expected = [
            [(0..100).chain([303, 304]).collect(), vec![300]],
            [(100..200).collect(), vec![301]],
            [(200..300).chain([306]).collect(), vec![302, 305]],
        ];
        assert_eq!(groups(307, is_second, links), expected);
    }

    #[test]
    fn hosts_of_a_rack_that_are_far_apart_are_in_one_group() {
        let links = (0..600).map(|host| (host, 600 + host % 60));
        let expected = [[Vec::from_iter(0..600), Vec::from_iter(600..660)]];
        assert_eq!(groups(660, |place| place >= 600, links), expected);
    }

    proptest::proptest! {
        #[test]
        fn each_is_run_once_and_after_its_neighbors_of_the_first_side(
            ends in proptest::collection::vec((0usize..400, 0usize..40), 1..600),
        ) {
            // Interleaves the numbers of the two sides.
            let is_second = |place: usize| place % 11 == 10;
            let links = ends.iter().map(|&(one, other)| (one + one / 10, 11 * other + 10));
            let mut done = vec![false; 440];
            for group in groups(440, is_second, links.clone()) {
                for (places, second) in group.iter().zip([false, true]) {
                    for &place in places {
                        proptest::prop_assert!(!done[place], "{} is run twice", place);
                        proptest::prop_assert_eq!(is_second(place), second);
                        done[place] = true;
                        let waits = links.clone().any(|(one, other)| other == place && !done[one]);
                        proptest::prop_assert!(!waits, "{} is run before a neighbor", place);
                    }
                }
            }
            proptest::prop_assert!(done.iter().all(|&done| done));
        }
    }
}
