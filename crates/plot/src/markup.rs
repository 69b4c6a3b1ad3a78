//! Text inside XML or HTML.

/// Escapes `text` for use as character data or as an attribute between double quotation marks. XML
/// cannot express control characters, so these become U+FFFD.
#[must_use]
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_read_as_markup() {
        assert_eq!(
            escape("<script>\"a\" & 'b'\u{0}</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;\u{fffd}&lt;/script&gt;"
        );
        assert_eq!(escape("größe, 90 %"), "größe, 90 %");
    }
}
