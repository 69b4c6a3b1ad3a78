//! Matching of the flows of two results.

use std::cmp::Ordering;
use std::io::{self, Write};

use crate::record::FctRecord;
use crate::write::{push_integer, push_nanoseconds, push_slowdown};

/// Largest difference between a flow's start times in two files, in whole ns: the published
/// simulator truncates start times, which can lose a nanosecond.
const START_TOLERANCE_NS: u64 = 1;

/// The header of [`Pairing::write_csv`].
pub const PAIRING_HEADER: &str = "src,dst,size_bytes,start_ns,fct_a_ns,fct_b_ns,ratio,\
                                  ideal_fct_a_ns,ideal_fct_b_ns,slowdown_a,slowdown_b";

/// Bytes to buffer before writing them out.
const BUFFER: usize = 64 * 1024;

/// The flows of two results, matched. Each list is in the order of source, destination, size and
/// start.
///
/// Two flows match if source, destination and size are equal and the starts, truncated to whole
/// nanoseconds, differ by at most one. If there are several such flows, flow k of one result
/// matches flow k of the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairing {
    /// Flows of both results: the record of the first result and of the second.
    pub both: Vec<(FctRecord, FctRecord)>,
    /// Flows that only the first result has.
    pub only_first: Vec<FctRecord>,
    /// Flows that only the second result has.
    pub only_second: Vec<FctRecord>,
}

impl Pairing {
    /// Matches `first` with `second`, both in any order.
    #[must_use]
    pub fn new(first: &[FctRecord], second: &[FctRecord]) -> Self {
        let pair = |r: &FctRecord| (r.src, r.dst, r.size);
        let sorted = |records: &[FctRecord]| {
            let mut records = records.to_vec();
            records.sort_by_key(|record| (pair(record), record.start.as_ns()));
            records
        };
        let (first, second) = (sorted(first), sorted(second));
        let (mut i, mut j) = (0, 0);
        let mut pairing = Self::default();
        while let (Some(a), Some(b)) = (first.get(i), second.get(j)) {
            let (start_a, start_b) = (a.start.as_ns(), b.start.as_ns());
            let order = pair(a).cmp(&pair(b));
            match order {
                Ordering::Equal if start_a.abs_diff(start_b) <= START_TOLERANCE_NS => {
                    pairing.both.push((*a, *b));
                    i += 1;
                    j += 1;
                }
                _ => match order.then(start_a.cmp(&start_b)) {
                    Ordering::Less => {
                        pairing.only_first.push(*a);
                        i += 1;
                    }
                    Ordering::Equal | Ordering::Greater => {
                        pairing.only_second.push(*b);
                        j += 1;
                    }
                },
            }
        }
        pairing.only_first.extend_from_slice(&first[i..]);
        pairing.only_second.extend_from_slice(&second[j..]);
        pairing
    }

    /// Writes every flow as a row under [`PAIRING_HEADER`]: first the flows of both results, then
    /// the flows of the first alone, then the flows of the second alone. Columns of the missing
    /// result are empty.
    ///
    /// The start is the first result's if it has the flow. `ratio` is the first completion time
    /// over the second, with six decimals.
    ///
    /// # Errors
    /// Fails if `out` fails.
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(BUFFER + 256);
        buffer.extend_from_slice(PAIRING_HEADER.as_bytes());
        buffer.push(b'\n');
        let both = self.both.iter().map(|(a, b)| (Some(a), Some(b)));
        let first = self.only_first.iter().map(|a| (Some(a), None));
        let second = self.only_second.iter().map(|b| (None, Some(b)));
        for (a, b) in both.chain(first).chain(second) {
            push_row(&mut buffer, a, b);
            if buffer.len() >= BUFFER {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)?;
        out.flush()
    }
}

/// Returns the completion time of `first` divided by the completion time of `second`.
pub(crate) fn ratio(first: &FctRecord, second: &FctRecord) -> f64 {
    first.fct.as_ps().max(1) as f64 / second.fct.as_ps().max(1) as f64
}

fn push_row(buffer: &mut Vec<u8>, a: Option<&FctRecord>, b: Option<&FctRecord>) {
    let Some(flow) = a.or(b) else { return };
    for value in [
        u64::from(flow.src.0),
        u64::from(flow.dst.0),
        flow.size.get(),
    ] {
        push_integer(buffer, value);
        buffer.push(b',');
    }
    push_nanoseconds(buffer, flow.start.as_ps());
    for record in [a, b] {
        buffer.push(b',');
        if let Some(record) = record {
            push_nanoseconds(buffer, record.fct.as_ps());
        }
    }
    buffer.push(b',');
    if let (Some(a), Some(b)) = (a, b) {
        buffer.extend_from_slice(format!("{:.6}", ratio(a, b)).as_bytes());
    }
    for record in [a, b] {
        buffer.push(b',');
        if let Some(record) = record {
            push_nanoseconds(buffer, record.ideal.as_ps());
        }
    }
    for record in [a, b] {
        buffer.push(b',');
        if let Some(record) = record {
            push_slowdown(buffer, record);
        }
    }
    buffer.push(b'\n');
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::NodeId;
    use fabricsim_base::units::Time;

    use super::*;
    use crate::record::testing::record;

    fn at(start_ns: u64, fct_ns: u64) -> FctRecord {
        FctRecord {
            start: Time::from_ns(start_ns),
            ..record(10, fct_ns, 1_000)
        }
    }

    #[test]
    fn starts_may_be_cut() {
        let exact = FctRecord {
            start: Time::from_ps(577_900),
            ..at(0, 1_000)
        };
        let matched = |start| Pairing::new(&[exact], &[at(start, 1_000)]).both.len();
        assert_eq!([575, 576, 577, 578, 579].map(matched), [0, 1, 1, 1, 0]);
    }

    #[test]
    fn repeated_flows_are_matched_in_order() {
        let first = [at(5, 1_000), at(5, 2_000), at(5, 3_000)];
        let second = [at(5, 1_000), at(5, 2_000)];
        let pairing = Pairing::new(&first, &second);
        let expected = Pairing {
            both: vec![(first[0], second[0]), (first[1], second[1])],
            only_first: vec![first[2]],
            only_second: Vec::new(),
        };
        assert_eq!(pairing, expected);
    }

    #[test]
    fn every_flow_has_a_row() {
        let elsewhere = FctRecord {
            dst: NodeId(7),
            ..at(3, 2_500)
        };
        let half = FctRecord {
            start: Time::from_ps(5_250),
            ..at(0, 1_500)
        };
        let mut csv = Vec::new();
        Pairing::new(&[half, elsewhere], &[at(5, 1_000), at(9, 1_250)])
            .write_csv(&mut csv)
            .unwrap();
        let expected = format!(
            "{PAIRING_HEADER}\n\
             0,1,10,5.25,1500,1000,1.500000,1000,1000,1.500000,1.000000\n\
             0,7,10,3,2500,,,1000,,2.500000,\n\
             0,1,10,9,,1250,,,1000,,1.250000\n"
        );
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
    }
}
