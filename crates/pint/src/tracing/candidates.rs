//! Candidate switches for each hop of a path.

use fabricsim_base::checkpoint::Checkpointed;
use std::sync::Arc;

use super::hop_set::HopSet;
use super::switch_set::SwitchSet;
use super::universe::{Links, Universe};

/// The switches that each hop of one path may be.
///
/// Where the universe knows links, a switch stays only while each of the two hops beside it may be
/// one of its neighbors (arc consistency: AC-3, Mackworth 1977). As hops stand in a row, what is
/// left at a hop is then just what paths pass there that agree with all that was struck out.
/// Networks of providers are chains for the most part, so that one hop tells much of those beside
/// it.
#[derive(Checkpointed, Clone, Debug)]
pub(super) struct Candidates {
    #[checkpoint(rebuilt)]
    universe: Arc<Universe>,
    /// For each hop; `None` where it may be any that a path of this length can pass.
    left: Vec<Option<SwitchSet>>,
    /// Hops that lost switches, and those beside them were not looked at since.
    shrunk: HopSet,
    /// Room for the neighbors of a hop's switches.
    #[checkpoint(elsewhere)]
    neighbors: SwitchSet,
}

/// A hop, from 1, that can be no switch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct NoneLeft(pub(super) u8);

impl Candidates {
    /// All of `universe`, for a path of no hops.
    pub(super) fn new(universe: Arc<Universe>) -> Self {
        Self {
            neighbors: SwitchSet::none(universe.switches().len()),
            universe,
            left: Vec::new(),
            shrunk: HopSet::default(),
        }
    }

    /// Forgets what was struck out, and from now on is of a path of `hops`.
    pub(super) fn begin(&mut self, hops: u8) {
        self.left.clear();
        self.left.resize(usize::from(hops), None);
        self.shrunk = HopSet::default();
    }

    /// Strikes out the switches of `hop`, from 1, that do not `fit`, and what cannot be at other
    /// hops then. Each hop that has one switch left for the first time goes to `solved`.
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

    /// Looks at what a hop has left of the `before` switches; `None` is all.
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

    /// Strikes out what has no neighbor at a hop beside it, until all have. No hop loses all: what
    /// was left at one had neighbors at those beside it.
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

    /// Strikes out the switches of `hop` that are no neighbors of those of `beside`.
    fn keep_neighbors(&mut self, hop: u8, beside: u8, links: &Links, solved: &mut Vec<(u8, u64)>) {
        let (hop_index, beside_index) = (usize::from(hop) - 1, usize::from(beside) - 1);
        let Some(others) = self.left[beside_index].take() else {
            return;
        };
        let slot = &mut self.left[hop_index];
        let before = slot.as_ref().map(SwitchSet::len);
        match slot {
            // Whichever of the two sets is smaller is gone through.
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

    /// 0 - 1 - 2 - 3 - 4, and 2 - 5 - 4 beside it; 6 is alone.
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
        // From 0 there is 1, from 4 there are 3 and 5.
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
        // The end of three hops from 0 is 0 or 2.
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
