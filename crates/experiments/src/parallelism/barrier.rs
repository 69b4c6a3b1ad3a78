//! Cost of the barrier at the end of an epoch.

use std::collections::HashSet;
use std::hint::spin_loop;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use fabricsim_engine::{PARTITIONS_PER_THREAD, Threads, ThreadsError};

use super::{BarrierSource, WORKERS, median, nanos};

/// Timed epochs for each number of threads.
const ROUNDS: usize = 2_000;
/// At least one round in this many must be undisturbed.
const ENOUGH: usize = 100;
/// Work of a partition in each of these epochs. Without any work, one thread would finish all
/// partitions before other threads have started, and the barrier would seem to cost nothing.
const GROUP_WORK: Duration = Duration::from_micros(5);
/// Work of the driver between these epochs, while the threads busy-wait.
const DRIVER_WORK: Duration = Duration::from_micros(5);

/// The cost of the barrier for measurable numbers of threads.
#[derive(Debug)]
pub(super) struct Barriers {
    pub(super) cores: usize,
    /// Threads and nanoseconds, fewest threads first; never empty.
    measured: Vec<(usize, u64)>,
    /// The smallest share of rounds in which every thread took part.
    pub(super) undisturbed: f64,
}

impl Barriers {
    /// Measures the barrier on a machine of `cores` cores, for all cores and for each of
    /// [`WORKERS`] up to that number. A machine with a single core uses two threads, which
    /// overestimates the cost.
    ///
    /// # Errors
    /// If the system does not provide the threads.
    pub(super) fn measure(cores: usize) -> Result<Self, ThreadsError> {
        let mut undisturbed = 1.0f64;
        let measured = thread_counts(cores).into_iter().map(|threads| {
            let (ns, share) = median_round(threads)?;
            undisturbed = undisturbed.min(share);
            Ok((threads, ns))
        });
        Ok(Self {
            cores,
            measured: measured.collect::<Result<_, ThreadsError>>()?,
            undisturbed,
        })
    }

    /// Returns the largest number of threads of a measurement.
    pub(super) fn most_threads(&self) -> usize {
        self.largest().0
    }

    /// Returns the cost of a barrier of `workers` threads in nanoseconds, and the source of the
    /// number.
    ///
    /// With more workers than cores it cannot be measured. We then scale the cost for the most
    /// threads with the logarithm of their number, which is an assumption.
    pub(super) fn of(&self, workers: usize) -> (f64, BarrierSource) {
        let known = self
            .measured
            .iter()
            .find(|(threads, _)| *threads == workers);
        if let Some(&(_, ns)) = known {
            return (ns as f64, BarrierSource::Measured);
        }
        let (threads, ns) = self.largest();
        let growth = libm::log2(workers as f64) / libm::log2(threads as f64);
        (ns as f64 * growth, BarrierSource::Scaled)
    }

    fn largest(&self) -> (usize, u64) {
        *self.measured.last().expect("two threads at least")
    }
}

/// Returns the numbers of threads to measure on a machine of `cores` cores, in increasing order.
fn thread_counts(cores: usize) -> Vec<usize> {
    let most = cores.max(2);
    let mut counts: Vec<usize> = WORKERS.into_iter().filter(|&w| w < most).collect();
    counts.push(most);
    counts
}

/// Returns the median time in nanoseconds by which `threads` exceed their even share in one pass
/// through partitions of equal work, as in an epoch of the engine.
///
/// The time includes the start of the round, the search for remaining partitions, and the wait for
/// the last thread. Rounds in which a thread did nothing are left out if enough rounds remain,
/// because another program had its core. The second value is the share of the remaining rounds.
fn median_round(threads: usize) -> Result<(u64, f64), ThreadsError> {
    let team = Threads::start(threads)?;
    // Which thread has done each partition.
    let mut partitions = vec![None; PARTITIONS_PER_THREAD * threads];
    let even_share = nanos(GROUP_WORK) * PARTITIONS_PER_THREAD as u64;
    let (mut rounds, mut alone) = (Vec::with_capacity(ROUNDS), Vec::new());
    let work = |by: &mut Option<ThreadId>, ()| {
        *by = Some(thread::current().id());
        work_for(GROUP_WORK);
    };
    team.in_rounds(partitions.len(), &work, |all| {
        for _ in 0..ROUNDS {
            work_for(DRIVER_WORK);
            let begun = Instant::now();
            all.run(&mut partitions, ());
            let excess = nanos(begun.elapsed()).saturating_sub(even_share);
            let by: HashSet<_> = partitions.iter().collect();
            if by.len() == threads {
                rounds.push(excess);
            } else {
                alone.push(excess);
            }
        }
    });
    let undisturbed = rounds.len() as f64 / ROUNDS as f64;
    if rounds.len() < ROUNDS / ENOUGH {
        rounds.append(&mut alone);
    }
    Ok((median(&mut rounds), undisturbed))
}

fn work_for(span: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < span {
        spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_with_the_logarithm_beyond_what_was_measured() {
        let barriers = Barriers {
            cores: 8,
            measured: vec![(2, 1_000), (4, 2_500), (8, 6_000)],
            undisturbed: 1.0,
        };
        let near = |workers, ns: f64, source| {
            let (cost, from) = barriers.of(workers);
            assert!((cost - ns).abs() < 1e-6, "{workers} workers: {cost}");
            assert_eq!(from, source);
        };
        near(4, 2_500.0, BarrierSource::Measured);
        near(8, 6_000.0, BarrierSource::Measured);
        near(16, 8_000.0, BarrierSource::Scaled);
        near(64, 12_000.0, BarrierSource::Scaled);
    }

    #[test]
    fn is_measured_up_to_the_number_of_cores() {
        assert_eq!(thread_counts(1), [2]);
        assert_eq!(thread_counts(2), [2]);
        assert_eq!(thread_counts(3), [2, 3]);
        assert_eq!(thread_counts(8), [2, 4, 8]);
        assert_eq!(thread_counts(200).last(), Some(&200));
        let barriers = Barriers::measure(1).expect("two threads");
        let (cost, source) = barriers.of(2);
        assert!(cost > 0.0);
        assert!((0.0..=1.0).contains(&barriers.undisturbed));
        assert_eq!(
            (barriers.most_threads(), source),
            (2, BarrierSource::Measured)
        );
    }
}
