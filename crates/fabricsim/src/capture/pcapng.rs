//! The blocks of a pcapng file (draft-ietf-opsawg-pcapng): a section, its interfaces, its frames.

use std::io::{self, Write};

use fabricsim_base::units::{Bytes, Rate};

use fabricsim_network::capture::{Direction, Record};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const ETHERNET: u16 = 1;

const END_OF_OPTIONS: u16 = 0;
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const USER_APPLICATION: u16 = 4;
const SPEED: u16 = 8;
const TIME_RESOLUTION: u16 = 9;
const FCS_LENGTH: u16 = 13;
const FLAGS: u16 = 2;

/// The resolution of times: 10^-9 s.
const NANOSECONDS: u8 = 9;

/// A captured port.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) rate: Rate,
}

/// A capture file in progress.
#[derive(Debug)]
pub(super) struct CaptureWriter<W> {
    out: W,
    snap_length: usize,
    body: Vec<u8>,
}

impl<W: Write> CaptureWriter<W> {
    /// Begins a capture at `interfaces` that stores at most the first `snap_length` bytes of each
    /// frame.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub(super) fn new(out: W, interfaces: &[Interface], snap_length: Bytes) -> io::Result<Self> {
        let snap_length = u16::try_from(snap_length.get()).expect("settings limit it to 65535B");
        let mut writer = Self {
            out,
            snap_length: usize::from(snap_length),
            body: Vec::new(),
        };
        let body = &mut writer.body;
        body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        body.extend([1, 0, 0, 0]);
        // The length of the section is unknown.
        body.extend([0xff; 8]);
        let version = concat!("fabricsim ", env!("CARGO_PKG_VERSION"));
        option(body, USER_APPLICATION, version.as_bytes());
        writer.block(SECTION_HEADER)?;
        for interface in interfaces {
            let body = &mut writer.body;
            body.extend(ETHERNET.to_le_bytes());
            body.extend([0, 0]);
            body.extend(u32::from(snap_length).to_le_bytes());
            option(body, NAME, interface.name.as_bytes());
            option(body, DESCRIPTION, interface.description.as_bytes());
            option(body, SPEED, &interface.rate.as_bps().to_le_bytes());
            option(body, TIME_RESOLUTION, &[NANOSECONDS]);
            option(body, FCS_LENGTH, &[0]);
            writer.block(INTERFACE_DESCRIPTION)?;
        }
        Ok(writer)
    }

    /// Writes a frame. Stored bytes after its headers are zero.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "times are cut in two halves"
    )]
    pub(super) fn frame(&mut self, record: &Record<'_>) -> io::Result<()> {
        let stored = self.snap_length.min(usize::from(record.known));
        let shown = record.headers.len().min(stored);
        let time = record.at.as_ns();
        let body = &mut self.body;
        body.extend(record.interface.to_le_bytes());
        body.extend(((time >> 32) as u32).to_le_bytes());
        body.extend((time as u32).to_le_bytes());
        body.extend((stored as u32).to_le_bytes());
        body.extend(u32::from(record.wire).to_le_bytes());
        body.extend(&record.headers[..shown]);
        body.resize(body.len() + (stored - shown), 0);
        pad(body);
        let direction: u32 = match record.direction {
            Direction::Arrived => 1,
            Direction::Sent => 2,
        };
        option(body, FLAGS, &direction.to_le_bytes());
        self.block(ENHANCED_PACKET)
    }

    /// Writes a block from the collected body, with the end of its options.
    fn block(&mut self, kind: u32) -> io::Result<()> {
        option(&mut self.body, END_OF_OPTIONS, &[]);
        let len = u32::try_from(self.body.len() + 12).expect("blocks are small");
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&len.to_le_bytes())?;
        self.out.write_all(&self.body)?;
        self.out.write_all(&len.to_le_bytes())?;
        self.body.clear();
        Ok(())
    }

    /// Returns the output.
    pub(super) fn into_inner(self) -> W {
        self.out
    }
}

/// Appends an option. Its value is padded to four bytes.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    // The limit is only for safety: names of nodes are far shorter.
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    let len = u16::try_from(value.len()).expect("just limited");
    body.extend(code.to_le_bytes());
    body.extend(len.to_le_bytes());
    body.extend(value);
    pad(body);
}

/// Pads `body` to a multiple of four bytes.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Time;

    use super::*;

    /// Returns the kinds and bodies of the blocks of `bytes`.
    fn blocks(mut bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let mut blocks = Vec::new();
        while !bytes.is_empty() {
            let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            let len = number(4) as usize;
            assert_eq!(number(len - 4) as usize, len, "both lengths agree");
            assert!(len.is_multiple_of(4));
            blocks.push((number(0), bytes[8..len - 4].to_vec()));
            bytes = &bytes[len..];
        }
        blocks
    }

    #[test]
    fn a_frame_has_its_time_its_length_and_as_much_as_is_stored() {
        let interface = Interface {
            name: "leaf0 port 1".to_owned(),
            description: "to host0".to_owned(),
            rate: Rate::from_gbps(100),
        };
        let mut out = CaptureWriter::new(Vec::new(), &[interface], Bytes::new(64)).unwrap();
        let record = Record {
            at: Time::from_ps((5 << 32) * 1_000 + 7_999),
            interface: 0,
            direction: Direction::Sent,
            wire: 1_500,
            known: 1_500,
            headers: &[9; 50],
        };
        out.frame(&record).unwrap();
        let short = Record {
            known: 42,
            headers: &[9; 42],
            ..record
        };
        out.frame(&short).unwrap();
        let blocks = blocks(&out.into_inner());
        let kinds: Vec<u32> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [SECTION_HEADER, INTERFACE_DESCRIPTION, 6, 6]);
        let words = |body: &[u8]| -> Vec<u32> {
            let words = body[..20].chunks_exact(4);
            words
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect()
        };
        assert_eq!(words(&blocks[2].1), [0, 5, 7, 64, 1_500]);
        assert_eq!(blocks[2].1[20..70], [9; 50]);
        assert_eq!(blocks[2].1[70..84], [0; 14]);
        assert_eq!(words(&blocks[3].1), [0, 5, 7, 42, 1_500]);
    }
}
