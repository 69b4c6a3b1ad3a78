//! Cells of tables.

use crate::markup::escape;

/// Assessment of a value for the reader.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Judgment {
    /// Nothing.
    #[default]
    Neutral,
    /// It is as it should be.
    Good,
    /// It is not.
    Bad,
}

/// A cell: a text, and what to think of it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Cell {
    /// Text of the cell. A column of numbers is set to the right.
    pub text: String,
    /// Its color, next to which a sign says the same.
    pub judgment: Judgment,
}

/// To which side the cells of a column are set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Alignment {
    Left,
    /// As numbers are.
    Right,
}

/// Letters above which a text may go on in the next line.
const LONG: usize = 48;

impl Cell {
    /// A value that is as it should be.
    #[must_use]
    pub fn good(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            judgment: Judgment::Good,
        }
    }

    /// A value that is not.
    #[must_use]
    pub fn bad(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            judgment: Judgment::Bad,
        }
    }

    /// Returns whether it is a number, perhaps with a unit.
    pub(super) fn is_number(&self) -> bool {
        is_number(&self.text)
    }

    /// Returns whether it says that there is nothing to say.
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty() || self.text == "-"
    }

    /// The cell as an element `tag` of a column that is set as `alignment`.
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

/// Returns whether `text` is a number, perhaps with a unit after it.
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
