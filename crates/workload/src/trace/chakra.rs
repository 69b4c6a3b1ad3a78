//! Converts execution traces of training to lists of operations: Chakra's, which ASTRA-sim reads,
//! and PyTorch's, which Chakra's tools link and convert.
//!
//! A trace has a file for each rank. Chakra's has messages of protocol buffers, each preceded by its
//! length as a varint: the first is `GlobalMetadata`, all others are `Node`s of
//! `schema/protobuf/et_def.proto` of mlcommons/chakra. Its feeder also reads JSON ([`json`]), and its
//! converter the traces of PyTorch ([`pytorch`]). Nodes act as in
//! `astra-sim/workload/Workload.cc` of ASTRA-sim.
//!
//! Differs from ASTRA-sim: sends and collectives of a rank run concurrently as soon as their
//! dependencies are met (there, one at a time: `HardwareResource.cc`). A broadcast is sent (there,
//! it is a delay). Members of a group are in the order of their numbers (there, of the file). A
//! node that communicates on the processor computes for its duration, as it did there before such
//! nodes were rejected (`issue_comm`). A barrier is an all-reduce of 0 bytes (there, an error). A
//! negative size is 0 bytes (there, sizes have no sign).

mod dimensions;
mod error;
mod groups;
mod import;
mod json;
mod node;
mod pytorch;
mod rows;
mod wire;

pub use dimensions::Dimensions;
pub use error::{ChakraError, TraceFile};
pub use groups::ProcessGroups;
pub use import::{ImportedTrace, RankTrace, TraceForm, TraceImport};

/// Converts a Chakra trace of protocol buffers to a CSV for `kind = "graph"`: `files` are the
/// contents of the files of all ranks, in their order. `all_reduce` is the algorithm of
/// all-reduces, `groups` has the ranks of process groups that the traces do not state themselves.
/// [`TraceImport`] has more settings and forms.
///
/// # Errors
/// Fails if a file is no trace or cannot be simulated; the resulting list is checked as a graph.
pub fn chakra_to_csv(
    files: &[Vec<u8>],
    all_reduce: &str,
    groups: &ProcessGroups,
) -> Result<String, ChakraError> {
    let files: Vec<RankTrace> = files
        .iter()
        .map(|file| RankTrace::new(TraceForm::Protobuf, file.clone()))
        .collect();
    let import = TraceImport {
        groups: groups.clone(),
        ..TraceImport::new(all_reduce)
    };
    import.convert(&files).map(|trace| trace.csv)
}

#[cfg(test)]
mod tests;
