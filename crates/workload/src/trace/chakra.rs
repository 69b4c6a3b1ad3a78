//! Converts Chakra execution traces, the input of ASTRA-sim, to lists of operations.
//!
//! A trace has a file for each rank: messages of protocol buffers, each preceded by its length as a
//! varint. The first is `GlobalMetadata`, all others are `Node`s of `schema/protobuf/et_def.proto`
//! of mlcommons/chakra. Nodes act as in `astra-sim/workload/Workload.cc` of ASTRA-sim.
//!
//! Differs from ASTRA-sim: sends and collectives of a rank run concurrently as soon as their
//! dependencies are met (there, one at a time: `HardwareResource.cc`). A broadcast is sent (there,
//! it is a delay). Members of a group are in the order of their numbers (there, of the file). A
//! node that communicates on the processor computes for its duration, as it did there before such
//! nodes were rejected (`issue_comm`).

mod groups;
mod node;
mod wire;

use std::fmt;
use std::fmt::Write as _;

use fabricsim_base::input::InputError;
use fabricsim_base::limits::MAX_SIZE;

use super::csv;
pub use groups::ProcessGroups;
use node::{Kind, Node};

/// The reason why a trace cannot be used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChakraError {
    /// The rank with the faulty file.
    pub rank: usize,
    /// Description of the error.
    pub message: String,
    /// Suggested fix.
    pub help: String,
}

impl ChakraError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            rank: 0,
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for ChakraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: {} ({})", self.rank, self.message, self.help)
    }
}

impl std::error::Error for ChakraError {}

/// Converts a trace to a CSV for `kind = "graph"`: `files` are the contents of the files of all
/// ranks, in their order. `all_reduce` is the algorithm of all-reduces, `groups` has the ranks of
/// process groups that the traces do not state themselves.
///
/// # Errors
/// Fails if a file is no trace or cannot be simulated; the resulting list is checked as a graph.
pub fn chakra_to_csv(
    files: &[Vec<u8>],
    all_reduce: &str,
    groups: &ProcessGroups,
) -> Result<String, ChakraError> {
    let mut text = String::from("rank,id,op,peer,bytes,tag,duration_ns,stream,after,algorithm\n");
    let mut has_nodes = false;
    for (rank, file) in files.iter().enumerate() {
        let at = |error: ChakraError| ChakraError { rank, ..error };
        let nodes = node::read(file).map_err(at)?;
        has_nodes |= !nodes.is_empty();
        if nodes.is_empty() {
            // An idle operation, so that the list has as many ranks as the trace has files.
            writeln!(text, "{rank},idle,calc,,,,0,65535,,").expect("a string takes everything");
        }
        let groups = &groups.stated(&nodes, files.len());
        for node in &nodes {
            row(&mut text, (rank, files.len()), node, (all_reduce, groups)).map_err(at)?;
        }
    }
    if !has_nodes {
        return Err(ChakraError::new(
            "the trace has no nodes",
            "give a trace with operations",
        ));
    }
    csv::parse(&text).map_err(|error| in_trace(&text, error))?;
    Ok(text)
}

/// Finds the rank and node of an error in the list.
fn in_trace(csv: &str, error: InputError) -> ChakraError {
    let (line, _) = error.line_column(csv);
    let mut cells = csv.lines().nth(line - 1).unwrap_or_default().split(',');
    let rank = cells.next().and_then(|rank| rank.parse().ok());
    let message = match (rank, cells.next()) {
        (Some(_), Some(id)) => format!("node {id}: {}", error.message),
        _ => error.message,
    };
    ChakraError {
        rank: rank.unwrap_or(0),
        message,
        help: error.help,
    }
}

/// Returns the name of a collective of `comm_type`, and the ratio of our `size` to ASTRA-sim's
/// `comm_size`, which for an all-gather is the size of one rank's part (`Ring.cc`).
fn collective(comm_type: i128, ranks: usize) -> Option<(&'static str, i128)> {
    Some(match comm_type {
        0 => ("all-reduce", 1),
        2 => ("all-gather", ranks as i128),
        5 => ("broadcast", 1),
        6 => ("all-to-all", 1),
        7 => ("reduce-scatter", 1),
        _ => return None,
    })
}

