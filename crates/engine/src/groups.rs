//! Groups of processes in which two sides take turns: the order of a round.

use std::cmp::Reverse;

use super::calendar::BLOCK;
use super::sides::Side;

/// Some processes of a block, a bit for each.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct InBlock {
    pub(super) block: usize,
    pub(super) members: u64,
}

/// Processes that are run one after the other: some of the first side, and then those of the second side
/// that have all their neighbors among them and in the groups before.
///
/// What the first ones have sent is read while it is in the cache, and the buffers in which it was sent
/// are written again by the next group.
#[derive(Debug)]
pub(super) struct Group {
    /// By side.
    pub(super) sides: [Vec<InBlock>; 2],
}

/// The most processes of the first side in a group, but for those that one of the second side needs: so
/// many that what they send, where they are hosts, does not fill a cache of a megabyte.
const MOST_TOGETHER: usize = 128;

/// The most parts of blocks in all groups, for each block. With more, as where the hosts of a rack have
/// numbers that are far apart, it costs too much to go through them: then there is one group.
const MOST_PARTS: usize = 3;

/// The blocks in which the processes of `places` stand.
fn in_blocks(places: &mut Vec<usize>) -> Vec<InBlock> {
    places.sort_unstable();
    let mut blocks: Vec<InBlock> = Vec::new();
    for place in places.drain(..) {
        let (block, bit) = (place / BLOCK as usize, 1 << (place % BLOCK as usize));
        match blocks.last_mut() {
            Some(last) if last.block == block => last.members |= bit,
            _ => blocks.push(InBlock {
                block,
                members: bit,
            }),
        }
    }
    blocks
}

/// The places of the processes on `side`.
fn places_on(sides: &[Side], side: Side) -> impl Iterator<Item = usize> {
    (0..sides.len()).filter(move |&place| sides[place] == side)
}

/// Divides processes into groups with up to `most` of the first side. `near` has the neighbors of those
/// of the second side, which are run in the order of `seconds`.
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
            let sides = [in_blocks(&mut first), in_blocks(&mut second)];
            groups.push(Group { sides });
        }
        first.append(&mut needed);
        second.push(place);
    }
    first.extend(places_on(sides, Side::First).filter(|&place| !is_placed[place]));
    let sides = [in_blocks(&mut first), in_blocks(&mut second)];
    groups.push(Group { sides });
    groups
}

/// The order of `forwards` on the way back: from the pod of the last ToR switch to that of the first
/// one, and core switches when all aggregation switches have had their turn.
fn way_back(forwards: &[usize], near: &[Vec<usize>]) -> Vec<usize> {
    // For each process of the first side, when it is needed for the first time.
    let mut needed = vec![usize::MAX; near.len()];
    for (turn, &place) in forwards.iter().enumerate() {
        for &neighbor in &near[place] {
            needed[neighbor] = needed[neighbor].min(turn);
        }
    }
    let first_need = |&place: &usize| near[place].iter().map(|&neighbor| needed[neighbor]).min();
    let mut order: Vec<usize> = forwards.iter().rev().copied().collect();
    order.sort_by_key(|place| Reverse(first_need(place)));
    order
}

/// Divides processes into groups, or into one where groups would be small pieces of blocks.
fn groups_in(sides: &[Side], near: &[Vec<usize>], seconds: &[usize]) -> Vec<Group> {
    let groups = groups_of(sides, near, seconds, MOST_TOGETHER);
    let parts = groups.iter().flat_map(|group| &group.sides).map(Vec::len);
    let blocks = sides.len().div_ceil(BLOCK as usize);
    if parts.sum::<usize>() <= MOST_PARTS * blocks {
        groups
    } else {
        groups_of(sides, near, seconds, usize::MAX)
    }
}

