//! A temporary file for captured frames during the run.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A part of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    offset: u64,
    len: usize,
}

/// A file without a name. Because taps cannot report errors, the first error is kept until `check`
/// returns it.
#[derive(Debug)]
pub struct Spill {
    file: File,
    end: u64,
    failure: Option<io::Error>,
}

impl Spill {
    /// Creates a file in the folder `dir`.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn new(dir: &Path) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(dir)?,
            end: 0,
            failure: None,
        })
    }

    /// Appends `bytes`. Returns `None` if this or an earlier write failed.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Option<Chunk> {
        if self.failure.is_none()
            && let Err(error) = self.file.write_all(bytes)
        {
            self.failure = Some(error);
        }
        if self.failure.is_some() {
            return None;
        }
        let chunk = Chunk {
            offset: self.end,
            len: bytes.len(),
        };
        self.end += bytes.len() as u64;
        Some(chunk)
    }

    /// Reports the first failure to write, once.
    ///
    /// # Errors
    /// Returns the first error of [`Self::append`].
    pub(super) fn check(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Replaces the contents of `buffer` by the bytes of `chunk`.
    ///
    /// # Errors
    /// Fails if the chunk cannot be read.
    pub(super) fn read(&mut self, chunk: Chunk, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.resize(chunk.len, 0);
        self.file.seek(SeekFrom::Start(chunk.offset))?;
        self.file.read_exact(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_back_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path()).unwrap();
        let chunks = [&b"first"[..], b"", b"third one"].map(|bytes| spill.append(bytes).unwrap());
        let mut buffer = Vec::new();
        for (index, bytes) in [(2, &b"third one"[..]), (0, b"first"), (1, b"")] {
            spill.read(chunks[index], &mut buffer).unwrap();
            assert_eq!(buffer, bytes);
        }
        spill.check().unwrap();
    }
}
