//! The rows of the list of operations.

use std::fmt::Write as _;

use fabricsim_base::limits::MAX_SIZE;

use super::error::ChakraError;
use super::groups::ProcessGroups;
use super::import::{Notes, TraceImport};
use super::node::{Kind, Node};

/// `BARRIER` of `CollectiveCommType`.
const BARRIER: i128 = 9;

const CALLER: &str =
    "with control dependencies that are incomplete or cyclic: `data_deps` alone count";
const NEGATIVE: &str = "with a negative `comm_size`, taken as 0 bytes";
const UNTIMED: &str = "with `num_ops` and no duration: the workload needs a `roofline`";
const REPLAYED: &str = "without a size or a peer, taken as computations of their durations";

/// The rows so far.
pub(super) struct Rows<'i> {
    import: &'i TraceImport,
    ranks: usize,
    /// Whether the list has columns for the operations and bytes of computations.
    has_work: bool,
    text: String,
    notes: Notes,
}

/// Returns the name of a collective of `comm_type`, and the ratio of our `size` to ASTRA-sim's
/// `comm_size`, which for an all-gather is the size of one rank's part (`Ring.cc`).
fn collective(comm_type: i128, ranks: usize) -> Option<(&'static str, i128)> {
    Some(match comm_type {
        0 | BARRIER => ("all-reduce", 1),
        2 => ("all-gather", ranks as i128),
        5 => ("broadcast", 1),
        6 => ("all-to-all", 1),
        7 | 8 => ("reduce-scatter", 1),
        _ => return None,
    })
}

impl<'i> Rows<'i> {
    /// Returns the header of a list of `nodes` by rank.
    pub(super) fn new(import: &'i TraceImport, nodes: &[Vec<Node>]) -> Self {
        let has_work = nodes.iter().flatten().any(|node| node.work().is_some());
        let mut text = String::from("rank,id,op,peer,bytes,tag,duration_ns,stream,after,algorithm");
        text.push_str(if has_work {
            ",flops,memory_bytes\n"
        } else {
            "\n"
        });
        Self {
            import,
            ranks: nodes.len(),
            has_work,
            text,
            notes: Notes::default(),
        }
    }

    /// Returns the list, and notes about replaced values.
    pub(super) fn finish(self) -> (String, Vec<String>) {
        (self.text, self.notes.finish())
    }

    /// Adds the nodes of `rank`.
    pub(super) fn add(
        &mut self,
        rank: usize,
        nodes: &[Node],
        groups: &ProcessGroups,
    ) -> Result<(), ChakraError> {
        if nodes.is_empty() {
            // An idle operation, so that the list has as many ranks as the trace has files.
            self.line(format_args!("{rank},idle,calc,,,,0,65535,,"), None);
        }
        for node in nodes {
            if !node.callers.is_empty() {
                self.notes.count(CALLER, rank, node);
            }
            let cells = self.cells(rank, node, groups)?;
            // `all_reduce` applies to all-reduces only; other collectives use their default
            // algorithm.
            let algorithm = match node.kind {
                Kind::Collective if cells.starts_with("all-reduce") => &self.import.all_reduce,
                _ => "",
            };
            let after: Vec<String> = node.after.iter().map(u64::to_string).collect();
            let (id, after) = (node.id, after.join(";"));
            if node.duration_ns == 0 && node.work().is_some() {
                self.notes.count(UNTIMED, rank, node);
            }
            let line = format_args!("{rank},{id},{cells},{after},{algorithm}");
            self.line(line, node.work());
        }
        Ok(())
    }

    /// Adds a line for an operation with this work, if the list has columns for it.
    fn line(&mut self, line: std::fmt::Arguments<'_>, work: Option<(u64, u64)>) {
        let written = match (self.has_work, work) {
            (false, _) => writeln!(self.text, "{line}"),
            (true, None) => writeln!(self.text, "{line},,"),
            (true, Some((flops, bytes))) => writeln!(self.text, "{line},{flops},{bytes}"),
        };
        written.expect("a string takes everything");
    }

    /// Returns the operation of a node, in the columns from `op` to `stream`.
    fn cells(
        &mut self,
        rank: usize,
        node: &Node,
        groups: &ProcessGroups,
    ) -> Result<String, ChakraError> {
        if self.import.replay && node.communicates() && !node.is_complete() {
            self.notes.count(REPLAYED, rank, node);
            return Ok(computation(node));
        }
        let tag = node.tag.unwrap_or(0);
        Ok(match node.kind {
            Kind::Compute => computation(node),
            Kind::Nothing => "calc,,,,0,65535".to_owned(),
            Kind::Send => {
                let peer = needed(node, node.dst, "comm_dst")?;
                format!("send,{peer},{},{tag},,", self.size(rank, node, 1)?)
            }
            Kind::Receive => {
                let peer = needed(node, node.src, "comm_src")?;
                format!("recv,{peer},,{tag},,")
            }
            Kind::Collective => self.collective(rank, node, groups)?,
        })
    }

