//! Texts in the room that there is.

/// Estimates the width of `text` in letters of `size`: an upper bound for the usual sans-serif
/// fonts.
pub(in crate::figure) fn text_width(text: &str, size: f64) -> f64 {
    let letter = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' => 0.30,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' | 'I' => 0.40,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.93,
        'A'..='Z' | '+' | '=' | '<' | '>' | '&' => 0.70,
        c if c.is_ascii() => 0.60,
        // Half of the world's letters are as wide as they are high.
        _ => 1.0,
    };
    text.chars().map(letter).sum::<f64>() * size
}

/// Splits `text` into lines no wider than `width`; a word that is too wide is cut short.
pub(super) fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = shortened(word, size, width);
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(&word, size) + size <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// Replaces the end of `text` by an ellipsis if the text is wider than `width`.
pub(in crate::figure) fn shortened(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut used = text_width("\u{2026}", size);
    let mut short: String = text
        .chars()
        .take_while(|c| {
            used += text_width(c.encode_utf8(&mut [0; 4]), size);
            used <= width
        })
        .collect();
    short.push('\u{2026}');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_and_shortened() {
        assert_eq!(wrapped("one two three", 10.0, 55.0), ["one two", "three"]);
        assert_eq!(shortened("abc", 10.0, 100.0), "abc");
        assert_eq!(shortened("abcdefgh", 10.0, 30.0), "abc\u{2026}");
    }
}
