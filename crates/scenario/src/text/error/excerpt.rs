//! The lines around a diagnostic, for its message.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::escape::{escaped, push_escaped};

/// Number of lines to keep before and after the faulty ones: one more than a message shows.
const BESIDE: usize = 2;

/// Maximum number of faulty lines to keep.
const LINES: usize = 20;

/// Maximum number of characters of a line to keep. The library that draws messages counts columns
/// in 16 bits.
const COLUMNS: usize = 200;

/// Number of characters to keep before the faulty ones in a shortened line.
const BEFORE: usize = 60;

/// Marker for the missing part of a shortened line.
const CUT: &str = "...";

/// The lines of a text around an error, with their original numbers. They fit on a screen for a
/// text of any size, and contain no characters that a terminal would interpret.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    /// Position of the error in `text`.
    span: Range<usize>,
    /// The first line of `text`, from zero.
    first_line: usize,
    /// The column of the error in the whole text, from zero.
    column: usize,
}

impl Excerpt {
    /// Extracts the lines of `text` around `span`, which begins at `column`, from zero.
    pub(super) fn new(name: &str, text: &str, span: &Range<usize>, column: usize) -> Self {
        let bytes = text.as_bytes();
        let (mut start, mut line_start) = (0, span.start - column);
        let mut first_line = bytes[..line_start].iter().filter(|&&b| b == b'\n').count();
        // Go back some lines; the byte before the beginning of a line is its line feed.
        for _ in 0..BESIDE {
            if line_start == 0 {
                break;
            }
            let before = bytes[..line_start - 1].iter().rposition(|&b| b == b'\n');
            line_start = before.map_or(0, |feed| feed + 1);
            first_line -= 1;
        }
        start += line_start;
        let mut excerpt = Self {
            name: escaped(name).into_owned(),
            text: String::new(),
            span: 0..0,
            first_line,
            column,
        };
        let most = BESIDE + LINES + BESIDE;
        let mut behind = 0;
        for (index, line) in text[start..].split('\n').enumerate().take(most) {
            if index > 0 {
                excerpt.text.push('\n');
            }
            excerpt.push(line, start, span);
            start += line.len() + 1;
            behind += usize::from(start > span.end);
            if behind > BESIDE + 1 {
                break;
            }
        }
        excerpt
    }

    /// Appends `line`, which begins at byte `start` of the whole text.
    fn push(&mut self, line: &str, start: usize, span: &Range<usize>) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let from = match span.start.checked_sub(start) {
            Some(at) if at <= line.len() => self.begin(line, at),
            _ => 0,
        };
        if from > 0 {
            self.text.push_str(CUT);
        }
        self.mark(start, start + from, span);
        for (kept, (at, c)) in line[from..].char_indices().enumerate() {
            if kept == COLUMNS {
                self.text.push_str(CUT);
                break;
            }
            self.mark(start, start + from + at, span);
            push_escaped(&mut self.text, c);
            self.mark(start, start + from + at + c.len_utf8(), span);
        }
    }

    /// Returns the first byte to show of the faulty `line` if the error is at its byte `at`.
    fn begin(&self, line: &str, at: usize) -> usize {
        if line.chars().nth(COLUMNS).is_none() {
            return 0;
        }
        let before = line[..at].char_indices().rev().nth(BEFORE - 1);
        before.map_or(0, |(byte, _)| byte)
    }

    /// Updates the position of the error after appending the text up to byte `reached` of the whole
    /// text, in the line that begins at byte `line`.
    fn mark(&mut self, line: usize, reached: usize, span: &Range<usize>) {
        let here = self.text.len();
        if span.start >= line && reached <= span.start {
            self.span = here..here;
        } else if reached <= span.end {
            self.span.end = here;
        }
    }

    /// Returns the position of the error in the excerpt.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let lines = self.text.read_span(span, before, after)?;
        let column = match before {
            0 => self.column,
            _ => lines.column(),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            lines.data(),
            *lines.span(),
            self.first_line + lines.line(),
            column,
            lines.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, span: Range<usize>) -> Excerpt {
        let line = text[..span.start].rfind('\n').map_or(0, |feed| feed + 1);
        Excerpt::new("x.toml", text, &span, span.start - line)
    }

    #[test]
    fn lines_around_the_error_are_kept_with_their_numbers() {
        let text: String = (1..=100_000).map(|n| format!("line {n}\n")).collect();
        let at = text.find("line 5000\n").expect("a line");
        let kept = excerpt(&text, at + 5..at + 9);
        assert_eq!(&kept.text[kept.span()], "5000");
        assert_eq!(kept.first_line, 4_997);
        assert!(kept.text.starts_with("line 4998\n"), "{}", kept.text);
        assert!(kept.text.len() < 100, "{}", kept.text);
        let kept = excerpt(&text, text.len()..text.len());
        assert_eq!((kept.first_line, kept.span()), (99_998, 23..23));
    }

    #[test]
    fn short_texts_are_kept_whole() {
        for text in ["", "a", "a\n", "a\nbc\r\nd", "\n\n"] {
            for start in 0..=text.len() {
                for end in start..=text.len() {
                    let kept = excerpt(text, start..end);
                    let whole = text.replace("\r\n", "\n");
                    assert_eq!(kept.text, whole, "{text:?} {start}..{end}");
                    let wanted = text[start..end].replace("\r\n", "\n");
                    let found = &kept.text[kept.span()];
                    assert_eq!(
                        found.trim_end(),
                        wanted.trim_end(),
                        "{text:?} {start}..{end}"
                    );
                }
            }
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_error() {
        let text = format!("{}é\u{1b}wrong{}", "a".repeat(100_000), "b".repeat(100_000));
        let at = 100_003;
        let kept = excerpt(&text, at..at + 5);
        assert_eq!(&kept.text[kept.span()], "wrong");
        assert!(kept.text.starts_with("...aaa"), "{}", kept.text);
        assert!(kept.text.contains("aé\\u001bwrongbbb"), "{}", kept.text);
        assert!(kept.text.ends_with("b..."), "{}", kept.text);
        assert!(kept.text.len() < COLUMNS + 20, "{}", kept.text);
        // An error that is as long as the line, and one far after it.
        let kept = excerpt(&text, 5..150_000);
        assert!(kept.span().start == 5 && kept.span().end <= kept.text.len());
        let kept = excerpt(&text, text.len()..text.len());
        assert_eq!(kept.span(), kept.text.len()..kept.text.len());
    }

    #[test]
    fn errors_of_many_lines_are_cut() {
        let text = "key = 1\n".repeat(10_000);
        let kept = excerpt(&text, 0..text.len());
        assert!(kept.text.lines().count() <= LINES + 2 * BESIDE);
        assert!(kept.span().end <= kept.text.len());
    }
}
