//! The files of time series: written under temporary names, and limited in their number of rows.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_network::series::{Columns, Rows, SeriesCell, SeriesKind};
use fabricsim_report::quoted;
use tempfile::TempPath;

use crate::observe::summary::SeriesSummary;
use crate::output::{Ending, ResultFolder, cannot_write, new_file_in};
use fabricsim_scenario::schema::observe::{ObserveSettings, SeriesFormat};
use fabricsim_scenario::text::error::Error;

/// Number of bytes to collect before they are written.
const BUFFER: usize = 64 * 1024;

/// A file of time series in progress.
#[derive(Debug)]
pub(super) struct SeriesFile {
    /// The key of the series in `[observe]`.
    key: &'static str,
    format: SeriesFormat,
    /// The path of the complete file, for messages.
    path: PathBuf,
    temporary: TempPath,
    sink: Sink,
    rows: u64,
    max_rows: u64,
    left_out: Option<String>,
}

#[derive(Debug)]
enum Sink {
    Csv(CsvSink),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::ParquetSink>),
}

impl SeriesFile {
    /// Creates an empty file for a series of `kind` in `dir`.
    pub(super) fn new(
        kind: SeriesKind,
        settings: &ObserveSettings,
        dir: &Path,
    ) -> Result<Self, Error> {
        let path = dir.join(file_name(kind.key, settings.format));
        let error = |source| Error::Write {
            path: path.clone(),
            source,
        };
        let (file, temporary) = new_file_in(dir).map_err(error)?.into_parts();
        let sink = match settings.format {
            SeriesFormat::Csv => Sink::Csv(CsvSink::new(file, (kind.columns)())),
            #[cfg(feature = "parquet")]
            SeriesFormat::Parquet => {
                let sink = super::parquet::ParquetSink::new(file, kind).map_err(error)?;
                Sink::Parquet(Box::new(sink))
            }
            #[cfg(not(feature = "parquet"))]
            SeriesFormat::Parquet => {
                let text = "this build cannot write Parquet";
                return Err(error(io::Error::new(io::ErrorKind::Unsupported, text)));
            }
        };
        Ok(Self {
            key: kind.key,
            format: settings.format,
            path,
            temporary,
            sink,
            rows: 0,
            max_rows: settings.max_rows,
            left_out: None,
        })
    }

    /// Returns the key of the series.
    pub(super) const fn key(&self) -> &'static str {
        self.key
    }

    /// Returns the contents of the file so far, for a checkpoint.
    ///
    /// # Errors
    /// Fails if it cannot be written or read.
    pub(super) fn rows_so_far(&mut self) -> Result<Vec<u8>, Error> {
        let read = match &mut self.sink {
            Sink::Csv(sink) => sink.hand_on().and_then(|()| std::fs::read(&self.temporary)),
            #[cfg(feature = "parquet")]
            Sink::Parquet(_) => Ok(Vec::new()),
        };
        read.map_err(|source| self.error(source))
    }

    /// Saves `rows`, the result of [`Self::rows_so_far`].
    pub(super) fn save(&self, rows: &[u8], out: &mut Writer) {
        if self.format != SeriesFormat::Csv {
            out.refuse(
                "the series",
                "in Parquet, of which half a file cannot go on,",
            );
        }
        self.rows.store(out);
        self.left_out.store(out);
        out.number(rows.len());
        out.bytes(rows);
    }

    /// Writes the rows that [`Self::save`] has saved.
    pub(super) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.rows.load(input)?;
        self.left_out.load(input)?;
        let length = input.length()?;
        let rows = input.bytes(length)?;
        match &mut self.sink {
            Sink::Csv(sink) => {
                sink.buffer.clear();
                sink.buffer.extend_from_slice(rows);
            }
            #[cfg(feature = "parquet")]
            Sink::Parquet(_) => return Err(LoadError::new("its series is not in Parquet")),
        }
        Ok(())
    }

    /// Returns the error of a file that cannot be written because of `source`.
    pub(super) fn error(&self, source: io::Error) -> Error {
        Error::Write {
            path: self.path.clone(),
            source,
        }
    }

    /// Adds the complete file to `folder`.
    pub(super) fn finish(
        self,
        folder: &mut ResultFolder,
        ending: Ending,
    ) -> Result<SeriesSummary, Error> {
        match self.sink {
            Sink::Csv(sink) => sink.finish(),
            #[cfg(feature = "parquet")]
            Sink::Parquet(sink) => sink.finish(),
        }
        .map_err(cannot_write(self.path))?;
        let file = ending.name(&file_name(self.key, self.format));
        folder.add(file.clone(), self.temporary);
        Ok(SeriesSummary {
            file,
            rows: self.rows,
            left_out: self.left_out,
        })
    }
}

impl Rows for SeriesFile {
    fn has_room(&mut self, more: usize, left_out: &dyn Fn() -> String) -> bool {
        if self.left_out.is_none() && self.rows + more as u64 > self.max_rows {
            self.left_out = Some(left_out());
        }
        self.left_out.is_none()
    }

    fn is_full(&self) -> bool {
        self.left_out.is_some()
    }

