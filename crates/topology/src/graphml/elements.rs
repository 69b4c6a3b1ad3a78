//! Elements of a GraphML file, and their positions.

use std::ops::Range;

use fabricsim_base::input::InputError;
use roxmltree::{Document, Node, TextPos};

/// Creates an error at the first line of an element.
pub(super) fn wrong(
    element: Node<'_, '_>,
    message: impl Into<String>,
    help: impl Into<String>,
) -> InputError {
    InputError::new(opening(element), message, help)
}

/// Returns the byte range of an element up to the end of its opening tag.
pub(super) fn opening(element: Node<'_, '_>) -> Range<usize> {
    let Range { start, end } = element.range();
    let text = &element.document().input_text()[start..end];
    let length = text.find('>').map_or(text.len(), |at| at + 1);
    start..start + length
}

/// Returns the byte offset in `text` of a line and a column.
pub(super) fn offset(text: &str, at: TextPos) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(at.row.saturating_sub(1) as usize);
    let start: usize = lines.map(str::len).sum();
    let line = &text[start..];
    let letters = line.char_indices().nth(at.col.saturating_sub(1) as usize);
    letters.map_or(text.len(), |(column, _)| start + column)
}

/// Returns the graph of a file.
pub(super) fn graph_of<'a, 'input>(
    document: &'a Document<'input>,
) -> Result<Node<'a, 'input>, InputError> {
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        let message = format!("this is XML of another kind: <{}>", root.tag_name().name());
        return Err(wrong(
            root,
            message,
            "give a GraphML file, which begins with <graphml>",
        ));
    }
    root.children()
        .find(|child| child.has_tag_name_of("graph"))
        .ok_or_else(|| wrong(root, "there is no <graph>", "give a file with a graph"))
}

/// Comparison of element names in any namespace.
pub(super) trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

pub(super) fn attribute<'a>(
    element: Node<'a, '_>,
    name: &str,
    help: &str,
) -> Result<&'a str, InputError> {
    element.attribute(name).ok_or_else(|| {
        let tag = element.tag_name().name();
        wrong(element, format!("this <{tag}> has no `{name}`"), help)
    })
}
