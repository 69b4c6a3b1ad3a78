//! Positions of processes.

use super::calendar::BLOCK;

/// Position of a process: its partition, and its place there.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Position {
    pub(super) partition: u32,
    pub(super) place: u32,
}

impl Position {
    /// The position of a process on another rank.
    pub(super) const ELSEWHERE: Self = Self {
        partition: u32::MAX,
        place: u32::MAX,
    };

    pub(super) fn is_here(self) -> bool {
        self != Self::ELSEWHERE
    }
}

/// Some processes of a block of a partition, one bit for each.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct InBlock {
    pub(super) block: usize,
    pub(super) members: u64,
}

impl InBlock {
    /// Returns the parts of blocks that contain the processes at `places`.
    pub(super) fn of(places: &mut Vec<usize>) -> Vec<Self> {
        places.sort_unstable();
        let mut blocks: Vec<Self> = Vec::new();
        for place in places.drain(..) {
            let (block, bit) = (place / BLOCK as usize, 1 << (place % BLOCK as usize));
            match blocks.last_mut() {
                Some(last) if last.block == block => last.members |= bit,
                _ => blocks.push(Self {
                    block,
                    members: bit,
                }),
            }
        }
        blocks
    }
}
