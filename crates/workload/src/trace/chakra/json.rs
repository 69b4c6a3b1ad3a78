//! The JSON of Chakra's feeder.
//!
//! Fields and defaults follow `src/feeder/json_node.cpp` of mlcommons/chakra: `workload_graph` is a
//! list of nodes with `Id`, `Name`, `NodeType`, `is_cpu_op`, `runtime` in microseconds, `data_deps`
//! and, for communication, `comm_type`, `comm_size`, `comm_src`, `comm_dst` and `comm_tag`. The
//! feeder ignores other keys, such as `ctrlDeps`. Differs from the feeder: `pg_name`, `involved_dim`,
//! and `num_ops` and `tensor_size` of computations are read, too, with their meaning in traces of
//! protocol buffers.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::error::{ChakraError, text_of};
use super::node::{Kind, Node, kind_of, to_graph};
use super::pytorch::{self, HostNode, HostTrace};

const HELP: &str = "give JSON of Chakra's feeder ({\"workload_graph\": [..]}) or an execution \
                    trace of PyTorch ({\"schema\": .., \"nodes\": [..]})";

/// A file in one of the forms.
#[derive(Deserialize)]
#[serde(expecting = "a table with `workload_graph` or `nodes`")]
struct File {
    workload_graph: Option<Vec<JsonNode>>,
    schema: Option<String>,
    nodes: Option<Vec<HostNode>>,
    #[serde(rename = "traceEvents")]
    events: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(expecting = "a table with a node")]
struct JsonNode {
    #[serde(rename = "Id")]
    id: u64,
    #[serde(rename = "Name", default)]
    name: String,
    #[serde(rename = "NodeType")]
    kind: u64,
    is_cpu_op: Option<Value>,
    runtime: Option<u64>,
    #[serde(default)]
    data_deps: Vec<u64>,
    comm_type: Option<i128>,
    comm_size: Option<i128>,
    comm_src: Option<i128>,
    comm_dst: Option<i128>,
    comm_tag: Option<i128>,
    pg_name: Option<String>,
    involved_dim: Option<Vec<bool>>,
    num_ops: Option<i128>,
    tensor_size: Option<i128>,
}

/// Reads the nodes of a rank. Returns them and the number of kernels without a call.
pub(super) fn read(trace: &[u8], kineto: Option<&[u8]>) -> Result<(Vec<Node>, u64), ChakraError> {
    let text = text_of(trace, HELP)?;
    let file: File =
        serde_json::from_str(&text).map_err(|error| ChakraError::json(&text, &error, HELP))?;
    let (mut nodes, lost) = match (file.workload_graph, file.nodes) {
        (Some(nodes), None) if kineto.is_none() => {
            let nodes: Result<Vec<_>, _> = nodes.into_iter().map(node).collect();
            (nodes?, 0)
        }
        (Some(_), None) => {
            return Err(ChakraError::new(
                "JSON of Chakra's feeder has the nodes of the device already",
                "leave Kineto's trace out, or give PyTorch's execution trace",
            ));
        }
        (None, Some(nodes)) => {
            let schema = file.schema.unwrap_or_default();
            pytorch::nodes(&HostTrace { schema, nodes }, kineto)?
        }
        (Some(_), Some(_)) => {
            let message = "the file has both `workload_graph` and `nodes`";
            return Err(ChakraError::new(message, HELP));
        }
        (None, None) if file.events.is_some() => {
            return Err(ChakraError::new(
                "this is a trace of Kineto, and says nothing about the sizes of collectives",
                "give the execution trace of the same steps \
                 (torch.profiler.ExecutionTraceObserver), and this file with --kineto",
            ));
        }
        (None, None) => return Err(ChakraError::new("the file has no nodes", HELP)),
    };
    distinct(&nodes)?;
    to_graph(&mut nodes)?;
    Ok((nodes, lost))
}

fn node(json: JsonNode) -> Result<Node, ChakraError> {
    let mut node = Node {
        id: json.id,
        name: json.name,
        after: json.data_deps,
        duration_ns: json.runtime.unwrap_or(0).saturating_mul(1_000),
        is_cpu: match json.is_cpu_op {
            Some(Value::Bool(is_cpu)) => is_cpu,
            Some(Value::Number(number)) => number.as_u64() != Some(0),
            _ => false,
        },
        operations: json.num_ops,
        tensor_size: json.tensor_size,
        ..Node::default()
    };
    (node.kind, node.is_metadata) = kind_of(json.kind, &node)?;
    if matches!(node.kind, Kind::Send | Kind::Receive | Kind::Collective) {
        node.collective = json.comm_type;
        node.size = json.comm_size;
        node.src = json.comm_src;
        node.dst = json.comm_dst;
        node.tag = json.comm_tag;
        node.group = json.pg_name.filter(|name| !name.is_empty());
        node.dimensions = json.involved_dim;
    }
    Ok(node)
}

/// Rejects a second node with the number of another one, which the list of operations could not
/// name.
fn distinct(nodes: &[Node]) -> Result<(), ChakraError> {
    let mut seen = std::collections::BTreeSet::new();
    match nodes.iter().find(|node| !seen.insert(node.id)) {
        None => Ok(()),
        Some(node) => Err(ChakraError::new(
            format!("{} has the number of another node", node.in_words()),
            "number the nodes of a rank differently",
        )),
    }
}

#[cfg(test)]
mod tests;
