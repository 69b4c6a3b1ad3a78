//! Result files as tables in the memory layout of Apache Arrow.
//!
//! A file of columns becomes one [`RecordBatch`]: whole numbers as 64-bit integers, times and
//! ratios as doubles, names as strings, and empty cells as nulls. The same columns have these types
//! in Parquet, too.

#[cfg(feature = "arrow-ipc")]
mod ipc;

use std::sync::Arc;

use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use csv::{ByteRecord, ReaderBuilder};
use fabricsim_base::input::InputError;

#[cfg(feature = "arrow-ipc")]
pub use ipc::write_ipc;

/// Columns of names. A cell may look like a number, as checksums do, so cells cannot decide the
/// type.
const NAMES: &[&str] = &[
    "algorithm",
    "checksum",
    "discipline",
    "event",
    "group",
    "job",
    "kind",
    "name",
    "operation",
    "peer_name",
    "point",
    "scenario_checksum",
    "status",
    "tier",
];

/// Prefixes of the names of columns with ratios and rates.
const RATIOS: &[&str] = &[
    "algbw",
    "busbw",
    "goodput",
    "share",
    "slowdown",
    "utilization",
];

/// Characters that no column name contains.
const NO_NAME: [char; 7] = ['[', ']', '{', '}', '=', '#', '"'];

/// Type of a column.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Kind {
    Whole,
    Float,
    Text,
}

/// Reads a result file of columns, with its header, as a table. The name of a column decides its
/// type, or its cells if the name leaves it open.
///
/// ```
/// use fabricsim_report::arrow::read_table;
///
/// let table = read_table("time_ns,node,name,queue_bytes\n7000,4,leaf0,1500\n7000.5,4,leaf0,\n")?;
/// let types: Vec<String> = table
///     .schema()
///     .fields()
///     .iter()
///     .map(|field| format!("{} {}", field.name(), field.data_type()))
///     .collect();
/// assert_eq!(types, ["time_ns Float64", "node Int64", "name Utf8", "queue_bytes Int64"]);
/// assert_eq!(table.column(3).null_count(), 1);
/// # Ok::<(), fabricsim_base::input::InputError>(())
/// ```
///
/// # Errors
/// Fails if the file has no header of names, or a row has another number of cells than the header.
pub fn read_table(text: &str) -> Result<RecordBatch, InputError> {
    let names: Vec<String> = {
        let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| refuse(text, &error))?;
        header.iter().map(str::to_owned).collect()
    };
    if names.iter().all(String::is_empty) {
        let help = "give a file of results that fabricsim has written";
        return Err(InputError::new(0..0, "the file has no columns", help));
    }
    // A file of another kind, such as a scenario, has such a character in its first line.
    if let Some(name) = names.iter().find(|name| name.contains(NO_NAME)) {
        let message = format!("`{name}` is no name of a column");
        let help = "give a file of results that fabricsim has written, such as fct.csv";
        return Err(InputError::new(0..0, message, help));
    }
    let mut kinds: Vec<Kind> = names.iter().map(|name| kind_of(name, &names)).collect();
    let mut rows = 0;
    for_each_row(text, |row| {
        rows += 1;
        for (kind, cell) in kinds.iter_mut().zip(row) {
            *kind = (*kind).max(least_kind(*kind, cell));
        }
    })?;
    let mut columns: Vec<Column> = kinds.iter().map(|kind| Column::new(*kind, rows)).collect();
    for_each_row(text, |row| {
        for (column, cell) in columns.iter_mut().zip(row) {
            column.push(cell);
        }
    })?;
    let fields = names.iter().zip(&kinds);
    let fields: Vec<Field> = fields
        .map(|(name, kind)| Field::new(name, kind.data_type(), true))
        .collect();
    let arrays = columns.into_iter().map(Column::into_array).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let schema = Arc::new(Schema::new(fields));
    RecordBatch::try_new_with_options(schema, arrays, &options)
        .map_err(|error| InputError::new(0..0, error.to_string(), "give whole rows"))
}

/// Calls `visit` with each row of `text` below its header.
fn for_each_row(text: &str, mut visit: impl FnMut(&ByteRecord)) -> Result<(), InputError> {
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    let mut row = ByteRecord::new();
    while (reader.read_byte_record(&mut row)).map_err(|error| refuse(text, &error))? {
        visit(&row);
    }
    Ok(())
}

fn refuse(text: &str, error: &csv::Error) -> InputError {
    let at = error.position().map_or(0, csv::Position::byte);
    let at = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
    let end = text[at..].find('\n').map_or(text.len(), |line| at + line);
    let help = "give a file of results that fabricsim has written, whole";
    InputError::new(at..end, error.to_string(), help)
}

/// Returns the type that the column `name` implies; [`Kind::Whole`] leaves it to the cells. `all`
/// are the names of all columns.
fn kind_of(name: &str, all: &[String]) -> Kind {
    // If there is a column `peer_name`, then `peer` is a number.
    let is_peer = name == "peer" && !all.iter().any(|other| other == "peer_name");
    if is_peer || NAMES.contains(&name) {
        return Kind::Text;
    }
    let is_time = name.split('_').any(|word| word == "ns" || word == "s");
    if is_time || RATIOS.iter().any(|ratio| name.starts_with(ratio)) {
        return Kind::Float;
    }
    Kind::Whole
}

