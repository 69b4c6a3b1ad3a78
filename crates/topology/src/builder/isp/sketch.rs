//! Growth of a random network with a longest path of a given length.

use fabricsim_base::id::NodeId;
use fabricsim_base::rng::{Purpose, Stream};

/// Number of switches for each switch that has only one link.
const LEAF_ONE_IN: u32 = 18;
/// Number of switches for each chain. A chain adds one link more than a tree has.
const CHAIN_ONE_IN: u32 = 5;
/// Number of attempts to find a place for a switch with one link.
const TRIES: u32 = 16;

/// A network under construction. Each switch is at a place of the row, and on a path from the first
/// to the last switch along which the places increase by one with each link. Hence two switches at
/// places a and b have a path over the first or the last switch of min(a + b, 2 last - a - b)
/// links, which is at most `last`, and no path between the two ends is shorter.
pub(super) struct Sketch {
    /// Place of each switch on the row.
    place: Vec<u32>,
    /// The switches at each place, except switches with one link, which are on no such path.
    at: Vec<Vec<u32>>,
    neighbors: Vec<Vec<u32>>,
    pub(super) links: Vec<(u32, u32)>,
    stream: Stream,
}

impl Sketch {
    /// Creates a row of `length` switches.
    pub(super) fn row(length: u32, seed: u64) -> Self {
        let mut sketch = Self {
            place: (0..length).collect(),
            at: (0..length).map(|switch| vec![switch]).collect(),
            neighbors: vec![Vec::new(); length as usize],
            links: Vec::new(),
            stream: Stream::new(seed, 0, Purpose::Wiring),
        };
        for switch in 1..length {
            sketch.link(switch - 1, switch);
        }
        sketch
    }

    /// Adds chains and leaves until there are `switches`, which must be at least the current
    /// number.
    pub(super) fn grow(&mut self, switches: u32) {
        let row = self.at.len();
        // A chain has one switch for each place between its ends.
        let longest = self.at.len().saturating_sub(2);
        let more = switches as usize - row;
        let leaves = more / LEAF_ONE_IN as usize;
        let mut left = more - leaves;
        let mut chains = (switches / CHAIN_ONE_IN) as usize;
        chains = chains.min(left).max(left.div_ceil(longest.max(1)));
        while left > 0 {
            let mean = left.div_ceil(chains);
            // Leave enough for the remaining chains, but no more than they can hold.
            let least = left.saturating_sub((chains - 1) * longest).max(1);
            let most = (2 * mean - 1)
                .min(longest)
                .min(left - (chains - 1))
                .max(least);
            let length = least + self.below(most - least + 1);
            self.add_chain(length);
            left -= length;
            chains -= 1;
        }
        for _ in 0..leaves {
            self.add_leaf();
        }
    }

    /// Adds a chain of `length` new switches between two switches that are `length` + 1 places
    /// apart.
    fn add_chain(&mut self, length: usize) {
        let starts = self.at.len() - length - 1;
        let count: usize = self.at[..starts].iter().map(Vec::len).sum();
        let [a, b] = [self.below(count), self.below(count)].map(|index| self.nth(index));
        let from = self.less_linked(a, b);
        let from_place = self.place[from as usize] as usize;
        let ends = from_place + length + 1;
        let count = self.at[ends].len();
        let [a, b] = [self.below(count), self.below(count)].map(|index| self.at[ends][index]);
        let to = self.less_linked(a, b);
        let mut last = from;
        for place in from_place + 1..ends {
            let switch = self.add_switch(NodeId::from_index(place).0);
            self.at[place].push(switch);
            self.link(last, switch);
            last = switch;
        }
        self.link(last, to);
    }

    /// Adds a switch with one link if no path becomes longer than the longest, otherwise a switch
    /// with two links.
    fn add_leaf(&mut self) {
        for _ in 0..TRIES {
            let at = NodeId::from_index(self.below(self.place.len())).0;
            if self.farthest(at) + 1 < self.at.len() {
                let switch = self.add_switch(self.place[at as usize]);
                self.link(at, switch);
                return;
            }
        }
        self.add_chain(1);
    }

    fn add_switch(&mut self, place: u32) -> u32 {
        self.place.push(place);
        self.neighbors.push(Vec::new());
        NodeId::from_index(self.place.len() - 1).0
    }

    fn link(&mut self, a: u32, b: u32) {
        self.links.push((a, b));
        self.neighbors[a as usize].push(b);
        self.neighbors[b as usize].push(a);
    }

    /// Returns switch number `index` in the order of places.
    fn nth(&self, mut index: usize) -> u32 {
        for switches in &self.at {
            if let Some(&switch) = switches.get(index) {
                return switch;
            }
            index -= switches.len();
        }
        unreachable!("the index is below the number of switches at all places")
    }

    /// Returns the switch with fewer links, so that links are spread evenly.
    fn less_linked(&self, a: u32, b: u32) -> u32 {
        let links = |switch: u32| self.neighbors[switch as usize].len();
        if links(b) < links(a) { b } else { a }
    }

    /// Returns the distance in links to the switch that is farthest from `start`.
    fn farthest(&self, start: u32) -> usize {
        let mut distance = vec![usize::MAX; self.place.len()];
        distance[start as usize] = 0;
        let mut queue = vec![start];
        let mut head = 0;
        let mut farthest = 0;
        while let Some(&switch) = queue.get(head) {
            head += 1;
            farthest = distance[switch as usize];
            for &next in &self.neighbors[switch as usize] {
                if distance[next as usize] == usize::MAX {
                    distance[next as usize] = farthest + 1;
                    queue.push(next);
                }
            }
        }
        farthest
    }

    fn below(&mut self, bound: usize) -> usize {
        let drawn = self.stream.below(bound as u64);
        usize::try_from(drawn).expect("below a usize")
    }
}
