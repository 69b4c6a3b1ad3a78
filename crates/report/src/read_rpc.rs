//! Reading of query files.

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::rpc::RpcRecord;
use crate::table::Table;

/// Columns that a file of queries must have.
const COLUMNS: [&str; 10] = [
    "query",
    "class",
    "client",
    "server",
    "connection",
    "query_bytes",
    "response_bytes",
    "issue_ns",
    "completion_ns",
    "ideal_qct_ns",
];

/// Reads an `rpc.csv`, in the order of its rows. The header names the columns, in any order.
///
/// # Errors
/// Fails at the offending word: a missing column, a row of another length than the header, a number
/// that is malformed or too large.
pub fn read_rpc(text: &str) -> Result<Vec<RpcRecord>, InputError> {
    let table = Table::new(text, "a file of queries")?;
    let [
        query,
        class,
        client,
        server,
        connection,
        size,
        response,
        issue,
        completion,
        ideal,
    ] = table.positions(COLUMNS)?;
    table.read(|_, _, fields| {
        Ok(RpcRecord {
            query: FlowId(fields[query].integer("query")?),
            class: ClassId(fields[class].integer("class")?),
            client: NodeId(fields[client].integer("client")?),
            server: NodeId(fields[server].integer("server")?),
            connection: FlowId(fields[connection].integer("connection")?),
            size: Bytes::new(fields[size].integer("query_bytes")?),
            response: Bytes::new(fields[response].integer("response_bytes")?),
            issue: Time::from_ps(fields[issue].nanoseconds("issue_ns")?),
            completion: Time::from_ps(fields[completion].nanoseconds("completion_ns")?),
            ideal: Duration::from_ps(fields[ideal].nanoseconds("ideal_qct_ns")?),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::tests::query;
    use crate::rpc::write_rpc;

    #[test]
    fn what_is_written_is_read() {
        let record = query();
        let mut text = Vec::new();
        write_rpc(&mut text, &[record, record]).expect("memory");
        let text = String::from_utf8(text).expect("text");
        assert_eq!(read_rpc(&text).expect("a good file"), [record, record]);
        let error = read_rpc("query,class\n1,2\n").expect_err("columns are missing");
        assert!(error.message.contains("client"), "{}", error.message);
    }
}
