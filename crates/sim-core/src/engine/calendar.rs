//! Calendar of a partition: the time at which each of its processes is next to be run.

use crate::units::Time;

/// Processes in one block.
pub(super) const BLOCK: u32 = u64::BITS;
const SIZE: usize = BLOCK as usize;

/// A time for each process, and the least of each block of processes, so that an epoch in which
/// little happens costs little, however many processes there are.
#[derive(Clone, Debug)]
pub(super) struct Calendar {
    times: Vec<Time>,
    blocks: Vec<Time>,
}

impl Calendar {
    pub(super) const fn new() -> Self {
        Self {
            times: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Adds a process at the end.
    pub(super) fn push(&mut self, at: Time) {
        self.times.push(at);
        self.refresh(self.times.len() - 1);
    }

    /// Blocks, the last of which may be short.
    pub(super) const fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The processes of `block` whose time lies before `end`, a bit for each.
    #[inline]
    pub(super) fn due(&self, block: usize, end: Time) -> u64 {
        if self.blocks[block] >= end {
            return 0;
        }
        let times = self.times[block * SIZE..].iter().take(SIZE);
        times
            .zip(0..)
            .fold(0, |due, (&at, bit)| due | u64::from(at < end) << bit)
    }

    /// Sets the time of process `index`; call [`settle`](Self::settle) when all of its block are
    /// set.
    #[inline]
    pub(super) fn set(&mut self, index: usize, at: Time) {
        self.times[index] = at;
    }

    /// Finds the least time of `block` anew.
    #[inline]
    pub(super) fn settle(&mut self, block: usize) {
        let times = self.times[block * SIZE..].iter().take(SIZE);
        self.blocks[block] = times.copied().min().unwrap_or(Time::MAX);
    }

    /// Sets the time of process `index`.
    pub(super) fn put(&mut self, index: usize, at: Time) {
        self.times[index] = at;
        self.refresh(index);
    }

    fn refresh(&mut self, index: usize) {
        let block = index / SIZE;
        if block == self.blocks.len() {
            self.blocks.push(Time::MAX);
        }
        self.settle(block);
    }

    /// The time of process `index`.
    #[inline]
    pub(super) fn time(&self, index: usize) -> Time {
        self.times[index]
    }

    /// The least time of all.
    #[inline]
    pub(super) fn earliest(&self) -> Time {
        self.blocks.iter().copied().min().unwrap_or(Time::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn finds_what_is_due(times in proptest::collection::vec(0u64..50, 1..300), end in 0u64..60, moved in 0usize..300, to in 0u64..60) {
            let mut calendar = Calendar::new();
            let mut model = times.clone();
            for at in times {
                calendar.push(Time::from_ps(at));
            }
            let moved = moved % model.len();
            model[moved] = to;
            calendar.put(moved, Time::from_ps(to));
            let due: Vec<usize> = (0..calendar.blocks())
                .flat_map(|block| {
                    let bits = calendar.due(block, Time::from_ps(end));
                    (0..SIZE).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| block * SIZE + bit)
                })
                .collect();
            let expected: Vec<usize> = (0..model.len()).filter(|&index| model[index] < end).collect();
            proptest::prop_assert_eq!(due, expected);
            proptest::prop_assert_eq!(calendar.earliest(), Time::from_ps(*model.iter().min().expect("not empty")));
        }
    }
}
