//! Lists of flows in Apache Parquet, if the library was built with the feature `parquet`.

use std::path::Path;

use fabricsim_base::input::ConfigError;

use crate::schema::part::Reason;

/// First bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Returns `true` if a file with the first bytes `first` is Parquet.
pub(super) fn is_parquet(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Reads the Parquet file that `key` of a table names, and converts it to the text of a CSV with
/// the same columns.
///
/// # Errors
/// Fails if the file is too large or broken, has values that a CSV cannot express, or if this build
/// does not read Parquet. The error is at `key`.
pub(super) fn read_as_csv(key: &'static str, path: &Path) -> Result<String, Reason> {
    csv_of(path).map_err(|(what, help)| {
        let message = format!("cannot read the flows `{}`: {what}", path.display());
        Reason::Key(ConfigError::new(key, message, help))
    })
}

/// A message and help.
type Refused = (String, &'static str);

#[cfg(not(feature = "parquet"))]
fn csv_of(_path: &Path) -> Result<String, Refused> {
    let what = "this build does not read Parquet".to_owned();
    Err((
        what,
        "give a CSV, or build with `cargo build --release --features parquet`",
    ))
}

#[cfg(feature = "parquet")]
fn csv_of(path: &Path) -> Result<String, Refused> {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use crate::text::file_kind::FileKind;

    const BROKEN: &str = "write it again, without compression or with Snappy, or give a CSV";
    let largest = FileKind::FLOWS.largest();
    let too_large = || {
        let what = format!("it has more than the {largest} bytes that lists of flows may have");
        (what, "give a smaller list")
    };
    let broken = |error: &dyn std::fmt::Display| (error.to_string(), BROKEN);
    let file = std::fs::File::open(path).map_err(|error| broken(&error))?;
    if file.metadata().is_ok_and(|found| found.len() > largest) {
        return Err(too_large());
    }
    let reader = SerializedFileReader::new(file).map_err(|error| broken(&error))?;
    let columns = reader.metadata().file_metadata().schema_descr();
    let names: Vec<String> = (columns.columns().iter())
        .map(|column| column.path().string())
        .collect();
    if names.iter().any(|name| name.contains([',', '"', '\n'])) {
        let what = "the name of a column has a comma, a quote or a line feed".to_owned();
        return Err((what, "name the columns as those of a CSV"));
    }
    let mut text = names.join(",");
    for row in reader.get_row_iter(None).map_err(|error| broken(&error))? {
        let row = row.map_err(|error| broken(&error))?;
        text.push('\n');
        for (place, (name, field)) in row.get_column_iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            push_field(&mut text, name, field)?;
        }
        if text.len() as u64 > largest {
            return Err(too_large());
        }
    }
    text.push('\n');
    Ok(text)
}

/// Appends a value as a field of a CSV.
#[cfg(feature = "parquet")]
fn push_field(
    text: &mut String,
    name: &str,
    field: &parquet::record::Field,
) -> Result<(), Refused> {
    use parquet::record::Field;

    let value = match field {
        Field::Null => String::new(),
        Field::Byte(value) => value.to_string(),
        Field::Short(value) => value.to_string(),
        Field::Int(value) => value.to_string(),
        Field::Long(value) => value.to_string(),
        Field::UByte(value) => value.to_string(),
        Field::UShort(value) => value.to_string(),
        Field::UInt(value) => value.to_string(),
        Field::ULong(value) => value.to_string(),
        Field::Float(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        Field::Str(value) if !value.contains([',', '"', '\n', '#']) => value.clone(),
        other => {
            let what = format!("column `{name}` has the value {other}, which no list of flows has");
            return Err((what, "write whole numbers, decimals and names"));
        }
    };
    text.push_str(&value);
    Ok(())
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use std::sync::Arc;

    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    fn written(compression: Compression) -> tempfile::NamedTempFile {
        let schema = "message flows { required int64 src; required binary dst (UTF8); \
                      required int64 size_bytes; required double start_ns; }";
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let properties = WriterProperties::builder().set_compression(compression);
        let file = tempfile::NamedTempFile::new().expect("a file");
        let out = file.reopen().expect("the same file");
        let mut writer =
            SerializedFileWriter::new(out, schema, Arc::new(properties.build())).expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        let mut place = 0;
        while let Some(mut column) = group.next_column().expect("a column") {
            let written = match place {
                1 => {
                    let names = [ByteArray::from("host1"), ByteArray::from("2")];
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&names, None, None)
                }
                3 => column
                    .typed::<DoubleType>()
                    .write_batch(&[0.5, 2_000.0], None, None),
                _ => column.typed::<Int64Type>().write_batch(&[0, 3], None, None),
            };
            assert_eq!(written.expect("room"), 2);
            column.close().expect("a column");
            place += 1;
        }
        group.close().expect("a group");
        writer.close().expect("a file");
        file
    }

    #[test]
    fn a_table_is_a_csv() {
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
            let file = written(compression);
            let text = csv_of(file.path()).expect("a table");
            assert_eq!(
                text,
                "src,dst,size_bytes,start_ns\n0,host1,0,0.5\n3,2,3,2000\n"
            );
        }
    }

    #[test]
    fn broken_files_are_refused() {
        let file = written(Compression::UNCOMPRESSED);
        let whole = std::fs::read(file.path()).expect("a file");
        for length in [4, 8, whole.len() / 2, whole.len() - 1] {
            std::fs::write(file.path(), &whole[..length]).expect("a file");
            let (what, help) = csv_of(file.path()).expect_err("refused");
            assert!(!what.is_empty() && help.contains("CSV"), "{what}");
        }
        assert!(is_parquet(&whole) && !is_parquet(b"src,dst"));
    }
}
