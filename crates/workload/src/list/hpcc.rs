//! The HPCC simulator's `flow.txt`, and ConWeave's.

use std::collections::BTreeMap;

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::ClassId;
use fabricsim_base::input::InputError;
use fabricsim_base::units::Time;

use super::row::{self, HostSet};
use super::{Classes, FlowList};
use crate::context::WorkloadContext;
use crate::text::{DecimalError, Piece, lines};

/// Rule for reading the start times of a `flow.txt`, which are decimal seconds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum FlowTimes {
    /// Times are read as written, to the picosecond.
    #[default]
    Exact,
    /// Times are read as the published simulator does: through a double, truncated to whole
    /// nanoseconds. Many starts are then one nanosecond early, as its result files show.
    Truncated,
}

const FIELDS: &str = "a line has six fields: src dst priority dst_port size_bytes start_seconds, or \
                      five in ConWeave's form, without dst_port";

/// First ports of ConWeave's simulator: at each source, and at each destination.
const CONWEAVE_PORTS: (u16, u16) = (10_000, 100);

/// Reads a `flow.txt`: the number of flows, then a line `src dst pg dport size start` for each,
/// with the size in bytes and the start in seconds, absolute (by convention from 2 s on).
///
/// ConWeave's lines are `src dst pg size start`. The source ports of its flows are counted from
/// 10,000 at each source, their destination ports from 100 at each destination, in the order of
/// starts.
///
/// Lines need not be sorted; sizes are 64-bit. The priority group becomes the priority; 0 is the
/// control queue, which is never paused, marked or limited. The flows have no classes.
///
/// # Errors
/// Returns the position of the first error: a count that differs from the number of lines, a line
/// without six words, a node that is no host of `context`, a flow to itself or of zero bytes, or a
/// number out of range.
pub fn parse_hpcc_flows(
    text: &str,
    context: &WorkloadContext,
    times: FlowTimes,
) -> Result<FlowList, InputError> {
    parse(text, context, times, Rest::Refused)
}

/// Reads as many flows of a `flow.txt` as its first line states, and ignores the rest.
///
/// # Errors
/// Fails like [`parse_hpcc_flows`], except that additional lines are allowed.
pub(super) fn parse_first_hpcc_flows(
    text: &str,
    context: &WorkloadContext,
    times: FlowTimes,
) -> Result<FlowList, InputError> {
    parse(text, context, times, Rest::PassedOver)
}

/// The handling of lines beyond the count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rest {
    Refused,
    PassedOver,
}

fn parse(
    text: &str,
    context: &WorkloadContext,
    times: FlowTimes,
    rest: Rest,
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
    let mut form = None;
    for line in lines {
        if flows.len() == promised && rest == Rest::PassedOver {
            break;
        }
        if flows.len() == promised {
            return Err(line.error(
                format!("a line after the {promised} flows that the first line promises"),
                "correct the first line, remove the rest, or set ignore_rest = true in the workload",
            ));
        }
        let form = *form.get_or_insert_with(|| Form::of(line));
        flows.push(flow(line, form, &hosts, times)?);
    }
    if flows.len() < promised {
        return Err(InputError::new(
            end,
            format!("the file ends after {} of {promised} flows", flows.len()),
            "correct the first line or add the missing flows",
        ));
    }
    if form == Some(Form::ConWeave) {
        flows.sort_by_key(|flow| flow.start);
        count_ports(&mut flows);
    }
    Ok(FlowList::sorted(flows, Classes::OfWorkload))
}

/// The fields of the lines of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Form {
    Published,
    /// The lines have no destination port.
    ConWeave,
}

impl Form {
    /// Returns the format of a file, given the line of its first flow.
    fn of(line: Piece<'_>) -> Self {
        match line.words().count() {
            5 => Self::ConWeave,
            _ => Self::Published,
        }
    }
}

/// Assigns the ports of ConWeave's simulator to `flows`, in the order of their starts.
fn count_ports(flows: &mut [FlowRequest]) {
    let (mut sources, mut destinations) = (BTreeMap::new(), BTreeMap::new());
    for flow in flows {
        let src: &mut u16 = sources.entry(flow.src).or_insert(CONWEAVE_PORTS.0);
        let dst: &mut u16 = destinations.entry(flow.dst).or_insert(CONWEAVE_PORTS.1);
        (flow.src_port, flow.dst_port) = (Some(*src), *dst);
        // The counters wrap, because the counters of the original also have 16 bits.
        (*src, *dst) = (src.wrapping_add(1), dst.wrapping_add(1));
    }
}

