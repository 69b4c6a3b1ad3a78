//! Several instances of the program that simulate one network together.
//!
//! Each instance is a *rank*, as in MPI. All ranks read the same scenario and take the same
//! decisions; each holds the state of its own nodes only. What is sent to a node of another rank,
//! and what a decision needs to know of other ranks, goes through [`Ranks`].

mod division;
mod local;

pub use division::{Link, divide, walk};
pub use local::LocalRanks;

use std::fmt::Debug;
use std::sync::Arc;

use crate::checkpoint::{Reader, Stored, Writer};

/// What takes in the bytes of another rank: its number, what was early, and what came later.
pub type Receive<'a> = dyn FnMut(usize, &[u8], &[u8]) + 'a;

/// The ranks of a run, as one of them sees them.
///
/// All ranks call the same methods in the same order: each call waits for the others.
pub trait Ranks: Debug + Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns how many ranks there are, at least 1.
    fn count(&self) -> usize;

    /// Gives `own` to all ranks, and returns what each has given, by rank, this one included.
    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Exchanges what ranks have for one another at the end of an epoch.
    ///
    /// `early` has bytes for each rank, its own place being ignored. They are on their way while
    /// `meanwhile` runs, which then adds bytes for all other ranks to an empty buffer. `receive` is
    /// called once for each other rank, in the order of ranks, with its number, the early bytes that
    /// it has sent to this rank and its later ones.
    fn exchange(
        &self,
        early: &[Vec<u8>],
        meanwhile: &mut dyn FnMut(&mut Vec<u8>),
        receive: &mut Receive<'_>,
    );
}

/// The ranks of a run, and which of them holds each node.
#[derive(Clone, Debug)]
pub struct Shares {
    /// The ranks, as this one sees them.
    pub ranks: Arc<dyn Ranks>,
    /// By node: the number of its rank.
    pub owners: Arc<[u16]>,
}

impl Shares {
    /// Returns whether this rank holds `node`.
    #[must_use]
    pub fn is_here(&self, node: usize) -> bool {
        usize::from(self.owners[node]) == self.ranks.rank()
    }
}

/// Why what another rank has written can be read.
pub const ALIKE: &str = "ranks run the same program, so each reads what another has written";

/// Gives `own` to all ranks, and returns what each has given, by rank; without ranks, what there is.
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
