//! Cells of tables.

use crate::markup::escape;

/// Assessment of a value for the reader.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Judgment {
    /// No judgment.
    #[default]
    Neutral,
    /// The value is as it should be.
    Good,
    /// The value is not as it should be.
    Bad,
}

/// A cell of a table: a text and its judgment.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Cell {
    /// Text of the cell. A column of numbers is aligned to the right.
    pub text: String,
    /// The judgment sets the color; a sign next to the text says the same.
    pub judgment: Judgment,
}

/// Side to which the cells of a column are aligned.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Alignment {
    Left,
    /// Used for numbers.
    Right,
}

/// A text of more letters than this may wrap.
const LONG: usize = 48;

impl Cell {
    /// Creates a cell with a value that is as it should be.
    #[must_use]
    pub fn good(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            judgment: Judgment::Good,
        }
    }

    /// Creates a cell with a value that is not as it should be.
    #[must_use]
    pub fn bad(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            judgment: Judgment::Bad,
        }
    }

    /// Returns `true` if the text is a number, optionally with a unit.
    pub(super) fn is_number(&self) -> bool {
        is_number(&self.text)
    }

    /// Returns `true` if the cell shows no value: an empty text or `-`.
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty() || self.text == "-"
    }

    /// Writes the cell as an element `tag` of a column with `alignment`.
    pub(super) fn to_html(&self, tag: &str, alignment: Alignment) -> String {
        let mut classes = Vec::new();
        if alignment == Alignment::Right {
            classes.push("number");
        } else if self.text.chars().count() > LONG {
            classes.push("long");
        }
        let sign = match self.judgment {
            Judgment::Neutral => "",
            Judgment::Good => {
                classes.push("good");
                "\u{2713} "
            }
            Judgment::Bad => {
                classes.push("bad");
                "\u{2717} "
            }
        };
        let scope = if tag == "th" { " scope=\"row\"" } else { "" };
        let class = if classes.is_empty() {
            String::new()
        } else {
            format!(" class=\"{}\"", classes.join(" "))
        };
        format!("<{tag}{scope}{class}>{sign}{}</{tag}>", escape(&self.text))
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            judgment: Judgment::Neutral,
        }
    }
}

/// Returns `true` if `text` is a number, optionally with a unit after it.
fn is_number(text: &str) -> bool {
    let mut words = text.split(' ');
    let digits = |word: &str| {
        let plain = word.trim_start_matches(['-', '+']).trim_end_matches('%');
        plain.starts_with(|c: char| c.is_ascii_digit())
            && plain.replace(',', "").parse::<f64>().is_ok()
    };
    digits(words.next().unwrap_or_default())
        && words.next().is_none_or(|unit| unit.len() <= 3)
        && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_words() {
        for text in ["1", "-2.5", "1,234", "12%", "3.5 s"] {
            assert!(is_number(text), "{text}");
        }
        for text in [
            "",
            "-",
            "run 1",
            "< 10 KB",
            "8ba2f58837d5e5c1",
            "30 KB - 1 MB",
            "inf",
            "nan",
        ] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn a_judgment_is_a_class_and_a_sign() {
        assert_eq!(
            Cell::from("a").to_html("th", Alignment::Left),
            "<th scope=\"row\">a</th>"
        );
        assert_eq!(
            Cell::good("1.5").to_html("td", Alignment::Right),
            "<td class=\"number good\">\u{2713} 1.5</td>"
        );
        assert_eq!(
            Cell::bad("stalled").to_html("td", Alignment::Left),
            "<td class=\"bad\">\u{2717} stalled</td>"
        );
    }
}
