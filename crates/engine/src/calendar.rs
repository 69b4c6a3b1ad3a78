//! Calendar of a partition: the time at which each of its processes must run next.

use fabricsim_base::units::Time;

/// Processes in one block.
pub(super) const BLOCK: u32 = u64::BITS;
const SIZE: usize = BLOCK as usize;
/// Processes in one group, and groups in one block.
const GROUP: usize = 8;

/// A time for each process, with the minimum of each group and of each block of groups. So an epoch
/// with few events is cheap, no matter how many processes there are.
#[derive(Clone, Debug)]
pub(super) struct Calendar {
    /// The times of processes by block and group, padded with [`Time::MAX`].
    times: Vec<[[Time; GROUP]; GROUP]>,
    groups: Vec<[Time; GROUP]>,
    blocks: Vec<Time>,
    processes: usize,
}

impl Calendar {
    pub(super) const fn new() -> Self {
        Self {
            times: Vec::new(),
            groups: Vec::new(),
            blocks: Vec::new(),
            processes: 0,
        }
    }

    /// Adds a process at the end.
    pub(super) fn push(&mut self, at: Time) {
        if self.processes == SIZE * self.blocks.len() {
            self.times.push([[Time::MAX; GROUP]; GROUP]);
            self.groups.push([Time::MAX; GROUP]);
            self.blocks.push(Time::MAX);
        }
        self.processes += 1;
        self.put(self.processes - 1, at);
    }

    /// Returns the number of blocks; the last one may be partly filled.
    pub(super) const fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the processes of `block` with a time before `end`, one bit for each.
    #[inline]
    pub(super) fn due(&self, block: usize, end: Time) -> u64 {
        if self.blocks[block] >= end {
            return 0;
        }
        let groups = self.times[block].iter().zip(&self.groups[block]);
        groups.zip(0..).fold(0, |due, ((times, &least), group)| {
            if least >= end {
                return due;
            }
            let of_group =
                (times.iter().rev()).fold(0, |due: u64, &at| due + due + u64::from(at < end));
            due | of_group << (GROUP * group)
        })
    }

    /// Sets the time of process `index`. Call [`settle`](Self::settle) after setting the times of a
    /// block.
    #[inline]
    pub(super) fn set(&mut self, index: usize, at: Time) {
        self.times[index / SIZE][index % SIZE / GROUP][index % GROUP] = at;
    }

    /// Recomputes the minimum of `block`, given the processes with new times as bits of `changed`.
    #[inline]
    pub(super) fn settle(&mut self, block: usize, changed: u64) {
        let groups = &mut self.groups[block];
        for (group, (least, times)) in groups.iter_mut().zip(&self.times[block]).enumerate() {
            if changed >> (GROUP * group) & 0xff != 0 {
                *least = least_of(times);
            }
        }
        self.blocks[block] = least_of(groups);
    }

    /// Sets the time of process `index`.
    pub(super) fn put(&mut self, index: usize, at: Time) {
        self.set(index, at);
        self.settle(index / SIZE, 1 << (index % SIZE));
    }

    /// Returns the time of process `index`.
    #[inline]
    pub(super) fn time(&self, index: usize) -> Time {
        self.times[index / SIZE][index % SIZE / GROUP][index % GROUP]
    }

    /// Returns the minimum of all times.
    #[inline]
    pub(super) fn earliest(&self) -> Time {
        self.blocks.iter().copied().min().unwrap_or(Time::MAX)
    }
}

#[inline]
fn least_of(times: &[Time; GROUP]) -> Time {
    times.iter().copied().fold(Time::MAX, Time::min)
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
