//! CSV files with a header that names the columns.

use fabricsim_base::input::InputError;

use crate::columns::{Word, lines};

/// A CSV with a header; blank lines and lines that begin with `#` are skipped. Columns can have any
/// order, and unknown columns are ignored.
pub struct Table<'t> {
    header: Word<'t>,
    names: Vec<Word<'t>>,
    rows: Box<dyn Iterator<Item = Word<'t>> + 't>,
}

impl<'t> Table<'t> {
    /// Reads the header of `text`; `what` is the kind of file, such as "a result file".
    pub fn new(text: &'t str, what: &str) -> Result<Self, InputError> {
        let mut rows = lines(text).filter(|line| !line.text.starts_with('#'));
        let header = rows.next().ok_or_else(|| {
            InputError::new(
                0..text.len(),
                "the file is empty",
                format!("{what} begins with a header"),
            )
        })?;
        Ok(Self {
            header,
            names: header.fields().collect(),
            rows: Box::new(rows),
        })
    }

    /// Returns the names of the columns, in the order of the file.
    pub fn names(&self) -> &[Word<'t>] {
        &self.names
    }

    /// Returns the index of the column `name`, if there is one.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|column| column.text == name)
    }

    /// Returns the indices of columns that must be present.
    pub fn positions<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], InputError> {
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = self.position(name).ok_or_else(|| {
                self.header.error(
                    format!("the header has no column `{name}`"),
                    format!("name {}", names.join(", ")),
                )
            })?;
        }
        Ok(places)
    }

    /// Reads every row with `read`, which receives the number of the row, its line and its fields.
    pub fn read<T>(
        self,
        read: impl Fn(usize, Word<'t>, &[Word<'t>]) -> Result<T, InputError>,
    ) -> Result<Vec<T>, InputError> {
        let columns = self.names.len();
        let mut fields: Vec<Word<'t>> = Vec::with_capacity(columns);
        self.rows
            .enumerate()
            .map(|(row, line)| {
                fields.clear();
                match line.text.contains('"') {
                    true => fields.extend(line.quoted_fields()),
                    false => fields.extend(line.fields()),
                }
                if fields.len() != columns {
                    return Err(line.error(
                        format!("{} fields where the header has {columns}", fields.len()),
                        "the file may have been cut short: remove the row or run again",
                    ));
                }
                read(row, line, &fields)
            })
            .collect()
    }
}

/// Reads the columns `names` of every row; `what` is the kind of file.
pub fn read_columns<'t, const N: usize, T>(
    text: &'t str,
    what: &str,
    names: [&str; N],
    read: impl Fn([Word<'t>; N]) -> Result<T, InputError>,
) -> Result<Vec<T>, InputError> {
    let table = Table::new(text, what)?;
    let places = table.positions(names)?;
    table.read(|_, _, fields| read(places.map(|place| fields[place])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(text: &str) -> Result<Vec<u64>, InputError> {
        read_columns(text, "a table", ["a", "b"], |[a, b]| {
            Ok(a.integer::<u64>("a")? + b.integer::<u64>("b")?)
        })
    }

    #[test]
    fn columns_are_found_by_name() {
        assert_eq!(
            sums("# where it is from\nb,c,a\n1,x,2\n\n# more\n3,y,4\n"),
            Ok(vec![3, 7])
        );
    }

    #[test]
    fn commas_in_quotes_do_not_separate() {
        let text = "a,why,b\n1,\"one, two\",2\n3,,4\n";
        assert_eq!(sums(text), Ok(vec![3, 7]));
        assert!(sums("a,why,b\n1,\"one, two,2\n").is_err());
    }

    #[test]
    fn errors_are_placed() {
        let place = |text: &'static str| &text[sums(text).expect_err("refused").span];
        assert_eq!(place(""), "");
        assert_eq!(place("a,c\n1,2\n"), "a,c");
        assert_eq!(place("a,b\n1,2\n1\n"), "1");
        assert_eq!(place("a,b\n1,2.5\n"), "2.5");
    }
}
