//! A page of results: one self-contained HTML file.
//!
//! A [`Page`] is built from top to bottom and contains its style sheet and its pictures. It needs
//! no network and no script, follows the reader's choice of light or dark, fits a phone and can be
//! printed. Every text is escaped, so text from a file is never read as markup.
//!
//! ```
//! use fabricsim_plot::html::{Cell, Page};
//!
//! let mut page = Page::new("Two runs");
//! page.section("Runs");
//! page.paragraph("Both have ended.");
//! page.table(&["run", "p99"], &[vec![Cell::from("<a>"), Cell::good("2.1")]]);
//! let html = page.finish();
//! assert!(html.contains("&lt;a&gt;") && html.starts_with("<!DOCTYPE html>"));
//! ```

mod cell;
mod css;

pub use cell::{Cell, Judgment};

use std::fmt::Write;

use cell::Alignment;

use crate::figure::{Figure, Theme};
use crate::markup::escape;

/// Adds a line to the page.
macro_rules! put {
    ($html:expr, $($arguments:tt)*) => {
        writeln!($html, $($arguments)*).expect("a string takes everything")
    };
}

/// An HTML page under construction.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
    /// Headings with their anchors, for the contents.
    sections: Vec<String>,
    /// Closing tag of the page's last part; empty if there is no appendix.
    end: &'static str,
}

impl Page {
    /// Creates a page with a title and no content.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            body: String::new(),
            sections: Vec::new(),
            end: "",
        }
    }

    /// Begins the appendix, which is shown on the screen but not printed.
    pub fn appendix(&mut self) -> &mut Self {
        if self.end.is_empty() {
            put!(self.body, "<div class=\"appendix\">");
            self.end = "</div>\n";
        }
        self
    }

    /// Adds a list of statements: the summary for readers who read nothing else.
    pub fn statements(&mut self, statements: &[String]) -> &mut Self {
        put!(self.body, "<ul class=\"statements\">");
        for statement in statements {
            put!(self.body, "<li>{}</li>", escape(statement));
        }
        put!(self.body, "</ul>");
        self
    }

    /// Begins a section and adds its heading to the contents at the top.
    pub fn section(&mut self, heading: &str) -> &mut Self {
        let number = self.sections.len() + 1;
        put!(
            self.body,
            "<h2 id=\"section-{number}\">{}</h2>",
            escape(heading)
        );
        self.sections.push(heading.to_owned());
        self
    }

    /// Begins a subsection.
    pub fn subsection(&mut self, heading: &str) -> &mut Self {
        put!(self.body, "<h3>{}</h3>", escape(heading));
        self
    }

    /// Adds a paragraph of text.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        put!(self.body, "<p>{}</p>", escape(text));
        self
    }

    /// Adds a note that is set apart so that no reader overlooks it.
    pub fn warning(&mut self, text: &str) -> &mut Self {
        put!(
            self.body,
            "<p class=\"warning\" role=\"note\"><strong>Note:</strong> {}</p>",
            escape(text)
        );
        self
    }

    /// Adds a table; the first cell of each row is its heading. Rows may be shorter than `headers`.
    pub fn table(&mut self, headers: &[&str], rows: &[Vec<Cell>]) -> &mut Self {
        // A wide table scrolls by itself so that the page does not.
        put!(
            self.body,
            "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table>"
        );
        let width = rows.iter().map(Vec::len).fold(headers.len(), usize::max);
        let alignments: Vec<Alignment> = (0..width).map(|i| alignment(rows, i)).collect();
        let headers: String = headers
            .iter()
            .zip(&alignments)
            .map(|(header, alignment)| match alignment {
                Alignment::Left => format!("<th scope=\"col\">{}</th>", escape(header)),
                Alignment::Right => {
                    format!("<th scope=\"col\" class=\"number\">{}</th>", escape(header))
                }
            })
            .collect();
        put!(self.body, "<thead><tr>{headers}</tr></thead>\n<tbody>");
        for row in rows {
            let cells: String = row
                .iter()
                .zip(&alignments)
                .enumerate()
                .map(|(i, (cell, alignment))| {
                    cell.to_html(if i == 0 { "th" } else { "td" }, *alignment)
                })
                .collect();
            put!(self.body, "<tr>{cells}</tr>");
        }
        put!(self.body, "</tbody></table></div>");
        self
    }

    /// Adds a figure with its caption; the colors of the figure follow the page.
    pub fn figure(&mut self, figure: &Figure, caption: &str) -> &mut Self {
        put!(
            self.body,
            "<figure><div class=\"picture\">\n{}</div>",
            figure.to_svg(Theme::Page)
        );
        if !caption.is_empty() {
            put!(self.body, "<figcaption>{}</figcaption>", escape(caption));
        }
        put!(self.body, "</figure>");
        self
    }

    /// Adds a text of several lines that is folded away below `summary`.
    pub fn details(&mut self, summary: &str, text: &str) -> &mut Self {
        put!(
            self.body,
            "<details><summary>{}</summary>\n<pre>{}</pre></details>",
            escape(summary),
            escape(text)
        );
        self
    }

    /// Returns the page as one text.
    #[must_use]
    pub fn finish(self) -> String {
        let title = escape(&self.title);
        let mut html = String::with_capacity(self.body.len() + 8_000);
        put!(html, "<!DOCTYPE html>");
        put!(html, "<html lang=\"en\">");
        put!(html, "<head>");
        put!(html, "<meta charset=\"utf-8\">");
        put!(
            html,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        );
        put!(
            html,
            "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>"
        );
        put!(html, "<style>\n{}</style>", css::style());
        put!(html, "</head>\n<body>\n<main>\n<h1>{title}</h1>");
        if self.sections.len() > 1 {
            let links: String = (1..)
                .zip(&self.sections)
                .map(|(n, heading)| {
                    format!("<li><a href=\"#section-{n}\">{}</a></li>", escape(heading))
                })
                .collect();
            put!(html, "<nav aria-label=\"Contents\"><ul>{links}</ul></nav>");
        }
        html.push_str(&self.body);
        html.push_str(self.end);
        put!(html, "</main>\n</body>\n</html>");
        html
    }
}

