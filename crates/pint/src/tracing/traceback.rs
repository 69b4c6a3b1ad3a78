//! IP traceback, for comparison with PINT.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;

use crate::hash::GlobalHash;
use crate::hop_choice::HopChoice;

use super::universe::Universe;

/// Content of the mark that a switch writes into a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Marking {
    /// One of eight bytes: the number of the switch (32 bits) and a hash of the number. This is
    /// PPM, probabilistic packet marking (Savage et al., SIGCOMM 2000, section 4.3).
    Fragments,
    /// One of several one-byte hashes of the number: the Advanced Marking Scheme II (Song and
    /// Perrig, INFOCOM 2001, section III). A hop is known after marks of `needed` (m) different
    /// `functions` have arrived.
    Hashes {
        /// Number of hash functions, at most 8: 8 in the paper, 7 in the variant that PINT was
        /// compared with.
        functions: u8,
        /// Number of hash functions that must agree, at most `functions`: 5 or 6 in the comparison.
        needed: u8,
    },
}

/// A marking scheme for IP traceback, improved by reservoir sampling as in PINT's comparison
/// (section 6.3): every hop is equally likely to have marked a packet.
///
/// Differs from the paper: a mark has 8 bits instead of 16. The sink computes the hop and the
/// fragment or function of a mark from known hashes, so they take no space, and paths may have more
/// than the 31 hops of a 5-bit distance. Fragments belong to switches instead of edges, because on
/// a single path with known hops there are no edges to assemble.
#[derive(Clone, Debug)]
pub struct Traceback {
    marking: Marking,
    /// Decides if a hop marks.
    choice: HopChoice,
    /// Hash function that selects the fragment or function.
    part: GlobalHash,
    /// Hash function of switch numbers.
    value: GlobalHash,
}

impl Traceback {
    /// Returns the scheme with the hash functions of `seed`.
    ///
    /// # Errors
    /// Returns an error if the number of functions or of needed functions is out of range.
    pub fn new(marking: Marking, seed: u64) -> Result<Self, ConfigError> {
        if let Marking::Hashes { functions, needed } = marking {
            if !(1..=8).contains(&functions) {
                return Err(ConfigError::new(
                    "functions",
                    format!("{functions} hash functions are not 1 to 8"),
                    "give 8, or 7 as in PINT's comparison",
                ));
            }
            if !(1..=functions).contains(&needed) {
                return Err(ConfigError::new(
                    "needed",
                    format!("{needed} of {functions} hash functions cannot agree"),
                    format!("give 1 to {functions}, such as 5"),
                ));
            }
        }
        let seeds = GlobalHash::new(seed);
        let hash = |function| GlobalHash::new(seeds.value(0, function));
        Ok(Self {
            marking,
            choice: HopChoice::of(hash(0)),
            part: hash(1),
            value: hash(2),
        })
    }

    /// Returns the mark of `packet` after it has passed `switch`, hop `hop` (from 1) of its path.
    /// `mark` is the previous value. Switch numbers have at most 32 bits.
    ///
    /// # Panics
    /// Panics if `hop` is zero.
    #[must_use]
    pub fn mark(&self, mark: u8, packet: u64, hop: u8, switch: u64) -> u8 {
        assert!(hop > 0, "hops are counted from 1");
        if self.choice.overwrites(packet, hop) {
            self.byte(self.part_of(packet), switch)
        } else {
            mark
        }
    }

    /// Returns the mark of `packet` after it has passed all switches of `path`: the mark of the
    /// last switch that marks it. This is equivalent to calling [`mark`](Self::mark) for each in
    /// turn.
    ///
    /// # Panics
    /// Panics if the path has more than 255 hops.
    #[must_use]
    pub fn mark_of(&self, packet: u64, path: &[u64]) -> u8 {
        let hops = u8::try_from(path.len()).expect("a path has at most 255 hops");
        self.choice.survivor(packet, hops).map_or(0, |hop| {
            self.byte(self.part_of(packet), path[usize::from(hop) - 1])
        })
    }

    /// Returns the number of fragments or functions.
    const fn parts(&self) -> u8 {
        match self.marking {
            Marking::Fragments => 8,
            Marking::Hashes { functions, .. } => functions,
        }
    }

    /// Returns the index of the fragment or function in the marks of `packet`, from 0.
    fn part_of(&self, packet: u64) -> u8 {
        let parts = f64::from(self.parts());
        // Below 8.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let part = (self.part.uniform(packet, 0) * parts) as u8;
        part
    }

    fn byte(&self, part: u8, switch: u64) -> u8 {
        match self.marking {
            Marking::Fragments => self.word(switch).to_le_bytes()[usize::from(part)],
            Marking::Hashes { .. } => self.value.value(switch, u64::from(part)).to_le_bytes()[7],
        }
    }

    /// Returns the number of `switch`, with a hash of the number in the upper 32 bits.
    fn word(&self, switch: u64) -> u64 {
        self.value.value(switch, 0) << 32 | (switch & u64::from(u32::MAX))
    }
}

