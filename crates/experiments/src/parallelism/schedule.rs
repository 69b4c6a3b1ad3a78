//! List scheduling: the duration of an epoch if workers share its nodes.

/// Assigns each task in turn to the worker with the least load. With the longest tasks first, the
/// result is at most a third longer than the optimum (Graham 1969).
#[derive(Debug, Default)]
pub(super) struct ListSchedule {
    /// Load of each worker, in the unit of the tasks, as a min-heap.
    loads: Vec<u64>,
}

impl ListSchedule {
    /// Returns the time at which the last of `workers` finishes `tasks`, which are sorted in
    /// decreasing order.
    pub(super) fn length(&mut self, tasks: &[u64], workers: usize) -> u64 {
        debug_assert!(tasks.is_sorted_by(|a, b| a >= b), "the longest task first");
        let Some((first, rest)) = tasks.split_at_checked(workers) else {
            return tasks.first().copied().unwrap_or(0);
        };
        self.loads.clear();
        // Sorted from the least up, they are a heap.
        self.loads.extend(first.iter().rev());
        let mut longest = first.first().copied().unwrap_or(0);
        for task in rest {
            longest = longest.max(self.add(*task));
        }
        longest
    }

    /// Adds `task` to the least load and returns the new load.
    fn add(&mut self, task: u64) -> u64 {
        let loads = &mut self.loads[..];
        let load = loads[0] + task;
        let mut place = 0;
        loop {
            let mut child = 2 * place + 1;
            let Some(&left) = loads.get(child) else { break };
            let mut least = left;
            if let Some(&right) = loads.get(child + 1)
                && right < left
            {
                least = right;
                child += 1;
            }
            if load <= least {
                break;
            }
            loads[place] = least;
            place = child;
        }
        loads[place] = load;
        load
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(tasks: &[u64], workers: usize) -> u64 {
        ListSchedule::default().length(tasks, workers)
    }

    #[test]
    fn cases_by_hand() {
        assert_eq!(length(&[], 2), 0);
        assert_eq!(length(&[7], 2), 7);
        assert_eq!(length(&[7, 2], 2), 7);
        assert_eq!(length(&[5, 4, 3], 1), 12);
        // 3 2 | 3 2 2 is 7, where 3 3 | 2 2 2 would be 6.
        assert_eq!(length(&[3, 3, 2, 2, 2], 2), 7);
        // Graham's worst case for three workers: 5 3 | 5 3 | 4 4 3 is 11, where 5 4 | 5 4 | 3 3 3
        // is 9.
        assert_eq!(length(&[5, 5, 4, 4, 3, 3, 3], 3), 11);
        assert_eq!(length(&[8; 12], 4), 24);
        assert_eq!(length(&[8; 13], 4), 32);
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_a_search_for_the_least(mut tasks in proptest::collection::vec(0u64..1_000, 0..200), workers in 1usize..130) {
            tasks.sort_unstable_by(|a, b| b.cmp(a));
            let mut loads = vec![0; workers];
            for task in &tasks {
                *loads.iter_mut().min().expect("a worker") += task;
            }
            let expected = loads.into_iter().max().expect("a worker");
            proptest::prop_assert_eq!(length(&tasks, workers), expected);
        }

        #[test]
        fn is_bounded_and_never_longer_with_more_workers(mut tasks in proptest::collection::vec(0u64..1_000, 1..400)) {
            tasks.sort_unstable_by(|a, b| b.cmp(a));
            let work: u64 = tasks.iter().sum();
            let mut before = work;
            for workers in super::super::WORKERS {
                let length = length(&tasks, workers);
                let share = work.div_ceil(workers as u64);
                proptest::prop_assert!(length >= tasks[0].max(share));
                proptest::prop_assert!(length <= before);
                // The last worker to finish took its last task on when no other had less to do.
                proptest::prop_assert!(length <= share + tasks[0]);
                before = length;
            }
        }
    }
}
