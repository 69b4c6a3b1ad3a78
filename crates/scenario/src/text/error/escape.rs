//! Escapes for characters that terminals interpret, so that they only show them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Replaces every character of `text` that moves the cursor, changes colors or reverses the
/// direction of text by its number in four hexadecimal digits, as in `\u001b`. Line feeds and tabs
/// stay. JSON keeps its meaning, because such characters occur only in its strings.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        push_escaped(&mut shown, c);
    }
    Cow::Owned(shown)
}

/// Appends `c` to `shown`, escaped if a terminal would interpret it.
pub(super) fn push_escaped(shown: &mut String, c: char) {
    if is_obeyed(c) {
        write!(shown, "\\u{:04x}", u32::from(c)).expect("a string takes everything");
    } else {
        shown.push(c);
    }
}

/// Returns `true` for control characters and for characters that reorder the text around them.
fn is_obeyed(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(escaped("a\tb\nc é 漢"), "a\tb\nc é 漢");
        assert_eq!(
            escaped("\u{1b}[31mred\r\u{7f}\u{9b}2J\u{7}\0"),
            "\\u001b[31mred\\u000d\\u007f\\u009b2J\\u0007\\u0000"
        );
        assert_eq!(escaped("\u{202e}abc\u{2066}"), "\\u202eabc\\u2066");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let name = "a\u{7f}\u{9b}b\u{202e}";
        let text = serde_json::json!({ name: name }).to_string();
        let shown = escaped(&text);
        assert_ne!(shown, text);
        let again: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(again[name], name);
    }
}
