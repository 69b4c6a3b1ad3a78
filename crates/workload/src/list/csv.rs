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
use crate::text::{Columns, Row, Table};

/// The columns; the first four are required.
const COLUMNS: [&str; 11] = [
    "src",
    "dst",
    "size_bytes",
    "start_ns",
    "class",
    "priority",
    "src_port",
    "dst_port",
    "id",
    "after",
    "after_count",
];
const SRC: usize = 0;
const DST: usize = 1;
const SIZE: usize = 2;
const START: usize = 3;
const CLASS: usize = 4;
const PRIORITY: usize = 5;
const SRC_PORT: usize = 6;
const DST_PORT: usize = 7;
const ID: usize = 8;
const AFTER: usize = 9;
const AFTER_COUNT: usize = 10;

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
    let columns = Columns {
        names: &COLUMNS,
        required: START + 1,
        is_ignored: |name| IGNORED.contains(&name),
    };
    let (table, lines) = Table::read(text, columns)?;
    let hosts = HostSet::new(context);
    let waits = table.name(AFTER).is_some();
    // Hosts choose the source ports of flows that wait, so the list cannot state them.
    if waits && let Some(name) = table.name(SRC_PORT) {
        return Err(name.error(
            "dependent flows get their source ports from their hosts",
            "leave out `src_port` or `after`",
        ));
    }
    let (mut flows, mut stated) = (Vec::new(), Vec::new());
    for line in lines {
        let row = table.row(line)?;
        flows.push(flow(&row, &hosts)?);
        if waits {
            stated.push(Stated {
                id: row.field(ID),
                after: row.field(AFTER),
                needed: row.fields[AFTER_COUNT],
            });
        }
    }
    // Classes in the file have precedence over the class of the workload.
    let classes = if table.name(CLASS).is_some() {
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

fn flow(row: &Row<'_>, hosts: &HostSet<'_>) -> Result<FlowRequest, InputError> {
    let (src, dst) = hosts.pair(row.field(SRC), row.field(DST))?;
    let class = match row.fields[CLASS] {
        Some(field) => field.integer("a class", "a class is a whole number from 0 to 65535")?,
        None => 0,
    };
    Ok(FlowRequest {
        src,
        dst,
        size: row::size(row.field(SIZE))?,
        start: row::time(row.field(START), 3, "nanoseconds")?,
        class: ClassId(class),
        priority: row.fields[PRIORITY]
            .map_or(Ok(Priority::new(DEFAULT_PRIORITY)), row::priority)?,
        src_port: row.fields[SRC_PORT].map(row::port).transpose()?,
        dst_port: row.fields[DST_PORT].map_or(Ok(DEFAULT_DST_PORT), row::port)?,
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
