//! Lines, words and numbers of an input text, each with its position.

mod table;

use std::ops::Range;

use fabricsim_base::input::InputError;
pub(crate) use table::{Columns, Row, Table};

/// A piece of a text and its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'t> {
    pub(crate) text: &'t str,
    pub(crate) offset: usize,
}

/// Returns the lines with content: without comments (`#` to the end of the line) and blank lines.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = offset;
        offset += line.len();
        let content = line.split('#').next().unwrap_or(line);
        let piece = Piece {
            text: content,
            offset: start,
        }
        .trimmed();
        (!piece.text.is_empty()).then_some(piece)
    })
}

impl<'t> Piece<'t> {
    /// Returns the range of bytes of this piece in the text.
    pub(crate) fn span(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Splits at white space, commas or both.
    pub(crate) fn words(self) -> impl Iterator<Item = Self> {
        self.split(|c| c.is_ascii_whitespace() || c == ',')
            .filter(|word| !word.text.is_empty())
    }

    /// Splits names at blanks or semicolons.
    pub(crate) fn names(self) -> impl Iterator<Item = Self> {
        self.split(|c| matches!(c, ' ' | ';'))
            .filter(|name| !name.text.is_empty())
    }

    /// Returns the fields of a line of CSV, without surrounding blanks and quotes.
    pub(crate) fn fields(self) -> impl Iterator<Item = Self> {
        self.split(|c| c == ',')
            .map(|field| field.trimmed().unquoted())
    }

    /// Returns an error at this piece.
    pub(crate) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError::new(self.span(), message, help)
    }

    /// Reads the piece as a whole number that fits `T`; `what` completes "is not ..".
    pub(crate) fn integer<T: TryFrom<u64>>(&self, what: &str, help: &str) -> Result<T, InputError> {
        let value = self
            .text
            .parse::<u64>()
            .ok()
            .and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| self.error(format!("`{}` is not {what}", self.text), help))
    }

    fn split(self, separator: impl Fn(char) -> bool + 't) -> impl Iterator<Item = Self> {
        let mut offset = self.offset;
        self.text
            .split_inclusive(separator)
            .chain(self.last_is_empty())
            .map(move |part| {
                let start = offset;
                offset += part.len();
                let text = part
                    .strip_suffix([',', ';', ' ', '\t', '\r', '\n', '\x0c'])
                    .unwrap_or(part);
                Self {
                    text,
                    offset: start,
                }
            })
    }

    /// Returns the empty last field after a closing comma, which `split_inclusive` omits.
    fn last_is_empty(self) -> Option<&'t str> {
        self.text.ends_with(',').then_some("")
    }

    fn trimmed(self) -> Self {
        let text = self.text.trim_start();
        let offset = self.offset + (self.text.len() - text.len());
        Self {
            text: text.trim_end(),
            offset,
        }
    }

    fn unquoted(self) -> Self {
        match self
            .text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
        {
            Some(text) => Self {
                text,
                offset: self.offset + 1,
            },
            None => self,
        }
    }
}

/// The reason why a text is not a decimal number that fits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DecimalError {
    Malformed,
    Negative,
    TooLarge,
}

/// Reads a decimal number such as `2.000000577` or `5e-6`, times 10^`power`, rounded down, with
/// exact integer arithmetic. Digits after the 24th of the fraction are ignored.
pub(crate) fn scaled_decimal(text: &str, power: i32) -> Result<u64, DecimalError> {
    const FRACTION_DIGITS: usize = 24;
    if text.starts_with('-') {
        return Err(DecimalError::Negative);
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().map_err(|_| DecimalError::Malformed)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
        return Err(DecimalError::Malformed);
    }
    let fraction = &fraction[..fraction.len().min(FRACTION_DIGITS)];
    let mut value: u128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(u128::from(digit - b'0')))
            .ok_or(DecimalError::TooLarge)?;
    }
    let fraction_len = i32::try_from(fraction.len()).map_err(|_| DecimalError::Malformed)?;
    let shift = exponent.saturating_add(power - fraction_len);
    let ten_to = |n: u32| 10u128.checked_pow(n);
    let scaled = match (value, shift >= 0) {
        (0, _) => 0,
        (_, true) => ten_to(shift.unsigned_abs())
            .and_then(|factor| value.checked_mul(factor))
            .ok_or(DecimalError::TooLarge)?,
        (_, false) => ten_to(shift.unsigned_abs()).map_or(0, |divisor| value / divisor),
    };
    u64::try_from(scaled).map_err(|_| DecimalError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_place() {
        let text = "# head\n\n 10, 20  30 # tail\n";
        let line = lines(text).next().expect("one line");
        let words: Vec<_> = line.words().collect();
        assert_eq!(
            words.iter().map(|w| w.text).collect::<Vec<_>>(),
            ["10", "20", "30"]
        );
        assert!(words.iter().all(|word| &text[word.span()] == word.text));
    }

    #[test]
    fn fields_know_their_place() {
        let text = "a, \"b\",,d,";
        let line = lines(text).next().expect("one line");
        let fields: Vec<_> = line.fields().collect();
        assert_eq!(
            fields.iter().map(|f| f.text).collect::<Vec<_>>(),
            ["a", "b", "", "d", ""]
        );
        assert!(fields.iter().all(|field| &text[field.span()] == field.text));
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(scaled_decimal("2.000000577", 12), Ok(2_000_000_577_000));
        assert_eq!(scaled_decimal("5e-6", 12), Ok(5_000_000));
        assert_eq!(scaled_decimal("1.5E3", 0), Ok(1_500));
        assert_eq!(scaled_decimal("0.0009999", 3), Ok(0));
        assert_eq!(scaled_decimal(".5", 3), Ok(500));
        assert_eq!(
            scaled_decimal("0.123456789012345678901234567890", 3),
            Ok(123)
        );
        assert_eq!(scaled_decimal("1e-999", 12), Ok(0));
    }

    #[test]
    fn what_is_not_a_decimal_is_refused() {
        assert_eq!(scaled_decimal("-1", 0), Err(DecimalError::Negative));
        assert_eq!(scaled_decimal("1e99", 0), Err(DecimalError::TooLarge));
        for text in ["", ".", "abc", "1.2.3", "1e", "0x10", "nan", "1_000"] {
            assert_eq!(
                scaled_decimal(text, 0),
                Err(DecimalError::Malformed),
                "{text}"
            );
        }
    }
}
