//! Our own lists of flows: a CSV that any data-frame library writes.

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::ClassId;
use fabricsim_base::input::InputError;
use fabricsim_base::priority::Priority;

use super::row::{self, HostSet};
use super::waits::{Stated, Waits};
use super::{Classes, FlowList};
use crate::check::{DEFAULT_DST_PORT, DEFAULT_PRIORITY};
use crate::context::WorkloadContext;
use crate::text::{Piece, lines};

/// The meaning of a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Column {
    Class,
    Dst,
    DstPort,
    Priority,
    Size,
    Src,
    SrcPort,
    Start,
    Id,
    After,
    AfterCount,
}

const COLUMNS: &[(&str, Column)] = &[
    ("src", Column::Src),
    ("dst", Column::Dst),
    ("size_bytes", Column::Size),
    ("start_ns", Column::Start),
    ("class", Column::Class),
    ("priority", Column::Priority),
    ("src_port", Column::SrcPort),
    ("dst_port", Column::DstPort),
    ("id", Column::Id),
    ("after", Column::After),
    ("after_count", Column::AfterCount),
];

/// Columns of our own result files, so that a run's `fct.csv` can be replayed; the nameless one is
/// the index of a data frame.
const IGNORED: &[&str] = &[
    "",
    "flow",
    "fct_ns",
    "ideal_fct_ns",
    "slowdown",
    "retransmitted_bytes",
];

/// Reads a CSV with a header that names at least `src`, `dst`, `size_bytes` and `start_ns`, in any
/// order; `class`, `priority` (default 3), `src_port` and `dst_port` (default 100) are optional,
/// and the result columns of a run's `fct.csv` are ignored.
///
/// With the columns `id` and `after`, a flow waits for the flows in `after`, with blanks or
/// semicolons between their names, and `start_ns` is relative to the end of the last one. For a
/// flow to the source of the waiting flow, the end is the delivery of its last byte. For a flow
/// from there, it is the acknowledgement. With a number in the column `after_count`, the waiting
/// flow starts as soon as that many of them have ended.
///
/// `start_ns` may have decimals and is exact to the picosecond. Rows need not be sorted. Blank
/// lines and comments (`#`) are skipped.
///
/// # Errors
/// Returns the position of the first error:
///
/// * a missing or unknown column, or a row of another length than the header;
/// * a node that is no host of `context`, or a flow to itself or of zero bytes;
/// * a number out of range;
/// * a flow that waits for a flow that its source does not see;
/// * flows that wait for one another in a cycle.
pub fn parse_csv(text: &str, context: &WorkloadContext) -> Result<FlowList, InputError> {
    let mut lines = lines(text);
    let Some(header) = lines.next() else {
        return Err(InputError::new(
            0..text.len(),
            "the file is empty",
            "begin with src,dst,size_bytes,start_ns",
        ));
    };
    let columns = columns(header)?;
    let hosts = HostSet::new(context);
    let waits = columns.contains(&Some(Column::After));
    // Hosts choose the source ports of flows that wait, so the list cannot state them.
    if waits && let Some(port) = place(&columns, Column::SrcPort) {
        let name = header.fields().nth(port).unwrap_or(header);
        return Err(name.error(
            "dependent flows get their source ports from their hosts",
            "leave out `src_port` or `after`",
        ));
    }
    let (mut flows, mut stated) = (Vec::new(), Vec::new());
    for line in lines {
        let fields: Vec<Piece<'_>> = line.fields().collect();
        if fields.len() != columns.len() {
            return Err(line.error(
                format!(
                    "{} fields where the header has {}",
                    fields.len(),
                    columns.len()
                ),
                format!("write the columns {}", header.text),
            ));
        }
        flows.push(flow(&columns, &fields, line, &hosts)?);
        if waits {
            let nothing = Piece { text: "", ..line };
            let field = |column| place(&columns, column).map_or(nothing, |at| fields[at]);
            stated.push(Stated {
                id: field(Column::Id),
                after: field(Column::After),
                needed: place(&columns, Column::AfterCount).map(|at| fields[at]),
            });
        }
    }
    // Classes in the file have precedence over the class of the workload.
    let classes = if columns.contains(&Some(Column::Class)) {
        Classes::Listed
    } else {
        Classes::OfWorkload
    };
    if waits {
        let waits = Waits::read(&flows, &stated)?;
        return Ok(FlowList::waiting(flows, classes, waits));
    }
    Ok(FlowList::sorted(flows, classes))
}

