//! Requests for responses: drawn, or read from a file.

use fabricsim_base::input::InputError;
use fabricsim_base::limits::{MAX_DURATION, MAX_SIZE};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Bytes, Duration};

use crate::arrivals::exponential_gap;
use crate::named_list::Listed;

/// The name of the flows of heistp/ccafct.
const CCAFCT_NAME: &str = "ccafct-seed1";
/// The flows of heistp/ccafct with its defaults.
const CCAFCT: &str = include_str!("../../data/ccafct-seed1.csv");
/// The number of these flows.
const CCAFCT_FLOWS: usize = 900;
/// The columns of a file.
const HEADER: &str = "start_ns,size_bytes";
/// The 95% quantile of the standard normal distribution, as rounded by heistp/ccafct.
const Z95: f64 = 1.645;

/// A request for `size` bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WorkloadFlow {
    /// Time at which the request is made, from the start of the workload.
    pub start: Duration,
    /// Bytes of the response, at least one.
    pub size: Bytes,
}

impl Listed for WorkloadFlow {
    const DRAWN: &'static str = "drawn";

    fn read(text: &str) -> Result<Vec<Self>, InputError> {
        read_workload(text)
    }

    fn built_in(name: &str) -> Option<Vec<Self>> {
        (name == CCAFCT_NAME).then(|| ccafct_flows(CCAFCT_FLOWS))
    }
}

/// Distribution of the gaps and lengths of flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowDistribution {
    /// The mean gap between flows; gaps are exponentially distributed.
    pub mean_arrival: Duration,
    /// 5% of the lengths are below this; lengths are lognormally distributed.
    pub len_p5: Bytes,
    /// 95% of the lengths are below this.
    pub len_p95: Bytes,
}

/// The distribution of heistp/ccafct.
impl Default for FlowDistribution {
    fn default() -> Self {
        Self {
            mean_arrival: Duration::from_ms(200),
            len_p5: Bytes::new(64 << 10),
            len_p95: Bytes::new(2 << 20),
        }
    }
}

impl FlowDistribution {
    /// Returns mean and standard deviation of the logarithm of a length.
    fn logarithm(&self) -> (f64, f64) {
        let (low, high) = (
            libm::log(self.len_p5.as_f64()),
            libm::log(self.len_p95.as_f64()),
        );
        (f64::midpoint(low, high), (high - low) / (2.0 * Z95))
    }

    /// Returns the mean length in bytes.
    #[must_use]
    pub fn mean_length(&self) -> f64 {
        let (mu, sigma) = self.logarithm();
        libm::exp(mu + sigma * sigma / 2.0)
    }

    /// Draws `count` flows; the first starts immediately.
    #[must_use]
    pub fn draw(&self, count: usize, seed: u64) -> Vec<WorkloadFlow> {
        self.draws(seed, 0).take(count).collect()
    }

    /// Draws flows without end. Gaps and lengths use separate random streams (`entity` and the next
    /// one), so that the flows of a shorter run are the first ones of a longer run.
    pub(super) fn draws(&self, seed: u64, entity: u64) -> Draws {
        let (mu, sigma) = self.logarithm();
        Draws {
            gaps: Stream::new(seed, entity, Purpose::Arrivals),
            lengths: Stream::new(seed, entity + 1, Purpose::Arrivals),
            mean_gap: self.mean_arrival.as_secs_f64(),
            mu,
            sigma,
            start: None,
        }
    }
}

/// Flows drawn from a [`FlowDistribution`], one after the other.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    gaps: Stream,
    lengths: Stream,
    mean_gap: f64,
    mu: f64,
    sigma: f64,
    /// The start of the previous flow.
    start: Option<Duration>,
}

impl Iterator for Draws {
    type Item = WorkloadFlow;

    fn next(&mut self) -> Option<WorkloadFlow> {
        let start = self.start.map_or(Duration::ZERO, |before| {
            before.saturating_add(exponential_gap(&mut self.gaps, self.mean_gap))
        });
        self.start = Some(start);
        let length = libm::exp(self.mu + self.sigma * normal(&mut self.lengths));
        Some(WorkloadFlow {
            start,
            size: whole_bytes(length),
        })
    }
}

/// Rounds `bytes` down to whole bytes, at least one and at most the limit for a flow.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "lengths are positive, and a cast saturates"
)]
pub(super) fn whole_bytes(bytes: f64) -> Bytes {
    Bytes::new((bytes as u64).max(1)).min(MAX_SIZE)
}

/// Draws from the standard normal distribution (Box and Muller 1958).
fn normal(stream: &mut Stream) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - stream.uniform()));
    radius * libm::cos(core::f64::consts::TAU * stream.uniform())
}

/// Returns the first `count` of the 900 flows of heistp/ccafct with its defaults.
#[must_use]
pub fn ccafct_flows(count: usize) -> Vec<WorkloadFlow> {
    let mut flows = read_workload(CCAFCT).expect("the file is part of the program");
    flows.truncate(count);
    flows
}

