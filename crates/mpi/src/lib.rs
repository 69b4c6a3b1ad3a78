//! MPI for fabricsim: the ranks of a run are processes, on one machine or many.
//!
//! [`start`] is the entry point: it returns the ranks if `mpirun` or `srun` started the process as
//! one of several, and nothing if the process is alone. [`MpiRanks`] implements
//! [`Ranks`](fabricsim_base::ranks::Ranks), the only interface that a simulation uses. [`agree`]
//! turns a failure of some ranks into a failure of all, reported once, and [`probe()`] measures the
//! cost of messages.
//!
//! Without the feature `mpi`, nothing is linked, and [`start`] returns an error if the process is
//! one of several, because otherwise each process would do all of the work. The types are the same
//! with and without the feature.

mod agreement;
mod launch;
mod probe;
mod start;
mod threads;

#[cfg(feature = "mpi")]
mod mpi_ranks;
#[cfg(feature = "mpi")]
mod panics;

#[cfg(not(feature = "mpi"))]
#[path = "absent.rs"]
mod mpi_ranks;

pub use agreement::{CommonFailure, agree, first_different};
pub use launch::Launch;
pub use mpi_ranks::MpiRanks;
pub use probe::{PairCost, ProbeOptions, ProbeReport, SizeCost, probe};
pub use start::{StartError, start};
pub use threads::{cores_are_shared, threads_by_default};

/// `true` if this build supports MPI (feature `mpi`).
pub const IS_BUILT: bool = cfg!(feature = "mpi");
