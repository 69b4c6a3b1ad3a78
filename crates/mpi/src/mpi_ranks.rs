//! Ranks that are processes, over MPI.

use std::fmt::{Debug, Formatter};
use std::iter::repeat_n;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread::sleep;
use std::time::Duration;

use fabricsim_base::ranks::{Ranks, Receive};
use mpi::datatype::Equivalence;
use mpi::environment::{Universe, initialize_with_threading, library_version, processor_name};
use mpi::request::{LocalScope, Request, scope};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::{CommunicatorCollectives, Destination, Source};
use mpi::{Rank, Tag, Threading};

use crate::{Launch, StartError, panics};

/// Tag of bytes sent at the start of an exchange, while the sender still works.
const EARLY: Tag = 1;
/// Tag of the last bytes that a rank sends to another one in an exchange.
const LATE: Tag = 2;
/// Tag of gathered bytes that do not fit into a block.
const GATHERED: Tag = 3;
/// Tag of the messages of measurements.
pub(crate) const PROBE: Tag = 4;

/// Maximum number of bytes of a piece of a message. MPI counts in signed 32-bit integers.
const PIECE: usize = 1 << 30;

/// Bytes that each rank contributes to the first step of a gathering: the length of its data, then
/// the data if they fit. The data that decide an epoch always fit, so an epoch needs no second
/// step.
const BLOCK: usize = 64;
const LENGTH: usize = size_of::<u64>();

const UNBROKEN: &str = "a panic ends the process";

/// This process as one rank of a simulation over MPI.
///
/// You may call it from any thread, but only one at a time. Each call copies its bytes once, into
/// buffers that persist between calls. A failure of MPI ends all processes, which is MPI's default.
pub struct MpiRanks {
    rank: usize,
    count: usize,
    machine: String,
    /// Maximum number of bytes of a piece of a message.
    piece: usize,
    /// Locked for the duration of a call.
    buffers: Mutex<Buffers>,
    /// Locked while MPI is called. It is free while a rank works in the middle of an exchange, so
    /// that a panic there can end all ranks.
    calls: Mutex<()>,
    /// Finalizes MPI when it is dropped.
    _universe: Universe,
}

#[derive(Default)]
struct Buffers {
    late: Vec<u8>,
    early_in: Vec<u8>,
    late_in: Vec<u8>,
    blocks: Vec<u8>,
}

/// A send in progress; it borrows its bytes until they have left.
type Sending<'a, 's> = Request<'a, [u8], &'s LocalScope<'a>>;

impl MpiRanks {
    pub(crate) fn start(launch: Launch) -> Result<Option<Arc<Self>>, StartError> {
        Self::start_in_pieces(launch, PIECE)
    }

    /// Starts MPI with pieces of at most `piece` bytes, so that a test needs no message of
    /// gigabytes.
    ///
    /// # Errors
    /// Same as [`start`](crate::start).
    #[doc(hidden)]
    pub fn start_in_pieces(launch: Launch, piece: usize) -> Result<Option<Arc<Self>>, StartError> {
        let started = initialize_with_threading(Threading::Serialized);
        let (universe, threading) = started.ok_or(StartError::Twice)?;
        let world = universe.world();
        let number = |rank| usize::try_from(rank).expect("MPI counts ranks from 0");
        let (rank, count) = (number(world.rank()), number(world.size()));
        if let Some(expected) = launch.count().filter(|&expected| expected != count) {
            return Err(StartError::Apart {
                expected,
                found: count,
                library: library(),
            });
        }
        if count == 1 {
            return Ok(None);
        }
        if threading < Threading::Serialized {
            return Err(StartError::OneThread { library: library() });
        }
        let ranks = Arc::new(Self {
            rank,
            count,
            machine: processor_name().unwrap_or_default(),
            piece,
            buffers: Mutex::default(),
            calls: Mutex::default(),
            _universe: universe,
        });
        panics::end_all_on_panic(Arc::downgrade(&ranks));
        Ok(Some(ranks))
    }

    /// Returns the name of the machine that this rank runs on.
    #[must_use]
    pub fn machine(&self) -> &str {
        &self.machine
    }

    /// Ends the processes of all ranks with this exit code, even while they work.
    pub fn abort(&self, code: u8) -> ! {
        // Another thread may hold the lock inside of MPI, possibly forever if the other ranks wait
        // for this one. The process ends either way, so give up after half a second.
        for _ in 0..100 {
            match self.calls.try_lock() {
                Err(TryLockError::WouldBlock) => sleep(Duration::from_millis(5)),
                _ => break,
            }
        }
        SimpleCommunicator::world().abort(code.into())
    }

