//! The page around the data.

use serde_json::Value;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("view.css");
const SCRIPTS: [&str; 9] = [
    include_str!("data.js"),
    include_str!("layout.js"),
    include_str!("scene.js"),
    include_str!("draw.js"),
    include_str!("parts.js"),
    include_str!("paths.js"),
    include_str!("panels.js"),
    include_str!("controls.js"),
    include_str!("view.js"),
];

/// Returns the page of `data`. Text from files is only in the data, which no browser reads as markup:
/// it has no `<`.
pub(super) fn page(data: &Value) -> String {
    let data = data.to_string().replace('<', "\\u003c");
    let mut html = String::with_capacity(data.len() + 100_000);
    let mut rest = TEMPLATE;
    for (mark, text) in [
        ("@STYLE@", STYLE.to_owned()),
        ("@DATA@", data),
        ("@SCRIPT@", SCRIPTS.join("\n")),
    ] {
        let (before, after) = rest.split_once(mark).expect("the template has each mark");
        html.push_str(before);
        html.push_str(&text);
        rest = after;
    }
    html + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_never_markup() {
        let name = "</script><script>alert(1)</script><!-- @SCRIPT@";
        let html = page(&serde_json::json!({ "title": name }));
        assert!(!html.contains("<script>alert"), "{html}");
        let (_, after) = html.split_once("application/json\">").expect("the data");
        let (data, _) = after.split_once("</script>").expect("its end");
        let data: Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(data["title"], name);
    }

    #[test]
    fn a_page_needs_no_network() {
        let html = page(&Value::Null);
        for word in ["<link", "src=", "@import", "url(", "fetch(", "import "] {
            assert!(!html.contains(word), "{word}");
        }
        // The name of the SVG namespace is not fetched.
        let addresses = html.matches("http").count();
        let names = html.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(addresses, names);
    }
}
