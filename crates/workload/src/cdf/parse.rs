//! CDF files: a size and a cumulative probability on each line.

use fabricsim_base::input::InputError;
use fabricsim_base::limits::MAX_SIZE;

use super::Point;
use crate::text::{Piece, lines};

/// Largest deviation of the last probability from 100 or 1, because a file may round it.
const TOLERANCE: f64 = 1e-9;

/// Reads the points of `text`: at least one, in increasing order, the last one with a total of 100
/// or 1.
pub(super) fn points(text: &str) -> Result<Box<[Point]>, InputError> {
    let mut points: Vec<Point> = Vec::new();
    let mut last_word = None;
    // A first line of words names the columns, as tools that write CSV do.
    let header = lines(text).next().filter(|line| is_header(*line));
    for line in lines(text).skip(usize::from(header.is_some())) {
        let mut words = line.words();
        let (Some(size_word), Some(cumulative_word)) = (words.next(), words.next()) else {
            return Err(line.error(
                "this line has one number",
                "write a size in bytes and a probability",
            ));
        };
        if let Some(extra) = words.next() {
            return Err(extra.error(
                "a third number on the line",
                "each line has two: a size in bytes and a cumulative probability",
            ));
        }
        let point = Point {
            size: size(size_word)?,
            cumulative: number(cumulative_word)?,
        };
        // An inverse transform needs both columns sorted; equal values make a step.
        if let Some(before) = points.last() {
            not_below(size_word, point.size, before.size, "sizes")?;
            not_below(
                cumulative_word,
                point.cumulative,
                before.cumulative,
                "cumulative probabilities",
            )?;
        }
        points.push(point);
        last_word = Some((size_word, cumulative_word));
    }
    // The last probability tells percent from fractions, so it must be exactly one of the two
    // totals.
    let (Some(last), Some((size_word, cumulative_word))) = (points.last(), last_word) else {
        return Err(InputError::new(
            text.len()..text.len(),
            "the file has no points",
            "write lines of a size in bytes and a cumulative probability, up to 100 or 1",
        ));
    };
    if (last.cumulative - 100.0).abs() > TOLERANCE && (last.cumulative - 1.0).abs() > TOLERANCE {
        return Err(cumulative_word.error(
            format!("the last probability is {}", cumulative_word.text),
            "end with 100 when the file is in percent, or with 1 when it is in fractions",
        ));
    }
    if last.size < 1.0 {
        return Err(size_word.error("all sizes are below one byte", "sizes are in bytes"));
    }
    Ok(points.into())
}

/// Returns `true` if a first line names the columns: it has two words or more, and none is a
/// number.
fn is_header(line: Piece<'_>) -> bool {
    let named = |word: Piece<'_>| {
        word.text
            .starts_with(|letter: char| letter.is_alphabetic() || letter == '"')
            && word.text.parse::<f64>().is_err()
    };
    line.words().count() > 1 && line.words().all(named)
}

/// Reads a size in bytes, within the limit for flows.
fn size(word: Piece<'_>) -> Result<f64, InputError> {
    match number(word)? {
        size if size > MAX_SIZE.as_f64() => Err(word.error(
            format!(
                "{} bytes are more than the {MAX_SIZE} that a flow can have",
                word.text
            ),
            "write sizes in bytes",
        )),
        size => Ok(size),
    }
}

fn number(word: Piece<'_>) -> Result<f64, InputError> {
    let value = word
        .text
        .parse::<f64>()
        .ok()
        .filter(|value| value.is_finite());
    match value {
        Some(value) if value >= 0.0 => Ok(value),
        Some(_) => Err(word.error(
            format!("`{}` is negative", word.text),
            "write a number from 0 up",
        )),
        None => Err(word.error(
            format!("`{}` is not a number", word.text),
            "each line has a size in bytes and a cumulative probability; comments begin with #",
        )),
    }
}

fn not_below(word: Piece<'_>, value: f64, before: f64, what: &str) -> Result<(), InputError> {
    if value >= before {
        return Ok(());
    }
    Err(word.error(
        format!("{} comes after {before}", word.text),
        format!("{what} never decrease"),
    ))
}

#[cfg(test)]
mod tests {
    use crate::SizeCdf;

    /// Returns the text at the position of the error, and the message.
    fn diagnostic(text: &str) -> (String, String) {
        let error = SizeCdf::parse(text).expect_err("refused");
        (text[error.span.clone()].to_owned(), error.to_string())
    }

    #[test]
    fn percent_and_fractions_are_the_same_distribution() {
        let percent = SizeCdf::parse("0 0\n1000 40\n5000 100\n").unwrap();
        let fraction = SizeCdf::parse("0,0\n1000,0.4\n5000,1\n").unwrap();
        assert!((percent.mean() - fraction.mean()).abs() < 1e-9);
        assert_eq!(percent.sample(0.75), fraction.sample(0.75));
    }

    #[test]
    fn comments_blanks_and_steps_are_allowed() {
        let distribution =
            SizeCdf::parse("# sizes\n\n64   0.25 # a step\r\n64 0.5\n 128\t1.0").unwrap();
        assert_eq!(distribution.sample(0.1).get(), 64);
        assert_eq!(distribution.sample(0.4).get(), 64);
        assert_eq!(distribution.sample(0.75).get(), 96);
    }

    #[test]
    fn a_first_line_may_name_the_columns() {
        let with = SizeCdf::parse("size_bytes,cdf\n0,0\n1000,1\n").unwrap();
        let without = SizeCdf::parse("0 0\n1000 100\n").unwrap();
        assert_eq!(with.sample(0.3), without.sample(0.3));
        assert_eq!(diagnostic("0 0\nsize cdf\n10 1\n").0, "size");
        assert_eq!(diagnostic("size 0\n10 1\n").0, "size");
        assert_eq!(diagnostic("size cdf\n").0, "");
    }

    #[test]
    fn errors_are_pointed_at() {
        assert_eq!(diagnostic("0 0\n10 x\n").0, "x");
        assert_eq!(diagnostic("0 0\n-10 5\n").0, "-10");
        assert_eq!(diagnostic("0 0\n100 50\n90 100\n").0, "90");
        assert_eq!(diagnostic("0 0\n100 50\n200 40\n").0, "40");
        assert_eq!(diagnostic("0 0\n100 50 7\n").0, "7");
        assert_eq!(diagnostic("0 0\n100\n").0, "100");
        assert_eq!(diagnostic("0 0\n0 100\n").0, "0");
        assert_eq!(diagnostic("# nothing\n").0, "");
        let (place, message) = diagnostic("0 0\n100 50\n200 99\n");
        assert_eq!(place, "99");
        assert!(message.contains("end with 100"), "{message}");
    }
}
