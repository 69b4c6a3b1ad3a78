//! Requests to a language model: one row for each, in both directions.

use std::io::{self, Write};

use fabricsim_base::id::ClassId;
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Duration, Time};

use crate::table::Table;
use crate::write::{push_integer, push_nanoseconds};

/// Columns of a file of requests.
const COLUMNS: [&str; 14] = [
    "request",
    "class",
    "instance",
    "decode_instance",
    "input_tokens",
    "output_tokens",
    "arrival_ns",
    "completion_ns",
    "queueing_ns",
    "prefill_ns",
    "ttft_ns",
    "kv_transfer_ns",
    "tpot_ns",
    "e2e_ns",
];

/// A request that has been completed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ServingRecord {
    /// The number of the request in its workload, in the order of arrival.
    pub request: u32,
    /// The flow class of its workload.
    pub class: ClassId,
    /// The instance that computed its prompt.
    pub instance: u32,
    /// The instance that generated the tokens after the first one.
    pub decoder: u32,
    /// Tokens of the prompt.
    pub input: u32,
    /// Tokens of the response.
    pub output: u32,
    /// Time of its arrival.
    pub arrival: Time,
    /// Time of its last token.
    pub completion: Time,
    /// Time from its arrival to the beginning of its first step.
    pub queueing: Duration,
    /// Time from there to the end of the step that generated its first token.
    pub prefill: Duration,
    /// Time from its arrival to the delivery of the first token. If another instance decodes, this
    /// one delivers it when the KV cache has arrived.
    pub ttft: Duration,
    /// Time from the end of `prefill` to the arrival of its KV cache; zero without a transfer.
    pub kv_transfer: Duration,
}

impl ServingRecord {
    /// Returns the time from the arrival to the last token.
    #[must_use]
    pub fn e2e(&self) -> Duration {
        self.completion.since(self.arrival)
    }

    /// Returns the mean time of each token after the first one, or `None` if there is only one
    /// token.
    #[must_use]
    pub fn tpot(&self) -> Option<Duration> {
        let further = u64::from(self.output).checked_sub(1)?;
        let span = self.e2e().saturating_sub(self.ttft);
        Some(Duration::from_ps(span.as_ps().checked_div(further)?))
    }
}

/// Writes `records` as CSV, in the given order; times as in the file of flows. A request of one
/// token has the time 0 for each further token.
///
/// # Errors
/// Fails if `out` fails.
pub fn write_serving(mut out: impl Write, records: &[ServingRecord]) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))?;
    let mut row = Vec::new();
    for record in records {
        row.clear();
        for value in [
            record.request,
            u32::from(record.class.0),
            record.instance,
            record.decoder,
            record.input,
            record.output,
        ] {
            push_integer(&mut row, u64::from(value));
            row.push(b',');
        }
        let times = [
            record.arrival.as_ps(),
            record.completion.as_ps(),
            record.queueing.as_ps(),
            record.prefill.as_ps(),
            record.ttft.as_ps(),
            record.kv_transfer.as_ps(),
            record.tpot().unwrap_or_default().as_ps(),
            record.e2e().as_ps(),
        ];
        for (ps, number) in times.into_iter().zip(1..) {
            push_nanoseconds(&mut row, ps);
            row.push(if number == times.len() { b'\n' } else { b',' });
        }
        out.write_all(&row)?;
    }
    Ok(())
}

/// Reads a `requests.csv`, in the order of its rows. The header names the columns, in any order.
///
/// # Errors
/// Fails at the offending word: a missing column, a row of another length than the header, a number
/// that is malformed or too large.
pub fn read_serving(text: &str) -> Result<Vec<ServingRecord>, InputError> {
    let table = Table::new(text, "a file of requests")?;
    let at = table.positions(COLUMNS)?;
    table.read(|_, _, fields| {
        let time = |place: usize| fields[at[place]].nanoseconds(COLUMNS[place]);
        Ok(ServingRecord {
            request: fields[at[0]].integer(COLUMNS[0])?,
            class: ClassId(fields[at[1]].integer(COLUMNS[1])?),
            instance: fields[at[2]].integer(COLUMNS[2])?,
            decoder: fields[at[3]].integer(COLUMNS[3])?,
            input: fields[at[4]].integer(COLUMNS[4])?,
            output: fields[at[5]].integer(COLUMNS[5])?,
            arrival: Time::from_ps(time(6)?),
            completion: Time::from_ps(time(7)?),
            queueing: Duration::from_ps(time(8)?),
            prefill: Duration::from_ps(time(9)?),
            ttft: Duration::from_ps(time(10)?),
            kv_transfer: Duration::from_ps(time(11)?),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_exact_and_are_read_as_they_were_written() {
        let record = ServingRecord {
            request: 7,
            class: ClassId(1),
            instance: 2,
            decoder: 3,
            input: 512,
            output: 3,
            arrival: Time::from_ps(1_000_500),
            completion: Time::from_ps(9_000_500),
            queueing: Duration::from_ns(500),
            prefill: Duration::from_ns(1_500),
            ttft: Duration::from_ns(2_000),
            kv_transfer: Duration::from_ns(1_000),
        };
        let mut text = Vec::new();
        write_serving(&mut text, &[record]).expect("memory");
        let text = String::from_utf8(text).expect("text");
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(
            rows[1],
            "7,1,2,3,512,3,1000.5,9000.5,500,1500,2000,1000,3000,8000"
        );
        assert_eq!(read_serving(&text).expect("a good file"), [record]);
        let single = ServingRecord {
            output: 1,
            ..record
        };
        assert_eq!(single.tpot(), None);
        let error = read_serving("request,class\n1,2\n").expect_err("columns are missing");
        assert!(error.message.contains("instance"), "{}", error.message);
    }
}
