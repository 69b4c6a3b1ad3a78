//! The columns and cells of series, and the interface to their files.

use std::io;

/// Kind of the values in a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CellKind {
    /// Whole numbers.
    Whole,
    /// Whole numbers or empty cells.
    Optional,
    /// Nanoseconds, exact to the picosecond.
    Nanoseconds,
    /// A share from 0 to 1, rounded to the millionth.
    Share,
    /// A name.
    Text,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SeriesCell<'a> {
    /// A whole number.
    Whole(u64),
    /// An empty cell.
    Empty,
    /// A time in picoseconds.
    Picoseconds(u64),
    /// A share in millionths.
    Millionths(u64),
    /// A name.
    Text(&'a str),
}

/// The columns of a series, as names and kinds.
pub type Columns = &'static [(&'static str, CellKind)];

/// The file of a series. The scenario limits its number of rows.
pub trait Rows {
    /// Returns `true` if `more` rows fit. Otherwise, the file is full from now on, and `left_out`
    /// describes the missing rows.
    fn has_room(&mut self, more: usize, left_out: &dyn Fn() -> String) -> bool;

    /// Returns `true` if rows were omitted because the file is full.
    fn is_full(&self) -> bool;

    /// Adds a row.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    fn write(&mut self, cells: &[SeriesCell<'_>]) -> io::Result<()>;
}
