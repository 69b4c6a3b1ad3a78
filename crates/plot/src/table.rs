//! CSV files with a header, from which figures read columns.

use fabricsim_base::input::InputError;
use fabricsim_report::columns::{Word, lines};

/// The text of a CSV file with its parsed header.
pub(crate) struct CsvRows<'t> {
    text: &'t str,
    header: Word<'t>,
    names: Vec<&'t str>,
}

impl<'t> CsvRows<'t> {
    /// Parses the first line of `text` as the header.
    pub(crate) fn new(text: &'t str) -> Result<Self, InputError> {
        let Some(header) = lines(text).next() else {
            return Err(InputError::new(
                0..text.len(),
                "the file is empty",
                "its first line has to name the columns",
            ));
        };
        Ok(Self {
            text,
            header,
            names: header.fields().map(|name| name.text).collect(),
        })
    }

    /// Returns the index of the column `name`.
    pub(crate) fn column(&self, name: &str) -> Result<usize, InputError> {
        self.position(name).ok_or_else(|| {
            self.header.error(
                format!("the header has no column `{name}`"),
                format!("it needs `{name}`; it has {}", self.names.join(", ")),
            )
        })
    }

    /// Returns the index of the column `name` if there is one.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|column| *column == name)
    }

    /// Yields the rows; a row is an error unless it has as many fields as the header.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Result<Vec<Word<'t>>, InputError>> {
        let wanted = self.names.len();
        lines(self.text).skip(1).map(move |line| {
            let fields: Vec<Word<'t>> = line.fields().collect();
            if fields.len() == wanted {
                return Ok(fields);
            }
            Err(line.error(
                format!("{} fields where the header has {wanted}", fields.len()),
                "the file may have been cut short: remove the row or run again",
            ))
        })
    }
}
