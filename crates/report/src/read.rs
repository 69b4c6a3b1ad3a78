//! Result files: ours and the published HPCC simulator's.

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::columns::{Word, lines};
use crate::record::FctRecord;
use crate::table::Table;

/// Columns that a result file must have; the columns of the next list are optional.
const REQUIRED: [&str; 6] = [
    "src",
    "dst",
    "size_bytes",
    "start_ns",
    "fct_ns",
    "ideal_fct_ns",
];
const OPTIONAL: [&str; 3] = ["flow", "class", "retransmitted_bytes"];

/// Reads a result file of either format: ours if its first line has commas, otherwise the published
/// simulator's.
///
/// # Errors
/// Fails at the offending word, as in [`read_fct`] or [`read_hpcc_fct`].
pub fn read_any_fct(text: &str) -> Result<Vec<FctRecord>, InputError> {
    match lines(text).next() {
        Some(line) if !line.text.contains(',') => read_hpcc_fct(text),
        _ => read_fct(text),
    }
}

/// Reads our result file, in the order of its rows.
///
/// The header names the columns, in any order. Without `flow`, rows number the flows; without
/// `class` and `retransmitted_bytes`, these are zero. Other columns are ignored: the slowdown
/// follows from the times.
///
/// # Errors
/// Fails at the offending word: a missing column, a row of another length than the header, a number
/// that is malformed or too large.
pub fn read_fct(text: &str) -> Result<Vec<FctRecord>, InputError> {
    let table = Table::new(text, "a result file")?;
    let [src, dst, size, start, fct, ideal] = table.positions(REQUIRED)?;
    let [flow, class, retransmitted] = OPTIONAL.map(|name| table.position(name));
    table.read(|row, line, fields| {
        Ok(FctRecord {
            flow: match flow {
                Some(i) => FlowId(fields[i].integer("flow")?),
                None => row_number(row, line)?,
            },
            src: NodeId(fields[src].integer("src")?),
            dst: NodeId(fields[dst].integer("dst")?),
            class: ClassId(class.map_or(Ok(0), |i| fields[i].integer("class"))?),
            size: Bytes::new(fields[size].integer("size_bytes")?),
            start: Time::from_ps(fields[start].nanoseconds("start_ns")?),
            fct: Duration::from_ps(fields[fct].nanoseconds("fct_ns")?),
            ideal: Duration::from_ps(fields[ideal].nanoseconds("ideal_fct_ns")?),
            retransmitted: Bytes::new(
                retransmitted.map_or(Ok(0), |i| fields[i].integer("retransmitted_bytes"))?,
            ),
        })
    })
}

