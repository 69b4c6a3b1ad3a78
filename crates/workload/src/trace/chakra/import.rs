//! The import of a whole trace.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::dimensions::Dimensions;
use super::error::{ChakraError, in_trace};
use super::groups::ProcessGroups;
use super::json;
use super::node::{self, Node};
use super::rows::Rows;
use crate::trace::csv;
use crate::trace::times::Times;

/// The largest number of ranks that one file can represent.
const MAX_COPIES: u32 = 65_536;

/// The form of an execution trace.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TraceForm {
    /// Chakra's messages of protocol buffers: `.et`.
    Protobuf,
    /// JSON of Chakra's feeder or of PyTorch: `.json`.
    Json,
}

/// The files of one rank.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RankTrace {
    /// The form of the execution trace.
    pub form: TraceForm,
    /// The execution trace.
    pub trace: Vec<u8>,
    /// Kineto's trace of the device, for an execution trace of PyTorch.
    pub kineto: Option<Vec<u8>>,
}

impl RankTrace {
    /// Returns a rank without a trace of the device.
    #[must_use]
    pub const fn new(form: TraceForm, trace: Vec<u8>) -> Self {
        Self {
            form,
            trace,
            kineto: None,
        }
    }

    /// Returns the nodes and the number of kernels without a call.
    fn nodes(&self) -> Result<(Vec<Node>, u64), ChakraError> {
        match (self.form, &self.kineto) {
            (TraceForm::Protobuf, None) => Ok((node::read(&self.trace)?, 0)),
            (TraceForm::Protobuf, Some(_)) => Err(ChakraError::new(
                "a trace of protocol buffers has the nodes of the device already",
                "leave Kineto's trace out, or give PyTorch's execution trace in JSON",
            )),
            (TraceForm::Json, kineto) => json::read(&self.trace, kineto.as_deref()),
        }
    }
}

/// A trace that has been read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ImportedTrace {
    /// The list of operations for `kind = "graph"`.
    pub csv: String,
    /// The number of ranks.
    pub ranks: usize,
    /// Values that were replaced by a rule: sentences without a final period.
    pub notes: Vec<String>,
}

/// The settings of an import.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TraceImport {
    /// The algorithm of all-reduces.
    pub all_reduce: String,
    /// Ranks of process groups that the traces do not state themselves.
    pub groups: ProcessGroups,
    /// The dimensions of collectives with `involved_dim`.
    pub dimensions: Option<Dimensions>,
    /// Whether communication without a size or a peer takes the duration in the trace.
    pub replay: bool,
    /// The number of ranks that the file of one rank represents.
    pub copies: Option<u32>,
}

impl TraceImport {
    /// Returns the settings with `all_reduce` as the algorithm of all-reduces.
    pub fn new(all_reduce: impl Into<String>) -> Self {
        Self {
            all_reduce: all_reduce.into(),
            groups: ProcessGroups::default(),
            dimensions: None,
            replay: false,
            copies: None,
        }
    }

    /// Converts the trace with these files of all ranks, in their order.
    ///
    /// # Errors
    /// Fails if a file is no trace or cannot be simulated; the resulting list is checked as a
    /// graph.
    pub fn convert(&self, files: &[RankTrace]) -> Result<ImportedTrace, ChakraError> {
        let (mut nodes, mut lost) = (Vec::new(), 0);
        for (rank, file) in files.iter().enumerate() {
            let (own, kernels) = file
                .nodes()
                .map_err(|error| ChakraError { rank, ..error })?;
            nodes.push(own);
            lost += kernels;
        }
        if let Some(copies) = self.copies {
            nodes = copied(nodes, copies)?;
        }
        if nodes.iter().all(Vec::is_empty) {
            return Err(ChakraError::new(
                "the trace has no nodes",
                "give a trace with operations",
            ));
        }
        let ranks = nodes.len();
        self.check_dimensions(ranks)?;
        let mut rows = Rows::new(self, &nodes);
        for (rank, nodes) in nodes.iter().enumerate() {
            let groups = self.groups.stated(nodes, ranks);
            rows.add(rank, nodes, &groups)
                .map_err(|error| ChakraError { rank, ..error })?;
        }
        let (text, mut notes) = rows.finish();
        if lost > 0 {
            notes.push(format!(
                "{lost} kernels of Kineto's traces have no call in the execution traces and are \
                 left out"
            ));
        }
        csv::parse(&text, Times::unknown()).map_err(|error| {
            let named = |rank: usize, id: &str| name_of(nodes.get(rank)?, id);
            in_trace(&text, error, named)
        })?;
        Ok(ImportedTrace {
            csv: text,
            ranks,
            notes,
        })
    }

    fn check_dimensions(&self, ranks: usize) -> Result<(), ChakraError> {
        let Some(dimensions) = &self.dimensions else {
            return Ok(());
        };
        let have = dimensions.ranks().map_or(0, |have| have as usize);
        if have == ranks {
            return Ok(());
        }
        Err(ChakraError::new(
            format!("the dimensions {dimensions} have {have} ranks, and the trace has {ranks}"),
            "write sizes whose product is the number of ranks: 8x4 for 32 ranks",
        ))
    }
}

/// Returns the nodes of one rank for each of `copies` ranks: the ranks of data-parallel training do
/// the same.
fn copied(mut nodes: Vec<Vec<Node>>, copies: u32) -> Result<Vec<Vec<Node>>, ChakraError> {
    if nodes.len() != 1 || copies == 0 || copies > MAX_COPIES {
        return Err(ChakraError::new(
            format!(
                "the trace has files of {} ranks, and is to represent {copies} ranks",
                nodes.len()
            ),
            format!("give the file of rank 0 alone, for 1 to {MAX_COPIES} ranks"),
        ));
    }
    let one = nodes.pop().expect("there is one rank");
    let message = one.iter().find(|node| node.is_message());
    if let (Some(node), true) = (message, copies > 1) {
        return Err(ChakraError::new(
            format!("{} is a message between two ranks", node.in_words()),
            "the file of one rank represents others only if it has collectives alone: give the \
             files of all ranks",
        ));
    }
    Ok(vec![one; copies as usize])
}

/// Returns the words for the node with the number `id`.
fn name_of(nodes: &[Node], id: &str) -> Option<String> {
    let id: u64 = id.parse().ok()?;
    let node = nodes.iter().find(|node| node.id == id)?;
    Some(node.in_words())
}

/// Counts a rule that replaces values, with an example.
#[derive(Debug, Default)]
pub(super) struct Notes(BTreeMap<&'static str, (u64, String)>);

impl Notes {
    /// Counts `node` of `rank` under `rule`.
    pub(super) fn count(&mut self, rule: &'static str, rank: usize, node: &Node) {
        let (count, _) = self
            .0
            .entry(rule)
            .or_insert_with(|| (0, format!("rank {rank}, {}", node.in_words())));
        *count += 1;
    }

    pub(super) fn finish(self) -> Vec<String> {
        let note = |(rule, (count, first)): (&str, (u64, String))| {
            let mut text = String::new();
            let nodes = if count == 1 { "node" } else { "nodes" };
            write!(text, "{count} {nodes} {rule}, the first of {first}")
                .expect("a string takes everything");
            text
        };
        self.0.into_iter().map(note).collect()
    }
}
