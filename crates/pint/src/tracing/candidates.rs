//! Candidate switches for each hop of a path.

use fabricsim_base::checkpoint::Checkpointed;
use std::sync::Arc;

use super::hop_set::HopSet;
use super::switch_set::SwitchSet;
use super::universe::{Links, Universe};

/// The possible switches for each hop of one path.
///
/// If the universe knows links, a switch stays only as long as both adjacent hops may be one of its
/// neighbors (arc consistency: AC-3, Mackworth 1977). Since hops form a line, a switch that is left
/// at a hop is on some path that agrees with all eliminations. Networks of providers consist mostly
/// of chains, so one hop tells much about the adjacent hops.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(super) struct Candidates {
    #[checkpoint(rebuilt)]
    universe: Arc<Universe>,
    /// The candidates of each hop; `None` if no switch with a suitable position has been
    /// eliminated.
    left: Vec<Option<SwitchSet>>,
    /// Hops that lost candidates since their adjacent hops were last checked.
    shrunk: HopSet,
    /// Scratch set for the neighbors of a hop's candidates.
    #[checkpoint(elsewhere)]
    neighbors: SwitchSet,
}

/// The number of a hop (from 1) without any candidate left.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct NoneLeft(pub(super) u8);

impl Candidates {
    /// Returns all switches of `universe` as candidates, for a path without hops.
    pub(super) fn new(universe: Arc<Universe>) -> Self {
        Self {
            neighbors: SwitchSet::none(universe.switches().len()),
            universe,
            left: Vec::new(),
            shrunk: HopSet::default(),
        }
    }

    /// Resets all candidates for a path of `hops`.
    pub(super) fn begin(&mut self, hops: u8) {
        self.left.clear();
        self.left.resize(usize::from(hops), None);
        self.shrunk = HopSet::default();
    }

    /// Eliminates the switches of `hop` (from 1) that do not `fit`, and all switches that are then
    /// impossible at other hops. Adds each hop that now has a single switch left to `solved`.
    pub(super) fn strike_out(
        &mut self,
        hop: u8,
        fit: impl Fn(u64) -> bool,
        solved: &mut Vec<(u8, u64)>,
    ) -> Result<(), NoneLeft> {
        let Self { universe, left, .. } = self;
        let several = left.len() > 1;
        let slot = &mut left[usize::from(hop) - 1];
        let before = slot.as_ref().map(SwitchSet::len);
        let set = slot.get_or_insert_with(|| match universe.links() {
            Some(links) if several => links.linked().clone(),
            _ => SwitchSet::all(universe.switches().len()),
        });
        let switches = universe.switches();
        set.retain(|place| fit(switches[place]));
        if set.is_empty() {
            return Err(NoneLeft(hop));
        }
        self.settle(hop, before, solved);
        let universe = Arc::clone(&self.universe);
        if let Some(links) = universe.links() {
            self.spread(links, solved);
        }
        Ok(())
    }

    /// Handles a possible loss of candidates at `hop`, which had `before` of them; `None` means
    /// all.
    fn settle(&mut self, hop: u8, before: Option<usize>, solved: &mut Vec<(u8, u64)>) {
        let Some(set) = &self.left[usize::from(hop) - 1] else {
            return;
        };
        if before == Some(set.len()) {
            return;
        }
        if set.len() == 1 {
            let place = set.first().expect("there is one");
            solved.push((hop, self.universe.switches()[place]));
        }
        self.shrunk.insert(hop);
    }

    /// Eliminates switches without a neighbor at an adjacent hop, until none is left. No hop can
    /// lose all its candidates, because each candidate had neighbors at the adjacent hops before.
    fn spread(&mut self, links: &Links, solved: &mut Vec<(u8, u64)>) {
        while let Some(hop) = self.shrunk.first() {
            self.shrunk.remove(hop);
            if hop > 1 {
                self.keep_neighbors(hop - 1, hop, links, solved);
            }
            if usize::from(hop) < self.left.len() {
                self.keep_neighbors(hop + 1, hop, links, solved);
            }
        }
    }

