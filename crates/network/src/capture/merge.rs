//! Merge of the records of all taps into one list, sorted by time, interface and direction.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use fabricsim_base::units::Time;

use super::spill::{Chunk, Spill};

/// Bytes of a record before its headers.
const FIXED: usize = 19;

/// Direction of a frame at its port. Of simultaneous frames, arrivals sort first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Direction {
    /// The frame has arrived at the port.
    Arrived,
    /// The port sends it.
    Sent,
}

/// A captured frame.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Record<'a> {
    /// The time at which its first bit left or its last bit arrived.
    pub at: Time,
    /// The interface number of the captured port.
    pub interface: u32,
    /// The direction of the frame at the port.
    pub direction: Direction,
    /// Bytes on the wire.
    pub wire: u16,
    /// Bytes that may be stored, of the bytes on the wire.
    pub known: u16,
    /// The headers, which are the first bytes of the frame. All later bytes are zero.
    pub headers: &'a [u8],
}

impl<'a> Record<'a> {
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        let len = u16::try_from(self.headers.len()).expect("headers are no longer than frames");
        out.extend(self.at.as_ps().to_le_bytes());
        out.extend(self.interface.to_le_bytes());
        out.extend(self.wire.to_le_bytes());
        out.extend(self.known.to_le_bytes());
        out.extend(len.to_le_bytes());
        out.push(u8::from(self.direction == Direction::Sent));
        out.extend(self.headers);
    }

    /// Splits `bytes` into its first record and the rest; `None` at the end.
    fn first_of(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (at, rest) = bytes.split_first_chunk()?;
        let (interface, rest) = rest.split_first_chunk()?;
        let (wire, rest) = rest.split_first_chunk()?;
        let (known, rest) = rest.split_first_chunk()?;
        let (len, rest) = rest.split_first_chunk()?;
        let (&sent, rest) = rest.split_first()?;
        let (headers, rest) = rest.split_at(usize::from(u16::from_le_bytes(*len)));
        let record = Self {
            at: Time::from_ps(u64::from_le_bytes(*at)),
            interface: u32::from_le_bytes(*interface),
            direction: match sent {
                0 => Direction::Arrived,
                _ => Direction::Sent,
            },
            wire: u16::from_le_bytes(*wire),
            known: u16::from_le_bytes(*known),
            headers,
        };
        Some((record, rest))
    }
}

/// The records of one tap in time order: chunks of the spill, followed by the records still in
/// memory.
#[derive(Debug)]
pub struct Stream {
    chunks: std::vec::IntoIter<Chunk>,
    last: Option<Vec<u8>>,
    buffer: Vec<u8>,
    place: usize,
}

impl Stream {
    pub(super) fn new(chunks: Vec<Chunk>, last: Vec<u8>) -> Self {
        Self {
            chunks: chunks.into_iter(),
            last: Some(last),
            buffer: Vec::new(),
            place: 0,
        }
    }

    /// Loads the next record into the buffer and returns its time; `None` at the end.
    fn look(&mut self, spill: &mut Spill) -> io::Result<Option<Time>> {
        while self.place == self.buffer.len() {
            self.place = 0;
            if let Some(chunk) = self.chunks.next() {
                spill.read(chunk, &mut self.buffer)?;
            } else if let Some(last) = self.last.take() {
                self.buffer = last;
            } else {
                self.buffer.clear();
                return Ok(None);
            }
        }
        Ok(self.first().map(|record| record.at))
    }

    fn first(&self) -> Option<Record<'_>> {
        Record::first_of(&self.buffer[self.place..]).map(|(record, _)| record)
    }

    /// Moves the first record of the buffer to `out`.
    fn take(&mut self, out: &mut Vec<u8>) {
        if let Some(record) = self.first() {
            let len = FIXED + record.headers.len();
            out.extend(&self.buffer[self.place..self.place + len]);
            self.place += len;
        }
    }
}

/// Passes all records of `streams` to `write`, in order.
///
/// # Errors
/// Fails if the spill could not be written, if it cannot be read, or if `write` fails.
pub fn merge(
    mut streams: Vec<Stream>,
    spill: &mut Spill,
    mut write: impl FnMut(&Record<'_>) -> io::Result<()>,
) -> io::Result<()> {
    spill.check()?;
    let mut next = BinaryHeap::new();
    for (index, stream) in streams.iter_mut().enumerate() {
        next.extend(stream.look(spill)?.map(|at| Reverse((at, index))));
    }
    let mut bytes = Vec::new();
    while let Some(&Reverse((now, _))) = next.peek() {
        bytes.clear();
        while let Some(&Reverse((at, index))) = next.peek()
            && at == now
        {
            next.pop();
            streams[index].take(&mut bytes);
            next.extend(streams[index].look(spill)?.map(|at| Reverse((at, index))));
        }
        let mut rest = &bytes[..];
        let mut together = Vec::new();
        while let Some((record, after)) = Record::first_of(rest) {
            together.push(record);
            rest = after;
        }
        together.sort_by_key(|record| (record.interface, record.direction));
        together.iter().try_for_each(&mut write)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Any streams, cut into chunks at any place, are merged into one sorted list.
        #[test]
        fn streams_become_one(
            mut streams in proptest::collection::vec(
                proptest::collection::vec((0u64..50, 0u32..4, 0u16..2, 0usize..40), 0..40), 0..5),
            cut in 1usize..8,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut spill = Spill::new(folder.path()).unwrap();
            let headers = [7; 40];
            let record = |&(at, interface, sent, len): &(u64, u32, u16, usize)| Record {
                at: Time::from_ps(at),
                interface,
                direction: if sent == 0 { Direction::Arrived } else { Direction::Sent },
                wire: 64,
                known: 64,
                headers: &headers[..len],
            };
            let mut all = Vec::new();
            let made = streams.iter_mut().map(|rows| {
                rows.sort_by_key(|row| row.0);
                all.extend(rows.iter().map(|row| (row.0, row.1, row.2)));
                let mut parts: Vec<Vec<u8>> = rows.chunks(cut).map(|rows| {
                    let mut bytes = Vec::new();
                    rows.iter().for_each(|row| record(row).append_to(&mut bytes));
                    bytes
                }).collect();
                let last = parts.pop().unwrap_or_default();
                let chunks = parts.iter().map(|part| spill.append(part).unwrap()).collect();
                Stream::new(chunks, last)
            }).collect();
            all.sort_unstable();
            let mut merged = Vec::new();
            merge(made, &mut spill, |record| {
                let sent = u16::from(record.direction == Direction::Sent);
                merged.push((record.at.as_ps(), record.interface, sent));
                Ok(())
            }).unwrap();
            proptest::prop_assert_eq!(merged, all);
        }
    }
}
