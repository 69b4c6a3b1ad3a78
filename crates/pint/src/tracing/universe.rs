//! The switches that a path may consist of.

use fabricsim_base::input::ConfigError;

use super::switch_set::SwitchSet;

/// The numbers of all switches that a path may consist of (V, known to the inference module; PINT,
/// section 4.2, hashing of values) and, if known, the links between them.
#[derive(Clone, Debug)]
pub struct Universe {
    /// In ascending order, without duplicates.
    switches: Box<[u64]>,
    links: Option<Links>,
}

/// Neighbors of each switch. Switches are identified by their index in a universe.
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// Start of each switch's neighbors in `neighbors`, followed by the end of the last ones.
    first: Box<[usize]>,
    /// In ascending order for each switch.
    neighbors: Box<[usize]>,
    /// The switches with neighbors.
    linked: SwitchSet,
}

impl Universe {
    /// Returns the universe of `switches`, in any order.
    ///
    /// # Errors
    /// Returns an error if there are no switches, or if there is a duplicate.
    pub fn new(mut switches: Vec<u64>) -> Result<Self, ConfigError> {
        switches.sort_unstable();
        if switches.is_empty() {
            return Err(ConfigError::new(
                "switches",
                "there are no switches to tell apart",
                "give the numbers of all switches of the network",
            ));
        }
        if let Some(twice) = switches.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ConfigError::new(
                "switches",
                format!("two switches have the number {}", twice[0]),
                "give each switch a number of its own",
            ));
        }
        Ok(Self {
            switches: switches.into(),
            links: None,
        })
    }

    /// Returns the universe of `switches` with `links` between them. You may give a link more than
    /// once and in any direction. Decoders then consider only paths of neighboring switches.
    ///
    /// Differs from the paper: the paper's decoder knows only the switches. With their links it
    /// needs fewer packets, in sparse networks a quarter or less.
    ///
    /// # Errors
    /// Same as [`new`](Self::new). Also returns an error if the end of a link is not a switch, or
    /// if both ends are the same.
    pub fn with_links(switches: Vec<u64>, links: &[(u64, u64)]) -> Result<Self, ConfigError> {
        let mut universe = Self::new(switches)?;
        let mut pairs = Vec::with_capacity(2 * links.len());
        for &(a, b) in links {
            if a == b {
                return Err(ConfigError::new(
                    "links",
                    format!("a link joins switch {a} with itself"),
                    "leave it out: a packet does not pass a switch twice in a row",
                ));
            }
            let (a, b) = (universe.place(a)?, universe.place(b)?);
            pairs.extend([(a, b), (b, a)]);
        }
        universe.links = Some(Links::new(universe.switches.len(), pairs));
        Ok(universe)
    }

    /// Returns the numbers, in ascending order.
    #[must_use]
    pub fn switches(&self) -> &[u64] {
        &self.switches
    }

    /// Returns the largest number.
    pub(super) fn largest(&self) -> u64 {
        *self.switches.last().expect("a universe is not empty")
    }

    /// Returns the links, if known.
    pub(super) const fn links(&self) -> Option<&Links> {
        self.links.as_ref()
    }

    /// Returns the index of the switch at a link's end.
    fn place(&self, switch: u64) -> Result<usize, ConfigError> {
        self.switches.binary_search(&switch).map_err(|_| {
            ConfigError::new(
                "links",
                format!("a link leads to {switch}, which is no switch"),
                "give links between switches of the network alone",
            )
        })
    }
}

impl Links {
    /// Returns the links of `count` switches, from one pair of indices for each direction.
    fn new(count: usize, mut pairs: Vec<(usize, usize)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let first = (0..=count).map(|place| pairs.partition_point(|&(from, _)| from < place));
        let mut linked = SwitchSet::none(count);
        for &(from, _) in &pairs {
            linked.insert(from);
        }
        Self {
            first: first.collect(),
            neighbors: pairs.iter().map(|&(_, to)| to).collect(),
            linked,
        }
    }

    /// Returns the neighbors of a switch.
    #[inline]
    pub(super) fn of(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.first[place]..self.first[place + 1];
        self.neighbors[range].iter().copied()
    }

    /// Returns the switches with neighbors.
    pub(super) const fn linked(&self) -> &SwitchSet {
        &self.linked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_distinct() {
        let universe = Universe::new(vec![7, 3, 5]).unwrap();
        assert_eq!(universe.switches(), [3, 5, 7]);
        assert_eq!(universe.largest(), 7);
        assert_eq!(Universe::new(vec![]).unwrap_err().key, "switches");
        let twice = Universe::new(vec![7, 3, 7]).unwrap_err();
        assert_eq!(twice.message, "two switches have the number 7");
    }

    #[test]
    fn links_go_both_ways_and_count_once() {
        let links = [(7, 3), (3, 7), (3, 5), (7, 3)];
        let universe = Universe::with_links(vec![7, 3, 5, 9], &links).unwrap();
        let links = universe.links().unwrap();
        let of = |place| links.of(place).collect::<Vec<_>>();
        assert_eq!(
            [of(0), of(1), of(2), of(3)],
            [vec![1, 2], vec![0], vec![0], vec![]]
        );
        assert_eq!(links.linked().iter().collect::<Vec<_>>(), [0, 1, 2]);
        assert!(Universe::new(vec![7]).unwrap().links().is_none());
    }

    #[test]
    fn links_join_two_switches() {
        let refused = |a, b| Universe::with_links(vec![3, 5], &[(a, b)]).unwrap_err();
        assert_eq!(refused(3, 3).message, "a link joins switch 3 with itself");
        assert_eq!(
            refused(5, 4).message,
            "a link leads to 4, which is no switch"
        );
        assert_eq!(refused(5, 4).key, "links");
    }
}
