//! Nodes of a trace.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{ChakraError, uncompressed};
use super::wire::{Value, field, message, varint};

/// The action of a node.
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
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) is_metadata: bool,
    /// Nodes that must end before this one starts.
    pub(super) after: Vec<u64>,
    /// Control dependencies: nodes that called this one.
    pub(super) callers: Vec<u64>,
    pub(super) duration_ns: u64,
    pub(super) is_cpu: bool,
    /// Operations and bytes of a computation (`num_ops`, `tensor_size`).
    pub(super) operations: Option<i128>,
    pub(super) tensor_size: Option<i128>,
    pub(super) collective: Option<i128>,
    pub(super) size: Option<i128>,
    pub(super) src: Option<i128>,
    pub(super) dst: Option<i128>,
    pub(super) tag: Option<i128>,
    /// For each dimension of ASTRA-sim's network, `true` if a collective uses it.
    pub(super) dimensions: Option<Vec<bool>>,
    /// The name of a process group.
    pub(super) group: Option<String>,
    /// The process groups in a metadata node: `values` of its `inputs`.
    pub(super) stated_groups: Option<String>,
}

impl Node {
    /// Returns `true` if the node sends, receives or is a collective.
    pub(super) const fn communicates(&self) -> bool {
        matches!(self.kind, Kind::Send | Kind::Receive | Kind::Collective)
    }

    /// Returns the operations and the bytes of a computation on the accelerator if a roofline can
    /// have a time for them. ASTRA-sim's leaves computations without bytes out, and computations
    /// on the processor always take their durations.
    pub(super) fn work(&self) -> Option<(u64, u64)> {
        let known = self.kind == Kind::Compute && !self.is_cpu;
        let number = |number: i128| u64::try_from(number).ok();
        let operations = number(self.operations.unwrap_or(0)).filter(|_| known)?;
        let bytes = number(self.tensor_size?).filter(|bytes| *bytes > 0)?;
        Some((operations, bytes))
    }

    /// Returns `true` if the node is one end of a message.
    pub(super) const fn is_message(&self) -> bool {
        matches!(self.kind, Kind::Send | Kind::Receive) && !self.is_cpu
    }

    /// Returns `true` if the node states its message or collective.
    const fn says_what(&self) -> bool {
        self.collective.is_some() || self.dst.is_some() || self.src.is_some()
    }

    /// Returns `true` if the node has all attributes of its message or collective.
    pub(super) const fn is_complete(&self) -> bool {
        match self.kind {
            Kind::Send => self.dst.is_some() && self.size.is_some(),
            Kind::Receive => self.src.is_some(),
            Kind::Collective => self.collective.is_some() && self.size.is_some(),
            Kind::Nothing | Kind::Compute => true,
        }
    }

    /// Returns the number and the name for messages: node 7 (`aten::mm`).
    pub(super) fn in_words(&self) -> String {
        in_words(self.id, &self.name)
    }
}

/// Returns the words for the node with the number `id` and this name.
pub(super) fn in_words(id: u64, name: &str) -> String {
    // Names of kernels are C++ signatures.
    let short: String = name.chars().take(LONGEST_NAME).collect();
    let more = if short.len() < name.len() { ".." } else { "" };
    match short.as_str() {
        "" => format!("node {id}"),
        _ => format!("node {id} (`{}{more}`)", short.escape_debug()),
    }
}

/// Characters of a name in a message.
const LONGEST_NAME: usize = 60;

/// The number of `METADATA_NODE`.
const METADATA: u64 = 1;

/// Reads the nodes of a file.
pub(super) fn read(mut file: &[u8]) -> Result<Vec<Node>, ChakraError> {
    if file.is_empty() {
        return Err(ChakraError::new("the file is empty", "give an .et file"));
    }
    uncompressed(file)?;
    message(&mut file)?;
    let mut nodes = Vec::new();
    while !file.is_empty() {
        nodes.push(node(message(&mut file)?)?);
    }
    to_graph(&mut nodes)?;
    Ok(nodes)
}

/// Checks the nodes of a rank and converts communication on the processor to computations.
pub(super) fn to_graph(nodes: &mut [Node]) -> Result<(), ChakraError> {
    to_computations(nodes)?;
    add_dependencies(nodes)
}