/// Returns the narrowest type, not narrower than `known`, that can hold `cell`.
fn least_kind(known: Kind, cell: &[u8]) -> Kind {
    if known == Kind::Text || cell.is_empty() {
        return known;
    }
    match str::from_utf8(cell) {
        Ok(text) if known == Kind::Whole && text.parse::<i64>().is_ok() => Kind::Whole,
        Ok(text) if text.parse::<f64>().is_ok() => Kind::Float,
        _ => Kind::Text,
    }
}

impl Kind {
    const fn data_type(self) -> DataType {
        match self {
            Self::Whole => DataType::Int64,
            Self::Float => DataType::Float64,
            Self::Text => DataType::Utf8,
        }
    }
}

/// A column under construction. Only columns with empty cells keep a list of filled cells.
enum Column {
    Whole(Vec<i64>, Option<Vec<bool>>),
    Float(Vec<f64>, Option<Vec<bool>>),
    Text(Vec<Option<String>>),
}

impl Column {
    fn new(kind: Kind, rows: usize) -> Self {
        match kind {
            Kind::Whole => Self::Whole(Vec::with_capacity(rows), None),
            Kind::Float => Self::Float(Vec::with_capacity(rows), None),
            Kind::Text => Self::Text(Vec::with_capacity(rows)),
        }
    }

    fn push(&mut self, cell: &[u8]) {
        match self {
            Self::Whole(values, given) => push_number(values, given, cell),
            Self::Float(values, given) => push_number(values, given, cell),
            Self::Text(values) => {
                let given = (!cell.is_empty()).then(|| String::from_utf8_lossy(cell).into_owned());
                values.push(given);
            }
        }
    }

    fn into_array(self) -> ArrayRef {
        match self {
            Self::Whole(values, given) => {
                Arc::new(Int64Array::new(values.into(), given.map(Into::into)))
            }
            Self::Float(values, given) => {
                Arc::new(Float64Array::new(values.into(), given.map(Into::into)))
            }
            Self::Text(values) => Arc::new(StringArray::from(values)),
        }
    }
}

fn push_number<T: Default + std::str::FromStr>(
    values: &mut Vec<T>,
    given: &mut Option<Vec<bool>>,
    cell: &[u8],
) {
    let value = str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
    if value.is_none() && given.is_none() {
        *given = Some(vec![true; values.len()]);
    }
    if let Some(given) = given {
        given.push(value.is_some());
    }
    values.push(value.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use proptest::prelude::*;

    use super::*;
    use crate::FCT_HEADER;

    fn types(table: &RecordBatch) -> Vec<DataType> {
        let schema = table.schema();
        let fields = schema.fields().iter();
        fields.map(|field| field.data_type().clone()).collect()
    }

    #[test]
    fn types_do_not_depend_on_the_rows() {
        use DataType::{Float64, Int64};
        let fct = [
            Int64, Int64, Int64, Int64, Int64, Float64, Float64, Float64, Float64, Int64,
        ];
        let row = "0,1,2,0,1000,0,6200,5000,1.240000,0";
        for text in [format!("{FCT_HEADER}\n"), format!("{FCT_HEADER}\n{row}\n")] {
            assert_eq!(types(&read_table(&text).expect("a table")), fct);
        }
    }

    #[test]
    fn names_that_look_like_numbers_are_names() {
        let links = read_table("name,peer,seed,checksum\n7,8,1,1e5\n").expect("a table");
        let topology = read_table("name,peer,peer_name\n7,8,9\n").expect("a table");
        use DataType::{Int64, Utf8};
        assert_eq!(types(&links), [Utf8, Utf8, Int64, Utf8]);
        assert_eq!(types(&topology), [Utf8, Int64, Utf8]);
    }

    #[test]
    fn cells_with_commas_and_empty_cells_are_read() {
        let table = read_table("point,load,slowdown_p99\n\"a=1,b=2\",0.5,\nc,1,2.5\n");
        let table = table.expect("a table");
        assert_eq!(table.column(0).as_string::<i32>().value(0), "a=1,b=2");
        let load = table.column(1).as_primitive::<Float64Type>();
        assert_eq!(load.values(), &[0.5, 1.0]);
        let slowdown = table.column(2).as_primitive::<Float64Type>();
        let slowdown: Vec<Option<f64>> = slowdown.iter().collect();
        assert_eq!(slowdown, [None, Some(2.5)]);
    }

    #[test]
    fn rows_that_are_cut_off_are_refused() {
        let error = read_table("a,b\n1,2\n3\n").expect_err("a short row");
        assert_eq!(error.line_column("a,b\n1,2\n3\n").0, 3);
        assert!(read_table("").is_err());
    }

    proptest! {
        #[test]
        fn whole_numbers_and_times_are_exact(rows in proptest::collection::vec((any::<i64>(), 0..1u64 << 50), 0..50)) {
            let mut text = "flow,time_ns\n".to_owned();
            for (whole, ps) in &rows {
                text.push_str(&format!("{whole},{}.{:03}\n", ps / 1_000, ps % 1_000));
            }
            let table = read_table(&text).expect("a table");
            let (whole, times) = (table.column(0), table.column(1));
            let whole: Vec<i64> = whole.as_primitive::<Int64Type>().values().to_vec();
            let times = times.as_primitive::<Float64Type>().values();
            let times: Vec<f64> = times.iter().map(|ns| (ns * 1e3).round()).collect();
            let rows = rows.into_iter().map(|(whole, ps)| (whole, ps as f64));
            let expected: (Vec<i64>, Vec<f64>) = rows.unzip();
            prop_assert_eq!((whole, times), expected);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            if let Ok(table) = read_table(&text) {
                prop_assert!(table.num_columns() > 0);
            }
        }
    }
}
