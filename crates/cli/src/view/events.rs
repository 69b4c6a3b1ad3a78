//! Failures, repairs and changes of links.

use fabricsim_base::id::NodeId;
use fabricsim_report::view::Fabric;
use serde_json::{Value, json};

use crate::plot::event;

/// Returns the events of the scenario in `summary`, in its order: time, kind, words, and the ports
/// or the node that each changes.
pub(super) fn events(summary: &Value, fabric: &Fabric<'_>) -> Value {
    let names = fabric.names();
    let number = |value: &Value| {
        let number = match value.as_str() {
            Some(name) => *names.iter().find(|(_, own)| *own == name)?.0,
            None => value.as_u64()?,
        };
        u32::try_from(number).ok().map(NodeId)
    };
    let data = |own: &Value| {
        let (at, words) = event(own, &names)?;
        let ports = match (number(&own["link"][0]), number(&own["link"][1])) {
            (Some(a), Some(b)) => fabric.links(a, b, own["index"].as_u64()),
            _ => Vec::new(),
        };
        let node = number(&own["switch"]).and_then(|node| fabric.node(node));
        Some(json!({
            "at_ns": at,
            "kind": own["kind"],
            "words": words,
            "ports": ports,
            "node": node,
        }))
    };
    let events = summary.pointer("/scenario/event").and_then(Value::as_array);
    let events = events.map_or(&[][..], Vec::as_slice).iter();
    events.filter_map(data).collect()
}
