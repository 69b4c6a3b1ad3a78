//! Tables of results.

use std::ffi::CStr;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch, RecordBatchIterator};
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;
use fabricsim::Error;
use fabricsim_report::arrow::read_table;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyNone};

use crate::error::raise;

/// Names that the Arrow PyCapsule interface prescribes for capsules.
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// A table of results, column by column. Programs that accept Arrow tables use it directly, without
/// copying: `pyarrow.table(t)`, `polars.DataFrame(t)`, `pandas.DataFrame.from_arrow(t)`.
#[pyclass(frozen, module = "fabricsim")]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    /// Reads the text of a result file called `name`.
    pub(crate) fn of_text(py: Python<'_>, name: &str, text: &str) -> PyResult<Self> {
        let batch = py.detach(|| read_table(text));
        let batch = batch.map_err(|error| raise(py, Error::input(name, text, error), &[]))?;
        Ok(Self { batch })
    }

    fn place(&self, name: &str) -> PyResult<usize> {
        self.batch.schema().index_of(name).map_err(|_| {
            let names = self.columns().join(", ");
            PyKeyError::new_err(format!("no column `{name}`; the columns are {names}"))
        })
    }
}

#[pymethods]
impl Table {
    /// Reads a result file of columns.
    #[staticmethod]
    fn read_csv(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = || -> Result<RecordBatch, Error> {
            let text = read_text(FileKind::RESULTS, &path)?;
            let name = path.display().to_string();
            read_table(&text).map_err(|error| Error::input(&name, &text, error))
        };
        let batch = py.detach(read).map_err(|error| raise(py, error, &[]))?;
        Ok(Self { batch })
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.batch.schema();
        let fields = schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.batch.schema().index_of(name).is_ok()
    }

    /// The values of the column `name`, as a list; empty cells are None.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.batch.column(self.place(name)?);
        let values = (0..column.len()).map(|row| cell(py, column, row));
        let values: PyResult<Vec<Bound<'_, PyAny>>> = values.collect();
        PyList::new(py, values?)
    }

    /// The values of a row, in the order of the columns.
    fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let rows = self.batch.num_rows();
        if row >= rows {
            return Err(PyIndexError::new_err(format!(
                "row {row} of a table of {rows} rows"
            )));
        }
        let columns = self.batch.columns().iter();
        columns.map(|column| cell(py, column, row)).collect()
    }

    /// A pyarrow.Table that shares the columns.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames("to_pyarrow", slf)
    }

    /// A polars.DataFrame.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames("to_polars", slf)
    }

    /// A pandas.DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames("to_pandas", slf)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames("to_html", slf)
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames("to_text", slf)
    }

    /// The schema, for the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema_ref().as_ref());
        let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// The columns, for the Arrow PyCapsule interface: they are shared and not copied. The types
    /// are always the table's own; `requested_schema` has no effect.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let schema = self.batch.schema();
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, STREAM)
    }
}

/// Returns the messages that decided the end of an iteration, from the results in `folder`.
#[pyfunction]
pub(crate) fn critical_path(
    py: Python<'_>,
    folder: PathBuf,
    job: Option<String>,
    iteration: u32,
) -> PyResult<Table> {
    let text = py.detach(|| fabricsim_cli::critical_path(&folder, job.as_deref(), iteration));
    let text = text.map_err(|error| raise(py, error, &[]))?;
    Table::of_text(py, "critical path", &text)
}

/// Calls a function of `fabricsim._frames`, the module that knows the libraries of data frames.
fn frames<'py>(name: &str, table: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
    let module = table.py().import("fabricsim._frames")?;
    module.call_method1(name, (table,))
}

/// Converts a cell to a value of Python.
fn cell<'py>(py: Python<'py>, column: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(PyNone::get(py).to_owned().into_any());
    }
    Ok(match column.data_type() {
        DataType::Int64 => {
            let value = column.as_primitive::<Int64Type>().value(row);
            value.into_pyobject(py)?.into_any()
        }
        DataType::Float64 => {
            let value = column.as_primitive::<Float64Type>().value(row);
            value.into_pyobject(py)?.into_any()
        }
        _ => {
            let value = column.as_string::<i32>().value(row);
            value.into_pyobject(py)?.into_any()
        }
    })
}
