//! Traces of requests.
//!
//! Two headers: `TIMESTAMP,ContextTokens,GeneratedTokens` of Azure's LLM inference traces (2023:
//! Patel et al., Splitwise, ISCA 2024; 2024: Stojkovic et al., `DynamoLLM`, HPCA 2025), and
//! `arrival_s,input_tokens,output_tokens`.

use fabricsim_base::input::InputError;
use fabricsim_base::limits::MAX_DURATION;
use fabricsim_base::units::Duration;

use super::requests::{MOST_TOKENS, ServingRequest};
use crate::text::{Columns, DecimalError, Piece, Table, lines, scaled_decimal};

/// The columns of the two forms.
const AZURE: [&str; 3] = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"];
const OWN: [&str; 3] = ["arrival_s", "input_tokens", "output_tokens"];

const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// Reads a trace. Arrivals count from the first one; they must not decrease.
pub(super) fn read_trace(text: &str) -> Result<Vec<ServingRequest>, InputError> {
    let is_azure = lines(text)
        .next()
        .is_some_and(|header| header.text.contains(AZURE[0]));
    let columns = Columns {
        names: if is_azure { &AZURE } else { &OWN },
        required: 3,
        is_ignored: |_| true,
    };
    let (table, lines) = Table::read(text, columns)?;
    let mut requests: Vec<ServingRequest> = Vec::new();
    let mut first = None;
    for line in lines {
        let row = table.row(line)?;
        let [time, input, output] = [0, 1, 2].map(|column| row.field(column));
        let at = if is_azure {
            timestamp(&time)?
        } else {
            u128::from(seconds(&time)?)
        };
        let from = *first.get_or_insert(if is_azure { at } else { 0 });
        let before = requests
            .last()
            .map_or(0, |last| u128::from(last.arrival.as_ps()));
        let arrival = (at.checked_sub(from)).filter(|arrival| *arrival >= before);
        let arrival = arrival.ok_or_else(|| {
            time.error(
                "earlier than the request before it",
                "sort the requests by time",
            )
        })?;
        let arrival = u64::try_from(arrival).ok();
        let arrival = arrival.filter(|arrival| *arrival <= MAX_DURATION.as_ps());
        let arrival = arrival.ok_or_else(|| {
            time.error(
                format!("too late: {MAX_DURATION} is the most that can be simulated"),
                "cut the trace",
            )
        })?;
        requests.push(ServingRequest {
            arrival: Duration::from_ps(arrival),
            input: tokens(&input)?,
            // A few rows of Azure's traces generate nothing; the first token ends them.
            output: if is_azure && output.text == "0" {
                1
            } else {
                tokens(&output)?
            },
        });
    }
    if requests.is_empty() {
        return Err(table.without_rows("there are no requests", "add rows"));
    }
    Ok(requests)
}

fn tokens(piece: &Piece<'_>) -> Result<u32, InputError> {
    let help = "write a number of tokens from 1 to 1048576";
    let tokens: u32 = piece.integer("a number of tokens", help)?;
    if (1..=MOST_TOKENS).contains(&tokens) {
        return Ok(tokens);
    }
    Err(piece.error(format!("{tokens} tokens cannot be simulated"), help))
}

fn seconds(piece: &Piece<'_>) -> Result<u64, InputError> {
    scaled_decimal(piece.text, 12).map_err(|error| {
        let message = match error {
            DecimalError::Malformed => format!("`{}` is not a time in seconds", piece.text),
            DecimalError::Negative => format!("`{}` is before the start", piece.text),
            DecimalError::TooLarge => format!("`{}` is too late", piece.text),
        };
        piece.error(message, "write seconds, such as 0.25")
    })
}

/// Reads `2023-11-16 18:15:46.6805900`, with or without the zone `+00:00` of the traces of 2024, as
/// picoseconds since the beginning of 2000.
fn timestamp(piece: &Piece<'_>) -> Result<u128, InputError> {
    let wrong = || {
        piece.error(
            format!("`{}` is not a time", piece.text),
            "write it as Azure's traces: 2023-11-16 18:15:46.6805900",
        )
    };
    let read = || -> Option<u128> {
        let text = piece.text.strip_suffix("+00:00").unwrap_or(piece.text);
        let (date, time) = text.split_once([' ', 'T'])?;
        let number = |part: Option<&str>, least: u64, most: u64| {
            let number = part?.parse::<u64>().ok()?;
            (least..=most).contains(&number).then_some(number)
        };
        let mut date = date.split('-');
        let year = number(date.next(), 2000, 2099)?;
        let month = number(date.next(), 1, 12)?;
        let day = number(date.next(), 1, 31)?;
        let mut time = time.splitn(3, ':');
        let hour = number(time.next(), 0, 23)?;
        let minute = number(time.next(), 0, 59)?;
        let second = scaled_decimal(time.next()?, 12).ok()?;
        let is_whole = date.next().is_none() && second < 61 * PS_PER_SECOND;
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute;
        let whole = u128::from(minutes * 60) * u128::from(PS_PER_SECOND);
        is_whole.then_some(whole + u128::from(second))
    };
    read().ok_or_else(wrong)
}

/// Returns the days from the beginning of 2000 to a date of the Gregorian calendar.
fn days(year: u64, month: u64, day: u64) -> u64 {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let years = year - 2000;
    let leaps = years.div_ceil(4);
    let is_leap = years.is_multiple_of(4) && month > 2;
    let month = BEFORE[usize::try_from(month - 1).expect("12 months")];
    years * 365 + leaps + month + u64::from(is_leap) + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n\
                     2024-02-28 23:59:59.5000000,374,44\n\
                     2024-02-29 00:00:00.2500000,396,0\n\
                     2024-03-01 00:00:00.0000000+00:00,879,55\n";
        let own = "output_tokens,arrival_s,input_tokens\n44,0,374\n1,0.75,396\n55,86400.5,879\n";
        let requests = read_trace(azure).expect("a trace");
        assert_eq!(requests, read_trace(own).expect("a trace"));
        assert_eq!(requests[2].arrival, Duration::from_ms(86_400_500));
    }

    #[test]
    fn errors_have_their_place() {
        let at = |text: &str| {
            let error = read_trace(text).expect_err("an error");
            text[error.span].to_owned()
        };
        let own = "arrival_s,input_tokens,output_tokens\n";
        assert_eq!(at(&format!("{own}1,2,3\n0.5,2,3\n")), "0.5");
        assert_eq!(at(&format!("{own}1,0,3\n")), "0");
        assert_eq!(at(&format!("{own}1,2\n")), "1,2");
        assert_eq!(at(&format!("{own}x,2,3\n")), "x");
        assert_eq!(at("arrival_s,input_tokens\n"), "arrival_s,input_tokens");
        assert_eq!(at(own), own.trim_end());
        let azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
        assert_eq!(
            at(&format!("{azure}2023-13-16 1:2:3,2,3\n")),
            "2023-13-16 1:2:3"
        );
    }
}
