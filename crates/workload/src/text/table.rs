//! Tables: rows of fields under a header that names the columns, in any order.

use fabricsim_base::input::InputError;

use super::{Piece, lines};

/// The columns that a table may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'c> {
    pub(crate) names: &'c [&'c str],
    /// Number of columns, the first ones, that a table must have.
    pub(crate) required: usize,
    /// Returns `true` for other columns that a table may have.
    pub(crate) is_ignored: fn(&str) -> bool,
}

/// The header of a table.
#[derive(Debug)]
pub(crate) struct Table<'t> {
    header: Piece<'t>,
    /// The number of each column, in the order of the header; `None` if it is ignored.
    order: Vec<Option<usize>>,
    count: usize,
}

/// A row of a table.
#[derive(Debug)]
pub(crate) struct Row<'t> {
    pub(crate) line: Piece<'t>,
    /// The field of each column; `None` if the table does not have the column.
    pub(crate) fields: Box<[Option<Piece<'t>>]>,
}

impl<'t> Row<'t> {
    /// Returns the field in `column`; an empty one if the table does not have the column.
    pub(crate) fn field(&self, column: usize) -> Piece<'t> {
        let nothing = Piece {
            text: "",
            ..self.line
        };
        self.fields[column].unwrap_or(nothing)
    }
}

impl<'t> Table<'t> {
    /// Reads the header of `text`. Returns the table and the lines of its rows.
    ///
    /// # Errors
    /// Returns the position of a column that is unknown, missing or there twice.
    pub(crate) fn read(
        text: &'t str,
        columns: Columns<'_>,
    ) -> Result<(Self, impl Iterator<Item = Piece<'t>> + use<'t>), InputError> {
        let Columns {
            names,
            required,
            is_ignored,
        } = columns;
        let begin = || format!("begin with {}", names[..required].join(","));
        let mut lines = lines(text);
        let header = lines
            .next()
            .ok_or_else(|| InputError::new(0..text.len(), "the file is empty", begin()))?;
        let mut order = Vec::new();
        for name in header.fields() {
            let plain = name.text.trim_start_matches('\u{feff}');
            let column = names.iter().position(|known| *known == plain);
            let message = match column {
                Some(_) if order.contains(&column) => format!("a second column `{plain}`"),
                None if !is_ignored(plain) => format!("unknown column `{plain}`"),
                _ => {
                    order.push(column);
                    continue;
                }
            };
            return Err(name.error(message, format!("the columns are {}", names.join(", "))));
        }
        if let Some(missing) = (0..required).find(|column| !order.contains(&Some(*column))) {
            let message = format!("the header has no column `{}`", names[missing]);
            return Err(header.error(message, begin()));
        }
        let count = names.len();
        let table = Self {
            header,
            order,
            count,
        };
        Ok((table, lines))
    }

    /// Returns the name of `column` in the header, if the table has it.
    pub(crate) fn name(&self, column: usize) -> Option<Piece<'t>> {
        let place = self.order.iter().position(|own| *own == Some(column))?;
        self.header.fields().nth(place)
    }

    /// Returns the row in `line`.
    ///
    /// # Errors
    /// Fails if it is not as long as the header: a missing field would shift the later ones.
    pub(crate) fn row(&self, line: Piece<'t>) -> Result<Row<'t>, InputError> {
        let mut fields = vec![None; self.count].into_boxed_slice();
        for (field, column) in line.fields().zip(&self.order) {
            if let Some(column) = column {
                fields[*column] = Some(field);
            }
        }
        let (own, wanted) = (line.fields().count(), self.order.len());
        if own != wanted {
            return Err(line.error(
                format!("{own} fields where the header has {wanted}"),
                format!("write the columns {}", self.header.text),
            ));
        }
        Ok(Row { line, fields })
    }

    /// Returns the error of a table without rows.
    pub(crate) fn without_rows(&self, message: &str, help: &str) -> InputError {
        self.header.error(message, help)
    }
}
