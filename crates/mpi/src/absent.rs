//! Stand-in for the ranks in a build without MPI: no value of the type exists.

use std::sync::Arc;

use fabricsim_base::ranks::{Ranks, Receive};

use crate::{Launch, StartError};

/// This process as one rank of a simulation over MPI. A build without the feature `mpi` has no
/// value of this type.
#[derive(Debug)]
pub enum MpiRanks {}

impl MpiRanks {
    pub(crate) const fn start(launch: Launch) -> Result<Option<Arc<Self>>, StartError> {
        Err(StartError::NotBuilt {
            count: launch.count(),
        })
    }

    /// Returns the name of the machine that this rank runs on.
    #[must_use]
    pub const fn machine(&self) -> &str {
        match *self {}
    }

    /// Ends the processes of all ranks with this exit code.
    pub const fn abort(&self, _code: u8) -> ! {
        match *self {}
    }
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        match *self {}
    }

    fn count(&self) -> usize {
        match *self {}
    }

    fn gather(&self, _own: &[u8]) -> Vec<Vec<u8>> {
        match *self {}
    }

    fn exchange(
        &self,
        _early: &[Vec<u8>],
        _meanwhile: &mut dyn FnMut(&mut Vec<u8>),
        _receive: &mut Receive<'_>,
    ) {
        match *self {}
    }
}
