//! Words and numbers of a result file, with their positions for errors.

use std::ops::Range;

use fabricsim_base::input::InputError;

/// A piece of a text and its position.
#[derive(Clone, Copy, Debug)]
pub struct Word<'t> {
    /// Text of the piece.
    pub text: &'t str,
    /// Offset of the piece in the text, in bytes.
    pub offset: usize,
}

/// Yields the lines that are not blank.
pub fn lines(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = offset;
        offset += line.len();
        let content = Word {
            text: line.trim_end(),
            offset: start,
        };
        (!content.text.is_empty()).then_some(content)
    })
}

impl<'t> Word<'t> {
    /// Yields the fields between commas, without surrounding blanks.
    pub fn fields(self) -> impl Iterator<Item = Self> {
        let mut offset = self.offset;
        self.text.split(',').map(move |field| {
            let start = offset + (field.len() - field.trim_start().len());
            offset += field.len() + 1;
            Self {
                text: field.trim(),
                offset: start,
            }
        })
    }

    /// Yields the fields between commas that are not in quotes (RFC 4180), without surrounding blanks.
    /// A field in quotes keeps them.
    pub fn quoted_fields(self) -> impl Iterator<Item = Self> {
        let mut offset = self.offset;
        let mut in_quotes = false;
        let separates = move |letter: char| {
            in_quotes ^= letter == '"';
            letter == ',' && !in_quotes
        };
        self.text.split(separates).map(move |field| {
            let start = offset + (field.len() - field.trim_start().len());
            offset += field.len() + 1;
            Self {
                text: field.trim(),
                offset: start,
            }
        })
    }

    /// Yields the words between blanks.
    pub fn words(self) -> impl Iterator<Item = Self> {
        let mut offset = self.offset;
        self.text
            .split(|c: char| c.is_ascii_whitespace())
            .filter_map(move |word| {
                let start = offset;
                offset += word.len() + 1;
                (!word.is_empty()).then_some(Self {
                    text: word,
                    offset: start,
                })
            })
    }

    /// Returns the byte range of the word in the text.
    pub fn span(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Creates an error at this word.
    pub fn error(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError::new(self.span(), message, help)
    }

    /// Parses the word as a whole number that fits `T`; `column` names it in the error.
    pub fn integer<T: TryFrom<u64>>(&self, column: &str) -> Result<T, InputError> {
        let value = self
            .text
            .parse::<u64>()
            .ok()
            .and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| {
            self.error(
                format!("`{}` does not fit `{column}`", self.text),
                "write a whole number from 0 up",
            )
        })
    }

    /// Parses the word as a finite number; `column` names it in the error.
    pub fn number(&self, column: &str) -> Result<f64, InputError> {
        let value = self.text.parse::<f64>().ok();
        value.filter(|value| value.is_finite()).ok_or_else(|| {
            self.error(
                format!("`{}` does not fit `{column}`", self.text),
                "write a number such as 0.25",
            )
        })
    }

    /// Parses nanoseconds with up to three decimals and returns picoseconds; `column` names the
    /// word in the error.
    pub fn nanoseconds(&self, column: &str) -> Result<u64, InputError> {
        picoseconds(self.text).ok_or_else(|| {
            self.error(
                format!("`{}` does not fit `{column}`", self.text),
                "write nanoseconds from 0 up, with at most three decimals",
            )
        })
    }
}

fn picoseconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || !(1..=3).contains(&fraction.len()) {
        return None;
    }
    let padding = 10u64.pow(3 - u32::try_from(fraction.len()).ok()?);
    let fraction = fraction.parse::<u64>().ok()? * padding;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000)?
        .checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_are_exact() {
        assert_eq!(picoseconds("95735"), Some(95_735_000));
        assert_eq!(picoseconds("95735.08"), Some(95_735_080));
        assert_eq!(picoseconds("0.001"), Some(1));
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "1.0005",
            "-1",
            "1e3",
            "99999999999999999999",
        ] {
            assert_eq!(picoseconds(text), None, "{text}");
        }
    }

    #[test]
    fn words_know_their_place() {
        let text = "\n a, b ,,c\r\nx  y z\n";
        let lines: Vec<_> = lines(text).collect();
        let fields: Vec<_> = lines[0].fields().collect();
        assert_eq!(
            fields.iter().map(|f| f.text).collect::<Vec<_>>(),
            ["a", "b", "", "c"]
        );
        let words: Vec<_> = lines[1].words().collect();
        assert_eq!(
            words.iter().map(|w| w.text).collect::<Vec<_>>(),
            ["x", "y", "z"]
        );
        assert!(
            fields
                .iter()
                .chain(&words)
                .all(|word| &text[word.span()] == word.text)
        );
    }
}
