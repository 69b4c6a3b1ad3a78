//! Files of the published HPCC simulator.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration};

use super::{
    ExportError, Exported, Exporter, Observed, Results, needed, nodes_of, pauses_of, within,
};
use crate::observed::{PortQueueTime, read_queue_distribution};

/// The way to make a run write `fct.txt`.
pub(super) const FCT_TXT: &str = "write `fct_txt = true` into [output] and run the scenario again";

/// The published simulator.
pub(super) struct Hpcc;

impl Exporter for Hpcc {
    fn name(&self) -> &'static str {
        "hpcc"
    }

    fn about(&self) -> &'static str {
        "the published HPCC simulator: fct.txt; pfc.txt and qlen.txt where they were observed"
    }

    fn export(&self, results: &Results) -> Result<Vec<Exported>, ExportError> {
        let fct = needed(results.fct_txt.as_ref(), "fct.txt", FCT_TXT)?;
        let mut files = vec![Exported::new("fct.txt", fct.to_owned())];
        if let Some(pauses) = &results.pauses {
            let text = pauses_of(pauses, &nodes_of(results)?)?;
            files.push(Exported::new("pfc.txt", text));
        }
        if let Some(text) = &results.queue_distribution {
            let queues = queues_of(text, results.observed, first_start(fct));
            let queues = queues.map_err(within("queue_distribution.csv"))?;
            files.push(Exported::new("qlen.txt", queues));
        }
        Ok(files)
    }
}

/// Interval of the original's samples.
const SAMPLED: Duration = Duration::from_ns(100);

/// Time between two blocks of the original, which writes at multiples of it.
const BLOCK: Duration = Duration::from_ms(100);

/// Width of the original's bins.
const BIN: Bytes = Bytes::new(1_000);

/// Time that a queue spent in each bin, from the first bin on.
type Bins = Vec<Duration>;

/// Formats queue lengths like the original: blocks that begin with a line with the time. Then each
/// port of each switch has a line with the number of samples so far in each bin of 1,000 bytes.
///
/// The original samples every 100 ns, from the beginning to the end of `observed`. Here, the
/// samples of a bin are the time that the queue spent in it over 100 ns, rounded so that all ports
/// have the same number of samples. Of the original's blocks, the output has the blocks before
/// `first_start`, when all queues are empty, and the blocks after the end of the run. If there are
/// none after it, the output has one block at the end of the observation.
fn queues_of(
    text: &str,
    observed: Option<Observed>,
    first_start: Duration,
) -> Result<String, InputError> {
    let ports = bins_of(text)?;
    let lasted = ports
        .values()
        .map(|bins| bins.iter().map(|time| time.as_ps()).sum::<u64>());
    let lasted = Duration::from_ps(lasted.max().unwrap_or(0));
    let from = observed.map_or(Duration::ZERO, |observed| observed.from);
    let run_ends = from.saturating_add(lasted);
    let until = observed.and_then(|observed| observed.until);
    let until = until.map_or(run_ends, |until| until.max(run_ends));
    let mut out = String::new();
    let before = blocks(from, first_start.min(until));
    for at in before.filter(|&at| at < run_ends) {
        write_block(
            &mut out,
            (from, at),
            ports.keys().map(|&port| (port, &[][..])),
        );
    }
    let of_queues = || ports.iter().map(|(&port, bins)| (port, bins.as_slice()));
    let mut after = blocks(run_ends, until).peekable();
    if after.peek().is_none() {
        write_block(&mut out, (from, until), of_queues());
    }
    for at in after {
        write_block(&mut out, (from, at), of_queues());
    }
    Ok(out)
}

/// Yields the times from `from` up to `until` at which the original writes a block.
fn blocks(from: Duration, until: Duration) -> impl Iterator<Item = Duration> {
    let numbers = from.as_ps().div_ceil(BLOCK.as_ps())..=until.as_ps() / BLOCK.as_ps();
    numbers.map(|number| BLOCK.saturating_mul(number))
}

/// Writes the block at the time `at`, after sampling since `from`.
fn write_block<'b>(
    out: &mut String,
    (from, at): (Duration, Duration),
    ports: impl Iterator<Item = ((NodeId, PortId), &'b [Duration])>,
) {
    let samples = (at.as_ps() - from.as_ps()) / SAMPLED.as_ps() + 1;
    writeln!(out, "time: {}", at.as_ns()).expect("a text takes all");
    for ((node, port), bins) in ports {
        // Round sums instead of single bins so that errors do not add up: each sum has the samples
        // of a bin and all longer ones, from the longest on.
        let mut time = Duration::ZERO;
        let longer = bins.iter().skip(1).rev().map(|&own| {
            time = time.saturating_add(own);
            ((time.as_ps() + SAMPLED.as_ps() / 2) / SAMPLED.as_ps()).min(samples)
        });
        let mut counts: Vec<u64> = Vec::new();
        let mut counted = 0;
        for upto in longer.filter(|&upto| upto > 0) {
            counts.push(upto - counted);
            counted = upto;
        }
        counts.push(samples - counted);
        write!(out, "{} {}", node.0, port.index() + 1).expect("a text takes all");
        for count in counts.iter().rev() {
            write!(out, " {count}").expect("a text takes all");
        }
        out.push('\n');
    }
}

/// Reads the bins of each port.
fn bins_of(text: &str) -> Result<BTreeMap<(NodeId, PortId), Bins>, InputError> {
    let rows = read_queue_distribution(text)?;
    let mut ports: BTreeMap<(NodeId, PortId), Bins> = BTreeMap::new();
    for row in &rows {
        let bin = bin_of(row).ok_or_else(|| {
            InputError::new(
                0..text.find('\n').unwrap_or(text.len()),
                format!(
                    "a bin from {} to {} is none of 1,000 bytes",
                    row.from, row.upto
                ),
                "write `distribution_bin = \"1KB\"` into [observe] and run the scenario again",
            )
        })?;
        let bins = ports.entry((row.node, row.port)).or_default();
        bins.resize(bins.len().max(bin + 1), Duration::ZERO);
        bins[bin] = Duration::from_ps(bins[bin].as_ps().saturating_add(row.time.as_ps()));
    }
    Ok(ports)
}

/// Returns the start of the first flow in `fct.txt`, from its sixth column.
fn first_start(fct: &str) -> Duration {
    let starts = fct
        .lines()
        .filter_map(|line| line.split(' ').nth(5)?.parse().ok());
    starts.min().map_or(Duration::ZERO, Duration::from_ns)
}

/// Returns the original's bin of a row; the empty queue is in the first bin.
fn bin_of(row: &PortQueueTime) -> Option<usize> {
    let bin = row.from.get() / BIN.get();
    let fits = row.upto.get() <= (bin + 1) * BIN.get();
    // A longer queue than 1 GB is an error in the file, and its bins would fill the memory.
    usize::try_from(bin)
        .ok()
        .filter(|bin| fits && *bin < 1_000_000)
}