    fn write(&mut self, cells: &[SeriesCell<'_>]) -> io::Result<()> {
        self.rows += 1;
        match &mut self.sink {
            Sink::Csv(sink) => sink.write(cells),
            #[cfg(feature = "parquet")]
            Sink::Parquet(sink) => sink.write(cells),
        }
    }
}

/// Returns the file name of the series with this `key`.
pub(super) fn file_name(key: &str, format: SeriesFormat) -> String {
    format!("{key}.{}", format.ending())
}

/// Rows as lines of a CSV file, with a buffer.
#[derive(Debug)]
struct CsvSink {
    file: File,
    buffer: Vec<u8>,
}

impl CsvSink {
    fn new(file: File, columns: Columns) -> Self {
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let mut buffer = Vec::with_capacity(BUFFER + 256);
        buffer.extend_from_slice(names.join(",").as_bytes());
        buffer.push(b'\n');
        Self { file, buffer }
    }

    fn write(&mut self, cells: &[SeriesCell<'_>]) -> io::Result<()> {
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.buffer.push(b',');
            }
            push(&mut self.buffer, *cell);
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= BUFFER {
            self.hand_on()
        } else {
            Ok(())
        }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.hand_on()?;
        self.file.flush()
    }
}

/// Appends a cell as digits, computed in integers so that every machine writes the same bytes.
fn push(buffer: &mut Vec<u8>, cell: SeriesCell<'_>) {
    match cell {
        SeriesCell::Whole(number) => push_digits(buffer, number, 1),
        SeriesCell::Text(text) if text.contains([',', '"', '\n', '\r']) => {
            buffer.extend_from_slice(quoted(text).as_bytes());
        }
        SeriesCell::Text(text) => buffer.extend_from_slice(text.as_bytes()),
        SeriesCell::Empty => {}
        SeriesCell::Picoseconds(ps) => {
            push_digits(buffer, ps / 1_000, 1);
            if !ps.is_multiple_of(1_000) {
                buffer.push(b'.');
                push_digits(buffer, ps % 1_000, 3);
                while buffer.last() == Some(&b'0') {
                    buffer.pop();
                }
            }
        }
        SeriesCell::Millionths(parts) => {
            push_digits(buffer, parts / 1_000_000, 1);
            buffer.push(b'.');
            push_digits(buffer, parts % 1_000_000, 6);
        }
    }
}

/// Appends the decimal digits of `number`, at least `least` of them.
fn push_digits(buffer: &mut Vec<u8>, mut number: u64, least: usize) {
    const DIGITS: &[u8; 10] = b"0123456789";
    // The largest number has 20 digits.
    let mut digits = [0; 20];
    let mut first = digits.len();
    while number > 0 || digits.len() - first < least {
        first -= 1;
        digits[first] = DIGITS[(number % 10) as usize];
        number /= 10;
    }
    buffer.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::RUN;
    use fabricsim_network::series::Queues;

    #[test]
    fn cells_are_exact_and_short() {
        let mut text = Vec::new();
        for cell in [
            SeriesCell::Whole(u64::MAX),
            SeriesCell::Empty,
            SeriesCell::Picoseconds(95_735_080),
            SeriesCell::Picoseconds(7_000),
            SeriesCell::Picoseconds(1),
            SeriesCell::Millionths(1_000_000),
            SeriesCell::Millionths(42),
        ] {
            push(&mut text, cell);
            text.push(b' ');
        }
        let text = String::from_utf8(text).expect("digits");
        assert_eq!(
            text,
            "18446744073709551615  95735.08 7 0.001 1.000000 0.000042 "
        );
    }

    #[test]
    fn a_full_file_takes_no_more() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut folder = ResultFolder::open(dir.path()).expect("nobody else writes to it");
        let settings = ObserveSettings {
            max_rows: 3,
            ..ObserveSettings::default()
        };
        let mut file = SeriesFile::new(SeriesKind::of::<Queues>("queues"), &settings, dir.path())
            .expect("a file");
        let row = [
            SeriesCell::Picoseconds(1_000),
            SeriesCell::Whole(1),
            SeriesCell::Whole(2),
            SeriesCell::Text("leaf0"),
            SeriesCell::Text("leaf to spine"),
            SeriesCell::Text("spine1"),
            SeriesCell::Whole(3),
        ];
        assert!(file.has_room(3, &|| unreachable!("there is room")));
        for _ in 0..3 {
            file.write(&row).expect("a row");
        }
        assert!(!file.is_full());
        assert!(!file.has_room(1, &|| "the rest".to_owned()));
        // The file stays full even if fewer rows are requested, and keeps the first description.
        assert!(!file.has_room(0, &|| "more".to_owned()) && file.is_full());
        let summary = file
            .finish(&mut folder, Ending::Interrupted)
            .expect("a file");
        folder
            .commit(&RUN, Ending::Interrupted, &[])
            .expect("it can be renamed");
        let expected = SeriesSummary {
            file: "queues.partial.csv".to_owned(),
            rows: 3,
            left_out: Some("the rest".to_owned()),
        };
        assert_eq!(summary, expected);
        let text = std::fs::read_to_string(dir.path().join(&summary.file)).expect("a text");
        assert_eq!(
            text,
            format!(
                "time_ns,node,port,name,tier,peer,queue_bytes\n{}",
                "1,1,2,leaf0,leaf to spine,spine1,3\n".repeat(3)
            )
        );
    }
}
