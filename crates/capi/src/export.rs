//! Results as Apache Arrow tables, through its C stream interface: the program receives the columns
//! without copying.

use std::ffi::c_char;
use std::io;
use std::path::Path;

use arrow_array::ffi_stream::FFI_ArrowArrayStream as ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use fabricsim_report::arrow::read_table;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use facade::Error;
use facade::report::{FctRecord, FctWriter};

use crate::error::{Failure, guard};
use crate::types::{FABRICSIM_ERROR_FILE, FabricsimHandle};
use crate::{pointers, table};

/// Fills `stream` with the flows that have ended so far (messages and flows of workloads) as one
/// table with the columns of fct.csv; fabricsim_write_flows() writes the same. The columns `src`
/// and `dst` are node numbers; fabricsim_node_host() converts them to hosts.
///
/// # Safety
/// `stream` points to room for a stream. It is overwritten, so it must not be in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_export_flows(
    simulation: FabricsimHandle,
    stream: *mut ArrowArrayStream,
) -> i32 {
    guard(|| {
        // SAFETY: the caller vouches for `stream`.
        unsafe { pointers::write(stream, ArrowArrayStream::empty(), "stream") }?;
        let session = table::get(simulation)?;
        let mut engine = session.engine()?;
        engine.keep_completions();
        let text = flows_csv(&engine.records).map_err(|error| {
            Failure::new(FABRICSIM_ERROR_FILE, format!("cannot write flows: {error}"))
        })?;
        drop(engine);
        let flows = read_table(&text).map_err(|error| Failure::argument(error.to_string()))?;
        // SAFETY: as above.
        unsafe { pointers::write(stream, stream_of(flows), "stream") }
    })
}

/// Fills `stream` with the result file at `path` as one table: `fct.csv`, a time series, the points
/// of a sweep, or any other file of columns with a header. Whole numbers have the type int64, times
/// and ratios are doubles, names are UTF-8, and empty cells are null.
///
/// # Safety
/// `path` ends with a zero. `stream` points to room for a stream; it is overwritten, so it must not
/// be in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_export_file(
    path: *const c_char,
    stream: *mut ArrowArrayStream,
) -> i32 {
    guard(|| {
        // SAFETY: the caller vouches for `stream`.
        unsafe { pointers::write(stream, ArrowArrayStream::empty(), "stream") }?;
        // SAFETY: the caller vouches for `path`.
        let path = unsafe { pointers::text(path, "path") }?;
        let text = read_text(FileKind::RESULTS, Path::new(path)).map_err(Failure::file)?;
        let rows =
            read_table(&text).map_err(|error| Failure::file(Error::input(path, &text, error)))?;
        // SAFETY: as above.
        unsafe { pointers::write(stream, stream_of(rows), "stream") }
    })
}

/// Returns `records` as the text of an fct.csv.
fn flows_csv(records: &[FctRecord]) -> io::Result<String> {
    let mut rows = Vec::new();
    let mut writer = FctWriter::new(&mut rows)?;
    for record in records {
        writer.write(record)?;
    }
    writer.finish()?;
    String::from_utf8(rows).map_err(io::Error::other)
}

/// Returns a stream of one table. The stream owns the table.
fn stream_of(rows: RecordBatch) -> ArrowArrayStream {
    let schema = rows.schema();
    ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(rows)], schema)))
}