/// Rejects a dependency on a node that is not in the trace, as ASTRA-sim's feeder does
/// (`graph_sanity_check`), and adds the control dependencies.
///
/// Control dependencies stay apart, without effect, if one names a node that is not in the trace or
/// if they close a cycle: Chakra's converter omits calls that others name, and a caller may begin
/// after its calls. Chakra's feeder reads `data_deps` alone (`src/feeder/et_feeder.cpp`).
/// ASTRA-sim's feeder reads both (`RESOLVE_CTRL_DEPS`) and rejects such a trace.
fn add_dependencies(nodes: &mut [Node]) -> Result<(), ChakraError> {
    let known: BTreeSet<u64> = nodes.iter().map(|node| node.id).collect();
    for node in nodes.iter() {
        if let Some(missing) = node.after.iter().find(|id| !known.contains(id)) {
            return Err(ChakraError::new(
                format!(
                    "{} waits for node {missing}, which the trace does not have",
                    node.in_words()
                ),
                "write the trace with it, or leave it out of data_deps",
            ));
        }
    }
    let mut callers = nodes.iter().flat_map(|node| &node.callers);
    let is_whole = callers.all(|caller| known.contains(caller));
    let add = is_whole && is_acyclic(nodes);
    for node in nodes {
        if add {
            node.after.append(&mut node.callers);
        }
        node.after.sort_unstable();
        node.after.dedup();
    }
    Ok(())
}

/// Returns `true` if no node waits for itself through all dependencies.
fn is_acyclic(nodes: &[Node]) -> bool {
    let places: BTreeMap<u64, usize> = (nodes.iter().enumerate())
        .map(|(place, node)| (node.id, place))
        .collect();
    let mut left = vec![0_usize; nodes.len()];
    let mut waiting = vec![Vec::new(); nodes.len()];
    for (place, node) in nodes.iter().enumerate() {
        for before in node.after.iter().chain(&node.callers) {
            left[place] += 1;
            waiting[places[before]].push(place);
        }
    }
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|&place| left[place] == 0).collect();
    let mut done = 0;
    while let Some(place) = ready.pop() {
        done += 1;
        for &next in &waiting[place] {
            left[next] -= 1;
            if left[next] == 0 {
                ready.push(next);
            }
        }
    }
    done == nodes.len()
}

/// Converts communication on the processor to computations: such nodes are PyTorch's calls, each
/// with its duration. The node of the accelerator, which waits for the call, has the bytes to send.
///
/// # Errors
/// Fails if such a node states a message or collective, but no node of the accelerator
/// communicates.
fn to_computations(nodes: &mut [Node]) -> Result<(), ChakraError> {
    let is_carried = nodes.iter().any(|node| node.communicates() && !node.is_cpu);
    for node in nodes
        .iter_mut()
        .filter(|node| node.communicates() && node.is_cpu)
    {
        if !is_carried && node.says_what() {
            return Err(ChakraError::new(
                format!(
                    "{} communicates on the processor (is_cpu_op), and no node of the rank does \
                     on the accelerator",
                    node.in_words()
                ),
                "set is_cpu_op to false at nodes that send bytes through the network",
            ));
        }
        node.kind = Kind::Compute;
    }
    Ok(())
}

/// Reads a node. The numbers are the field numbers of `Node` in `et_def.proto`.
fn node(mut bytes: &[u8]) -> Result<Node, ChakraError> {
    let mut node = Node::default();
    let mut attributes = Vec::new();
    let mut kind_number = 0;
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Value::Number(id)) => node.id = id,
            (2, Value::Bytes(name)) => node.name = String::from_utf8_lossy(name).into_owned(),
            (3, Value::Number(kind)) => kind_number = kind,
            (4, ids) => add(&mut node.callers, ids)?,
            (5, ids) => add(&mut node.after, ids)?,
            (7, Value::Number(micros)) => node.duration_ns = micros.saturating_mul(1_000),
            (8, Value::Bytes(inputs)) => node.stated_groups = values(inputs)?,
            (10, Value::Bytes(attribute)) => attributes.push(attribute),
            _ => {}
        }
    }
    (node.kind, node.is_metadata) = kind_of(kind_number, &node)?;
    for attribute in attributes {
        set(&mut node, attribute)?;
    }
    if !node.is_metadata {
        node.stated_groups = None;
    }
    Ok(node)
}

