//! Turns a failure of some ranks into a failure of all, reported once.

use fabricsim_base::ranks::Ranks;

/// The failure of a step at one or more ranks, as all ranks know it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommonFailure {
    /// Ranks that failed, in ascending order; never empty.
    pub failed: Vec<usize>,
    /// `true` if all ranks failed for the same reason.
    pub is_alike: bool,
    /// Exit code of the first rank that failed. Every rank should end with it.
    pub code: u8,
}

impl CommonFailure {
    /// Returns the rank that reports the failure: the first one that failed.
    #[must_use]
    pub fn speaker(&self) -> usize {
        self.failed[0]
    }
}

/// Agrees with all ranks on the outcome of a step that each takes on its own and that may fail,
/// such as reading a scenario or opening a file. `failure` is the exit code and the message of this
/// rank's failure, if it failed.
///
/// Either all ranks continue or none: if any rank failed, all get the same [`CommonFailure`]. All
/// ranks must call this, and each waits for the slowest.
///
/// # Errors
/// Returns an error if any rank failed.
pub fn agree(ranks: &dyn Ranks, failure: Option<(u8, &str)>) -> Result<(), CommonFailure> {
    let own = match failure {
        None => Vec::new(),
        Some((code, message)) => [&[code], message.as_bytes()].concat(),
    };
    let all = ranks.gather(&own);
    let failed: Vec<usize> = (0..all.len())
        .filter(|&rank| !all[rank].is_empty())
        .collect();
    match failed.first() {
        None => Ok(()),
        Some(&first) => Err(CommonFailure {
            is_alike: all.iter().all(|one| *one == all[first]),
            code: all[first][0],
            failed,
        }),
    }
}

/// Returns the first rank with a `value` different from rank 0's, if there is one. Use it for a
/// value that all ranks must share, such as the checksum of the scenario. All ranks must call this,
/// and all get the same result.
#[must_use]
pub fn first_different(ranks: &dyn Ranks, value: &[u8]) -> Option<usize> {
    let all = ranks.gather(value);
    (1..all.len()).find(|&rank| all[rank] != all[0])
}

#[cfg(test)]
mod tests {
    use fabricsim_base::ranks::LocalRanks;

    use super::*;

    /// Returns the result of [`agree`] at each rank, given the failure of each.
    fn agreed(failures: &[Option<(u8, &'static str)>]) -> Vec<Result<(), CommonFailure>> {
        on_each(failures, |ranks, failure| agree(ranks, *failure))
    }

    /// Runs `action` once per rank, each with its element of `values`, and returns the results.
    fn on_each<V: Sync, R: Send>(
        values: &[V],
        action: impl Fn(&LocalRanks, &V) -> R + Sync,
    ) -> Vec<R> {
        let ranks = LocalRanks::new(values.len());
        let action = &action;
        std::thread::scope(|scope| {
            let threads: Vec<_> = ranks
                .iter()
                .zip(values)
                .map(|(ranks, value)| scope.spawn(move || action(ranks, value)))
                .collect();
            let results = threads.into_iter().map(|one| one.join());
            results.map(|one| one.expect("no rank panics")).collect()
        })
    }

    #[test]
    fn all_go_on_when_none_has_failed() {
        assert_eq!(agreed(&[None, None, None]), vec![Ok(()); 3]);
    }

    #[test]
    fn the_failure_of_one_is_that_of_all() {
        let failure = CommonFailure {
            failed: vec![1],
            is_alike: false,
            code: 2,
        };
        assert_eq!(failure.speaker(), 1);
        assert_eq!(
            agreed(&[None, Some((2, "no such file")), None]),
            vec![Err(failure); 3]
        );
    }

    #[test]
    fn failures_of_all_are_alike_or_not() {
        let alike = |other| {
            let results = agreed(&[Some((2, "no such key")), Some(other)]);
            let failures: Vec<_> = results.into_iter().filter_map(Result::err).collect();
            assert_eq!(failures[0], failures[1]);
            assert_eq!((&*failures[0].failed, failures[0].code), (&[0, 1][..], 2));
            failures[0].is_alike
        };
        assert!(alike((2, "no such key")));
        assert!(!alike((2, "no such file")));
        assert!(!alike((1, "no such key")));
    }

    #[test]
    fn a_rank_with_something_else_is_found() {
        let different = |values: &[u8]| {
            let found = on_each(values, |ranks, value| first_different(ranks, &[*value]));
            assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
            found[0]
        };
        assert_eq!(different(&[7, 7, 7]), None);
        assert_eq!(different(&[7, 7, 8]), Some(2));
        assert_eq!(different(&[7, 8, 8]), Some(1));
    }
}
