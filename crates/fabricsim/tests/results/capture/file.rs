//! A reader of the pcapng files of captures.

use std::fs;
use std::path::Path;

/// A frame of a capture.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Frame {
    pub(crate) interface: usize,
    pub(crate) ns: u64,
    pub(crate) wire: usize,
    pub(crate) sent: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the names of the interfaces of the capture in `dir`, and its frames.
pub(crate) fn read(dir: &Path) -> (Vec<String>, Vec<Frame>) {
    let bytes = fs::read(dir.join("capture.pcapng")).unwrap();
    let mut rest = &bytes[..];
    let (mut names, mut frames) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let (block, after) = rest.split_at(number(rest, 4));
        let body = &block[8..block.len() - 4];
        match number(block, 0) {
            1 => names.push(name(body)),
            6 => frames.push(frame(body)),
            _ => assert!(names.is_empty(), "the section is described first"),
        }
        rest = after;
    }
    (names, frames)
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Returns the first option of an interface description, which is the interface's name.
fn name(body: &[u8]) -> String {
    let len = usize::from(u16::from_le_bytes([body[10], body[11]]));
    String::from_utf8(body[12..12 + len].to_vec()).unwrap()
}

fn frame(body: &[u8]) -> Frame {
    let stored = number(body, 12);
    let options = 20 + stored.next_multiple_of(4);
    Frame {
        interface: number(body, 0),
        ns: (number(body, 4) as u64) << 32 | number(body, 8) as u64,
        wire: number(body, 16),
        sent: number(body, options + 4) == 2,
        bytes: body[20..20 + stored].to_vec(),
    }
}

impl Frame {
    /// Returns `true` for a pause or resume.
    pub(crate) fn is_pause(&self) -> bool {
        self.bytes[12..14] == [0x88, 0x08]
    }

    /// Returns `true` if the packet has a CE mark.
    pub(crate) fn is_marked(&self) -> bool {
        self.bytes[12..14] == [0x08, 0] && self.bytes[15] & 3 == 3
    }
}
