//! The columns and cells of series, and the file that takes them.

use std::io;

/// Kind of value in a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CellKind {
    /// Whole numbers.
    Whole,
    /// Whole numbers, or nothing.
    Optional,
    /// Nanoseconds, exact to the picosecond.
    Nanoseconds,
    /// A share, 0 to 1, to the millionth.
    Share,
    /// A name.
    Text,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SeriesCell<'a> {
    /// A whole number.
    Whole(u64),
    /// No number.
    Empty,
    /// A time in picoseconds.
    Picoseconds(u64),
    /// A share in millionths.
    Millionths(u64),
    /// A name.
    Text(&'a str),
}

/// The columns of a series: names and kinds.
pub type Columns = &'static [(&'static str, CellKind)];

/// The file of a series: it takes only as many rows as the scenario allows.
pub trait Rows {
    /// Returns `true` if `more` rows fit. If they do not, the file is full for good, and `left_out`
    /// describes the missing rows.
    fn has_room(&mut self, more: usize, left_out: &dyn Fn() -> String) -> bool;

    /// Returns `true` if rows have been left out.
    fn is_full(&self) -> bool;

    /// Adds a row.
    ///
    /// # Errors
    /// When the file cannot be written.
    fn write(&mut self, cells: &[SeriesCell<'_>]) -> io::Result<()>;
}