    fn collective(
        &mut self,
        rank: usize,
        node: &Node,
        groups: &ProcessGroups,
    ) -> Result<String, ChakraError> {
        let members = match groups.members(node, (rank, self.ranks))? {
            Some(members) => Some(members.to_vec()),
            None => self.along_dimensions(rank, node)?,
        };
        let kind = needed(node, node.collective, "comm_type")?;
        let count = members.as_ref().map_or(self.ranks, Vec::len);
        let (name, factor) = collective(kind, count).ok_or_else(|| {
            ChakraError::new(
                format!("{} is a collective of type {kind}", node.in_words()),
                "all-reduce, all-gather, reduce-scatter, all-to-all, broadcast and barrier can be \
                 read",
            )
        })?;
        let members: Vec<String> = members.iter().flatten().map(u32::to_string).collect();
        let size = match (kind, node.size) {
            (BARRIER, None) => 0,
            _ => self.size(rank, node, factor)?,
        };
        Ok(format!("{name},{},{size},,,", members.join(";")))
    }

    /// Returns the ranks of a collective along some dimensions of ASTRA-sim's network, or `None`
    /// for all ranks.
    fn along_dimensions(&self, rank: usize, node: &Node) -> Result<Option<Vec<u32>>, ChakraError> {
        let Some(involved) = node.dimensions.as_ref().filter(|all| all.contains(&false)) else {
            return Ok(None);
        };
        let stated = || format!("{}: `involved_dim` is {involved:?}", node.in_words());
        let Some(dimensions) = &self.import.dimensions else {
            return Err(ChakraError::new(
                format!(
                    "{}: a collective along some dimensions of ASTRA-sim's network alone",
                    stated()
                ),
                "state the sizes of the dimensions with --dimensions 8x4 (`npus_count` of \
                 ASTRA-sim's network), or the ranks as a process group: the attribute `pg_name`, \
                 and the groups with --groups",
            ));
        };
        let beyond = involved.iter().skip(dimensions.count());
        if involved.len() < dimensions.count() || beyond.clone().any(|involved| !involved) {
            return Err(ChakraError::new(
                format!(
                    "{}, for {} dimensions of {dimensions}",
                    stated(),
                    dimensions.count()
                ),
                "give --dimensions as many sizes as `involved_dim` has values",
            ));
        }
        let rank = u32::try_from(rank).unwrap_or(u32::MAX);
        Ok(Some(dimensions.members(rank, involved)))
    }

    /// Returns the size of a node times `factor`, which makes an all-gather's larger. A negative
    /// size is a placeholder of a tool that does not know it, and becomes 0.
    fn size(&mut self, rank: usize, node: &Node, factor: i128) -> Result<i128, ChakraError> {
        let size = needed(node, node.size, "comm_size")?;
        if size < 0 {
            self.notes.count(NEGATIVE, rank, node);
            return Ok(0);
        }
        if size.saturating_mul(factor) <= i128::from(MAX_SIZE.get()) {
            return Ok(size * factor);
        }
        let of_all = match factor {
            1 => String::new(),
            ranks => format!(" at each of {ranks} ranks"),
        };
        Err(ChakraError::new(
            format!("{}: `comm_size` is {size}{of_all}", node.in_words()),
            format!("0 to {} bytes are possible", MAX_SIZE.get()),
        ))
    }
}

/// Returns the cells of a computation. As in ASTRA-sim, one without a duration takes 1 ns unless a
/// roofline has a time for it, and the processor and the accelerator each compute one thing at a
/// time.
fn computation(node: &Node) -> String {
    let stream = u8::from(node.is_cpu);
    match (node.duration_ns, node.work()) {
        (0, Some(_)) => format!("calc,,,,,{stream}"),
        (duration, _) => format!("calc,,,,{},{stream}", duration.max(1)),
    }
}

fn needed(node: &Node, value: Option<i128>, name: &str) -> Result<i128, ChakraError> {
    value.ok_or_else(|| {
        ChakraError::new(
            format!("{} has no attribute `{name}`", node.in_words()),
            "write the trace with it, or let the node take the duration in the trace (--replay)",
        )
    })
}
