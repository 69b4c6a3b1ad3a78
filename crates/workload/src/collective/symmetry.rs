//! The symmetry of an algorithm: numbers of members and blocks relative to a member, such that
//! members with the same role do the same.

use super::Rails;
use super::shape::Shape;
use super::{CollectiveAlgorithm as Algorithm, CollectiveOperation as Operation};

/// The symmetry of an algorithm in a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symmetry {
    kind: Kind,
    ranks: u32,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The group is a ring and has the same blocks for all members.
    Ring,
    /// The group is a ring, and each row of as many blocks as members is a ring, too.
    RingOfBlocks,
    /// Partners at a distance, a power of two, exchange aligned halves of so many blocks.
    Halves,
    /// Members of a node are a ring, and so are members with the same place in their nodes. Each
    /// place has a row of blocks, one for each node.
    Tiers { local: u32 },
    /// Nodes are a ring, and so are the members of each. Each row of as many blocks as members is a
    /// ring, too, in the order of a channel.
    Channels(Rails),
    /// The same nodes. Each of them has a block for each place in a node, the same for all members.
    Nodes(Rails),
}

impl Symmetry {
    /// Returns the symmetry of `shape`.
    pub(super) const fn of(shape: &Shape) -> Self {
        let kind = match shape.algorithm {
            Algorithm::Ring if shape.division.is_some() => Kind::Channels(Rails::of(shape)),
            Algorithm::Pxn => Kind::Nodes(Rails::of(shape)),
            Algorithm::Ring if matches!(shape.operation, Operation::SendReceive) => Kind::Ring,
            Algorithm::Ring | Algorithm::BidirectionalRing => Kind::RingOfBlocks,
            Algorithm::Direct | Algorithm::Pairwise => Kind::RingOfBlocks,
            Algorithm::HalvingDoubling => Kind::Halves,
            Algorithm::Hierarchical => Kind::Tiers {
                local: shape.local_size,
            },
            Algorithm::DoubleBinaryTree | Algorithm::Binomial | Algorithm::Chain => Kind::Ring,
            Algorithm::Gpipe | Algorithm::OneForwardOneBackward => Kind::Ring,
            Algorithm::Sharp | Algorithm::Nvls | Algorithm::Nccl => Kind::Ring,
        };
        let ranks = shape.ranks;
        Self { kind, ranks }
    }

    /// Returns the number of `peer` relative to `member`; 0 is the member itself.
    pub(super) const fn to_peer(self, member: u32, peer: u32) -> u32 {
        match self.kind {
            Kind::Halves => member ^ peer,
            Kind::Tiers { local } if member / local == peer / local => {
                behind(member % local, peer % local, local)
            }
            Kind::Channels(Rails { local, nodes }) | Kind::Nodes(Rails { local, nodes }) => {
                behind(member / local, peer / local, nodes) * local
                    + behind(member % local, peer % local, local)
            }
            _ => behind(member, peer, self.ranks),
        }
    }

    /// Returns the member with the number `peer` relative to `member`.
    pub(super) const fn peer(self, member: u32, peer: u32) -> u32 {
        match self.kind {
            Kind::Halves => member ^ peer,
            Kind::Tiers { local } if peer < local => {
                let place = member % local;
                member - place + ahead(place, peer, local)
            }
            Kind::Channels(Rails { local, nodes }) | Kind::Nodes(Rails { local, nodes }) => {
                ahead(member / local, peer / local, nodes) * local
                    + ahead(member % local, peer % local, local)
            }
            _ => ahead(member, peer, self.ranks),
        }
    }

    /// Returns the number, relative to `member`, of the first block `first` of a message between
    /// the member and the relative `peer`.
    pub(super) const fn to_block(self, member: u32, peer: u32, first: u32) -> u32 {
        match self.kind {
            Kind::Ring => first,
            Kind::RingOfBlocks => {
                let place = first % self.ranks;
                first - place + behind(member, place, self.ranks)
            }
            Kind::Channels(rails) => {
                let place = first % self.ranks;
                let own = rails.position(first / self.ranks, member);
                first - place + behind(own, place, self.ranks)
            }
            Kind::Nodes(Rails { local, nodes }) => {
                behind(member / local, first / local, nodes) * local + first % local
            }
            Kind::Halves => first ^ half(member, peer),
            Kind::Tiers { local } => {
                let nodes = self.ranks / local;
                let (row, place) = (first / nodes, first % nodes);
                let row = behind(member % local, row, local);
                if peer < local {
                    row * nodes
                } else {
                    row * nodes + behind(member / local, place, nodes)
                }
            }
        }
    }

    /// Returns the first block of a message between `member` and the relative `peer`, of which
    /// `first` is the number relative to the member.
    pub(super) const fn block(self, member: u32, peer: u32, first: u32) -> u32 {
        match self.kind {
            Kind::Ring => first,
            Kind::RingOfBlocks => {
                let place = first % self.ranks;
                first - place + ahead(member, place, self.ranks)
            }
            Kind::Channels(rails) => {
                let place = first % self.ranks;
                let own = rails.position(first / self.ranks, member);
                first - place + ahead(own, place, self.ranks)
            }
            Kind::Nodes(Rails { local, nodes }) => {
                ahead(member / local, first / local, nodes) * local + first % local
            }
            Kind::Halves => first ^ half(member, peer),
            Kind::Tiers { local } => {
                let nodes = self.ranks / local;
                let (row, place) = (first / nodes, first % nodes);
                let row = ahead(member % local, row, local);
                if peer < local {
                    row * nodes
                } else {
                    row * nodes + ahead(member / local, place, nodes)
                }
            }
        }
    }
}

/// Returns the steps from place `from` to place `to` around `count` places.
const fn behind(from: u32, to: u32, count: u32) -> u32 {
    if to < from {
        to + count - from
    } else {
        to - from
    }
}

/// Returns the place `steps` after place `from` around `count` places.
const fn ahead(from: u32, steps: u32, count: u32) -> u32 {
    let to = from + steps;
    if to < count { to } else { to - count }
}

/// Returns the first block of the aligned `length` blocks, a power of two, with the block of
/// `member`.
const fn half(member: u32, length: u32) -> u32 {
    member & length.wrapping_neg()
}
