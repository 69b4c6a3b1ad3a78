//! The default number of threads of a rank.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::thread::available_parallelism;

use fabricsim_base::ranks::Ranks;

/// Returns the default number of threads for this rank: its share of the cores of `machine`. Ranks
/// bound to separate cores use these cores; ranks with common cores divide them evenly. All
/// ranks must call this, each with the name of its machine.
#[must_use]
pub fn threads_by_default(ranks: &dyn Ranks, machine: &str) -> usize {
    share(&cores_of_all(ranks, machine), ranks.rank())
}

/// Returns `true` if any machine has more ranks than cores, so that even single-threaded ranks
/// share a core. All ranks must call this, each with the name of its machine.
#[must_use]
pub fn cores_are_shared(ranks: &dyn Ranks, machine: &str) -> bool {
    let all = cores_of_all(ranks, machine);
    let is_crowded = |rank: usize| {
        let (cores, ranks) = together(&all, rank);
        cores < ranks
    };
    (0..all.len()).any(is_crowded)
}

fn cores_of_all(ranks: &dyn Ranks, machine: &str) -> Vec<Cores> {
    let own = Cores {
        machine: machine.to_owned(),
        usable: available_parallelism().map_or(1, NonZero::get),
        allowed: allowed(),
    };
    let all = ranks.gather(own.to_text().as_bytes());
    all.iter().map(|text| Cores::from_text(text)).collect()
}

/// The cores that a rank may use.
struct Cores {
    machine: String,
    /// Number of usable cores, after quotas.
    usable: usize,
    /// Numbers of the cores that the process is bound to; empty if the system does not tell.
    allowed: BTreeSet<usize>,
}

impl Cores {
    fn to_text(&self) -> String {
        let allowed: Vec<String> = self.allowed.iter().map(usize::to_string).collect();
        format!("{}\n{}\n{}", self.machine, self.usable, allowed.join(","))
    }

    fn from_text(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let mut lines = text.lines();
        let mut line = || lines.next().unwrap_or_default();
        Self {
            machine: line().to_owned(),
            usable: line().parse().unwrap_or(1),
            allowed: cores_in(line()),
        }
    }
}

/// Returns the number of cores that the ranks on `rank`'s machine have together, and the number of
/// these ranks.
fn together(all: &[Cores], rank: usize) -> (usize, usize) {
    let own = &all[rank];
    let here = || all.iter().filter(|one| one.machine == own.machine);
    let cores: BTreeSet<usize> = here().flat_map(|one| &one.allowed).copied().collect();
    // Under a quota, or if the bound cores are unknown, each rank's limit is the limit of all
    // together.
    let limited = own.usable < own.allowed.len() || cores.is_empty();
    let cores = if limited { own.usable } else { cores.len() };
    (cores, here().count())
}

fn share(all: &[Cores], rank: usize) -> usize {
    let (cores, ranks) = together(all, rank);
    (cores / ranks).clamp(1, all[rank].usable.max(1))
}

/// Returns the cores that the system lets this process run on; empty outside of Linux.
fn allowed() -> BTreeSet<usize> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.map(cores_in).unwrap_or_default()
}

/// Parses a list of cores in the notation of Linux, such as `0-3,8`.
fn cores_in(list: &str) -> BTreeSet<usize> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let ranges = list.split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(number(first)?..=number(last)?)
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the share of each rank, given its machine and its cores.
    fn shares(ranks: &[(&str, &str)]) -> Vec<usize> {
        let cores = |&(machine, list): &(&str, &str)| {
            let allowed = cores_in(list);
            let cores = Cores {
                machine: machine.to_owned(),
                usable: allowed.len(),
                allowed,
            };
            Cores::from_text(cores.to_text().as_bytes())
        };
        let all: Vec<Cores> = ranks.iter().map(cores).collect();
        (0..all.len()).map(|rank| share(&all, rank)).collect()
    }

    #[test]
    fn lists_of_cores_are_read_as_linux_writes_them() {
        assert_eq!(
            Vec::from_iter(cores_in("\t0-2,8,10-11")),
            [0, 1, 2, 8, 10, 11]
        );
        assert!(cores_in("").is_empty());
    }

    #[test]
    fn bound_ranks_use_their_own_cores() {
        assert_eq!(shares(&[("a", "0-3"), ("a", "4-7")]), [4, 4]);
        assert_eq!(shares(&[("a", "0"), ("a", "1")]), [1, 1]);
    }

    #[test]
    fn ranks_that_are_not_bound_divide_the_machine() {
        assert_eq!(
            shares(&[("a", "0-7"), ("a", "0-7"), ("b", "0-7")]),
            [4, 4, 8]
        );
        assert_eq!(
            shares(&[("a", "0-1"), ("a", "0-1"), ("a", "0-1")]),
            [1, 1, 1]
        );
    }

    #[test]
    fn a_quota_is_what_all_have_together() {
        let cores = || Cores {
            machine: "a".to_owned(),
            usable: 4,
            allowed: (0..64).collect(),
        };
        assert_eq!(share(&[cores(), cores()], 0), 2);
    }

    #[test]
    fn the_cores_of_this_process_are_known() {
        if cfg!(target_os = "linux") {
            let usable = available_parallelism().map_or(1, NonZero::get);
            assert!(allowed().len() >= usable);
        }
    }
}
