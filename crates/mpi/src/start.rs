//! The way in: from the environment of a process to its ranks.

use std::sync::Arc;

use crate::{Launch, MpiRanks};

/// A process that was started as one of several and cannot be.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// This build has no MPI.
    #[error("{} by an MPI launcher, but this build has no MPI", started(*count))]
    NotBuilt {
        /// Number of processes, where it is known.
        count: Option<usize>,
    },
    /// MPI sees fewer or more processes than the launcher has started.
    #[error(
        "{} by an MPI launcher, but the MPI of this build sees {found} ({library})",
        started(Some(*expected))
    )]
    Apart {
        /// Number of processes that the launcher has started.
        expected: usize,
        /// Number of processes that MPI sees.
        found: usize,
        /// The MPI library and its version.
        library: String,
    },
    /// MPI cannot be called from several threads, even one at a time.
    #[error("the MPI of this build cannot be called from more than one thread ({library})")]
    OneThread {
        /// The MPI library and its version.
        library: String,
    },
    /// MPI has been started before, in the same process.
    #[error("MPI has been started before in this process")]
    Twice,
}

fn started(count: Option<usize>) -> String {
    match count {
        Some(count) => format!("{count} processes were started"),
        None => "the process was started".to_owned(),
    }
}

impl StartError {
    /// Returns what would be right.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::NotBuilt { .. } => {
                "build it with MPI: `cargo install --locked --path crates/cli --features mpi` \
                 (docs/clusters.md), or start it without the launcher"
            }
            Self::Apart { .. } => {
                "start it with the launcher of the MPI that it was built with (the one that `mpicc` \
                 belongs to); with Slurm: `srun --mpi=pmix`, or `mpirun` in the batch script"
            }
            Self::OneThread { .. } => "use an MPI that was built with support for threads",
            Self::Twice => "call `start` once, and share what it returns",
        }
    }
}

/// Joins the processes that an MPI launcher has started together with this one. Returns `None`
/// when this process is alone; MPI is not started then.
///
/// From now on a panic of this process ends all. MPI ends when the last reference to the ranks is
/// dropped, which has to happen on the thread that has called this function, at all ranks.
///
/// # Errors
/// When there are several processes that cannot become ranks of one run. Nothing has been done then
/// but what MPI itself does when it starts.
pub fn start() -> Result<Option<Arc<MpiRanks>>, StartError> {
    match Launch::detect() {
        None => Ok(None),
        Some(launch) => MpiRanks::start(launch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_was_started_and_what_would_be_right() {
        let error = StartError::NotBuilt { count: Some(4) };
        assert_eq!(
            error.to_string(),
            "4 processes were started by an MPI launcher, but this build has no MPI"
        );
        assert!(error.help().contains("--features mpi"));
        let error = StartError::NotBuilt { count: None };
        assert!(error.to_string().starts_with("the process was started by"));
        let error = StartError::Apart {
            expected: 4,
            found: 1,
            library: "Open MPI v4.1.4".to_owned(),
        };
        assert_eq!(
            error.to_string(),
            "4 processes were started by an MPI launcher, but the MPI of this build sees 1 (Open \
             MPI v4.1.4)"
        );
    }
}
