//! The words of a configuration, without its comments.

use std::ops::Range;

/// A word and its position.
#[derive(Clone, Debug)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) span: Range<usize>,
    /// Line number, counted from one.
    pub(super) line: usize,
}

impl Word<'_> {
    /// Returns `true` if the word begins like a number.
    pub(super) fn is_number_like(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))
    }
}

/// Returns `true` if `word` has the form of a key, such as `U_TARGET`.
pub(super) fn is_key_like(word: &str) -> bool {
    let is_of_keys = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(is_of_keys)
}

/// Returns the words of `text` without comments: `#` and `//` up to the end of their line, and
/// notes in braces, which the annotated configuration of the published simulator contains.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut offset = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let mut at = 0;
        while let Some(start) = word_start(line, at) {
            let rest = &line[start..];
            if rest.starts_with('#') || rest.starts_with("//") {
                break;
            }
            if rest.starts_with('{') {
                at = start + rest.find('}').map_or(rest.len(), |end| end + 1);
                continue;
            }
            let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '#' | '{'));
            at = start + end.unwrap_or(rest.len());
            found.push(Word {
                text: &line[start..at],
                span: offset + start..offset + at,
                line: index + 1,
            });
        }
        offset += line.len();
    }
    found
}

/// Returns the first position at or after `at` that is not white space.
fn word_start(line: &str, at: usize) -> Option<usize> {
    let blank = line[at..].find(|c: char| !c.is_ascii_whitespace())?;
    Some(at + blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_notes_are_no_words() {
        let text = "A_KEY 1 {0: off, 1: on} // or not\n# B_KEY 2\nC_KEY a//b#c\n{x\nD_KEY{2} 3\r\n";
        let found: Vec<_> = words(text)
            .iter()
            .map(|word| (word.text, word.line))
            .collect();
        let expected = [
            ("A_KEY", 1),
            ("1", 1),
            ("C_KEY", 3),
            ("a//b", 3),
            ("D_KEY", 5),
            ("3", 5),
        ];
        assert_eq!(found, expected);
        for word in words(text) {
            assert_eq!(&text[word.span.clone()], word.text);
        }
    }
}
