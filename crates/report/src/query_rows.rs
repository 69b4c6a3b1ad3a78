//! Results of queries that packets carry (PINT): the rows of a `query_NAME.csv`.

use fabricsim_base::input::InputError;

use crate::columns::Word;
use crate::table::Table;

/// The flow of a row: its number, source and destination; empty if packets of the row may differ in
/// it.
pub type QueryFlow = [Option<u32>; 3];

/// The path of a flow, or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathRow {
    /// Switches on the path.
    pub switches: u8,
    /// Packets that arrived with a digest.
    pub packets: u64,
    /// Packets until every hop was known, if it was.
    pub packets_to_decode: Option<u64>,
    /// `true` if the path is the one of the packets; unknown if ports are traced.
    pub correct: Option<bool>,
    /// `true` if a change of the path ended this part of the flow.
    pub changed: bool,
}

/// A statistic of the values at one hop of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct HopRow {
    /// The flow.
    pub flow: QueryFlow,
    /// The hop, from 1 at the sender.
    pub hop: u8,
    /// Name of the statistic, such as `p99`.
    pub statistic: String,
    /// Estimate from the digests, if there are any.
    pub estimate: Option<f64>,
    /// The true value, if it was recorded.
    pub truth: Option<f64>,
    /// `true` if the estimate is the largest value of the code.
    pub clipped: bool,
    /// Digests of the hop.
    pub digests: u64,
}

/// A statistic of the numbers in the packets of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketRow {
    /// Name of the statistic, such as `p99`.
    pub statistic: String,
    /// `true` if the estimate is the largest value of the code.
    pub clipped: bool,
    /// Packets with a digest.
    pub digests: u64,
}

/// The results of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryRows {
    /// Paths of flows (a static query).
    Paths(Vec<PathRow>),
    /// Values at hops (a dynamic query).
    Hops(Vec<HopRow>),
    /// One number of each packet (`max`, `min` or `sum`).
    Packets(Vec<PacketRow>),
}

impl HopRow {
    /// Returns estimate / truth - 1; `None` if one of them is missing or the truth is zero.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let truth = self.truth.filter(|truth| *truth > 0.0)?;
        Some(self.estimate? / truth - 1.0)
    }
}

/// Reads a `query_NAME.csv`. The header tells which kind of query it is.
///
/// # Errors
/// Fails at the offending word: a header of no such file, a missing column, a row of another length
/// than the header, a value that cannot be read.
pub fn read_query(text: &str) -> Result<QueryRows, InputError> {
    let table = Table::new(text, "a file of query results")?;
    if table.position("packets_to_decode").is_some() {
        return Ok(QueryRows::Paths(paths(table)?));
    }
    let find = |prefix: &str| {
        let names = table.names().iter();
        let mut names = names.filter(|name| name.text.starts_with(prefix));
        names.next().map(|name| name.text.to_owned())
    };
    match (find("estimate_"), find("truth_")) {
        (Some(estimate), Some(truth)) => Ok(QueryRows::Hops(hops(table, &estimate, &truth)?)),
        (Some(_), None) => Ok(QueryRows::Packets(packets(table)?)),
        (None, _) => Err(InputError::new(
            0..text.lines().next().map_or(0, str::len),
            "this is no file of query results",
            "give a query_NAME.csv, which has a column `packets_to_decode` or `estimate_UNIT`",
        )),
    }
}

fn paths(table: Table<'_>) -> Result<Vec<PathRow>, InputError> {
    let places = table.positions([
        "hops",
        "packets",
        "packets_to_decode",
        "correct",
        "ended_by",
    ])?;
    table.read(|_, _, fields| {
        let [hops, packets, needed, correct, ended] = places.map(|place| fields[place]);
        Ok(PathRow {
            switches: hops.integer("hops")?,
            packets: packets.integer("packets")?,
            packets_to_decode: unless_empty(needed, |word| word.integer("packets_to_decode"))?,
            correct: unless_empty(correct, |word| truth_value(word, "correct"))?,
            changed: !ended.text.is_empty(),
        })
    })
}

