//! Times and sizes as Python passes them: whole numbers, or strings with a unit.

use std::str::FromStr;

use fabricsim::units::{Bytes, Time, UnitError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyString};

/// Reads a time: picoseconds, or a text such as `"10us"`.
///
/// # Errors
/// `TypeError` if `value` is neither, `ValueError` if it is out of range.
pub(crate) fn time(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Time> {
    quantity(name, value, "picoseconds", "\"10us\"", Time::from_ps)
}

/// Reads a time, or [`Time::MAX`] for `None`.
///
/// # Errors
/// Fails like [`time`].
pub(crate) fn time_or_end(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Time> {
    value.map_or(Ok(Time::MAX), |value| time(name, value))
}

/// Reads a size: bytes, or a text such as `"100KB"`.
///
/// # Errors
/// Fails like [`time`].
pub(crate) fn size(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    quantity(name, value, "bytes", "\"100KB\"", Bytes::new)
}

fn quantity<T: FromStr<Err = UnitError>>(
    name: &str,
    value: &Bound<'_, PyAny>,
    unit: &str,
    example: &str,
    from: impl FnOnce(u64) -> T,
) -> PyResult<T> {
    if let Ok(text) = value.cast::<PyString>() {
        let parsed: Result<T, UnitError> = text.to_cow()?.parse();
        return parsed.map_err(|error| PyValueError::new_err(format!("{name}: {error}")));
    }
    let is_number = !value.is_instance_of::<PyBool>() && !value.is_instance_of::<PyFloat>();
    let index = value.call_method0("__index__").ok().filter(|_| is_number);
    let Some(index) = index else {
        let kind = value.get_type().name()?;
        let text = format!(
            "{name}: a whole number of {unit} or a text such as {example} is wanted, not {kind}"
        );
        return Err(PyTypeError::new_err(text));
    };
    index.extract().map(from).map_err(|_| {
        let shown = index.to_string();
        let shown = shown.get(..40).unwrap_or(&shown);
        PyValueError::new_err(format!(
            "{name}: {shown} {unit} are not between 0 and 2**64"
        ))
    })
}
