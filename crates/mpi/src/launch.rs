//! Detects without MPI if a launcher started this process as one of several.

/// The rank of this process among the processes that an MPI launcher started together.
///
/// It is read from the environment. This costs nothing, works in a build without MPI, and is
/// possible before the command line is parsed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Launch {
    rank: usize,
    count: Option<usize>,
}

/// Variables for the rank of a process and the number of processes, for launchers that set both.
/// Variables of the innermost launcher are first, because `mpirun` of Open MPI under Slurm inherits
/// the variables of `srun`, and never the other way round.
const VARIABLES: [(&str, &str); 3] = [
    // Open MPI and its derivatives (IBM's `jsrun`).
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    // MVAPICH.
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    // MPICH's Hydra, Intel MPI, Cray's PALS, Flux, and `srun --mpi=pmi2`.
    ("PMI_RANK", "PMI_SIZE"),
];

impl Launch {
    /// Returns the place of this process, or `None` if it runs alone: no MPI launcher started it,
    /// or it is the only process of the launch.
    #[must_use]
    pub fn detect() -> Option<Self> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    /// Returns the place of this process given `variable`, which looks up an environment variable.
    ///
    /// Slurm's own variables do not count: batch scripts, job arrays and `srun` without MPI set
    /// them too, and there each process works alone.
    #[must_use]
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
        let both = |(rank, count)| Some((number(rank)?, number(count)?));
        if let Some((rank, count)) = VARIABLES.into_iter().find_map(both) {
            return Self::several(rank, Some(count));
        }
        // PMIx tells the rank, not the count. Slurm tells the count of a step; the number of tasks
        // of the job is not a substitute, because it is also set in the batch script.
        let rank = number("PMIX_RANK")?;
        Self::several(rank, number("SLURM_STEP_NUM_TASKS"))
    }

    fn several(rank: usize, count: Option<usize>) -> Option<Self> {
        let launch = Self { rank, count };
        (count != Some(1)).then_some(launch)
    }

    /// Returns the rank of this process, from 0.
    #[must_use]
    pub const fn rank(self) -> usize {
        self.rank
    }

    /// Returns the number of processes (at least 2), or `None` if the launcher does not tell it.
    #[must_use]
    pub const fn count(self) -> Option<usize> {
        self.count
    }

    /// Returns `true` if this process prints on behalf of all.
    #[must_use]
    pub const fn is_first(self) -> bool {
        self.rank == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the place for variables in the notation of a shell.
    fn launch(variables: &str) -> Option<Launch> {
        let pairs: Vec<(&str, &str)> = variables
            .split_whitespace()
            .map(|pair| pair.split_once('=').expect("NAME=VALUE"))
            .collect();
        Launch::from_variables(|name| {
            let found = pairs.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    const fn at(rank: usize, count: usize) -> Option<Launch> {
        Some(Launch {
            rank,
            count: Some(count),
        })
    }

    #[test]
    fn launchers_say_who_a_process_is() {
        let open_mpi = "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=3";
        assert_eq!(launch(open_mpi), at(3, 4));
        assert_eq!(launch("PMI_RANK=0 PMI_SIZE=2 PMI_FD=6"), at(0, 2));
        assert_eq!(
            launch("MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=2"),
            at(1, 2)
        );
        let pmix = "PMIX_RANK=1 PMIX_NAMESPACE=slurm.pmix.2.0 SLURM_STEP_NUM_TASKS=2";
        assert_eq!(launch(pmix), at(1, 2));
    }

    #[test]
    fn one_process_is_alone() {
        assert_eq!(launch(""), None);
        assert_eq!(
            launch("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 PMIX_RANK=0"),
            None
        );
        assert_eq!(launch("PMI_RANK=0 PMI_SIZE=1"), None);
        assert_eq!(launch("PMIX_RANK=0 SLURM_STEP_NUM_TASKS=1"), None);
    }

    #[test]
    fn scripts_and_arrays_of_slurm_are_no_launch_of_mpi() {
        let script = "SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_NPROCS=4 SLURM_PROCID=0 SLURM_LOCALID=0";
        assert_eq!(launch(script), None);
        let array = "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8 SLURM_PROCID=0 SLURM_NTASKS=1";
        assert_eq!(launch(array), None);
        let tasks = "SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID=2 SLURM_STEP_ID=0";
        assert_eq!(launch(tasks), None);
    }

    #[test]
    fn what_mpirun_says_in_a_batch_script_comes_before_what_the_script_has() {
        let script = "SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 PMIX_RANK=0";
        let one = format!("{script} OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1");
        assert_eq!(launch(&one), None);
        let two = format!("{script} OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2");
        assert_eq!(launch(&two), at(1, 2));
    }

    #[test]
    fn a_launcher_that_does_not_say_of_how_many_may_have_started_several() {
        let unknown = launch("PMIX_RANK=0").expect("a launch");
        assert_eq!((unknown.rank(), unknown.count()), (0, None));
        assert!(unknown.is_first());
    }

    #[test]
    fn values_that_are_no_numbers_are_passed_over() {
        assert_eq!(
            launch("OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_SIZE=2"),
            None
        );
        assert_eq!(
            launch("OMPI_COMM_WORLD_RANK= OMPI_COMM_WORLD_SIZE=2 PMI_RANK=1 PMI_SIZE=2"),
            at(1, 2)
        );
    }
}