/// Rejects a collective along some dimensions of ASTRA-sim's network only, because the topologies
/// here have none.
fn all_dimensions(node: &Node) -> Result<(), ChakraError> {
    let Some(stated) = node.dimensions.as_ref().filter(|all| all.contains(&false)) else {
        return Ok(());
    };
    Err(ChakraError::new(
        format!(
            "node {}: `involved_dim` is {stated:?}: a collective along some dimensions of \
             ASTRA-sim's network alone",
            node.id
        ),
        "state its ranks as a process group: the attribute `pg_name`, and the groups with --groups",
    ))
}

fn row(
    text: &mut String,
    (rank, ranks): (usize, usize),
    node: &Node,
    (all_reduce, groups): (&str, &ProcessGroups),
) -> Result<(), ChakraError> {
    let needed = |value: Option<i128>, name: &str| {
        value.ok_or_else(|| {
            ChakraError::new(
                format!("node {} has no attribute `{name}`", node.id),
                "write the trace with it",
            )
        })
    };
    // ASTRA-sim's sizes can be negative or too large, and `factor` makes an all-gather's larger.
    let size = |factor: i128| {
        let size = needed(node.size, "comm_size")?;
        if (0..=i128::from(MAX_SIZE.get())).contains(&size.saturating_mul(factor)) {
            return Ok(size * factor);
        }
        let of_all = match factor {
            1 => String::new(),
            ranks => format!(" at each of {ranks} ranks"),
        };
        Err(ChakraError::new(
            format!("node {}: `comm_size` is {size}{of_all}", node.id),
            format!("0 to {} bytes are possible", MAX_SIZE.get()),
        ))
    };
    let tag = node.tag.unwrap_or(0);
    let cells = match node.kind {
        // As in ASTRA-sim, a computation without a duration takes 1 ns, and the processor and the
        // accelerator each compute one thing at a time.
        Kind::Compute => {
            let duration = match node.duration_micros {
                0 => 1,
                micros => micros.saturating_mul(1_000),
            };
            format!("calc,,,,{duration},{}", u8::from(node.is_cpu))
        }
        Kind::Nothing => "calc,,,,0,65535".to_owned(),
        Kind::Send => {
            let peer = needed(node.dst, "comm_dst")?;
            format!("send,{peer},{},{tag},,", size(1)?)
        }
        Kind::Receive => {
            let peer = needed(node.src, "comm_src")?;
            format!("recv,{peer},,{tag},,")
        }
        Kind::Collective => {
            all_dimensions(node)?;
            let members = groups.members(node, (rank, ranks))?;
            let kind = needed(node.collective, "comm_type")?;
            let count = members.map_or(ranks, <[u32]>::len);
            let (name, factor) = collective(kind, count).ok_or_else(|| {
                ChakraError::new(
                    format!("node {} is a collective of type {kind}", node.id),
                    "all-reduce, all-gather, reduce-scatter, all-to-all and broadcast can be read",
                )
            })?;
            let members: Vec<String> = members
                .iter()
                .flat_map(|members| members.iter())
                .map(u32::to_string)
                .collect();
            format!("{name},{},{},,,", members.join(";"), size(factor)?)
        }
    };
    // `all_reduce` applies to all-reduces only; other collectives use their default algorithm.
    let after: Vec<String> = node.after.iter().map(u64::to_string).collect();
    let algorithm = match node.kind {
        Kind::Collective if cells.starts_with("all-reduce") => all_reduce,
        _ => "",
    };
    writeln!(
        text,
        "{rank},{},{cells},{},{algorithm}",
        node.id,
        after.join(";")
    )
    .expect("a string takes everything");
    Ok(())
}

#[cfg(test)]
mod tests;