fn hops(table: Table<'_>, estimate: &str, truth: &str) -> Result<Vec<HopRow>, InputError> {
    let places = table.positions([
        "flow",
        "src",
        "dst",
        "hop",
        "statistic",
        estimate,
        truth,
        "clipped",
        "digests",
    ])?;
    table.read(|_, _, fields| {
        let [
            flow,
            src,
            dst,
            hop,
            statistic,
            value,
            truth_word,
            clipped,
            digests,
        ] = places.map(|place| fields[place]);
        Ok(HopRow {
            flow: [
                unless_empty(flow, |word| word.integer("flow"))?,
                unless_empty(src, |word| word.integer("src"))?,
                unless_empty(dst, |word| word.integer("dst"))?,
            ],
            hop: hop.integer("hop")?,
            statistic: statistic.text.to_owned(),
            estimate: unless_empty(value, |word| word.number(estimate))?,
            truth: unless_empty(truth_word, |word| word.number(truth))?,
            clipped: unless_empty(clipped, |word| truth_value(word, "clipped"))? == Some(true),
            digests: digests.integer("digests")?,
        })
    })
}

fn packets(table: Table<'_>) -> Result<Vec<PacketRow>, InputError> {
    let places = table.positions(["statistic", "clipped", "digests"])?;
    table.read(|_, _, fields| {
        let [statistic, clipped, digests] = places.map(|place| fields[place]);
        Ok(PacketRow {
            statistic: statistic.text.to_owned(),
            clipped: unless_empty(clipped, |word| truth_value(word, "clipped"))? == Some(true),
            digests: digests.integer("digests")?,
        })
    })
}

/// Reads a cell that may be empty.
fn unless_empty<T>(
    word: Word<'_>,
    read: impl FnOnce(Word<'_>) -> Result<T, InputError>,
) -> Result<Option<T>, InputError> {
    match word.text.is_empty() {
        true => Ok(None),
        false => read(word).map(Some),
    }
}

fn truth_value(word: Word<'_>, column: &str) -> Result<bool, InputError> {
    match word.text {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(word.error(
            format!("`{other}` in the column `{column}`"),
            "write true or false",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_query_is_recognized_by_its_header() {
        let text = "flow,src,dst,part,hops,packets,packets_to_decode,decoded_ns,path,correct,\
                    unnoticed_packets,ended_by\n\
                    7,0,9,1,5,12,8,100.5,16 17 18 19 20,true,0,\n\
                    8,0,9,1,3,2,,,,,0,\"a packet passed 3 switches, those before 5\"\n";
        let Ok(QueryRows::Paths(rows)) = read_query(text) else {
            panic!("paths");
        };
        assert_eq!(rows[0].packets_to_decode, Some(8));
        assert_eq!((rows[0].correct, rows[0].changed), (Some(true), false));
        assert_eq!((rows[1].packets_to_decode, rows[1].changed), (None, true));
        let text = "flow,src,dst,hop,statistic,share,estimate_bytes,truth_bytes,relative_error,\
                    clipped,digests,packets\n,3,4,2,p99,,110,100,0.1,false,40,50\n";
        let Ok(QueryRows::Hops(rows)) = read_query(text) else {
            panic!("hops");
        };
        assert_eq!(rows[0].flow, [None, Some(3), Some(4)]);
        assert!((rows[0].error().expect("an error") - 0.1).abs() < 1e-12);
        let text = "flow,src,dst,statistic,share,estimate_thousandths,clipped,digests\n\
                    1,3,4,p50,,20,true,4\n";
        let Ok(QueryRows::Packets(rows)) = read_query(text) else {
            panic!("packets");
        };
        assert!(rows[0].clipped && rows[0].digests == 4);
    }

    #[test]
    fn errors_are_at_the_word() {
        let text = "src,dst,size_bytes\n1,2,3\n";
        let error = read_query(text).expect_err("no query");
        assert_eq!(&text[error.span], "src,dst,size_bytes");
        let text = "statistic,estimate_ns,clipped,digests\np50,1,yes,3\n";
        let error = read_query(text).expect_err("no truth value");
        assert_eq!(&text[error.span], "yes");
    }
}