    /// Eliminates the switches of `hop` that are not linked to any candidate of `beside`.
    fn keep_neighbors(&mut self, hop: u8, beside: u8, links: &Links, solved: &mut Vec<(u8, u64)>) {
        let (hop_index, beside_index) = (usize::from(hop) - 1, usize::from(beside) - 1);
        let Some(others) = self.left[beside_index].take() else {
            return;
        };
        let slot = &mut self.left[hop_index];
        let before = slot.as_ref().map(SwitchSet::len);
        match slot {
            // Iterate over the smaller of the two sets.
            Some(set) if set.len() <= others.len() => set.retain(|place| {
                let mut neighbors = links.of(place);
                neighbors.any(|place| others.contains(place))
            }),
            _ => {
                self.neighbors.clear();
                for place in others.iter().flat_map(|place| links.of(place)) {
                    self.neighbors.insert(place);
                }
                match slot {
                    Some(set) => set.intersect(&self.neighbors),
                    None if self.neighbors.len() < links.linked().len() => {
                        *slot = Some(self.neighbors.clone());
                    }
                    None => {}
                }
            }
        }
        self.left[beside_index] = Some(others);
        self.settle(hop, before, solved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 - 1 - 2 - 3 - 4, and parallel to that 2 - 5 - 4; 6 is isolated.
    fn network() -> Arc<Universe> {
        let links = [(0, 1), (1, 2), (2, 3), (3, 4), (2, 5), (5, 4)];
        Arc::new(Universe::with_links((0..7).collect(), &links).unwrap())
    }

    fn left(candidates: &Candidates) -> Vec<Option<Vec<usize>>> {
        let sets = candidates.left.iter();
        sets.map(|set| set.as_ref().map(|set| set.iter().collect()))
            .collect()
    }

    #[test]
    fn one_hop_tells_of_others() {
        let mut candidates = Candidates::new(network());
        candidates.begin(5);
        let mut solved = Vec::new();
        let ends = |switch| [0, 4, 6].contains(&switch);
        assert_eq!(candidates.strike_out(1, ends, &mut solved), Ok(()));
        // Next to 0 is 1; next to 4 are 3 and 5.
        let wanted = [
            Some(vec![0, 4]),
            Some(vec![1, 3, 5]),
            Some(vec![0, 2, 4]),
            Some(vec![1, 3, 5]),
            Some(vec![0, 2, 4]),
        ];
        assert_eq!((left(&candidates), solved.len()), (wanted.to_vec(), 0));
        assert_eq!(candidates.strike_out(3, |at| at == 0, &mut solved), Ok(()));
        solved.sort_unstable();
        // Three hops from 0 end at 0 or 2.
        assert_eq!(solved, [(1, 0), (2, 1), (3, 0), (4, 1)]);
    }

    #[test]
    fn without_links_hops_tell_of_themselves_alone() {
        let universe = Arc::new(Universe::new((0..7).collect()).unwrap());
        let mut candidates = Candidates::new(universe);
        candidates.begin(2);
        let mut solved = Vec::new();
        assert_eq!(candidates.strike_out(2, |at| at > 5, &mut solved), Ok(()));
        assert_eq!(
            (solved, left(&candidates)),
            (vec![(2, 6)], vec![None, Some(vec![6])])
        );
    }

    #[test]
    fn a_hop_that_can_be_no_switch_is_named() {
        let mut candidates = Candidates::new(network());
        let mut solved = Vec::new();
        candidates.begin(2);
        assert_eq!(
            candidates.strike_out(1, |at| at == 6, &mut solved),
            Err(NoneLeft(1))
        );
        candidates.begin(1);
        assert_eq!(candidates.strike_out(1, |at| at == 6, &mut solved), Ok(()));
        assert_eq!(solved, [(1, 6)], "one switch needs no link");
        candidates.begin(3);
        assert_eq!(candidates.strike_out(1, |at| at == 0, &mut solved), Ok(()));
        let far = |at| at == 3;
        assert_eq!(candidates.strike_out(3, far, &mut solved), Err(NoneLeft(3)));
    }
}
