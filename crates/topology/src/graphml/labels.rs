//! Names of the nodes of a graph, from their labels.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::elements::Named;
use crate::node_finder::is_name;

/// Returns each node's label as a name, in the order of the file; characters that names cannot have
/// become `_`. A node has no name if it has no label, if no letter is left, or if another node has
/// the same label.
pub(super) fn read_labels(document: &Document<'_>, graph: Node<'_, '_>) -> Vec<Option<String>> {
    let mut keys = document.root_element().children();
    let key = keys.find_map(|key| {
        let named = key.has_tag_name_of("key")
            && key
                .attribute("attr.name")
                .is_some_and(|name| name.eq_ignore_ascii_case("label"))
            && key
                .attribute("for")
                .is_none_or(|of| of == "node" || of == "all");
        key.attribute("id").filter(|_| named)
    });
    let nodes = graph.descendants();
    let nodes = nodes.filter(|element| element.has_tag_name_of("node"));
    let labels = nodes.map(|node| label(node, key?)).collect();
    names_of(labels)
}

/// Converts labels to names; characters that names cannot have become `_`. The name is `None` if no
/// letter is left, or if another node has the same name.
pub(super) fn names_of(labels: Vec<Option<&str>>) -> Vec<Option<String>> {
    let labels: Vec<Option<String>> = labels.into_iter().map(|label| name_of(label?)).collect();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for label in labels.iter().flatten() {
        *counts.entry(label).or_default() += 1;
    }
    let only = |label: &String| counts.get(label.as_str()) == Some(&1);
    let kept: Vec<bool> = labels
        .iter()
        .map(|it| it.as_ref().is_some_and(only))
        .collect();
    let kept = labels.into_iter().zip(kept);
    kept.map(|(label, kept)| label.filter(|_| kept)).collect()
}

/// Returns the label of `node`, which has the key `key`.
fn label<'a>(node: Node<'a, '_>, key: &str) -> Option<&'a str> {
    let mut data = node.children();
    let data =
        data.find(|data| data.has_tag_name_of("data") && data.attribute("key") == Some(key))?;
    data.text()
}

/// Replaces characters that names cannot have by `_`: `New York` becomes `New_York`.
fn name_of(label: &str) -> Option<String> {
    let letter = |letter: char| match letter {
        '_' | '-' | '.' | '/' | ':' => letter,
        _ if letter.is_alphanumeric() => letter,
        _ => '_',
    };
    let name: String = label.trim().chars().map(letter).collect();
    is_name(&name).then_some(name)
}
