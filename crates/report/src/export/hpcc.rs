//! Files of the published HPCC simulator.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::input::InputError;
use fabricsim_core::units::{Bytes, Duration};

use super::{ExportError, Exported, Exporter, Results, needed, nodes_of, pauses_of, within};
use crate::observed::{PortQueueTime, read_queue_distribution};

/// What makes a run write `fct.txt`.
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
            let queues = queues_of(text).map_err(within("queue_distribution.csv"))?;
            files.push(Exported::new("qlen.txt", queues));
        }
        Ok(files)
    }
}

/// Interval of the original's samples.
const SAMPLED: Duration = Duration::from_ns(100);

/// Width of the original's bins.
const BIN: Bytes = Bytes::new(1_000);

/// Queue lengths as the original writes them: a line with the time, then a line for each port of
/// each switch, with how many samples found the queue in each bin of 1,000 bytes from 0 on.
///
/// The original samples every 100 ns; here a bin has the time that the queue was in it over 100 ns,
/// rounded. The time in the first line is that of the observation.
fn queues_of(text: &str) -> Result<String, InputError> {
    let rows = read_queue_distribution(text)?;
    let mut ports: BTreeMap<(NodeId, PortId), Vec<Duration>> = BTreeMap::new();
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
    let observed = ports
        .values()
        .map(|bins| bins.iter().map(|time| time.as_ps()).sum::<u64>());
    let longest = Duration::from_ps(observed.max().unwrap_or(0));
    let mut out = format!("time: {}\n", longest.as_ns());
    for ((node, port), bins) in &ports {
        write!(out, "{} {}", node.0, port.index() + 1).expect("a text takes all");
        for time in bins {
            let samples = (time.as_ps() + SAMPLED.as_ps() / 2) / SAMPLED.as_ps();
            write!(out, " {samples}").expect("a text takes all");
        }
        out.push('\n');
    }
    Ok(out)
}

/// The bin of the original that a row is in; the empty queue is in the first one.
fn bin_of(row: &PortQueueTime) -> Option<usize> {
    let bin = row.from.get() / BIN.get();
    let fits = row.upto.get() <= (bin + 1) * BIN.get();
    // More bins than a queue of 1 GB has would be no queue.
    usize::try_from(bin)
        .ok()
        .filter(|bin| fits && *bin < 1_000_000)
}
