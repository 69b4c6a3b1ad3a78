//! Reading files that a user names: regular text files, up to a maximum size.
//!
//! A named pipe may have no writer and a device no end, so files that are not regular are rejected
//! before they are opened. Texts are checked while they are read, so a binary file is rejected at
//! its first invalid byte and not when the memory is full.

use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::Path;

use fabricsim_base::input::InputError;

use crate::text::error::Error;
use crate::text::file_kind::{FileKind, Piped, Refusal};

const MIB: u64 = 1 << 20;

/// Number of bytes to read at a time.
const CHUNK: usize = 1 << 20;

/// Number of bytes after an error to keep for its message.
const SHOWN: usize = 300;

/// A file that cannot be used.
#[derive(Debug)]
enum Unreadable {
    /// The file cannot be opened or read.
    File(io::Error),
    /// The file is not a text: the error, and the part that was read.
    Text(InputError, String),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl Unreadable {
    fn at(self, kind: FileKind, path: &Path) -> Error {
        match self {
            Self::File(source) => Error::Read {
                kind,
                path: path.to_owned(),
                source,
            },
            Self::Text(diagnostic, text) => {
                Error::input(&path.display().to_string(), &text, diagnostic)
            }
        }
    }
}

/// Reads the text in the file at `path`.
///
/// # Errors
/// Fails if there is no such file, it is not regular, it is too large, or it is not UTF-8 text.
pub fn read_text(kind: FileKind, path: &Path) -> Result<String, Error> {
    text(kind, path).map_err(|error| error.at(kind, path))
}

/// Reads the bytes of the file at `path`.
///
/// # Errors
/// Fails if there is no such file, it is not regular, or it is too large.
pub fn read_bytes(kind: FileKind, path: &Path) -> Result<Vec<u8>, Error> {
    let read = || {
        let mut bytes = Vec::new();
        let mut source = Source::open(kind, path)?;
        while source.add_chunk(&mut bytes)? {}
        Ok(bytes)
    };
    read().map_err(|source| Error::Read {
        kind,
        path: path.to_owned(),
        source,
    })
}

/// Returns the first 8 bytes of the regular file at `path`, or fewer if it is shorter; `None` if it
/// cannot be read.
pub(crate) fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    // Opening a named pipe would wait for its writer.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut first = Vec::new();
    File::open(path)
        .ok()?
        .take(8)
        .read_to_end(&mut first)
        .ok()?;
    Some(first)
}

/// Reads the text in the file at `path`, which another text names. `at_place` turns a reason and
/// help into an error at the name.
pub fn read_named<E: From<Error>>(
    kind: FileKind,
    path: &Path,
    at_place: impl FnOnce(&io::Error, &str) -> E,
) -> Result<String, E> {
    text(kind, path).map_err(|unreadable| match unreadable {
        Unreadable::File(source) => {
            let refusal = Refusal::of(&source);
            let help = refusal.map_or(kind.help, |refusal| &refusal.help);
            at_place(&source, help)
        }
        other => other.at(kind, path).into(),
    })
}

/// Reads the text in the file at `path`.
fn text(kind: FileKind, path: &Path) -> Result<String, Unreadable> {
    let mut source = Source::open(kind, path)?;
    let mut bytes = Vec::with_capacity(source.expected);
    let mut checked = 0;
    loop {
        let more = source.add_chunk(&mut bytes)?;
        let rest = if more { Rest::Comes } else { Rest::None };
        match no_text(&bytes, checked, rest) {
            Ok(good) => checked = good,
            Err((at, what)) => return Err(what.at(bytes, at)),
        }
        if !more {
            break;
        }
    }
    Ok(String::from_utf8(bytes).expect("every byte has been looked at"))
}

/// A file that is being read.
struct Source {
    input: Box<dyn Read>,
    kind: FileKind,
    left: u64,
    /// The size of the file if it is known; 0 if it is unknown or implausibly large.
    expected: usize,
}

impl Source {
    fn open(kind: FileKind, path: &Path) -> io::Result<Self> {
        let left = kind.most;
        if kind.piped == Piped::ByDash && path == Path::new("-") {
            return Ok(Self {
                input: Box::new(io::stdin()),
                kind,
                left,
                expected: 0,
            });
        }
        // Opening a named pipe would wait for its writer.
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            let help = match kind.piped {
                Piped::ByDash => "give a regular file, or `-` for the standard input",
                Piped::Never => "give a regular file: copy the input into one",
            };
            let message = format!(
                "it is {}, not a regular file",
                name_of(metadata.file_type())
            );
            return Err(Refusal::error(message, help));
        }
        let size = metadata.len();
        if size > kind.most {
            return Err(too_large(kind, &format!("has {size} bytes")));
        }
        Ok(Self {
            input: Box::new(File::open(path)?),
            kind,
            left,
            expected: usize::try_from(size.min(64 * MIB)).unwrap_or(0),
        })
    }

    /// Appends the next chunk to `bytes`; returns `true` if there may be more.
    fn add_chunk(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        // Reading one byte more than allowed detects that the file is too large.
        let most = (CHUNK as u64).min(self.left + 1);
        let read = self.input.by_ref().take(most).read_to_end(bytes)? as u64;
        if read > self.left {
            return Err(too_large(self.kind, "has more bytes than that"));
        }
        self.left -= read;
        Ok(read == most)
    }
}

