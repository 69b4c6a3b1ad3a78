//! Entry point: from the environment of a process to its ranks.

use std::sync::Arc;

use crate::{Launch, MpiRanks};

/// The reason why a process that a launcher started as one of several cannot be a rank.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// This build has no MPI.
    #[error("{} by an MPI launcher, but this build has no MPI", started(*count))]
    NotBuilt {
        /// Number of processes, if known.
        count: Option<usize>,
    },
    /// MPI sees fewer or more processes than the launcher started.
    #[error(
        "{} by an MPI launcher, but the MPI of this build sees {found} ({library})",
        started(Some(*expected))
    )]
    Apart {
        /// Number of processes that the launcher started.
        expected: usize,
        /// Number of processes that MPI sees.
        found: usize,
        /// Name and version of the MPI library.
        library: String,
    },
    /// This MPI does not allow calls from several threads, not even one at a time.
    #[error("the MPI of this build cannot be called from more than one thread ({library})")]
    OneThread {
        /// Name and version of the MPI library.
        library: String,
    },
    /// MPI was already started in this process.
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
    /// Returns advice on how to correct the error.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::NotBuilt { .. } => {
                "build it with MPI: `cargo install --locked --path crates/cli --features mpi` \
                 (docs/clusters.md), or start it without the launcher"
            }
            Self::Apart { .. } => {
                "start it with the launcher of the MPI library of the build (the one of `mpicc`); with Slurm: \
                 `srun --mpi=pmix`, or `mpirun` in the batch script"
            }
            Self::OneThread { .. } => "use an MPI that was built with support for threads",
            Self::Twice => "call `start` once, and share the result",
        }
    }
}

/// Joins the processes that an MPI launcher started together with this one. Returns `None`, without
/// starting MPI, if this process is alone.
///
/// From now on, a panic of this process ends all ranks. MPI ends when the last reference to the
/// ranks is dropped. At every rank this must happen on the thread that called this function.
///
/// # Errors
/// Returns an error if there are several processes that cannot become ranks of one run. MPI may
/// have been started, but nothing else has been done.
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
