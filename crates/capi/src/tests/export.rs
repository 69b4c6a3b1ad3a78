//! Exported tables are equal to the result files.

use std::fs;

use arrow_array::RecordBatch;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use fabricsim_report::arrow::read_table;

use super::*;

/// Returns room for a stream, still empty.
fn stream() -> FFI_ArrowArrayStream {
    FFI_ArrowArrayStream::empty()
}

/// Imports the table of a stream that the library has filled.
fn import(mut stream: FFI_ArrowArrayStream) -> RecordBatch {
    // SAFETY: the library has filled the stream.
    let reader = unsafe { RecordBatchStreamReader::from_raw(&raw mut stream) }.unwrap();
    assert!(stream.release().is_none(), "it has been moved");
    let mut tables: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
    assert_eq!(tables.len(), 1);
    tables.remove(0)
}

fn export_file(path: &str) -> Result<RecordBatch, i32> {
    let path = CString::new(path).unwrap();
    let mut stream = stream();
    // SAFETY: the path ends with a zero, and the stream has room.
    match unsafe { fabricsim_export_file(path.as_ptr(), &raw mut stream) } {
        FABRICSIM_OK => Ok(import(stream)),
        code => {
            assert!(stream.release().is_none(), "there is nothing to release");
            Err(code)
        }
    }
}

#[test]
fn flows_are_those_that_are_written_and_outlive_the_simulation() {
    let handle = open(STAR);
    for dst in 1..4 {
        assert_eq!(send(handle, &message(0, dst, 50_000)), FABRICSIM_OK);
    }
    let (mut early, mut late) = (stream(), stream());
    // SAFETY: there is room.
    let code = unsafe { fabricsim_export_flows(handle, &raw mut early) };
    assert_eq!(code, FABRICSIM_OK);
    assert_eq!(next(handle, 0), Err(FABRICSIM_STOP_TIME));
    while next(handle, u64::MAX).is_ok() {}
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fct.csv");
    let path = path.to_str().unwrap();
    let written = CString::new(path).unwrap();
    // SAFETY: the path ends with a zero, and there is room.
    unsafe {
        assert_eq!(
            fabricsim_write_flows(handle, written.as_ptr()),
            FABRICSIM_OK
        );
        assert_eq!(fabricsim_export_flows(handle, &raw mut late), FABRICSIM_OK);
    }
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
    let expected = read_table(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(expected.num_rows(), 3);
    let (early, late) = (import(early), import(late));
    assert_eq!(late, expected);
    assert_eq!((early.num_rows(), early.schema()), (0, expected.schema()));
    assert_eq!(export_file(path), Ok(expected));
}

#[test]
fn a_stream_that_is_not_read_is_released() {
    let handle = open(STAR);
    let mut unread = stream();
    // SAFETY: there is room.
    let code = unsafe { fabricsim_export_flows(handle, &raw mut unread) };
    assert_eq!(code, FABRICSIM_OK);
    assert!(unread.release().is_some());
    drop(unread);
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
}

#[test]
fn what_cannot_be_exported_has_a_code_and_leaves_nothing_to_release() {
    let mut stream = stream();
    // SAFETY: there is room, and the functions must refuse null.
    unsafe {
        let none = fabricsim_export_flows(0, &raw mut stream);
        assert_eq!(none, FABRICSIM_ERROR_HANDLE);
        assert!(stream.release().is_none());
        let null = fabricsim_export_flows(0, std::ptr::null_mut());
        assert_eq!(null, FABRICSIM_ERROR_NULL);
        let null = fabricsim_export_file(std::ptr::null(), &raw mut stream);
        assert_eq!(null, FABRICSIM_ERROR_NULL);
    }
    assert_eq!(export_file("nowhere/fct.csv"), Err(FABRICSIM_ERROR_FILE));
    assert!(last_error().contains("nowhere/fct.csv"), "{}", last_error());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fct.csv");
    fs::write(&path, "flow,src\n1,2\n3\n").unwrap();
    let refused = export_file(path.to_str().unwrap());
    assert_eq!(refused, Err(FABRICSIM_ERROR_FILE));
    assert!(last_error().contains("fct.csv:3:1"), "{}", last_error());
    let scenario = folder.path().join("mine.toml");
    fs::write(&scenario, STAR).unwrap();
    let refused = export_file(scenario.to_str().unwrap());
    assert_eq!(refused, Err(FABRICSIM_ERROR_FILE));
    let words = last_error();
    assert!(
        words.contains("mine.toml:1:1") && words.contains("is no name of a column"),
        "{words}"
    );
}
