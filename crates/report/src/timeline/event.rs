//! Trace events as JSON.

use std::io::{self, Write};

use fabricsim_base::units::Time;

use super::tracks::Span;

/// An event with a beginning and an end.
pub(super) struct Event<'a> {
    pub(super) process: u64,
    pub(super) track: u64,
    pub(super) span: Span,
    pub(super) category: &'a str,
    pub(super) name: &'a str,
    /// Keys and values.
    pub(super) arguments: &'a [(&'a str, String)],
}

/// Writer of a JSON array of events.
pub(super) struct EventWriter<W> {
    out: W,
    separator: &'static str,
}

impl<W: Write> EventWriter<W> {
    pub(super) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"[")?;
        Ok(Self {
            out,
            separator: "\n",
        })
    }

    fn next(&mut self) -> io::Result<()> {
        self.out.write_all(self.separator.as_bytes())?;
        self.separator = ",\n";
        Ok(())
    }

    pub(super) fn complete(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.next()?;
        let Event {
            process,
            track,
            span,
            category,
            name,
            arguments,
        } = event;
        let (start, length) = (
            Microseconds(span.start),
            Microseconds(span.end - span.start),
        );
        write!(
            self.out,
            "{{\"ph\":\"X\",\"cat\":\"{category}\",\"name\":{},\"pid\":{process},\"tid\":{track},\
             \"ts\":{start},\"dur\":{length},\"args\":{{",
            Text(name)
        )?;
        for (index, (key, value)) in arguments.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(self.out, "{comma}\"{key}\":{value}")?;
        }
        self.out.write_all(b"}}")
    }

    /// Writes an event of the whole network.
    pub(super) fn instant(&mut self, process: u64, at: Time, name: &str) -> io::Result<()> {
        self.next()?;
        write!(
            self.out,
            "{{\"ph\":\"i\",\"cat\":\"network\",\"name\":{},\"pid\":{process},\"tid\":0,\"ts\":{},\
             \"s\":\"g\"}}",
            Text(name),
            Microseconds(at.as_ns())
        )
    }

    pub(super) fn name_process(&mut self, process: u64, name: &str) -> io::Result<()> {
        self.next()?;
        write!(
            self.out,
            "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"args\":{{\"name\":{}}}}}",
            Text(name)
        )
    }

    pub(super) fn name_track(&mut self, process: u64, track: u64, name: &str) -> io::Result<()> {
        self.next()?;
        write!(
            self.out,
            "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{track},\
             \"args\":{{\"name\":{}}}}}",
            Text(name)
        )
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(b"\n]\n")?;
        self.out.flush()
    }
}

/// A time in nanoseconds that prints as microseconds.
struct Microseconds(u64);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}

/// A text that prints as a JSON string (RFC 8259, section 7).
struct Text<'a>(&'a str);

impl std::fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