/// Adds numbers, packed or not.
fn add(ids: &mut Vec<u64>, value: Value<'_>) -> Result<(), ChakraError> {
    match value {
        Value::Number(id) => ids.push(id),
        Value::Bytes(mut packed) => {
            while !packed.is_empty() {
                ids.push(varint(&mut packed)?);
            }
        }
    }
    Ok(())
}

/// Returns the `values` of an `IOInfo`.
fn values(mut bytes: &[u8]) -> Result<Option<String>, ChakraError> {
    let mut found = None;
    while !bytes.is_empty() {
        if let (1, Value::Bytes(text)) = field(&mut bytes)? {
            found = Some(String::from_utf8_lossy(text).into_owned());
        }
    }
    Ok(found)
}

/// Returns the kind of `node` with this type, and `true` if it is metadata.
pub(super) fn kind_of(number: u64, node: &Node) -> Result<(Kind, bool), ChakraError> {
    let kind = match number {
        0 | METADATA => Kind::Nothing,
        4 => Kind::Compute,
        5 => Kind::Send,
        6 => Kind::Receive,
        7 => Kind::Collective,
        2 | 3 => {
            return Err(ChakraError::new(
                format!("{} loads from or stores to remote memory", node.in_words()),
                "there is no model of memories: write such nodes as computations",
            ));
        }
        other => {
            return Err(ChakraError::new(
                format!("{}: there is no node of type {other}", node.in_words()),
                "give a trace of the schema in mlcommons/chakra",
            ));
        }
    };
    Ok((kind, number == METADATA))
}

/// The field of an `AttributeProto` that contains a list of truth values.
const BOOL_LIST: u64 = 28;

/// Reads an `AttributeProto`: its name, and its value in the field of its type.
fn set(node: &mut Node, mut bytes: &[u8]) -> Result<(), ChakraError> {
    // A default value is not in the file.
    let (mut name, mut field_number, mut value) = (&b""[..], 0, Value::Number(0));
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Value::Bytes(given)) => name = given,
            (2, _) => {}
            (number, given) => (field_number, value) = (number, given),
        }
    }
    let number = value.number().map(|number| signed(field_number, number));
    match name {
        b"is_cpu_op" => node.is_cpu = number != Some(0),
        b"num_ops" => node.operations = number,
        b"tensor_size" => node.tensor_size = number,
        b"comm_type" => node.collective = number,
        b"comm_size" => node.size = number,
        b"comm_src" => node.src = number,
        b"comm_dst" => node.dst = number,
        b"comm_tag" => node.tag = number,
        b"involved_dim" => match value {
            Value::Bytes(list) if field_number == BOOL_LIST => {
                node.dimensions = Some(truth_values(list)?);
            }
            _ => {
                return Err(ChakraError::new(
                    format!(
                        "{}: `involved_dim` is no list of truth values",
                        node.in_words()
                    ),
                    "write it as a bool_list, or leave it out for all ranks",
                ));
            }
        },
        b"pg_name" => {
            let name = value.bytes().map(String::from_utf8_lossy);
            node.group = name.filter(|name| !name.is_empty()).map(Into::into);
        }
        _ => {}
    }
    Ok(())
}

/// Returns the number in field `field_number` of an `AttributeProto`; some of these are signed.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the bits of a signed number"
)]
const fn signed(field_number: u64, bits: u64) -> i128 {
    match field_number {
        // int32 and int64: ten bytes if negative.
        7 | 9 | 25 => (bits as i64) as i128,
        // sint32 and sint64 are zigzag.
        15 | 17 => ((bits >> 1) as i64 ^ -((bits & 1) as i64)) as i128,
        // sfixed32.
        23 => (bits as u32 as i32) as i128,
        _ => bits as i128,
    }
}

/// Returns the `values` of a `BoolList`, packed or not.
fn truth_values(mut bytes: &[u8]) -> Result<Vec<bool>, ChakraError> {
    let mut values = Vec::new();
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Value::Number(one)) => values.push(one != 0),
            (1, Value::Bytes(mut packed)) => {
                while !packed.is_empty() {
                    values.push(varint(&mut packed)? != 0);
                }
            }
            _ => {}
        }
    }
    Ok(values)
}