/// The marks of one hop.
#[derive(Clone, Debug, Default)]
struct Marks {
    /// One bit for each received part.
    seen: u8,
    bytes: [u8; 8],
}

/// Finds the path of one flow from its marks.
#[derive(Clone, Debug)]
pub struct TracebackSink {
    scheme: Arc<Traceback>,
    universe: Arc<Universe>,
    marks: Vec<Marks>,
    /// The switch of each hop, if known.
    known: Vec<Option<u64>>,
    /// Number of unknown hops.
    unknown: usize,
}

impl TracebackSink {
    /// Returns a sink for packets that pass `hops` switches of `universe`.
    #[must_use]
    pub fn new(scheme: Arc<Traceback>, universe: Arc<Universe>, hops: u8) -> Self {
        Self {
            scheme,
            universe,
            marks: vec![Marks::default(); usize::from(hops)],
            known: vec![None; usize::from(hops)],
            unknown: usize::from(hops),
        }
    }

    /// Records the `mark` of `packet`.
    pub fn record(&mut self, packet: u64, mark: u8) {
        let hops = u8::try_from(self.marks.len()).expect("as many as a path has");
        let Some(hop) = self.scheme.choice.survivor(packet, hops) else {
            return;
        };
        let index = usize::from(hop) - 1;
        let part = self.scheme.part_of(packet);
        let marks = &mut self.marks[index];
        let new = marks.seen & 1 << part == 0;
        marks.seen |= 1 << part;
        marks.bytes[usize::from(part)] = mark;
        if new && self.known[index].is_none() {
            self.known[index] = self.switch_of(index);
            self.unknown -= usize::from(self.known[index].is_some());
        }
    }

    /// Returns the switches in path order, or `None` until all are known.
    #[must_use]
    pub fn path(&self) -> Option<Vec<u64>> {
        if self.unknown > 0 {
            return None;
        }
        self.known.iter().copied().collect()
    }

    /// Returns the switch of a hop, if there are enough marks and they belong to a single switch.
    fn switch_of(&self, index: usize) -> Option<u64> {
        let Marks { seen, bytes } = self.marks[index];
        match self.scheme.marking {
            Marking::Fragments => {
                let word = u64::from_le_bytes(bytes);
                let switch = word & u64::from(u32::MAX);
                (seen == u8::MAX && self.scheme.word(switch) == word).then_some(switch)
            }
            Marking::Hashes { needed, .. } => {
                if seen.count_ones() < u32::from(needed) {
                    return None;
                }
                let fits = |switch: u64| {
                    (0..8)
                        .filter(|part| seen >> part & 1 == 1)
                        .all(|part| self.scheme.byte(part, switch) == bytes[usize::from(part)])
                };
                let switches = self.universe.switches().iter().copied();
                let mut fitting = switches.filter(|&switch| fits(switch));
                fitting.next().filter(|_| fitting.next().is_none())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_lead_to_the_path() {
        let path = [70_000, 3, 99];
        let universe = Arc::new(Universe::new(vec![3, 99, 100, 70_000]).unwrap());
        for (marking, least) in [
            (Marking::Fragments, 24),
            (
                Marking::Hashes {
                    functions: 8,
                    needed: 5,
                },
                15,
            ),
        ] {
            let scheme = Arc::new(Traceback::new(marking, 4).unwrap());
            let mut sink = TracebackSink::new(Arc::clone(&scheme), Arc::clone(&universe), 3);
            let needed = (0..10_000)
                .find(|&packet| {
                    let mark = (1..=u8::MAX).zip(path).fold(0, |mark, (hop, switch)| {
                        scheme.mark(mark, packet, hop, switch)
                    });
                    assert_eq!(scheme.mark_of(packet, &path), mark);
                    sink.record(packet, mark);
                    sink.path().is_some()
                })
                .expect("a path");
            assert_eq!(sink.path(), Some(path.to_vec()));
            assert!(needed + 1 >= least, "{marking:?}: {needed}");
        }
    }

    #[test]
    fn fragments_that_do_not_belong_together_are_no_switch() {
        let universe = Arc::new(Universe::new(vec![3, 99]).unwrap());
        let scheme = Arc::new(Traceback::new(Marking::Fragments, 4).unwrap());
        let mut sink = TracebackSink::new(Arc::clone(&scheme), universe, 1);
        for packet in 0..1_000 {
            let switch = if packet % 2 == 0 { 3 } else { 99 };
            sink.record(packet, scheme.mark(0, packet, 1, switch));
        }
        assert_eq!(sink.marks[0].seen, u8::MAX);
        assert_eq!(sink.path(), None);
    }

    #[test]
    fn more_hashes_than_there_are_cannot_agree() {
        let key = |functions, needed| {
            let marking = Marking::Hashes { functions, needed };
            Traceback::new(marking, 1)
                .map_err(|refused| refused.key)
                .err()
        };
        assert_eq!(key(8, 9), Some("needed"));
        assert_eq!(key(8, 0), Some("needed"));
        assert_eq!(key(9, 5), Some("functions"));
        assert_eq!(key(0, 0), Some("functions"));
        assert_eq!(key(7, 7), None);
    }
}
