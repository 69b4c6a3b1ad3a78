//! Our own lists of operations: a CSV that any data-frame library writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration};
use serde::Deserialize;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::Loaded;
use super::assembly::{Assembly, MAX_RANKS, Placed, Stated};
use super::times::{Stated as Timed, Times};
use crate::collective::{CollectiveAlgorithm, CollectiveOperation};
use crate::graph::Operation;
use crate::text::{Columns, Piece, Row, Table, scaled_decimal};

/// The columns; the first three are required.
const COLUMNS: [&str; 15] = [
    "rank",
    "id",
    "op",
    "peer",
    "bytes",
    "tag",
    "duration_ns",
    "stream",
    "after",
    "after_start",
    "algorithm",
    "flops",
    "memory_bytes",
    "operation",
    "size",
];
const RANK: usize = 0;
const ID: usize = 1;
const OP: usize = 2;
const PEER: usize = 3;
const BYTES: usize = 4;
const TAG: usize = 5;
const DURATION: usize = 6;
const STREAM: usize = 7;
const AFTER: usize = 8;
const AFTER_START: usize = 9;
const ALGORITHM: usize = 10;
const FLOPS: usize = 11;
const MEMORY_BYTES: usize = 12;
const OPERATION: usize = 13;
const SIZE: usize = 14;

/// Returns the field of `row` in `column` unless it is empty.
fn given<'t>(row: &Row<'t>, column: usize) -> Option<Piece<'t>> {
    row.fields[column].filter(|field| !field.text.is_empty())
}

/// Returns the number in `column`, or `default` if the field is empty.
fn number<T: TryFrom<u64>>(row: &Row<'_>, column: usize, default: T) -> Result<T, InputError> {
    match given(row, column) {
        None => Ok(default),
        Some(field) => field.integer(
            &format!("a number for `{}`", COLUMNS[column]),
            "write a whole number that is not too large",
        ),
    }
}

fn needed<'t>(row: &Row<'t>, column: usize) -> Result<Piece<'t>, InputError> {
    given(row, column).ok_or_else(|| {
        row.line.error(
            format!("`{}` needs `{}`", row.field(OP).text, COLUMNS[column]),
            format!("fill the column `{}` in", COLUMNS[column]),
        )
    })
}

/// Reads a CSV with a header that names at least `rank`, `id` and `op`, in any order. `op` is
/// "send", "recv", "calc" or the name of a collective. `times` has the models of computing times.
///
/// # Errors
/// Returns the position of the invalid field, or an error of [`Assembly::finish`].
pub(super) fn parse(text: &str, mut times: Times<'_>) -> Result<Loaded, InputError> {
    let rows = rows(text)?;
    let mut ranks = 0;
    for row in &rows {
        let rank: u32 = number(row, RANK, u32::MAX)?;
        if rank >= MAX_RANKS {
            return Err(row.field(RANK).error(
                format!("`{}` is not the number of a rank", row.field(RANK).text),
                format!("number ranks from 0 to {}", MAX_RANKS - 1),
            ));
        }
        ranks = ranks.max(rank + 1);
    }
    let mut assembly = Assembly::new(ranks);
    let mut placed: BTreeMap<(u32, &str), Placed> = BTreeMap::new();
    let all: Arc<[u32]> = (0..ranks).collect();
    for row in &rows {
        let rank = number(row, RANK, 0)?;
        let id = needed(row, ID)?;
        let operation = operation(&mut assembly, rank, row, (&all, &mut times))?;
        if placed.insert((rank, id.text), operation).is_some() {
            return Err(id.error(
                format!("a second `{}` of rank {rank}", id.text),
                "use each id for one operation of its rank",
            ));
        }
    }
    for row in &rows {
        let rank = number(row, RANK, 0)?;
        let own = placed[&(rank, row.field(ID).text)];
        for column in [AFTER, AFTER_START] {
            for name in row.field(column).names() {
                let Some(&before) = placed.get(&(rank, name.text)) else {
                    return Err(name.error(
                        format!("rank {rank} has no operation `{}`", name.text),
                        "name ids of the same rank; a message is the way to wait for another one",
                    ));
                };
                if column == AFTER {
                    assembly.after_end(rank, own, before);
                } else {
                    assembly.after_start(rank, own, before);
                }
            }
        }
    }
    Ok(Loaded {
        used: times.used,
        ..assembly.finish(text)?
    })
}

fn rows(text: &str) -> Result<Vec<Row<'_>>, InputError> {
    let columns = Columns {
        names: &COLUMNS,
        required: OP + 1,
        is_ignored: |_| false,
    };
    let (table, lines) = Table::read(text, columns)?;
    let rows = lines.map(|line| table.row(line));
    let rows: Vec<Row<'_>> = rows.collect::<Result<_, _>>()?;
    if rows.is_empty() {
        return Err(table.without_rows("there are no operations", "add a row for each"));
    }
    Ok(rows)
}

