//! The HPCC simulator's `flow.txt`.

use fabricsim_core::flow::FlowRequest;
use fabricsim_core::id::ClassId;
use fabricsim_core::input::InputError;
use fabricsim_core::units::Time;

use super::row::{self, HostSet};
use super::{Classes, FlowList};
use crate::context::WorkloadContext;
use crate::text::{DecimalError, Piece, lines};

/// Rule for reading the start times of a `flow.txt`, which are decimal seconds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum FlowTimes {
    /// As they are written, to the picosecond.
    #[default]
    Exact,
    /// As the published simulator does: through a double, cut to whole nanoseconds. Many starts
    /// come out one nanosecond early, which is what its result files show.
    Truncated,
}

const FIELDS: &str = "a line has six fields: src dst priority dst_port size_bytes start_seconds";

/// Reads a `flow.txt`: the number of flows, then a line `src dst pg dport size start` for each,
/// with the size in bytes and the start in seconds, absolute (by convention from 2 s on).
///
/// Lines need not be sorted; sizes are 64-bit. The priority group becomes the priority. Flows have
/// no class of their own.
///
/// # Errors
/// At the word at fault: a count that the lines do not meet, a line of other than six words, a node
/// that is no host of `context`, a flow to itself or of zero bytes, a number out of range.
pub fn parse_hpcc_flows(
    text: &str,
    context: &WorkloadContext,
    times: FlowTimes,
) -> Result<FlowList, InputError> {
    let mut lines = lines(text);
    let end = text.len()..text.len();
    let Some(first) = lines.next() else {
        return Err(InputError::new(
            end,
            "the file is empty",
            "begin with the number of flows",
        ));
    };
    let promised: usize = first.integer(
        "a number of flows",
        "the first line is the number of flows that follow",
    )?;
    let hosts = HostSet::new(context);
    let mut flows = Vec::new();
    for line in lines {
        if flows.len() == promised {
            return Err(line.error(
                format!("a line after the {promised} flows that the first line promises"),
                "correct the first line or remove what is too much",
            ));
        }
        flows.push(flow(line, &hosts, times)?);
    }
    if flows.len() < promised {
        return Err(InputError::new(
            end,
            format!("the file ends after {} of {promised} flows", flows.len()),
            "correct the first line or add the missing flows",
        ));
    }
    Ok(FlowList::sorted(flows, Classes::OfWorkload))
}

