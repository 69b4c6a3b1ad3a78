//! A set of the ports of a switch.

/// A set of port numbers, stored as a bit map.
#[derive(Clone, Debug, Default)]
pub(super) struct PortSet {
    words: Vec<u64>,
}

impl PortSet {
    /// Returns an empty set for port numbers below `ports`.
    pub(super) fn new(ports: usize) -> Self {
        Self {
            words: vec![0; ports.div_ceil(64)],
        }
    }

    /// Adds `port`; does nothing if it is already a member.
    #[inline]
    pub(super) fn insert(&mut self, port: usize) {
        self.words[port / 64] |= 1 << (port % 64);
    }

    /// Removes `port`.
    #[inline]
    pub(super) fn remove(&mut self, port: usize) {
        self.words[port / 64] &= !(1 << (port % 64));
    }

    /// Removes all ports.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Returns the first member that is not below `port`.
    #[inline]
    pub(super) fn from(&self, port: usize) -> Option<usize> {
        let mut word = port / 64;
        let mut bits = self.words.get(word)? & (u64::MAX << (port % 64));
        while bits == 0 {
            word += 1;
            bits = *self.words.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    proptest::proptest! {
        #[test]
        fn behaves_like_a_sorted_set(
            ports in 1usize..200,
            steps in proptest::collection::vec((0usize..200, proptest::bool::weighted(0.6)), 0..300)
        ) {
            let (mut set, mut model) = (PortSet::new(ports), BTreeSet::new());
            for (port, inserts) in steps {
                let port = port % ports;
                if inserts {
                    set.insert(port);
                    model.insert(port);
                } else {
                    set.remove(port);
                    model.remove(&port);
                }
                for first in [0, port, port + 1, ports] {
                    proptest::prop_assert_eq!(set.from(first), model.range(first..).next().copied());
                }
            }
            set.clear();
            proptest::prop_assert_eq!(set.from(0), None);
        }
    }
}
