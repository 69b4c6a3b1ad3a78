//! Fields of CSV lines, in quotes if necessary (RFC 4180).

use std::ops::Range;

/// Returns `field` for a CSV line: in quotes if it has a comma, a quote or a line break.
#[must_use]
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Splits a line into fields. A cell with commas is in quotes, with quotes inside doubled (RFC
/// 4180).
pub(crate) fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = end_of_quoted(quoted);
                let text = quoted[..end.start].replace("\"\"", "\"");
                (text, &quoted[end.end..])
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return fields,
        }
    }
}

/// Returns the range of the closing quote: the end of the text, and the start of the rest.
fn end_of_quoted(text: &str) -> Range<usize> {
    let mut from = 0;
    while let Some(quote) = text[from..].find('"') {
        let at = from + quote;
        if text[at + 1..].starts_with('"') {
            from = at + 2;
        } else {
            return at..at + 1;
        }
    }
    text.len()..text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_survive_commas_and_quotes() {
        assert_eq!(fields("\"a \"\"b\"\",c\",,d"), ["a \"b\",c", "", "d"]);
        assert_eq!(fields("\"open"), ["open"]);
        for field in ["HPCC+w", "a=1,b=2", "a \"b\""] {
            assert_eq!(fields(&quoted(field)), [field]);
        }
        assert_eq!(quoted("HPCC+w"), "HPCC+w");
    }
}
