//! Equal-cost multipath: the choice among several equal next hops of a flow.

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::NodeId;
use fabricsim_base::rng::mix;

/// Hash with which a node selects one of the equal next hops of a flow.
///
/// Both variants hash the addresses and ports of the packet and the node's id, so a flow keeps its
/// path and nodes choose independently of each other.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EcmpHash {
    /// The published HPCC simulator's: [`murmur3_32`] over source IP, destination IP and source
    /// port | destination port << 16, modulo the number of next hops. The seed of a switch is its
    /// id; all hosts share one seed.
    Ns3,
    /// A fast mix of the flow, the node and the given seed.
    Seeded(u64),
}

impl EcmpHash {
    /// Returns the index, in 0..`choices`, of the next hop that `node` chooses for packets with
    /// `key`.
    ///
    /// # Panics
    /// Panics if `choices` is zero.
    #[inline]
    #[must_use]
    pub fn choose(self, key: &FlowKey, node: NodeId, choices: u32) -> u32 {
        self.at(node).choose(key, choices)
    }

    /// Returns the index, in 0..`choices`, of the NIC through which packets with `key` leave their
    /// host.
    ///
    /// # Panics
    /// Panics if `choices` is zero.
    #[must_use]
    pub fn choose_nic(self, key: &FlowKey, choices: u32) -> u32 {
        match self {
            Self::Ns3 => NodeHash::Ns3(NS3_SEED).choose(key, choices),
            Self::Seeded(_) => self.choose(key, key.src, choices),
        }
    }

    /// Returns the hash of one node.
    #[inline]
    pub(crate) fn at(self, node: NodeId) -> NodeHash {
        match self {
            Self::Ns3 => NodeHash::Ns3(node.0),
            Self::Seeded(seed) => {
                let number = u64::from(node.0) + 1;
                NodeHash::Salted(mix(seed.wrapping_add(GOLDEN.wrapping_mul(number))))
            }
        }
    }
}

/// An [`EcmpHash`] for one node, with everything precomputed that does not depend on the packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeHash {
    Ns3(u32),
    Salted(u64),
}

impl NodeHash {
    // Without the attribute, the compiler emits a call for every packet.
    #[inline(always)]
    pub(crate) fn choose(self, key: &FlowKey, choices: u32) -> u32 {
        let ports = u32::from(key.src_port) | u32::from(key.dst_port) << 16;
        match self {
            Self::Ns3(seed) => choose_as_ns3(seed, key, ports, choices),
            Self::Salted(salt) => {
                assert!(choices > 0, "a choice needs at least one next hop");
                let ends = u64::from(key.src.0) << 32 | u64::from(key.dst.0);
                let hash =
                    mix(ends.wrapping_mul(GOLDEN) ^ u64::from(ports).wrapping_mul(SPREAD) ^ salt);
                (((hash >> 32) * u64::from(choices)) >> 32) as u32
            }
        }
    }
}

#[inline(never)]
fn choose_as_ns3(seed: u32, key: &FlowKey, ports: u32, choices: u32) -> u32 {
    murmur3_32(&[ip(key.src), ip(key.dst), ports], seed) % choices
}

/// 2^64 over the golden ratio: keeps a seed of zero from being a fixed point of the mix.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// An odd constant with bits all over, to spread the ports: 2^64 over the square root of 2.
const SPREAD: u64 = 0xb504_f333_f9de_6485;

/// The seed of ns-3's own `Hash32`, with which its hosts choose (`RdmaQueuePair::GetHash`).
const NS3_SEED: u32 = 0x8bad_f00d;

/// Returns the address that the published HPCC simulator gives node `i`: 11.x.y.1 with x.y = `i`.
#[inline]
const fn ip(node: NodeId) -> u32 {
    let (high, low) = (node.0 / 256, node.0 % 256);
    0x0b00_0001_u32
        .wrapping_add(high.wrapping_mul(0x1_0000))
        .wrapping_add(low * 0x100)
}

/// Computes MurmurHash3 x86 32-bit (Appleby 2011, public domain) over whole little-endian words.
///
/// The tail of the algorithm is omitted because all our keys are multiples of four bytes.
#[inline]
#[must_use]
pub fn murmur3_32(words: &[u32], seed: u32) -> u32 {
    let mut hash = seed;
    let mut length = 0u32;
    for &word in words {
        let block = word
            .wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593);
        hash = (hash ^ block)
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
        length = length.wrapping_add(4);
    }
    hash ^= length;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn murmur(bytes: &[u8], seed: u32) -> u32 {
        let (words, rest) = bytes.as_chunks::<4>();
        assert!(rest.is_empty());
        let words: Vec<u32> = words.iter().map(|&w| u32::from_le_bytes(w)).collect();
        murmur3_32(&words, seed)
    }

    #[test]
    fn murmur_agrees_with_public_vectors() {
        assert_eq!(murmur(b"", 0), 0);
        assert_eq!(murmur(b"", 1), 0x514e_28b7);
        assert_eq!(murmur(b"", 0xffff_ffff), 0x81f1_6f39);
        assert_eq!(murmur(&[0xff; 4], 0), 0x7629_3b50);
        assert_eq!(murmur(&[0x21, 0x43, 0x65, 0x87], 0), 0xf55b_516b);
        assert_eq!(murmur(&[0x21, 0x43, 0x65, 0x87], 0x5082_edee), 0x2362_f9de);
        assert_eq!(murmur(b"test", 0), 0xba6b_d213);
        assert_eq!(murmur(b"test", 0x9747_b28c), 0x704b_81dc);
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(murmur(long, 0), 0xee92_5b90);
    }

    #[test]
    fn addresses_count_up_by_the_third_byte() {
        assert_eq!(ip(NodeId(0)), 0x0b00_0001);
        assert_eq!(ip(NodeId(255)), 0x0b00_ff01);
        assert_eq!(ip(NodeId(256)), 0x0b01_0001);
        assert_ne!(ip(NodeId(65_536)), ip(NodeId(0)));
    }

    #[test]
    fn flows_spread_evenly_and_nodes_choose_independently() {
        for hash in [EcmpHash::Ns3, EcmpHash::Seeded(0), EcmpHash::Seeded(7)] {
            let mut joint = [[0u32; 4]; 4];
            for flow in 0..16_000u16 {
                let key = FlowKey {
                    src: NodeId(u32::from(flow % 40)),
                    dst: NodeId(300),
                    src_port: 10_000 + flow / 40,
                    dst_port: 100,
                };
                let [a, b] = [320, 340].map(|node| hash.choose(&key, NodeId(node), 4) as usize);
                joint[a][b] += 1;
            }
            for count in joint.as_flattened() {
                assert!((800..1200).contains(count), "{hash:?}: {joint:?}");
            }
        }
    }
}
