//! Operations of the ranks of jobs.

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::columns::Word;
use crate::table::Table;

/// An operation of a rank: a row of `operations.csv`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OperationRow<'t> {
    /// The flow class of the job.
    pub class: ClassId,
    /// The name of the job.
    pub job: &'t str,
    /// The rank.
    pub rank: u32,
    /// Its host.
    pub host: NodeId,
    /// The iteration, from zero.
    pub iteration: u32,
    /// `compute`, `send`, `receive` or `collective`.
    pub kind: &'t str,
    /// Its name; empty if it has none.
    pub name: &'t str,
    /// The stream of a computation; `None` for the computation between two iterations.
    pub stream: Option<u16>,
    /// The other rank of a message.
    pub peer: Option<u32>,
    /// Payload of a message.
    pub size: Option<Bytes>,
    /// The flow of a message.
    pub flow: Option<FlowId>,
    /// Time for which a computation waited for its stream.
    pub waited: Duration,
    /// Its start.
    pub start: Time,
    /// Its end.
    pub end: Time,
}

/// Reads `operations.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word.
pub fn read_operations(text: &str) -> Result<Vec<OperationRow<'_>>, InputError> {
    fn optional<T: TryFrom<u64>>(word: Word<'_>, name: &str) -> Result<Option<T>, InputError> {
        match word.text {
            "" => Ok(None),
            _ => word.integer(name).map(Some),
        }
    }
    let table = Table::new(text, "operations.csv")?;
    let numbers = table.positions(["class", "rank", "host", "iteration"])?;
    let options = table.positions(["stream", "peer_rank", "size_bytes", "flow"])?;
    let words = table.positions(["job", "kind", "name"])?;
    let times = table.positions(["waited_ns", "start_ns", "end_ns"])?;
    table.read(|_, _, fields| {
        let [class, rank, host, iteration] = numbers.map(|place| fields[place]);
        let [stream, peer, size, flow] = options.map(|place| fields[place]);
        let [job, kind, name] = words.map(|place| fields[place].text);
        let [waited, start, end] = times.map(|place| fields[place]);
        Ok(OperationRow {
            class: ClassId(class.integer("class")?),
            job,
            rank: rank.integer("rank")?,
            host: NodeId(host.integer("host")?),
            iteration: iteration.integer("iteration")?,
            kind,
            name,
            stream: optional(stream, "stream")?,
            peer: optional(peer, "peer_rank")?,
            size: optional(size, "size_bytes")?.map(Bytes::new),
            flow: optional(flow, "flow")?.map(FlowId),
            waited: Duration::from_ps(waited.nanoseconds("waited_ns")?),
            start: Time::from_ps(start.nanoseconds("start_ns")?),
            end: Time::from_ps(end.nanoseconds("end_ns")?),
        })
    })
}
