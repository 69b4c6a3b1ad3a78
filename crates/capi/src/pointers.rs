//! Reads and writes through pointers of C. No other part of the library dereferences a pointer.

use std::ffi::{CStr, c_char};

use crate::error::Failure;

/// Reads a UTF-8 text.
///
/// # Safety
/// `text` is null, or points to characters that end with a zero.
pub(crate) unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: it is not null, and the caller says that it ends with a zero.
    let text = unsafe { CStr::from_ptr(text) };
    let refuse = |_| Failure::argument(format!("`{name}` is not UTF-8"));
    text.to_str().map_err(refuse)
}

/// Reads a list of texts.
///
/// # Safety
/// `texts` is null, or points to `count` pointers that each fulfil the conditions of [`text`].
pub(crate) unsafe fn texts(
    texts: *const *const c_char,
    count: usize,
    name: &str,
) -> Result<Vec<String>, Failure> {
    /// A larger count is surely an error.
    const MOST: usize = 1 << 16;
    if count == 0 {
        return Ok(Vec::new());
    }
    if texts.is_null() {
        return Err(Failure::null(name));
    }
    if count > MOST {
        return Err(Failure::argument(format!(
            "{count} texts of `{name}` are more than {MOST}"
        )));
    }
    let read = |index: usize| {
        // SAFETY: `index` is below the number of pointers, and each of them meets the conditions of
        // `text`.
        unsafe { text(*texts.add(index), name) }.map(str::to_owned)
    };
    (0..count).map(read).collect()
}

/// Reads a value.
///
/// # Safety
/// `value` is null, or points to a `T` that is aligned.
pub(crate) unsafe fn read<T: Copy>(value: *const T, name: &str) -> Result<T, Failure> {
    if value.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: it is not null, and the caller says that it points to a `T`.
    Ok(unsafe { *value })
}

/// Writes a result to the `place` that the program passed for it.
///
/// # Safety
/// `place` is null, or points to room for a `T` that is aligned.
pub(crate) unsafe fn write<T>(place: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: it is not null, and the caller says that there is room for a `T`.
    unsafe { place.write(value) };
    Ok(())
}

/// Writes a result, unless the program passed null because it does not want it.
///
/// # Safety
/// As for [`write`].
pub(crate) unsafe fn write_if_asked<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: it is not null, and the caller says that there is room for a `T`.
        unsafe { place.write(value) };
    }
}

/// Copies as much of `text` as fits into `room` bytes at `buffer`, with a terminating zero. Returns
/// the number of bytes that the whole text needs, including the zero.
///
/// # Safety
/// `buffer` is null, or points to `room` bytes.
pub(crate) unsafe fn copy(text: &str, buffer: *mut c_char, room: usize) -> usize {
    if !buffer.is_null() && room > 0 {
        let mut fits = text.len().min(room - 1);
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        // SAFETY: there is room for the bytes that fit and for one more.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, fits);
            buffer.add(fits).write(0);
        }
    }
    text.len() + 1
}