/// The orders in which processes are run, with `neighbors` in one direction or both: forwards, and
/// backwards as far as neighbors allow. Rounds have them in turn: what was written last is then read
/// first, as long as it is in a cache.
pub(super) fn orders_of<N: Iterator<Item = usize>>(
    sides: &[Side],
    neighbors: impl Fn(usize) -> N,
) -> [Vec<Group>; 2] {
    let mut near = vec![Vec::new(); sides.len()];
    for (place, &side) in sides.iter().enumerate() {
        for far in neighbors(place) {
            match side {
                Side::First => near[far].push(place),
                Side::Second => near[place].push(far),
            }
        }
    }
    let forwards: Vec<usize> = places_on(sides, Side::Second).collect();
    let back = way_back(&forwards, &near);
    let [there, mut back] = [forwards, back].map(|seconds| groups_in(sides, &near, &seconds));
    let parts = back.iter_mut().flat_map(|group| &mut group.sides);
    parts.for_each(|parts| parts.reverse());
    [there, back]
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    /// The places of each group by side.
    type Places = Vec<[Vec<usize>; 2]>;

    /// The groups forwards and backwards, where every process is on the second side of which `is_second`
    /// says so.
    fn orders(
        count: usize,
        is_second: impl Fn(usize) -> bool,
        links: &[(usize, usize)],
    ) -> [Places; 2] {
        let side = |place| {
            if is_second(place) {
                Side::Second
            } else {
                Side::First
            }
        };
        let sides: Vec<Side> = (0..count).map(side).collect();
        let mut near = vec![Vec::new(); count];
        for &(one, other) in links {
            near[one].push(other);
        }
        let places = |parts: &Vec<InBlock>| {
            let mut places = Vec::new();
            for part in parts {
                let bits = (0..BLOCK as usize).filter(|bit| part.members >> bit & 1 != 0);
                places.extend(bits.map(|bit| part.block * BLOCK as usize + bit));
            }
            places
        };
        let orders = orders_of(&sides, |place| near[place].iter().copied());
        orders.map(|groups| {
            let by_side = groups.iter().map(|group| group.sides.each_ref());
            by_side.map(|sides| sides.map(places)).collect()
        })
    }

    fn both_ways(links: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
        links
            .flat_map(|(one, other)| [(one, other), (other, one)])
            .collect()
    }

    #[test]
    fn a_rack_is_run_with_its_switch_and_the_core_when_all_above_the_racks_have_run() {
        // Three racks of 100 hosts and their ToR switches, and two switches above them, which are on the
        // side of the hosts; a core switch, and a node on its own.
        let hosts = (0..300).map(|host| (host, 300 + host / 100));
        let fabric = (300..303).flat_map(|tor| [(tor, 303), (tor, 304)]);
        let links = both_ways(hosts.chain(fabric).chain([(303, 305), (304, 305)]));
        let is_second = |place| (300..303).contains(&place) || place == 305;
        let expected = [
            [(0..100).chain([303, 304]).collect(), vec![300]],
            [(100..200).collect(), vec![301]],
            [(200..300).chain([306]).collect(), vec![302, 305]],
        ];
        let [there, back] = orders(307, is_second, &links);
        assert_eq!(there, expected);
        // From rack to rack backwards, and in a rack from block to block.
        let blocks = |parts: Vec<Range<usize>>| parts.into_iter().flatten().collect();
        let expected: [[Vec<usize>; 2]; 3] = [
            [blocks(vec![256..300, 303..305, 200..256]), vec![302, 305]],
            [blocks(vec![192..200, 128..192, 100..128]), vec![301]],
            [blocks(vec![306..307, 64..100, 0..64]), vec![300]],
        ];
        assert_eq!(back, expected);
    }

    #[test]
    fn hosts_of_a_rack_that_are_far_apart_are_in_one_group() {
        let links = both_ways((0..600).map(|host| (host, 600 + host % 60)));
        let expected = [[Vec::from_iter(0..600), Vec::from_iter(600..660)]];
        let [there, back] = orders(660, |place| place >= 600, &links);
        assert_eq!(there, expected);
        assert_eq!(back.len(), 1);
    }

    #[test]
    fn whoever_only_hears_waits_too() {
        let racks = (0..400).map(|host| (host, 400 + host / 200));
        let expected = [
            [Vec::from_iter(0..200), vec![400]],
            [Vec::from_iter(200..400), vec![401]],
        ];
        let links: Vec<_> = racks.collect();
        let [there, _] = orders(402, |place| place >= 400, &links);
        assert_eq!(there, expected);
    }

    proptest::proptest! {
        #[test]
        fn each_is_run_once_and_after_its_neighbors_of_the_first_side(
            ends in proptest::collection::vec((0usize..400, 0usize..40, proptest::bool::ANY), 1..600),
        ) {
            // Numbers of one side among those of the other.
            let is_second = |place: usize| place % 11 == 10;
            let link = |&(one, other, back): &(usize, usize, bool)| {
                let (one, other) = (one + one / 10, 11 * other + 10);
                if back { (other, one) } else { (one, other) }
            };
            let links: Vec<_> = ends.iter().map(link).collect();
            for order in orders(440, is_second, &links) {
                let mut done = vec![false; 440];
                for group in order {
                    for (places, second) in group.iter().zip([false, true]) {
                        for &place in places {
                            proptest::prop_assert!(!done[place], "{} is run twice", place);
                            proptest::prop_assert_eq!(is_second(place), second);
                            done[place] = true;
                            let waits = second && links.iter().any(|&(one, other)| {
                                one == place && !done[other] || other == place && !done[one]
                            });
                            proptest::prop_assert!(!waits, "{} is run before a neighbor", place);
                        }
                    }
                }
                proptest::prop_assert!(done.iter().all(|&done| done));
            }
        }
    }
}
