//! Positions of the nodes of a graph on the map.

use fabricsim_base::input::InputError;
use roxmltree::{Document, Node};

use super::elements::{Named, wrong};
use crate::builder::Coordinates;

/// Returns the coordinates of the nodes, in the order of the file.
pub(super) fn read_places(
    document: &Document<'_>,
    graph: Node<'_, '_>,
) -> Result<Vec<Coordinates>, InputError> {
    let key = |name: &str| {
        let keys = document.root_element().children();
        let mut named = keys.filter(|key| {
            key.has_tag_name_of("key")
                && key.attribute("attr.name") == Some(name)
                && key
                    .attribute("for")
                    .is_none_or(|of| of == "node" || of == "all")
        });
        named.find_map(|key| key.attribute("id")).ok_or_else(|| {
            let message = format!("delays cannot be geographic: nodes have no `{name}` here");
            wrong(
                graph,
                message,
                "write a delay for all links, such as \"1ms\"",
            )
        })
    };
    let (latitude, longitude) = (key("Latitude")?, key("Longitude")?);
    graph
        .descendants()
        .filter(|element| element.has_tag_name_of("node"))
        .map(|node| {
            Ok(Coordinates {
                latitude: degrees(node, latitude, "Latitude", 90.0)?,
                longitude: degrees(node, longitude, "Longitude", 180.0)?,
            })
        })
        .collect()
}

/// Returns the value of a node's attribute `name`, which has the key `key`: -`most` to `most`.
fn degrees(node: Node<'_, '_>, key: &str, name: &str, most: f64) -> Result<f64, InputError> {
    let mut data = node.children();
    let data = data.find(|data| data.has_tag_name_of("data") && data.attribute("key") == Some(key));
    let Some(data) = data else {
        return Err(wrong(
            node,
            format!("delays cannot be geographic: this node has no {name}"),
            "add it, or write a delay for all links, such as \"1ms\"",
        ));
    };
    let text = data.text().unwrap_or_default().trim();
    match text.parse::<f64>() {
        Ok(value) if value.abs() <= most => Ok(value),
        _ => Err(wrong(
            data,
            format!("`{text}` is no {name}"),
            format!("write degrees from -{most} to {most}"),
        )),
    }
}
