//! Measured times of operations by their size.

use std::collections::BTreeMap;

use fabricsim_base::input::InputError;
use fabricsim_base::limits::MAX_DURATION;
use fabricsim_base::units::Duration;

use crate::text::{Columns, Piece, Table, scaled_decimal};

/// A table of measured times: for each operation, its times by size.
///
/// A size between two rows of an operation has a time on the straight line between them, rounded to
/// a picosecond. A size beyond them has none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Profile {
    times: BTreeMap<Box<str>, BTreeMap<u64, Duration>>,
}

impl Profile {
    /// Reads a CSV with the columns `operation`, `size` and `time_us`, in any order. Times are
    /// exact to the picosecond.
    ///
    /// # Errors
    /// Returns the position of the error: a missing column, a number that is none, or a second row
    /// of an operation and a size.
    pub(crate) fn parse(text: &str) -> Result<Self, InputError> {
        let columns = Columns {
            names: &["operation", "size", "time_us"],
            required: 3,
            is_ignored: |_| false,
        };
        let (table, lines) = Table::read(text, columns)?;
        let mut profile = Self::default();
        for line in lines {
            let row = table.row(line)?;
            let [operation, size, time] = [0, 1, 2].map(|column| row.field(column));
            profile.add(operation, size, time)?;
        }
        if profile.times.is_empty() {
            return Err(table.without_rows(
                "there are no times",
                "add a row for each operation and size",
            ));
        }
        Ok(profile)
    }

    fn add(
        &mut self,
        operation: Piece<'_>,
        size: Piece<'_>,
        time: Piece<'_>,
    ) -> Result<(), InputError> {
        if operation.text.is_empty() {
            return Err(operation.error("the operation has no name", "write for example matmul"));
        }
        let number: u64 = size.integer("a size", "write a whole number, such as 4096")?;
        let span = scaled_decimal(time.text, 6).ok().map(Duration::from_ps);
        let span = span.filter(|span| *span <= MAX_DURATION).ok_or_else(|| {
            let message = format!("`{}` is not a time in microseconds", time.text);
            time.error(message, "write for example 12.5")
        })?;
        let own = self.times.entry(operation.text.into()).or_default();
        if own.insert(number, span).is_some() {
            return Err(size.error(
                format!(
                    "a second time of `{}` for the size {number}",
                    operation.text
                ),
                "give each operation one time for each size",
            ));
        }
        Ok(())
    }

    /// Returns the time of `operation` for `size`.
    ///
    /// # Errors
    /// Fails if the table does not have the operation, or only smaller or larger sizes of it:
    /// with the message and the help.
    pub(crate) fn time(&self, operation: &str, size: u64) -> Result<Duration, (String, String)> {
        let Some(own) = self.times.get(operation) else {
            let known: Vec<&str> = self.times.keys().map(|name| &**name).take(8).collect();
            let more = if self.times.len() > known.len() {
                ", .."
            } else {
                ""
            };
            return Err((
                format!("the profile has no operation `{operation}`"),
                format!(
                    "add it to the profile, or name one that it has: {}{more}",
                    known.join(", ")
                ),
            ));
        };
        let below = own.range(..=size).next_back();
        let above = own.range(size..).next();
        let (Some((&from, &before)), Some((&to, &after))) = (below, above) else {
            let known = own.first_key_value().zip(own.last_key_value());
            let ((least, _), (most, _)) = known.expect("each operation has a row");
            return Err((
                format!(
                    "the profile has `{operation}` for sizes from {least} to {most}, not {size}"
                ),
                format!("measure `{operation}` at {size} and add the row to the profile"),
            ));
        };
        if from == to {
            return Ok(before);
        }
        // Weights of the two times; their sum is less than 2^128, because each is below 2^64.
        let (width, far) = (u128::from(to - from), u128::from(size - from));
        let sum = u128::from(before.as_ps()) * (width - far) + u128::from(after.as_ps()) * far;
        let rounded = (sum + width / 2) / width;
        let ps = u64::try_from(rounded).expect("the time is between two times");
        Ok(Duration::from_ps(ps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "size,operation,time_us\n1024,matmul,10\n4096,matmul,40.0005\n\
                         2048,matmul,22.5\n7,softmax,0.000003\n9,softmax,0.000006\n";

    /// Between 2048 and 4096, a quarter of the way: 22.5 us + 17.5005 us / 4.
    #[test]
    fn times_between_two_rows_are_on_the_line() {
        let profile = Profile::parse(TABLE).unwrap();
        let ps = |operation, size| profile.time(operation, size).unwrap().as_ps();
        assert_eq!(ps("matmul", 1024), 10_000_000);
        assert_eq!(ps("matmul", 4096), 40_000_500);
        assert_eq!(ps("matmul", 2048), 22_500_000);
        assert_eq!(ps("matmul", 2560), 22_500_000 + 17_500_500 / 4);
        // 4.5 ps are 5.
        assert_eq!(ps("softmax", 8), 5);
    }

    #[test]
    fn operations_and_sizes_beyond_the_table_are_refused() {
        let profile = Profile::parse(TABLE).unwrap();
        let (message, help) = profile.time("relu", 1024).unwrap_err();
        assert_eq!(message, "the profile has no operation `relu`");
        assert!(help.contains("matmul, softmax"), "{help}");
        for size in [1023, 4097] {
            let (message, help) = profile.time("matmul", size).unwrap_err();
            assert!(message.contains("from 1024 to 4096"), "{message}");
            assert!(help.contains(&size.to_string()), "{help}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused_at_its_place() {
        for (text, at, words) in [
            ("", "", "empty"),
            ("operation,size\n", "operation,size", "no column `time_us`"),
            (
                "operation,size,time_us\n",
                "operation,size,time_us",
                "no times",
            ),
            ("operation,size,time_ms\n", "time_ms", "unknown column"),
            ("size,size,time_us\n", "size", "a second column"),
            ("operation,size,time_us\na,1\n", "a,1", "2 fields"),
            ("operation,size,time_us\n,1,5\n", "", "no name"),
            ("operation,size,time_us\na,x,5\n", "x", "not a size"),
            ("operation,size,time_us\na,1,-5\n", "-5", "not a time"),
            ("operation,size,time_us\na,1,1e30\n", "1e30", "not a time"),
            (
                "operation,size,time_us\na,1,5\na,1,6\n",
                "1",
                "a second time",
            ),
        ] {
            let error = Profile::parse(text).unwrap_err();
            assert!(error.message.contains(words), "{text}: {}", error.message);
            assert_eq!(&text[error.span.clone()], at, "{}", error.message);
            assert!(!error.help.is_empty());
        }
    }
}