/// Returns the position of `wanted` among the columns.
fn place(columns: &[Option<Column>], wanted: Column) -> Option<usize> {
    columns.iter().position(|column| *column == Some(wanted))
}

fn columns(header: Piece<'_>) -> Result<Vec<Option<Column>>, InputError> {
    let mut columns = Vec::new();
    for name in header.fields() {
        let known = COLUMNS
            .iter()
            .find(|(known, _)| *known == name.text.trim_start_matches('\u{feff}'));
        match known {
            Some((_, column)) if columns.contains(&Some(*column)) => {
                return Err(name.error(
                    format!("a second column `{}`", name.text),
                    "keep one of them",
                ));
            }
            Some((_, column)) => columns.push(Some(*column)),
            None if IGNORED.contains(&name.text) => columns.push(None),
            None => {
                let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
                return Err(name.error(
                    format!("unknown column `{}`", name.text),
                    format!("the columns are {}", names.join(", ")),
                ));
            }
        }
    }
    for (name, column) in &COLUMNS[..4] {
        if !columns.contains(&Some(*column)) {
            return Err(header.error(
                format!("the header has no column `{name}`"),
                "begin with src,dst,size_bytes,start_ns",
            ));
        }
    }
    Ok(columns)
}

fn flow(
    columns: &[Option<Column>],
    fields: &[Piece<'_>],
    line: Piece<'_>,
    hosts: &HostSet<'_>,
) -> Result<FlowRequest, InputError> {
    let field = |wanted| place(columns, wanted).map(|at| fields[at]);
    let required = |wanted| {
        field(wanted)
            .ok_or_else(|| line.error("a field is missing", "write one field for each column"))
    };
    let (src, dst) = hosts.pair(required(Column::Src)?, required(Column::Dst)?)?;
    let class = match field(Column::Class) {
        Some(field) => field.integer("a class", "a class is a whole number from 0 to 65535")?,
        None => 0,
    };
    Ok(FlowRequest {
        src,
        dst,
        size: row::size(required(Column::Size)?)?,
        start: row::time(required(Column::Start)?, 3, "nanoseconds")?,
        class: ClassId(class),
        priority: field(Column::Priority)
            .map_or(Ok(Priority::new(DEFAULT_PRIORITY)), row::priority)?,
        src_port: field(Column::SrcPort).map(row::port).transpose()?,
        dst_port: field(Column::DstPort).map_or(Ok(DEFAULT_DST_PORT), row::port)?,
    })
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::NodeId;
    use fabricsim_base::units::{Bytes, Time};

    use super::*;
    use crate::context::testing::{context, named};

    const HEADER: &str = "src,dst,size_bytes,start_ns\n";

    fn parse(text: &str) -> Result<FlowList, InputError> {
        parse_csv(text, &context(4, 1))
    }

    #[test]
    fn hosts_can_be_named() {
        let text = format!("{HEADER}h1,3,100,0\n0,h2,100,5\n");
        let list = parse_csv(&text, &named(4, 1)).expect("a list");
        let ends: Vec<(u32, u32)> = list.flows().iter().map(|it| (it.src.0, it.dst.0)).collect();
        assert_eq!(ends, [(1, 3), (0, 2)]);
        for (row, faulty, message) in [
            ("h9,1", "h9", "`h9` is not the number or the name of a host"),
            ("sw,1", "sw", "`sw` is not the number or the name of a host"),
            ("4,1", "4", "sw (node 4) is not a host"),
            ("7,1", "7", "node 7 is not a host"),
            ("h1,1", "1", "h1 (node 1) sends to itself"),
        ] {
            let text = format!("{HEADER}{row},100,0\n");
            let error = parse_csv(&text, &named(4, 1)).expect_err("refused");
            assert_eq!(
                (&text[error.span.clone()], &*error.message),
                (faulty, message)
            );
        }
    }

    /// Returns the text at the position of the error, and the message.
    fn diagnostic(text: &str) -> (String, String) {
        let error = parse(text).expect_err("refused");
        (text[error.span.clone()].to_owned(), error.to_string())
    }

    #[test]
    fn reads_what_a_data_frame_writes() {
        let list = parse(",start_ns,dst,src,size_bytes,dst_port\r\n0,12.5,3,1,5000000000,200\r\n")
            .unwrap();
        let expected = FlowRequest {
            src: NodeId(1),
            dst: NodeId(3),
            size: Bytes::new(5_000_000_000),
            start: Time::from_ps(12_500),
            class: ClassId(0),
            priority: Priority::new(3),
            src_port: None,
            dst_port: 200,
        };
        assert_eq!(list.flows(), [expected]);
    }

    #[test]
    fn optional_columns_are_read() {
        let text = "\"src\",\"dst\",\"size_bytes\",\"start_ns\",\"class\",\"priority\",\"src_port\"\n2,0,1,0,9,5,77\n";
        let flow = parse(text).unwrap().flows()[0];
        assert_eq!(
            (flow.class, flow.priority, flow.src_port),
            (ClassId(9), Priority::new(5), Some(77))
        );
    }

    #[test]
    fn the_result_of_a_run_can_be_replayed() {
        let header = "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,retransmitted_bytes";
        let list = parse(&format!("{header}\n0,1,2,0,1000,5,6000,5000,1.200000,0\n")).unwrap();
        assert_eq!(list.flows().len(), 1);
    }

    #[test]
    fn a_flow_may_wait_for_some_of_others() {
        let head = "id,src,dst,size_bytes,start_ns,after,after_count\na,0,1,9,0,,\nb,0,2,9,0,,\n";
        let list = parse(&format!("{head}c,0,3,9,0,a b,1\nd,0,3,9,0,a b,\n")).unwrap();
        let waits = list.waits.as_ref().expect("there is a column `after`");
        assert_eq!([0, 1, 2, 3].map(|flow| waits.needed(flow)), [0, 0, 1, 2]);
        for (count, says) in [
            ("3", "waits for 2 flows"),
            ("0", "not for 0"),
            ("x", "is not a number"),
        ] {
            let found = diagnostic(&format!("{head}c,0,3,9,0,a b,{count}\n"));
            assert_eq!(found.0, count);
            assert!(found.1.contains(says), "{found:?}");
        }
    }

    #[test]
    fn errors_are_pointed_at() {
        let row = |row: &str| diagnostic(&format!("{HEADER}0,1,10,0\n{row}\n"));
        assert_eq!(row("0,4,10,0").0, "4");
        assert_eq!(row("2,2,10,0").0, "2");
        assert_eq!(row("0,1,0,0").0, "0");
        assert_eq!(row("0,1,1e3,0").0, "1e3");
        assert_eq!(row("0,1,10,-5").0, "-5");
        assert_eq!(row("0,1,10").0, "0,1,10");
        assert!(row("0,1,10,-5").1.contains("before the start"));
        assert_eq!(diagnostic("src,dst,size,start_ns\n").0, "size");
        assert!(diagnostic("src,dst,size_bytes\n").1.contains("`start_ns`"));
        assert_eq!(diagnostic("src,dst,src,size_bytes,start_ns\n").0, "src");
        assert!(diagnostic("").1.contains("empty"));
        assert_eq!(
            diagnostic("src,dst,size_bytes,start_ns,priority\n0,1,10,0,8\n").0,
            "8"
        );
    }
}
