//! Identifies the path that a packet has taken.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::rng::mix;

/// Bits of the hop count and of the rate code. The identity of the path or port is above them.
const LOW_BITS: u32 = 8;
const LOW_MASK: u32 = (1 << LOW_BITS) - 1;

/// Data common to all entries of an egress port: its rate code, and its contribution to the
/// identity of each path through it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PortLabel(u32);

impl PortLabel {
    /// Returns the label of `port` of switch `node`, for a link with `rate_code`.
    #[must_use]
    pub fn new(node: NodeId, port: PortId, rate_code: u8) -> Self {
        let place = u64::from(node.0) << 16 | u64::from(port.0);
        // The output number `place` of SplitMix64. Adding 1 gives port 0 of node 0 a nonzero label,
        // too.
        let number = mix((place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self((number >> 32) as u32 & !LOW_MASK | u32::from(rate_code))
    }

    /// Sets the rate code for a new rate of the link. The port keeps its identity.
    pub(crate) fn set_rate_code(&mut self, rate_code: u8) {
        self.0 = self.0 & !LOW_MASK | u32::from(rate_code);
    }

    /// Returns the rate code.
    #[inline]
    #[must_use]
    pub const fn rate_code(self) -> u8 {
        (self.0 & LOW_MASK) as u8
    }
}

/// Number and identity of the switches that a packet has passed: `nHop` and `pathID` of the paper's
/// header.
///
/// Differs from the paper: the identity is the exclusive or of a 24-bit hash for each egress port;
/// the paper has 12 bits for each switch. This distinguishes parallel links between two switches,
/// which have different counters, and spines even if their small numbers happen to collide. Two
/// paths have the same identity with a probability of 2^-24. On the wire, the identity takes the
/// paper's 12 bits.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(crate) struct PathTrace(u32);

impl PathTrace {
    /// Maximum hop count. Additional hops are not counted.
    pub(crate) const MAX_HOPS: usize = LOW_MASK as usize;

    /// Returns the trace as four bytes.
    #[inline]
    pub(crate) const fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Restores a trace from the bytes returned by [`Self::to_bytes`].
    #[inline]
    pub(crate) const fn from_bytes(bytes: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(bytes))
    }

    /// Records that the packet leaves a switch through the port of `label`.
    #[inline]
    pub(crate) fn pass(&mut self, label: PortLabel) {
        let more = u32::from(self.hops() < Self::MAX_HOPS);
        self.0 = (self.0 ^ (label.0 & !LOW_MASK)) + more;
    }

    /// Same as [`Self::pass`], for a hop count below [`Self::MAX_HOPS`].
    #[inline]
    pub(crate) const fn pass_counted(&mut self, label: PortLabel) {
        self.0 = (self.0 ^ (label.0 & !LOW_MASK)) + 1;
    }

    /// Returns the number of switches passed, up to [`Self::MAX_HOPS`].
    #[inline]
    pub(crate) const fn hops(self) -> usize {
        (self.0 & LOW_MASK) as usize
    }

    /// Returns a value that identifies this path.
    pub(crate) const fn identity(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn trace(ports: impl IntoIterator<Item = (u32, u16)>) -> PathTrace {
        let mut path = PathTrace::default();
        for (node, port) in ports {
            path.pass(PortLabel::new(NodeId(node), PortId(port), 3));
        }
        path
    }

    #[test]
    fn the_rate_of_a_link_is_not_part_of_a_path() {
        let mut label = PortLabel::new(NodeId(7), PortId(2), 63);
        let mut path = PathTrace::default();
        path.pass(label);
        label.set_rate_code(5);
        assert_eq!(label.rate_code(), 5);
        assert_eq!(label, PortLabel::new(NodeId(7), PortId(2), 5));
        assert_eq!(path, trace([(7, 2)]));
    }

    #[test]
    fn another_port_is_another_path_and_so_is_another_length() {
        let path = trace([(4, 1), (9, 0), (5, 3)]);
        assert_eq!(path.hops(), 3);
        assert_eq!(path, trace([(4, 1), (9, 0), (5, 3)]));
        // A parallel link, another spine, and another spine through another port.
        for other in [
            [(4, 2), (9, 0), (5, 3)],
            [(4, 1), (9, 1), (5, 3)],
            [(4, 2), (10, 0), (5, 3)],
        ] {
            assert_ne!(path, trace(other));
        }
        assert_ne!(path, trace([(4, 1), (9, 0)]));
    }

    #[test]
    fn hops_are_counted_as_far_as_there_is_room() {
        let mut path = PathTrace::default();
        for hop in 1..=1_000usize {
            path.pass(PortLabel::new(NodeId(1), PortId(1), 255));
            assert_eq!(path.hops(), hop.min(255));
        }
    }

    /// Random paths of five ports: among m paths, about m^2 / 2^25 pairs agree.
    #[test]
    fn identities_agree_as_rarely_as_24_bits_can() {
        let mut state = 1u64;
        let mut draw = |bound: u16| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            u16::try_from(mix(state ^ 0x5555) % u64::from(bound)).expect("below a u16")
        };
        let mut paths = HashSet::new();
        let mut seen: HashMap<u32, u64> = HashMap::new();
        while paths.len() < 50_000 {
            let path: Vec<(u32, u16)> =
                (0..5).map(|_| (u32::from(draw(2_000)), draw(64))).collect();
            if paths.insert(path.clone()) {
                *seen.entry(trace(path).0).or_default() += 1;
            }
        }
        let pairs: u64 = seen.values().map(|&count| count * (count - 1) / 2).sum();
        // 50,000^2 / 2^25 = 74.5, with a standard deviation of 8.6.
        assert!((40..=110).contains(&pairs), "{pairs} pairs of paths agree");
    }
}