fn operation<'t>(
    assembly: &mut Assembly<'t>,
    rank: u32,
    row: &Row<'t>,
    (all, times): (&Arc<[u32]>, &mut Times<'_>),
) -> Result<Placed, InputError> {
    let name = row.field(ID).text;
    let tag = u64::from(number::<u32>(row, TAG, 0)?);
    let op = row.field(OP);
    let operation = match op.text {
        "send" => Operation::Send {
            channel: number(row, STREAM, 0)?,
            to: peer(row)?,
            size: bytes(row)?,
            tag,
        },
        "recv" => Operation::Receive {
            from: peer(row)?,
            tag,
        },
        "calc" => Operation::Compute {
            stream: number(row, STREAM, 0)?,
            span: times.of(&timed(row)?)?,
        },
        _ => {
            let stated = stated(row, op, all)?;
            return assembly.collective(rank, name, stated);
        }
    };
    assembly.add(rank, name, operation, op)
}

/// Returns the statements of a row about its computing time.
fn timed<'t>(row: &Row<'t>) -> Result<Timed<'t>, InputError> {
    let duration = given(row, DURATION).map(|field| {
        let ps = scaled_decimal(field.text, 3).map_err(|_| {
            field.error(
                format!("`{}` is not a duration in nanoseconds", field.text),
                "write for example 1500 or 0.5",
            )
        });
        ps.map(Duration::from_ps)
    });
    let flops = given(row, FLOPS).map(|field| {
        scaled_decimal(field.text, 0).map_err(|_| {
            field.error(
                format!("`{}` is not a number of operations", field.text),
                "write for example 2147483648 or 1.5e12",
            )
        })
    });
    let is_work = flops.is_some() || given(row, MEMORY_BYTES).is_some();
    let work = (
        flops.transpose()?.unwrap_or(0),
        number(row, MEMORY_BYTES, 0)?,
    );
    let size = number(row, SIZE, 0)?;
    let profiled = match (given(row, OPERATION), given(row, SIZE)) {
        (Some(operation), Some(_)) => Some((operation, size)),
        (None, None) => None,
        (operation, _) => {
            let missing = operation.map_or(COLUMNS[OPERATION], |_| COLUMNS[SIZE]);
            return Err(row.line.error(
                format!("an operation of a profile needs `{missing}`"),
                "fill in both columns, `operation` and `size`, or neither",
            ));
        }
    };
    Ok(Timed {
        row: row.line,
        duration: duration.transpose()?,
        profiled,
        work: is_work.then_some(work),
    })
}

fn peer(row: &Row<'_>) -> Result<u32, InputError> {
    needed(row, PEER)?.integer("the number of a rank", "write the rank of the other end")
}

fn bytes(row: &Row<'_>) -> Result<Bytes, InputError> {
    let field = needed(row, BYTES)?;
    let bytes = field.integer("a number of bytes", "write a whole number")?;
    Ok(Bytes::new(bytes))
}

/// Reads a value of `choices!` by its name.
fn named<'d, T: Deserialize<'d>>(name: &'d str) -> Option<T> {
    T::deserialize(StrDeserializer::<ValueError>::new(name)).ok()
}

fn stated<'t>(row: &Row<'t>, op: Piece<'t>, all: &Arc<[u32]>) -> Result<Stated<'t>, InputError> {
    let operation: CollectiveOperation = named(op.text).ok_or_else(|| {
        op.error(
            format!("`{}` is no operation", op.text),
            "write send, recv, calc or a collective, such as all-reduce",
        )
    })?;
    let algorithm = match given(row, ALGORITHM) {
        None => None,
        Some(field) => Some(named::<CollectiveAlgorithm>(field.text).ok_or_else(|| {
            field.error(
                format!("`{}` is no algorithm of collectives", field.text),
                "write for example ring",
            )
        })?),
    };
    let members = match given(row, PEER) {
        None => Arc::clone(all),
        Some(field) => {
            let mut members = Vec::new();
            for name in field.names() {
                let rank: u32 = name.integer("the number of a rank", "write ranks, as 0;1;2")?;
                if rank as usize >= all.len() {
                    return Err(name.error(
                        format!("there is no rank {rank}"),
                        format!("write ranks from 0 to {}", all.len() - 1),
                    ));
                }
                members.push(rank);
            }
            members.sort_unstable();
            members.dedup();
            members.into()
        }
    };
    Ok(Stated {
        operation,
        algorithm,
        size: bytes(row)?,
        members,
        place: op,
    })
}