/// Returns the alignment of column `i`: to the right if it has numbers and otherwise blank cells
/// only.
fn alignment(rows: &[Vec<Cell>], i: usize) -> Alignment {
    let cells = || rows.iter().filter_map(|row| row.get(i));
    let fits = |cell: &Cell| cell.is_number() || cell.is_blank();
    if cells().any(Cell::is_number) && cells().all(fits) {
        Alignment::Right
    } else {
        Alignment::Left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Panel, Series, Style};

    /// Returns a page with one element of each kind, with `name` as every text.
    fn page(name: &str) -> String {
        let mut panel = Panel::new(name, Axis::linear(name), Axis::linear(name));
        let points = vec![(0.0, 1.0), (1.0, 2.0)];
        panel
            .series
            .push(Series::curve(name, Style::nth(0), points));
        let mut figure = Figure::new(name);
        figure.panels.push(panel);
        figure.notes.push(name.to_owned());
        let mut page = Page::new(name);
        page.section(name)
            .subsection(name)
            .paragraph(name)
            .warning(name)
            .table(&[name, "b"], &[vec![Cell::from(name), Cell::bad(name)]])
            .section(name)
            .figure(&figure, name)
            .statements(&[name.to_owned()])
            .appendix()
            .appendix()
            .details(name, name);
        page.finish()
    }

    /// Parses the page strictly: markup that a browser would forgive is an error here.
    fn tree(html: &str) -> String {
        let body = html.strip_prefix("<!DOCTYPE html>").expect("HTML5");
        // HTML's void elements have no end tag; XML needs one.
        body.lines()
            .map(|line| {
                if line.starts_with("<meta ") {
                    format!("{}\n", line.replacen('>', "/>", 1))
                } else {
                    format!("{line}\n")
                }
            })
            .collect()
    }

    #[test]
    fn elements_are_closed_and_nested() {
        let html = page("a name");
        let text = tree(&html);
        let document = roxmltree::Document::parse(&text).expect("well formed");
        let count = |name: &str| {
            let nodes = document.descendants();
            nodes.filter(|node| node.tag_name().name() == name).count()
        };
        assert_eq!((count("h1"), count("h2"), count("h3")), (1, 2, 1));
        assert_eq!((count("figure"), count("details"), count("pre")), (1, 1, 1));
        assert_eq!((count("table"), count("li"), count("script")), (1, 3, 0));
        let classes = document
            .descendants()
            .filter_map(|node| node.attribute("class"));
        assert_eq!(classes.filter(|class| *class == "appendix").count(), 1);
        let headings: Vec<&str> = document
            .descendants()
            .filter(|node| node.has_tag_name("h2"))
            .filter_map(|node| node.attribute("id"))
            .collect();
        assert_eq!(headings, ["section-1", "section-2"]);
    }

    #[test]
    fn no_text_is_read_as_markup() {
        let html = page("<script>alert('\"')</script>&amp;");
        assert!(!html.contains("<script"), "{html}");
        assert!(html.contains("&lt;script&gt;"));
        let text = tree(&html);
        let document = roxmltree::Document::parse(&text).expect("well formed");
        let heading = document.descendants().find(|node| node.has_tag_name("h1"));
        assert_eq!(
            heading.and_then(|node| node.text()),
            Some("<script>alert('\"')</script>&amp;")
        );
    }

    #[test]
    fn a_column_of_numbers_is_set_to_the_right() {
        let mut page = Page::new("t");
        let rows = [["a", "1.5", "1"], ["b", "-", "x"]].map(|row| row.map(Cell::from).to_vec());
        page.table(&["run", "p99", "mixed"], &rows);
        let html = page.finish();
        assert!(
            html.contains(
                "<th scope=\"col\" class=\"number\">p99</th><th scope=\"col\">mixed</th>"
            )
        );
        assert!(html.contains("<td class=\"number\">1.5</td><td>1</td>"));
        assert!(html.contains("<td class=\"number\">-</td><td>x</td>"));
    }

    #[test]
    fn a_page_asks_for_nothing_else() {
        let html = page("a name");
        for word in ["<link", "src=", "@import", "url("] {
            assert!(!html.contains(word), "{word}");
        }
        // The name of the SVG namespace is not fetched.
        let addresses = html.matches("http").count();
        assert_eq!(
            addresses,
            html.matches("http://www.w3.org/2000/svg").count()
        );
    }
}
