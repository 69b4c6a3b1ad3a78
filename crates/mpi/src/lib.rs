//! MPI beneath fabricsim: the ranks of a run are processes, on one machine or on many.
//!
//! [`start`] is the way in: it returns the ranks when the process is one of several that `mpirun`
//! or `srun` has started, and nothing when it is alone. [`MpiRanks`] implements
//! [`Ranks`](fabricsim_base::ranks::Ranks), which is all that a simulation knows of them. [`agree`]
//! makes a failure of some ranks one of all, said once, and [`probe()`] measures what messages cost.
//!
//! Without the feature `mpi` nothing is linked, and [`start`] refuses to be one of several
//! processes instead of letting each of them do the whole work. Types are the same with it and
//! without it.

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

/// Whether this build has MPI: the feature `mpi`.
pub const IS_BUILT: bool = cfg!(feature = "mpi");