fn flow(
    line: Piece<'_>,
    form: Form,
    hosts: &HostSet<'_>,
    times: FlowTimes,
) -> Result<FlowRequest, InputError> {
    let mut words = line.words();
    let mut next = || {
        words
            .next()
            .ok_or_else(|| line.error("the line stops too soon", FIELDS))
    };
    let (src, dst, priority) = (next()?, next()?, next()?);
    let dst_port = match form {
        Form::Published => Some(next()?),
        Form::ConWeave => None,
    };
    let (size, start) = (next()?, next()?);
    if let Some(extra) = words.next() {
        let which = if dst_port.is_some() {
            "a seventh"
        } else {
            "a sixth"
        };
        return Err(extra.error(format!("{which} field"), FIELDS));
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
        priority: row::priority_group(priority)?,
        src_port: None,
        dst_port: dst_port.map_or(Ok(CONWEAVE_PORTS.1), row::port)?,
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

/// Converts `seconds` to nanoseconds and truncates them, by the published simulator's 64.64-bit
/// fixed-point product of the double's exact value. Returns `None` from 2^32 seconds on.
fn truncated_ns(seconds: f64) -> Option<u64> {
    const MANTISSA_BITS: u32 = 52;
    /// The value of a double with biased exponent 0 is 2^`UNIT_EXPONENT` times an integer mantissa.
    const UNIT_EXPONENT: i32 = -1075;
    const FRACTION_BITS: i32 = 64;
    if !(0.0..4_294_967_296.0).contains(&seconds) {
        return None;
    }
    let bits = seconds.to_bits();
    let biased = i32::try_from(bits >> MANTISSA_BITS).ok()?;
    let fraction = bits & ((1 << MANTISSA_BITS) - 1);
    // A subnormal double is below 2^-1022, so the result is zero with any mantissa.
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
    use fabricsim_base::priority::Priority;

    use super::*;
    use crate::context::testing::context;

    fn parsed(text: &str, times: FlowTimes) -> Result<FlowList, InputError> {
        parse_hpcc_flows(text, &context(4, 1), times)
    }

    /// Returns the text at the position of the error, and the message.
    fn diagnostic(text: &str) -> (String, String) {
        let error = parsed(text, FlowTimes::Exact).expect_err("refused");
        (text[error.span.clone()].to_owned(), error.to_string())
    }

    #[test]
    fn times_are_exact_or_cut_as_published() {
        // Pairs of a start in a flow file and the start that the published simulator reports for
        // it.
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
            let start = |times| parsed(&text, times).unwrap().flows()[0].start;
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
        let list = parsed(text, FlowTimes::Exact).unwrap();
        let sizes: Vec<u64> = list.flows().iter().map(|flow| flow.size.get()).collect();
        assert_eq!(sizes, [20, 10, 9_000_000_000]);
        let last = list.flows()[2];
        assert_eq!((last.priority, last.dst_port), (Priority::new(4), 100));
        assert_eq!(last.start, Time::from_ns(2_500_000_000));
    }

    /// ConWeave's simulator counts them by source and by destination, not by pair.
    #[test]
    fn flows_of_conweave_have_no_port_and_get_those_of_its_simulator() {
        let text = "4\n0 1 3 10 2.3\n0 2 3 20 2.1\n2 1 3 30 2.2\n0 1 3 40 2.4\n";
        let list = parsed(text, FlowTimes::Exact).unwrap();
        let ports: Vec<_> = list
            .flows()
            .iter()
            .map(|it| (it.size.get(), it.src_port, it.dst_port))
            .collect();
        assert_eq!(
            ports,
            [
                (20, Some(10_000), 100),
                (30, Some(10_000), 100),
                (10, Some(10_001), 101),
                (40, Some(10_002), 102),
            ]
        );
        let (place, message) = diagnostic("2\n0 1 3 10 2.3\n0 2 3 100 20 2.1\n");
        assert_eq!(place, "2.1");
        assert!(message.contains("a sixth field"), "{message}");
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
        assert_eq!(row("0 1 3 10").0, "0 1 3 10");
        assert_eq!(diagnostic("many\n").0, "many");
        assert!(diagnostic("").1.contains("empty"));
    }

    #[test]
    fn lines_beyond_the_count_can_be_passed_over() {
        let text = "1\n0 1 3 100 10 2.0\n0 2 3 100 10 2.0\nFirst line: flow #\n";
        let list = parse_first_hpcc_flows(text, &context(4, 1), FlowTimes::Exact).unwrap();
        assert_eq!(list.flows().len(), 1);
        let short = "2\n0 1 3 100 10 2.0\n";
        assert!(parse_first_hpcc_flows(short, &context(4, 1), FlowTimes::Exact).is_err());
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
