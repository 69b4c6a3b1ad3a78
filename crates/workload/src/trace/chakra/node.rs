//! Nodes of a trace.

use super::ChakraError;
use super::wire::{Value, field, message, varint};

/// What a node does.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Kind {
    /// `INVALID_NODE` and `METADATA_NODE`, which take no time.
    #[default]
    Nothing,
    /// `COMP_NODE`.
    Compute,
    /// `COMM_SEND_NODE`.
    Send,
    /// `COMM_RECV_NODE`.
    Receive,
    /// `COMM_COLL_NODE`.
    Collective,
}

/// A node.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Node {
    pub(super) id: u64,
    pub(super) kind: Kind,
    pub(super) is_metadata: bool,
    /// Nodes that end before this one starts.
    pub(super) after: Vec<u64>,
    pub(super) duration_micros: u64,
    pub(super) is_cpu: bool,
    pub(super) collective: Option<u64>,
    pub(super) size: Option<u64>,
    pub(super) src: Option<u64>,
    pub(super) dst: Option<u64>,
    pub(super) tag: Option<u64>,
    /// The name of a process group.
    pub(super) group: Option<String>,
    /// What a metadata node says of process groups: `values` of its `inputs`.
    pub(super) stated_groups: Option<String>,
}

/// The number of `METADATA_NODE`.
const METADATA: u64 = 1;

/// Reads the nodes of a file.
pub(super) fn read(mut file: &[u8]) -> Result<Vec<Node>, ChakraError> {
    if file.is_empty() {
        return Err(ChakraError::new("the file is empty", "give an .et file"));
    }
    message(&mut file)?;
    let mut nodes = Vec::new();
    while !file.is_empty() {
        nodes.push(node(message(&mut file)?)?);
    }
    if nodes.is_empty() {
        return Err(ChakraError::new(
            "the trace has no nodes",
            "give a trace in which something is done",
        ));
    }
    Ok(nodes)
}

/// Field numbers of `Node` in `et_def.proto`.
fn node(mut bytes: &[u8]) -> Result<Node, ChakraError> {
    let mut node = Node::default();
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Value::Number(id)) => node.id = id,
            (3, Value::Number(kind)) => {
                node.kind = kind_of(kind)?;
                node.is_metadata = kind == METADATA;
            }
            (4 | 5, Value::Number(id)) => node.after.push(id),
            (4 | 5, Value::Bytes(mut packed)) => {
                while !packed.is_empty() {
                    node.after.push(varint(&mut packed)?);
                }
            }
            (7, Value::Number(micros)) => node.duration_micros = micros,
            (8, Value::Bytes(inputs)) => node.stated_groups = values(inputs)?,
            (10, Value::Bytes(attribute)) => set(&mut node, attribute)?,
            _ => {}
        }
    }
    node.after.sort_unstable();
    node.after.dedup();
    if !node.is_metadata {
        node.stated_groups = None;
    }
    Ok(node)
}

/// The `values` of an `IOInfo`.
fn values(mut bytes: &[u8]) -> Result<Option<String>, ChakraError> {
    let mut found = None;
    while !bytes.is_empty() {
        if let (1, Value::Bytes(text)) = field(&mut bytes)? {
            found = Some(String::from_utf8_lossy(text).into_owned());
        }
    }
    Ok(found)
}

fn kind_of(number: u64) -> Result<Kind, ChakraError> {
    Ok(match number {
        0 | 1 => Kind::Nothing,
        4 => Kind::Compute,
        5 => Kind::Send,
        6 => Kind::Receive,
        7 => Kind::Collective,
        2 | 3 => {
            return Err(ChakraError::new(
                "the trace loads from or stores to remote memory",
                "there is no model of memories: write such nodes as computations",
            ));
        }
        other => {
            return Err(ChakraError::new(
                format!("there is no node of type {other}"),
                "give a trace of the schema in mlcommons/chakra",
            ));
        }
    })
}

/// Takes an `AttributeProto`: its name, and its value in the field that its type says.
fn set(node: &mut Node, mut bytes: &[u8]) -> Result<(), ChakraError> {
    let (mut name, mut value) = (&b""[..], None);
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Value::Bytes(given)) => name = given,
            (2, _) => {}
            // sint32 and sint64 are zigzag.
            (15 | 17, Value::Number(zigzag)) => {
                value = Some(Value::Number((zigzag >> 1) ^ 0u64.wrapping_sub(zigzag & 1)));
            }
            (_, given) => value = Some(given),
        }
    }
    // A default value that was not written.
    let value = value.unwrap_or(Value::Number(0));
    match name {
        b"is_cpu_op" => node.is_cpu = value.number() != Some(0),
        b"comm_type" => node.collective = value.number(),
        b"comm_size" => node.size = value.number(),
        b"comm_src" => node.src = value.number(),
        b"comm_dst" => node.dst = value.number(),
        b"comm_tag" => node.tag = value.number(),
        b"pg_name" => {
            let name = value.bytes().map(String::from_utf8_lossy);
            node.group = name.filter(|name| !name.is_empty()).map(Into::into);
        }
        _ => {}
    }
    Ok(())
}
