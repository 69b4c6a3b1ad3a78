//! A CSV of rows below a header, from which figures take columns.

use fabricsim_base::input::InputError;
use fabricsim_report::columns::{Word, lines};

/// A text of rows below a header.
pub(crate) struct CsvRows<'t> {
    text: &'t str,
    header: Word<'t>,
    names: Vec<&'t str>,
}

impl<'t> CsvRows<'t> {
    /// The table in `text`, whose first line is the header.
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

    /// The place of the column `name`.
    pub(crate) fn column(&self, name: &str) -> Result<usize, InputError> {
        self.position(name).ok_or_else(|| {
            self.header.error(
                format!("the header has no column `{name}`"),
                format!("it needs `{name}`; it has {}", self.names.join(", ")),
            )
        })
    }

    /// The place of the column `name` where there is one.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|column| *column == name)
    }

    /// The rows, each with as many fields as the header.
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
