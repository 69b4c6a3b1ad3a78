//! The factors by which the applications of a host slow its ports.

use std::collections::BTreeMap;

use crate::plugin::PortFactor;
use fabricsim_base::checkpoint::Checkpointed;

/// The requested factors of transmission times. The largest one counts: computations of several
/// applications, like several streams of one, are a single load of the host.
#[derive(Checkpointed, Debug, Default)]
#[checkpoint(plain)]
pub(super) struct PortRequests {
    /// `true` if the ports can be slowed.
    #[checkpoint(rebuilt)]
    are_allowed: bool,
    /// The factor of each application that slows the ports.
    asked: BTreeMap<usize, PortFactor>,
    /// The largest factor at the last call of [`Self::take_change`].
    taken: PortFactor,
}

impl PortRequests {
    /// Lets the ports be slowed.
    pub(super) const fn allow(&mut self) {
        self.are_allowed = true;
    }

    /// Sets the factor of `application`. Returns `false` if the ports cannot be slowed.
    pub(super) fn slow(&mut self, application: usize, factor: PortFactor) -> bool {
        if self.are_allowed {
            if factor == PortFactor::ONE {
                self.asked.remove(&application);
            } else {
                self.asked.insert(application, factor);
            }
        }
        self.are_allowed
    }

    /// Returns the largest factor if it has changed since the last call.
    pub(super) fn take_change(&mut self) -> Option<PortFactor> {
        let largest = self.asked.values().max().copied().unwrap_or_default();
        (std::mem::replace(&mut self.taken, largest) != largest).then_some(largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_factor_counts() {
        let factor = |millionths| PortFactor::from_millionths(millionths).unwrap();
        let (small, large) = (factor(1_200_000), factor(1_500_000));
        let mut ports = PortRequests::default();
        assert!(!ports.slow(0, small));
        assert_eq!(ports.take_change(), None);
        ports.allow();
        assert!(ports.slow(0, small));
        assert!(ports.slow(1, large));
        assert_eq!(ports.take_change(), Some(large));
        ports.slow(0, PortFactor::ONE);
        assert_eq!(ports.take_change(), None);
        ports.slow(0, small);
        ports.slow(1, PortFactor::ONE);
        assert_eq!(ports.take_change(), Some(small));
        ports.slow(0, PortFactor::ONE);
        assert_eq!(ports.take_change(), Some(PortFactor::ONE));
    }
}