    /// Locks MPI for this thread.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.calls.lock().expect(UNBROKEN)
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank;
        (0..self.count).filter(move |&other| other != own)
    }

    /// Sends `bytes` in pieces. All have the maximum size except the last one, which is smaller.
    fn send<'a, 's>(
        &self,
        to: usize,
        bytes: &'a [u8],
        tag: Tag,
        scope: &'s LocalScope<'a>,
        sent: &mut Vec<Sending<'a, 's>>,
    ) {
        let world = SimpleCommunicator::world();
        let to = world.process_at_rank(mpi_rank(to));
        let whole = bytes.len() / self.piece * self.piece;
        let (pieces, last) = bytes.split_at(whole);
        for piece in pieces.chunks(self.piece).chain([last]) {
            sent.push(to.immediate_send_with_tag(scope, piece, tag));
        }
    }

    /// Receives the next message from a rank, with the given `tag` or any tag, into the beginning
    /// of `buffer`. Returns its tag and its length.
    ///
    /// MPI delivers the messages of one sender in the order in which they were sent, even across
    /// tags, so the next message is the same in every run.
    fn receive(&self, from: usize, tag: Option<Tag>, buffer: &mut Vec<u8>) -> (Tag, usize) {
        let world = SimpleCommunicator::world();
        let from = world.process_at_rank(mpi_rank(from));
        let mut wanted = tag;
        let mut filled = 0;
        loop {
            let (message, status) = match wanted {
                Some(tag) => from.matched_probe_with_tag(tag),
                None => from.matched_probe(),
            };
            let length = status.count(u8::equivalent_datatype());
            let length = usize::try_from(length).expect("a message of bytes has a length");
            let end = filled + length;
            if buffer.len() < end {
                buffer.resize(end, 0);
            }
            message.matched_receive_into(&mut buffer[filled..end]);
            filled = end;
            if length < self.piece {
                return (status.tag(), filled);
            }
            wanted = Some(status.tag());
        }
    }

    /// Receives the bytes of `from` that did not fit into its block.
    fn receive_rest(&self, from: usize, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length);
        let (_, received) = self.receive(from, Some(GATHERED), &mut bytes);
        assert_eq!(received, length, "a rank sends what it has announced");
        bytes
    }
}

pub(crate) fn mpi_rank(rank: usize) -> Rank {
    Rank::try_from(rank).expect("MPI counts ranks in 32 bits")
}

/// Returns the name and version of the MPI library, in one line.
fn library() -> String {
    let text = library_version().unwrap_or_default();
    let end = text.find([',', '\n', '\0']).unwrap_or(text.len());
    text[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a block with the length of `own`, and `own` itself if it fits.
fn block(own: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let (length, inside) = block.split_at_mut(LENGTH);
    length.copy_from_slice(&(own.len() as u64).to_le_bytes());
    if let Some(inside) = inside.get_mut(..own.len()) {
        inside.copy_from_slice(own);
    }
    block
}

/// Returns the length of a rank's data, and the data if the block contains them.
fn unblock(block: &[u8]) -> (usize, Option<&[u8]>) {
    let (length, inside) = block.split_at(LENGTH);
    let length = u64::from_le_bytes(length.try_into().expect("a length has 8 bytes"));
    let length = usize::try_from(length).expect("all ranks have the same kind of machine");
    (length, inside.get(..length))
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let mut buffers = self.buffers.lock().expect(UNBROKEN);
        let _turn = self.turn();
        let blocks = &mut buffers.blocks;
        blocks.clear();
        blocks.extend(repeat_n(0, BLOCK * self.count));
        SimpleCommunicator::world().all_gather_into(&block(own)[..], &mut blocks[..]);
        let blocks = blocks.chunks_exact(BLOCK).map(unblock);
        scope(|scope| {
            let mut sent = Vec::new();
            if own.len() > BLOCK - LENGTH {
                for to in self.others() {
                    self.send(to, own, GATHERED, scope, &mut sent);
                }
            }
            let all = blocks
                .enumerate()
                .map(|(rank, (length, bytes))| match bytes {
                    Some(bytes) => bytes.to_vec(),
                    None if rank == self.rank => own.to_vec(),
                    None => self.receive_rest(rank, length),
                });
            let all = all.collect();
            sent.into_iter().for_each(Request::wait_without_status);
            all
        })
    }

    fn exchange(
        &self,
        early: &[Vec<u8>],
        meanwhile: &mut dyn FnMut(&mut Vec<u8>),
        receive: &mut Receive<'_>,
    ) {
        let mut buffers = self.buffers.lock().expect(UNBROKEN);
        let Buffers {
            late,
            early_in,
            late_in,
            ..
        } = &mut *buffers;
        late.clear();
        scope(|scope| {
            let mut sent = Vec::new();
            let turn = self.turn();
            for to in self.others().filter(|&to| !early[to].is_empty()) {
                self.send(to, &early[to], EARLY, scope, &mut sent);
            }
            drop(turn);
            // The early bytes are already in transit, so their transfer overlaps with this work.

            meanwhile(late);

            let turn = self.turn();
            // Even an empty last message is sent, because each receiver waits for one from every
            // rank.
            let late: &[u8] = late;
            for to in self.others() {
                self.send(to, late, LATE, scope, &mut sent);
            }
            drop(turn);

            for from in self.others() {
                let turn = self.turn();
                // A rank without early bytes skips that message, so the tag of the first message
                // tells.
                let (tag, length) = self.receive(from, None, early_in);
                let (early, late) = if tag == EARLY {
                    let (_, end) = self.receive(from, Some(LATE), late_in);
                    (&early_in[..length], &late_in[..end])
                } else {
                    (&[][..], &early_in[..length])
                };
                drop(turn);
                receive(from, early, late);
            }

            // The buffers must not be reused before MPI has read them.
            let _turn = self.turn();
            sent.into_iter().for_each(Request::wait_without_status);
        });
    }
}

impl Debug for MpiRanks {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MpiRanks")
            .field("rank", &self.rank)
            .field("count", &self.count)
            .field("machine", &self.machine)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_what_fits() {
        for length in [0, 1, 55, 56] {
            let bytes: Vec<u8> = (0..length).collect();
            assert_eq!(unblock(&block(&bytes)), (bytes.len(), Some(&bytes[..])));
        }
        assert_eq!(unblock(&block(&[7; 57])), (57, None));
    }

    #[test]
    fn the_library_is_named_in_one_line() {
        let name = library();
        assert!(!name.is_empty() && !name.contains(['\n', '\0']), "{name:?}");
    }
}