/// Reads the published simulator's `fct.txt`: lines
/// `sip dip sport dport size start_ns fct_ns ideal_ns` without a header, in the order of
/// completion.
///
/// Addresses are eight hexadecimal digits `0bNNNNxx` with the node's number in the middle, or
/// decimal node numbers in files of related simulators. Lines number the flows. That simulator
/// distinguishes classes by destination port (100 background, 200 incast), so the port becomes the
/// class.
///
/// # Errors
/// Fails at the offending word: a line without exactly eight words, a number that is malformed or
/// too large.
pub fn read_hpcc_fct(text: &str) -> Result<Vec<FctRecord>, InputError> {
    const FIELDS: &str =
        "a line has eight fields: sip dip sport dport size start_ns fct_ns ideal_ns";
    let mut records = Vec::new();
    for line in lines(text) {
        let mut words = line.words();
        let fields: [Option<Word<'_>>; 8] = std::array::from_fn(|_| words.next());
        let [
            Some(sip),
            Some(dip),
            Some(_),
            Some(dport),
            Some(size),
            Some(start),
            Some(fct),
            Some(ideal),
        ] = fields
        else {
            return Err(line.error("the line stops too soon", FIELDS));
        };
        if let Some(extra) = words.next() {
            return Err(extra.error("a ninth field", FIELDS));
        }
        records.push(FctRecord {
            flow: row_number(records.len(), line)?,
            src: node(sip)?,
            dst: node(dip)?,
            class: ClassId(dport.integer("dport")?),
            size: Bytes::new(size.integer("size")?),
            start: Time::from_ps(start.nanoseconds("start_ns")?),
            fct: Duration::from_ps(fct.nanoseconds("fct_ns")?),
            ideal: Duration::from_ps(ideal.nanoseconds("ideal_ns")?),
            retransmitted: Bytes::ZERO,
        });
    }
    Ok(records)
}

fn row_number(rows: usize, line: Word<'_>) -> Result<FlowId, InputError> {
    let number = u32::try_from(rows);
    number
        .map(FlowId)
        .map_err(|_| line.error("more than 2^32 flows", "split the file"))
}

/// Parses a hexadecimal address or a decimal node number.
fn node(word: Word<'_>) -> Result<NodeId, InputError> {
    const HEX_DIGITS: usize = 8;
    if word.text.len() != HEX_DIGITS {
        return word.integer("a node's number").map(NodeId);
    }
    match u32::from_str_radix(word.text, 16) {
        Ok(address) => Ok(NodeId((address >> 8) & 0xffff)),
        Err(_) => Err(word.error(
            format!("`{}` is not an address", word.text),
            "write eight hexadecimal digits such as 0b002301 (node 35)",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_published_form() {
        let records =
            read_hpcc_fct("0b002301 0b001401 10000 100 77908 2000005948 18985 18772\n").unwrap();
        let record = records[0];
        assert_eq!((record.src, record.dst), (NodeId(35), NodeId(20)));
        assert_eq!(record.class, ClassId(100));
        assert_eq!(record.size, Bytes::new(77_908));
        assert_eq!(record.start, Time::from_ns(2_000_005_948));
        assert_eq!(record.fct, Duration::from_ns(18_985));
        assert_eq!(record.ideal, Duration::from_ns(18_772));
    }

    #[test]
    fn reads_decimal_nodes() {
        let records = read_hpcc_fct("35 20 10000 100 77908 2000005948 18985 18772\n").unwrap();
        assert_eq!((records[0].src, records[0].dst), (NodeId(35), NodeId(20)));
    }

    #[test]
    fn columns_may_come_in_any_order() {
        let text =
            "fct_ns,note,dst,src,ideal_fct_ns,start_ns,size_bytes\n6000.5,x,2,1,5000,7,1000\n\n";
        let record = read_fct(text).unwrap()[0];
        assert_eq!(
            (record.flow, record.src, record.dst),
            (FlowId(0), NodeId(1), NodeId(2))
        );
        assert_eq!(record.fct, Duration::from_ps(6_000_500));
        assert_eq!(record.retransmitted, Bytes::ZERO);
    }

    #[test]
    fn either_form_is_recognized() {
        let ours = "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns\n35,20,77908,7,18985,18772\n";
        let theirs = "\n0b002301 0b001401 10000 100 77908 7 18985 18772\n";
        for text in [ours, theirs] {
            let record = read_any_fct(text).unwrap()[0];
            assert_eq!((record.src, record.dst), (NodeId(35), NodeId(20)));
            assert_eq!(record.fct, Duration::from_ns(18_985));
        }
        assert!(read_any_fct("").is_err());
    }

    /// Returns the text at which the error points.
    fn place(text: &str, read: fn(&str) -> Result<Vec<FctRecord>, InputError>) -> &str {
        let error = read(text).expect_err("refused");
        &text[error.span]
    }

    #[test]
    fn errors_are_pointed_at() {
        let header = "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns";
        assert_eq!(place("", read_fct), "");
        assert_eq!(
            place("src,dst,size_bytes\n", read_fct),
            "src,dst,size_bytes"
        );
        assert_eq!(
            place(&format!("{header}\n0,1,10,0\n"), read_fct),
            "0,1,10,0"
        );
        assert_eq!(place(&format!("{header}\n0,1,10,0,x,5\n"), read_fct), "x");
        assert_eq!(
            place("0b002301 0b001401 1 100 7 2 1\n", read_hpcc_fct),
            "0b002301 0b001401 1 100 7 2 1"
        );
        assert_eq!(
            place("0b00230g 0b001401 1 100 7 2 1 1\n", read_hpcc_fct),
            "0b00230g"
        );
        assert_eq!(
            place("0b002301 0b001401 1 100 -7 2 1 1\n", read_hpcc_fct),
            "-7"
        );
        assert_eq!(
            place("0b002301 0b001401 1 100 7 2 1 1 9\n", read_hpcc_fct),
            "9"
        );
    }
}
