//! Several instances of the program that simulate one network together.
//!
//! Each instance is a *rank*, as in MPI. All ranks read the same scenario and make the same
//! decisions, but each has the state of its own nodes only. Messages to nodes of other ranks, and
//! the information that decisions need from other ranks, are exchanged through [`Ranks`].

mod division;
mod local;

pub use division::{Link, divide, walk};
pub use local::LocalRanks;

use std::fmt::Debug;
use std::sync::Arc;

use crate::checkpoint::{Reader, Stored, Writer};

/// Receives the bytes of another rank: the rank's number, its early bytes and its later bytes.
pub type Receive<'a> = dyn FnMut(usize, &[u8], &[u8]) + 'a;

/// The ranks of a run, from the point of view of one of them.
///
/// All ranks call the same methods in the same order; each call waits for the other ranks.
pub trait Ranks: Debug + Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks, at least 1.
    fn count(&self) -> usize;

    /// Sends `own` to all ranks, and returns the data of each rank, including this one.
    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Exchanges the messages between ranks at the end of an epoch.
    ///
    /// `early` contains bytes for each rank; the entry of this rank is ignored. They are
    /// transferred while `meanwhile` runs, which then adds bytes for all other ranks to an empty
    /// buffer. `receive` is called once for each other rank, in the order of ranks, with its
    /// number, its early bytes for this rank, and its later bytes.
    fn exchange(
        &self,
        early: &[Vec<u8>],
        meanwhile: &mut dyn FnMut(&mut Vec<u8>),
        receive: &mut Receive<'_>,
    );
}

/// The ranks of a run, and the owner of each node.
#[derive(Clone, Debug)]
pub struct Shares {
    /// The ranks, from the point of view of this one.
    pub ranks: Arc<dyn Ranks>,
    /// The rank of each node.
    pub owners: Arc<[u16]>,
}

impl Shares {
    /// Returns `true` if `node` belongs to this rank.
    #[must_use]
    pub fn is_here(&self, node: usize) -> bool {
        usize::from(self.owners[node]) == self.ranks.rank()
    }
}

/// Panic message for data of another rank that cannot be read.
pub const ALIKE: &str = "ranks run the same program, so each reads what another has written";

/// Sends `own` to all ranks, and returns the data of each rank; without ranks, returns only `own`.
pub fn gather<T: Stored>(ranks: Option<&dyn Ranks>, own: T) -> Vec<T> {
    let Some(ranks) = ranks else {
        return vec![own];
    };
    let mut out = Writer::default();
    own.store(&mut out);
    let bytes = out.finish().expect("values are never refused");
    let all = ranks.gather(&bytes).into_iter();
    all.map(|bytes| T::fetch(&mut Reader::new(&bytes)).expect(ALIKE))
        .collect()
}