fn flow(line: Piece<'_>, hosts: &HostSet<'_>, times: FlowTimes) -> Result<FlowRequest, InputError> {
    let mut words = line.words();
    let fields: [Option<Piece<'_>>; 6] = std::array::from_fn(|_| words.next());
    let [
        Some(src),
        Some(dst),
        Some(priority),
        Some(dst_port),
        Some(size),
        Some(start),
    ] = fields
    else {
        return Err(line.error("the line stops too soon", FIELDS));
    };
    if let Some(extra) = words.next() {
        return Err(extra.error("a seventh field", FIELDS));
    }
    let (src, dst) = hosts.pair(src, dst)?;
    Ok(FlowRequest {
        src,
        dst,
        size: row::size(size)?,
        start: match times {
            FlowTimes::Exact => row::time(start, 12, "seconds")?,
            FlowTimes::Truncated => truncated(start)?,
        },
        class: ClassId(0),
        priority: row::priority(priority)?,
        src_port: None,
        dst_port: row::port(dst_port)?,
    })
}

fn truncated(field: Piece<'_>) -> Result<Time, InputError> {
    let exact = row::time(field, 12, "seconds")?;
    let seconds: f64 = field
        .text
        .parse()
        .map_err(|_| row::time_error(field, DecimalError::Malformed, "seconds"))?;
    let rounded = truncated_ns(seconds).filter(|ns| *ns <= Time::MAX.as_ns());
    // The exact time fits, so only a double rounded up past the end of time can fail here.
    Ok(rounded.map_or(exact, Time::from_ns))
}

/// Whole nanoseconds of `seconds`, cut off, by the published simulator's 64.64-bit fixed-point
/// product of the double's exact value; `None` from 2^32 seconds on.
fn truncated_ns(seconds: f64) -> Option<u64> {
    const MANTISSA_BITS: u32 = 52;
    /// 2^`UNIT_EXPONENT` times an integer mantissa is the value of a double with biased exponent 0.
    const UNIT_EXPONENT: i32 = -1075;
    const FRACTION_BITS: i32 = 64;
    if !(0.0..4_294_967_296.0).contains(&seconds) {
        return None;
    }
    let bits = seconds.to_bits();
    let biased = i32::try_from(bits >> MANTISSA_BITS).ok()?;
    let fraction = bits & ((1 << MANTISSA_BITS) - 1);
    // A subnormal double is below 2^-1022: nothing is left of it either way.
    let mantissa = u128::from(fraction | 1 << MANTISSA_BITS);
    let shift = biased + UNIT_EXPONENT + FRACTION_BITS;
    let fixed = if shift >= 0 {
        mantissa << shift
    } else {
        mantissa.checked_shr(shift.unsigned_abs()).unwrap_or(0)
    };
    Some(((fixed * 1_000_000_000) >> FRACTION_BITS) as u64)
}

#[cfg(test)]
mod tests {
    use fabricsim_core::packet::Priority;

    use super::*;
    use crate::context::testing::context;

    fn parse(text: &str, times: FlowTimes) -> Result<FlowList, InputError> {
        parse_hpcc_flows(text, &context(4, 1), times)
    }

    /// The text that the error points at, and what it says.
    fn diagnostic(text: &str) -> (String, String) {
        let error = parse(text, FlowTimes::Exact).expect_err("refused");
        (text[error.span.clone()].to_owned(), error.to_string())
    }

    #[test]
    fn times_are_exact_or_cut_as_published() {
        // Pairs of a flow file's start and the start that the published simulator reports for it.
        let pairs = [
            ("2.000000577", 2_000_000_576),
            ("2.000001567", 2_000_001_566),
            ("2.000002331", 2_000_002_331),
            ("2.000004015", 2_000_004_015),
            ("2.000005948", 2_000_005_948),
            ("2.000007873", 2_000_007_872),
            ("2.000008506", 2_000_008_505),
            ("2.000009620", 2_000_009_620),
            ("2", 2_000_000_000),
            ("0", 0),
        ];
        for (seconds, ns) in pairs {
            let text = format!("1\n0 1 3 100 1000 {seconds}\n");
            let start = |times| parse(&text, times).unwrap().flows()[0].start;
            assert_eq!(start(FlowTimes::Truncated), Time::from_ns(ns), "{seconds}");
            let written = seconds.parse::<f64>().unwrap() * 1e12;
            assert!(
                (start(FlowTimes::Exact).as_ps() as f64 - written).abs() < 1.0,
                "{seconds}"
            );
        }
    }

    #[test]
    fn cut_times_over_the_whole_range() {
        assert_eq!(truncated_ns(1.5e-9), Some(1));
        assert_eq!(truncated_ns(0.5), Some(500_000_000));
        assert_eq!(truncated_ns(1e-300), Some(0));
        assert_eq!(truncated_ns(4e9), Some(4_000_000_000_000_000_000));
        assert_eq!(truncated_ns(-1.0), None);
        assert_eq!(truncated_ns(f64::NAN), None);
    }

    #[test]
    fn lines_are_sorted_and_ties_keep_their_order() {
        let text = "3\n0 1 3 100 10 2.5\n1 2 3 200 20 2.1\n2 3 4 100 9000000000 2.5\n\n";
        let list = parse(text, FlowTimes::Exact).unwrap();
        let sizes: Vec<u64> = list.flows().iter().map(|flow| flow.size.get()).collect();
        assert_eq!(sizes, [20, 10, 9_000_000_000]);
        let last = list.flows()[2];
        assert_eq!((last.priority, last.dst_port), (Priority::new(4), 100));
        assert_eq!(last.start, Time::from_ns(2_500_000_000));
    }

    #[test]
    fn errors_are_pointed_at() {
        let row = |row: &str| diagnostic(&format!("1\n{row}\n"));
        assert_eq!(row("0 7 3 100 10 2.0").0, "7");
        assert_eq!(row("1 1 3 100 10 2.0").0, "1");
        assert_eq!(row("0 1 9 100 10 2.0").0, "9");
        assert_eq!(row("0 1 3 70000 10 2.0").0, "70000");
        assert_eq!(row("0 1 3 100 0 2.0").0, "0");
        assert_eq!(row("0 1 3 100 10 -2.0").0, "-2.0");
        assert_eq!(row("0 1 3 100 10 soon").0, "soon");
        assert_eq!(row("0 1 3 100 10 1e9").0, "1e9");
        assert_eq!(row("0 1 3 100 10 2.0 5").0, "5");
        assert_eq!(row("0 1 3 100 10").0, "0 1 3 100 10");
        assert_eq!(diagnostic("many\n").0, "many");
        assert!(diagnostic("").1.contains("empty"));
    }

    #[test]
    fn the_count_is_checked() {
        let (place, message) = diagnostic("2\n0 1 3 100 10 2.0\n");
        assert_eq!(place, "");
        assert!(message.contains("1 of 2 flows"), "{message}");
        let (place, message) = diagnostic("1\n0 1 3 100 10 2.0\n0 2 3 100 10 2.0\n");
        assert_eq!(place, "0 2 3 100 10 2.0");
        assert!(message.contains("correct the first line"), "{message}");
    }
}
