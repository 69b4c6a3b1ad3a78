//! Our result file: one CSV row per finished flow.

use std::io::{self, Write};

use fabricsim_base::units::Duration;

use crate::checksum::Checksum;
use crate::record::FctRecord;

/// The header of a result file.
pub const FCT_HEADER: &str =
    "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,retransmitted_bytes";

/// Bytes to buffer before writing them out.
const BUFFER: usize = 64 * 1024;
/// Decimals of the slowdown column.
const SLOWDOWN_DECIMALS: usize = 6;

/// Streams records as CSV in the given order, and digests the bytes as it writes.
///
/// Times are in ns with up to three decimals and no trailing zeros; slowdowns have six decimals,
/// rounded half up. Both are computed in integers, so every machine writes the same bytes.
///
/// The writer has its own buffer: `out` needs no `BufWriter`. The file is complete only after
/// [`FctWriter::finish`].
#[derive(Debug)]
pub struct FctWriter<W> {
    out: W,
    buffer: Vec<u8>,
    checksum: Checksum,
    rows: u64,
}

impl<W: Write> FctWriter<W> {
    /// Creates a writer to `out` and buffers the header.
    ///
    /// # Errors
    /// Fails if `out` fails.
    pub fn new(out: W) -> io::Result<Self> {
        let mut buffer = Vec::with_capacity(BUFFER + 256);
        buffer.extend_from_slice(FCT_HEADER.as_bytes());
        buffer.push(b'\n');
        Ok(Self {
            out,
            buffer,
            checksum: Checksum::new(),
            rows: 0,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Fails if the underlying writer fails.
    pub fn write(&mut self, record: &FctRecord) -> io::Result<()> {
        let buffer = &mut self.buffer;
        for value in [
            u64::from(record.flow.0),
            u64::from(record.src.0),
            u64::from(record.dst.0),
            u64::from(record.class.0),
            record.size.get(),
        ] {
            push_integer(buffer, value);
            buffer.push(b',');
        }
        for ps in [
            record.start.as_ps(),
            record.fct.as_ps(),
            record.ideal.as_ps(),
        ] {
            push_nanoseconds(buffer, ps);
            buffer.push(b',');
        }
        push_slowdown(buffer, record);
        buffer.push(b',');
        push_integer(buffer, record.retransmitted.get());
        buffer.push(b'\n');
        self.rows += 1;
        if self.buffer.len() >= BUFFER {
            self.hand_on()
        } else {
            Ok(())
        }
    }

    /// Writes the rest of the buffer, and returns the underlying writer and the checksum of the
    /// whole file.
    ///
    /// # Errors
    /// Fails if the underlying writer fails.
    pub fn finish(mut self) -> io::Result<(W, Checksum)> {
        self.hand_on()?;
        self.out.flush()?;
        Ok((self.out, self.checksum))
    }

    /// Returns the number of rows written so far, without the header.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.checksum.update(&self.buffer);
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Appends the decimal digits of `value`.
pub(crate) fn push_integer(buffer: &mut Vec<u8>, value: u64) {
    push_digits(buffer, value, 1);
}

/// Appends the decimal digits of `value`, at least `least` of them.
fn push_digits(buffer: &mut Vec<u8>, mut value: u64, least: usize) {
    const DIGITS: [u8; 10] = *b"0123456789";
    let first = buffer.len();
    while value > 0 || buffer.len() - first < least {
        buffer.push(DIGITS[(value % 10) as usize]);
        value /= 10;
    }
    buffer[first..].reverse();
}

/// Appends picoseconds as nanoseconds: `95735`, `95735.08`.
pub(crate) fn push_nanoseconds(buffer: &mut Vec<u8>, ps: u64) {
    push_integer(buffer, ps / 1_000);
    if ps.is_multiple_of(1_000) {
        return;
    }
    buffer.push(b'.');
    push_digits(buffer, ps % 1_000, 3);
    while buffer.last() == Some(&b'0') {
        buffer.pop();
    }
}

/// Appends the slowdown with six decimals, rounded half up.
pub(crate) fn push_slowdown(buffer: &mut Vec<u8>, record: &FctRecord) {
    push_ratio(buffer, record.fct, record.ideal);
}

/// Appends `time` divided by `ideal`, at least 1, with six decimals, rounded half up.
pub(crate) fn push_ratio(buffer: &mut Vec<u8>, time: Duration, ideal: Duration) {
    const UNIT: u64 = 10u64.pow(6);
    let ideal = u128::from(ideal.as_ps().max(1));
    let fct = u128::from(time.as_ps()).max(ideal);
    let rounded = (fct * u128::from(UNIT) + ideal / 2) / ideal;
    let millionths = u64::try_from(rounded).unwrap_or(u64::MAX);
    push_integer(buffer, millionths / UNIT);
    buffer.push(b'.');
    push_digits(buffer, millionths % UNIT, SLOWDOWN_DECIMALS);
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Time;

    use super::*;
    use crate::read_fct;
    use crate::record::testing::record;

    fn written(records: &[FctRecord]) -> (String, Checksum) {
        let mut writer = FctWriter::new(Vec::new()).unwrap();
        for record in records {
            writer.write(record).unwrap();
        }
        assert_eq!(writer.rows(), records.len() as u64);
        let (bytes, checksum) = writer.finish().unwrap();
        (String::from_utf8(bytes).unwrap(), checksum)
    }

    #[test]
    fn rows_are_exact_and_short() {
        let mut flow = record(1_000, 0, 0);
        flow.start = Time::from_ns(2_000_000_576);
        flow.fct = Duration::from_ps(95_735_080);
        flow.ideal = Duration::from_ps(60_000_001);
        let (text, checksum) = written(&[flow, record(1, 900, 1_000)]);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], FCT_HEADER);
        assert_eq!(
            rows[1],
            "0,0,1,0,1000,2000000576,95735.08,60000.001,1.595585,0"
        );
        assert_eq!(rows[2], "0,0,1,0,1,0,900,1000,1.000000,0");
        assert_eq!(checksum, Checksum::of(text.as_bytes()));
    }

    #[test]
    fn long_files_are_handed_on_whole() {
        let records = vec![record(1_000, 6_000, 5_000); 5_000];
        let (text, checksum) = written(&records);
        assert_eq!(text.lines().count(), 5_001);
        assert_eq!(checksum, Checksum::of(text.as_bytes()));
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_back(size in 1u64.., start: u64, fct: u64, ideal: u64, sent: u64) {
            let mut flow = record(size, 0, 0);
            flow.start = Time::from_ps(start);
            flow.fct = Duration::from_ps(fct);
            flow.ideal = Duration::from_ps(ideal);
            flow.retransmitted = fabricsim_base::units::Bytes::new(sent);
            let (text, _) = written(&[flow]);
            proptest::prop_assert_eq!(read_fct(&text), Ok(vec![flow]));
        }
    }
}
