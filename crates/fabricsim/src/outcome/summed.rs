//! A file with bytes that are part of the run's checksum.

use std::io::{self, Write};

use fabricsim_report::Checksum;

/// Forwards all bytes to `out`, and adds them to the checksum.
pub(super) struct Summed<'a, W> {
    pub(super) out: W,
    pub(super) checksum: &'a mut Checksum,
}

impl<W: Write> Write for Summed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.checksum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
