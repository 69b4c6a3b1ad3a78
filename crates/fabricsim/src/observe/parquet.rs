//! Time series as Apache Parquet, without compression: a group of rows is collected by columns and
//! then written.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use fabricsim_network::series::{CellKind, SeriesCell, SeriesKind};

/// Number of rows of a group, which are held in memory.
const GROUP: usize = 1 << 17;

/// The values of one column in the current group.
#[derive(Debug)]
enum Column {
    Whole(Vec<i64>),
    /// Values, and for each row 1 if it has a value, or 0.
    Optional(Vec<i64>, Vec<i16>),
    Float(Vec<f64>),
    Text(Vec<ByteArray>),
}

/// Rows as a Parquet file.
pub(super) struct ParquetSink {
    writer: SerializedFileWriter<File>,
    columns: Vec<Column>,
    rows: usize,
}

impl std::fmt::Debug for ParquetSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetSink")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl ParquetSink {
    pub(super) fn new(file: File, kind: SeriesKind) -> io::Result<Self> {
        let names = (kind.columns)();
        let fields = names.iter().map(|&(name, kind)| {
            let (physical, repetition) = match kind {
                CellKind::Whole => (Physical::INT64, Repetition::REQUIRED),
                CellKind::Optional => (Physical::INT64, Repetition::OPTIONAL),
                CellKind::Nanoseconds | CellKind::Share => (Physical::DOUBLE, Repetition::REQUIRED),
                CellKind::Text => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
            };
            let mut field = Type::primitive_type_builder(name, physical);
            if kind == CellKind::Text {
                field = field.with_logical_type(Some(LogicalType::String));
            }
            field.with_repetition(repetition).build().map(Arc::new)
        });
        let fields = fields.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let schema = Type::group_type_builder(kind.key)
            .with_fields(fields)
            .build()
            .map_err(failed)?;
        let properties = Arc::new(WriterProperties::builder().build());
        let writer = SerializedFileWriter::new(file, Arc::new(schema), properties);
        let columns = names.iter().map(|(_, kind)| match kind {
            CellKind::Whole => Column::Whole(Vec::new()),
            CellKind::Optional => Column::Optional(Vec::new(), Vec::new()),
            CellKind::Nanoseconds | CellKind::Share => Column::Float(Vec::new()),
            CellKind::Text => Column::Text(Vec::new()),
        });
        Ok(Self {
            writer: writer.map_err(failed)?,
            columns: columns.collect(),
            rows: 0,
        })
    }

    pub(super) fn write(&mut self, cells: &[SeriesCell<'_>]) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(*cell);
        }
        self.rows += 1;
        if self.rows == GROUP {
            self.hand_on()
        } else {
            Ok(())
        }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            let next = group.next_column().map_err(failed)?;
            let mut writer = next.expect("the schema has a column for each of ours");
            let written = match column {
                Column::Whole(values) => {
                    writer.typed::<Int64Type>().write_batch(values, None, None)
                }
                Column::Optional(values, given) => {
                    let typed = writer.typed::<Int64Type>();
                    typed.write_batch(values, Some(given), None)
                }
                Column::Float(values) => {
                    writer.typed::<DoubleType>().write_batch(values, None, None)
                }
                Column::Text(values) => {
                    let typed = writer.typed::<ByteArrayType>();
                    typed.write_batch(values, None, None)
                }
            };
            written.map_err(failed)?;
            writer.close().map_err(failed)?;
            column.clear();
        }
        group.close().map_err(failed)?;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.hand_on()?;
        self.writer.close().map_err(failed)?;
        Ok(())
    }
}

impl Column {
    fn push(&mut self, cell: SeriesCell<'_>) {
        match (self, cell) {
            (Self::Whole(values), SeriesCell::Whole(number)) => values.push(number.cast_signed()),
            (Self::Optional(values, given), SeriesCell::Whole(number)) => {
                values.push(number.cast_signed());
                given.push(1);
            }
            (Self::Optional(_, given), SeriesCell::Empty) => given.push(0),
            (Self::Float(values), SeriesCell::Picoseconds(ps)) => values.push(ps as f64 / 1e3),
            (Self::Float(values), SeriesCell::Millionths(parts)) => values.push(parts as f64 / 1e6),
            (Self::Text(values), SeriesCell::Text(text)) => values.push(ByteArray::from(text)),
            (column, cell) => unreachable!("{cell:?} in {column:?}"),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Whole(values) => values.clear(),
            Self::Optional(values, given) => {
                values.clear();
                given.clear();
            }
            Self::Float(values) => values.clear(),
            Self::Text(values) => values.clear(),
        }
    }
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => io::Error::other(source),
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use fabricsim_network::series::Flows;

    use super::*;

    const SERIES: SeriesKind = SeriesKind::of::<Flows>("flows");

    /// More rows than a group has, with and without a window.
    #[test]
    fn what_is_written_is_read_back() {
        let file = tempfile::tempfile().expect("a temporary file");
        let mut sink = ParquetSink::new(file.try_clone().expect("a file"), SERIES).expect("a sink");
        let rows = GROUP as u64 + 10;
        for row in 0..rows {
            let whole = SeriesCell::Whole(row);
            let window = if row % 2 == 0 {
                whole
            } else {
                SeriesCell::Empty
            };
            let time = SeriesCell::Picoseconds(row * 500);
            let cells = [
                time, whole, whole, whole, whole, whole, window, whole, whole, window, window,
            ];
            sink.write(&cells).expect("a row");
        }
        sink.finish().expect("a whole file");
        let reader = SerializedFileReader::new(file).expect("a Parquet file");
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let mut count = 0;
        for (row, number) in reader.get_row_iter(None).expect("rows").zip(0i64..) {
            let row = row.expect("a row");
            let cells: Vec<(&String, &Field)> = row.get_column_iter().collect();
            let names: Vec<&str> = cells.iter().map(|(name, _)| name.as_str()).collect();
            let expected: Vec<&str> = (SERIES.columns)().iter().map(|(name, _)| *name).collect();
            assert_eq!(names, expected);
            assert_eq!(cells[0].1, &Field::Double(number as f64 / 2.0));
            assert_eq!(cells[1].1, &Field::Long(number));
            let window = if number % 2 == 0 {
                Field::Long(number)
            } else {
                Field::Null
            };
            assert_eq!(cells[6].1, &window);
            count += 1;
        }
        assert_eq!(count, rows);
    }
}