/// Reads a CSV with the columns `start_ns,size_bytes`, in the order of the starts. Skips lines that
/// begin with `#`.
///
/// # Errors
/// Returns the first error, with its position.
pub fn read_workload(text: &str) -> Result<Vec<WorkloadFlow>, InputError> {
    let mut flows: Vec<WorkloadFlow> = Vec::new();
    let mut offset = 0;
    let mut headed = false;
    for line in text.split_inclusive('\n') {
        let place = offset..offset + line.trim_end().len();
        offset += line.len();
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // The header is required, so that a file of another kind is not read as numbers.
        let wrong = |message: String, help: &str| InputError::new(place.clone(), message, help);
        if !headed {
            if line != HEADER {
                return Err(wrong(
                    format!("`{line}` is not the header of a workload"),
                    "begin with the line start_ns,size_bytes",
                ));
            }
            headed = true;
            continue;
        }
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let numbers = line
            .split_once(',')
            .and_then(|(start, size)| number(start).zip(number(size)));
        let Some((start, size)) = numbers else {
            return Err(wrong(
                format!("`{line}` is not a start and a size"),
                "write nanoseconds and bytes as whole numbers with a comma between: 511291036,54616",
            ));
        };
        // A run handles these values as times and sizes within its limits.
        if size == 0 {
            return Err(wrong(
                "a flow of no bytes".to_owned(),
                "give at least one byte, or leave the line out",
            ));
        }
        if size > MAX_SIZE.get() {
            return Err(wrong(
                format!("a flow of {size} bytes"),
                "give at most 10^15 bytes, which is 1000TB",
            ));
        }
        if start > LATEST_NS {
            return Err(wrong(
                format!("the flow starts at {start} ns"),
                "starts are at most 10^15 ns, which is eleven days",
            ));
        }
        let start = Duration::from_ns(start);
        // The source reads flows once, in order, so they must be sorted.
        if flows.last().is_some_and(|last| last.start > start) {
            return Err(wrong(
                "the flow starts before the one of the line above".to_owned(),
                "sort the lines by their start",
            ));
        }
        flows.push(WorkloadFlow {
            start,
            size: Bytes::new(size),
        });
    }
    if flows.is_empty() {
        return Err(InputError::new(
            text.len()..text.len(),
            "the workload has no flows",
            "write the header start_ns,size_bytes and a line for each flow",
        ));
    }
    Ok(flows)
}

/// The latest start that can be simulated, in nanoseconds.
const LATEST_NS: u64 = MAX_DURATION.as_ns();

#[cfg(test)]
mod tests {
    use super::*;

    const DISTRIBUTION: FlowDistribution = FlowDistribution {
        mean_arrival: Duration::from_ms(200),
        len_p5: Bytes::new(65_536),
        len_p95: Bytes::new(2_097_152),
    };

    /// Returns the smallest length that at least a share `p` of `flows` does not exceed.
    fn quantile(flows: &[WorkloadFlow], p: f64) -> f64 {
        let mut sizes: Vec<Bytes> = flows.iter().map(|flow| flow.size).collect();
        sizes.sort_unstable();
        let place = (1..sizes.len()).find(|&rank| rank as f64 >= p * sizes.len() as f64);
        sizes[place.unwrap_or(sizes.len()) - 1].as_f64()
    }

    #[test]
    fn the_tools_flows_are_those_that_it_sums_up() {
        let flows = ccafct_flows(900);
        assert_eq!(flows.len(), 900);
        let total: u64 = flows.iter().map(|flow| flow.size.get()).sum();
        assert_eq!(total, 582_596_707);
        let last = flows.last().expect("900 flows").start;
        assert!((last.as_secs_f64() - 184.228).abs() < 0.001);
        for (p, bytes) in [(0.5, 373_508.0), (0.95, 2_163_903.0), (0.05, 68_728.0)] {
            assert!((quantile(&flows, p) - bytes).abs() < 0.5, "{p}");
        }
        assert_eq!(ccafct_flows(25), flows[..25]);
    }

    #[test]
    fn the_tool_prints_this_mean() {
        assert!((DISTRIBUTION.mean_length() - 645_683.0).abs() < 1.0);
    }

    #[test]
    fn draws_have_the_quantiles_and_gaps_of_their_distribution() {
        let flows = DISTRIBUTION.draw(100_000, 7);
        assert_eq!(flows[0].start, Duration::ZERO);
        assert_eq!(flows[..900], DISTRIBUTION.draw(900, 7));
        assert_ne!(flows[..900], DISTRIBUTION.draw(900, 8));
        for (p, bytes) in [(0.05, 65_536.0), (0.5, 370_728.0), (0.95, 2_097_152.0)] {
            let ratio = quantile(&flows, p) / bytes;
            assert!((ratio - 1.0).abs() < 0.02, "{p}: {ratio}");
        }
        let mean = flows[99_999].start.as_secs_f64() / 99_999.0;
        assert!((mean - 0.2).abs() < 0.003, "{mean}");
    }

    #[test]
    fn errors_have_places() {
        for (text, line, says) in [
            ("start,size\n", 1, "header"),
            ("start_ns,size_bytes\n0\n", 2, "not a start and a size"),
            ("start_ns,size_bytes\n0,5\n# x\n7,0\n", 4, "no bytes"),
            ("start_ns,size_bytes\n5,5\n4,5\n", 3, "before the one"),
            ("start_ns,size_bytes\n", 2, "no flows"),
            (
                "start_ns,size_bytes\n9999999999999999,5\n",
                2,
                "eleven days",
            ),
            ("start_ns,size_bytes\n0,1000000000000001\n", 2, "1000TB"),
        ] {
            let error = read_workload(text).expect_err(text);
            assert_eq!(error.line_column(text).0, line, "{text}");
            let all = format!("{} {}", error.message, error.help);
            assert!(all.contains(says), "{all}");
        }
    }
}