fn too_large(kind: FileKind, has: &str) -> io::Error {
    Refusal::error(
        format!("it {has}, and {kind} may have {}", kind.most),
        "give a smaller file, or remove unnecessary parts",
    )
}

/// Returns the name of a file type, for messages.
fn name_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        for (is, name) in [
            (kind.is_fifo(), "a named pipe (FIFO)"),
            (kind.is_char_device(), "a character device"),
            (kind.is_block_device(), "a block device"),
            (kind.is_socket(), "a socket"),
        ] {
            if is {
                return name;
            }
        }
    }
    if kind.is_dir() { "a folder" } else { "special" }
}

/// Reason why bytes are not a text.
#[derive(Clone, Copy, Debug)]
enum NoText {
    Zero,
    Utf8,
}

/// State of the file after a chunk.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rest {
    Comes,
    None,
}

/// Checks `bytes` from byte `checked` on, and returns the number of bytes known to be text. The
/// last character may be incomplete if more bytes will follow.
fn no_text(bytes: &[u8], checked: usize, rest: Rest) -> Result<usize, (usize, NoText)> {
    let new = &bytes[checked..];
    let (good, broken) = match std::str::from_utf8(new) {
        Ok(text) => (text.len(), false),
        Err(error) => {
            let unfinished = error.error_len().is_none() && rest == Rest::Comes;
            (error.valid_up_to(), !unfinished)
        }
    };
    // If there are two errors, report the first one in the text.
    if let Some(zero) = new[..good].iter().position(|&byte| byte == 0) {
        return Err((checked + zero, NoText::Zero));
    }
    match broken {
        true => Err((checked + good, NoText::Utf8)),
        false => Ok(checked + good),
    }
}

impl NoText {
    /// Returns the error at byte `at` of `bytes`, with the bytes that its message shows.
    fn at(self, mut bytes: Vec<u8>, at: usize) -> Unreadable {
        let encoding = match &bytes[..bytes.len().min(4)] {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(("it is UTF-16", "save it as UTF-8")),
            [0x1f, 0x8b, ..] => Some(("it is compressed by gzip", "unpack it first")),
            [0x28, 0xb5, 0x2f, 0xfd] => Some(("it is compressed by zstd", "unpack it first")),
            _ => None,
        };
        let byte = bytes[at];
        bytes.truncate(at + SHOWN);
        let text = String::from_utf8_lossy(&bytes);
        // All bytes before `at` are valid, so their length has not changed.
        let wide = text[at..].chars().next().map_or(0, char::len_utf8);
        let (message, help) = match (encoding, self) {
            (Some((what, help)), _) => (format!("this is not UTF-8 text: {what}"), help),
            (None, Self::Zero) => (
                "this is not text: it has a zero byte".to_owned(),
                "give a text file, or remove that byte",
            ),
            (None, Self::Utf8) => (
                format!("this is not UTF-8 text: byte {byte:#04x} begins no character"),
                "save the file as UTF-8, or correct that byte",
            ),
        };
        let diagnostic = InputError::new(at..at + wide, message, help);
        Unreadable::Text(diagnostic, text.into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: &[u8]) -> Result<String, Error> {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(bytes).expect("room");
        read_text(FileKind::SCENARIO, file.path())
    }

    #[test]
    fn characters_may_cross_the_chunks() {
        for before in CHUNK - 4..=CHUNK {
            let text = format!("{}漢é{}", "a".repeat(before), "b".repeat(CHUNK));
            assert!(
                read(text.as_bytes()).is_ok_and(|read| read == text),
                "{before}"
            );
        }
    }

    #[test]
    fn what_is_no_text_is_placed() {
        let long = [&b"ab\n".repeat(CHUNK)[..], b"cd\xff"].concat();
        let line = CHUNK + 1;
        for (bytes, place, says) in [
            (&b"a\nb\xffc\n"[..], (2, 2), "byte 0xff begins no character"),
            (b"a\0b", (1, 2), "a zero byte"),
            (b"a\n\xe6\xbc", (2, 1), "byte 0xe6"),
            (b"\xff\xfea\0b\0", (1, 1), "it is UTF-16"),
            (b"\x1f\x8b\x08\0", (1, 2), "gzip"),
            (&long, (line, 3), "byte 0xff"),
        ] {
            let error = read(bytes).expect_err("no text");
            let diagnostic = error.diagnostic().expect("an error with a place");
            let said = error.to_string();
            assert!(
                said.contains(&format!(":{}:{}: ", place.0, place.1)),
                "{said}"
            );
            assert!(said.contains(says), "{said}");
            assert!(!diagnostic.help().is_empty());
        }
    }

    #[test]
    fn large_files_are_refused_by_their_size() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let most = FileKind::SCENARIO.largest();
        file.as_file().set_len(most + 1).expect("a sparse file");
        let error = read_text(FileKind::SCENARIO, file.path()).expect_err("too large");
        let Error::Read { source, .. } = &error else {
            panic!("{error}");
        };
        assert!(
            source
                .to_string()
                .contains(&format!("has {} bytes", most + 1))
        );
        let bytes = read_bytes(FileKind::SCENARIO, file.path());
        assert!(bytes.is_err());
        file.as_file().set_len(most).expect("a sparse file");
        let bytes = read_bytes(FileKind::SCENARIO, file.path()).expect("just small enough");
        assert_eq!(bytes.len() as u64, most);
    }
}
